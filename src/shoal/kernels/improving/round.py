"""One round: every change of a class that saves loss, class by class and neighbourhood by neighbourhood."""
# ruff: noqa: PLR0917, FBT001 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.improving.dissolving import dissolve
from shoal.kernels.improving.dividing import cut, part
from shoal.kernels.improving.leaving import MOST_ATOMS, leave
from shoal.kernels.jit import kernel


@kernel
def improve_hoods(  # pragma: no cover - compiled
    s: Any, p: Any, asked: Any, starts: Any, classes: Any, empty: Any, n_empty: int, once: bool, moves: int,
    number: int, atoms: Any, before: Any,
) -> Any:  # fmt: skip
    """Improve the classes of some neighbourhoods; return how many changes were made and empty classes are left.

    Parameters
    ----------
    starts : int64 [n_hoods + 1]
        Classes ``classes[starts[h]:starts[h + 1]]`` are neighbours.
    classes : int64 [n]
    empty : int64 [n_empty_at_most]
        Numbers of classes that are empty, the last of the *n_empty* first ones is taken first.
    once : bool
        Whether a class takes part in one change at most, so that changes can be tested and undone afterwards.
    moves : int
        Changes that may be made at most.
    number : int
        Of the first change.
    atoms, before : int64 [n_atoms]
        Room to work in.
    """
    boxes = np.empty((4, s.codes.shape[1]), np.int32)
    done = 0
    for h in range(starts.shape[0] - 1):
        hood = classes[starts[h] : starts[h + 1]]
        for q in range(hood.shape[0]):
            c = hood[q]
            if s.head[c] < 0 or s.price[c] <= 0.0 or (once and s.change[c] >= 0):
                continue
            if done >= moves:
                return done, n_empty
            large = s.size[c] >= 2 * asked.least and 1 < s.atoms[c] <= MOST_ATOMS and n_empty > 0
            if large and cut(s, p, asked, c, empty[n_empty - 1], number + done, boxes):
                n_empty -= 1
                done += 1
                if once:
                    continue
            if s.atoms[c] > MOST_ATOMS:
                continue
            # What is undone comes back in another order, so atoms are counted.
            b, left = s.head[c], s.atoms[c]
            while b >= 0 and left > 0 and n_empty > 0 and s.size[c] >= 2 * asked.least and done < moves:
                if asked.t < 1.0:
                    break
                left -= 1
                following = s.after[b]
                if part(s, p, asked, b, empty[n_empty - 1], number + done, atoms):
                    n_empty -= 1
                    done += 1
                    break
                b = following
            if (once and s.change[c] >= 0) or done >= moves:
                continue
            again = True
            while again and s.head[c] >= 0 and s.atoms[c] > 1:
                again = False
                b = s.head[c]
                while b >= 0 and done < moves:
                    following = s.after[b]
                    if leave(s, p, asked, hood, b, once, number + done, boxes):
                        done += 1
                        again = not once
                        if once:
                            break
                    b = following
            if (once and s.change[c] >= 0) or done >= moves or s.head[c] < 0:
                continue
            if s.price[c] > 0.0 and dissolve(s, p, asked, hood, c, once, number + done, atoms, before):
                done += 1
    return done, n_empty
