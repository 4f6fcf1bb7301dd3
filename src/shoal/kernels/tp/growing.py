"""Phase two of TP: the residue takes rows of its rarest values as long as its height stays."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.jit import kernel
from shoal.kernels.tp.pillars import is_alive, is_done, is_fat, take, take_pillars


@kernel
def _sink(heap: Any, n: Any) -> None:  # pragma: no cover - compiled
    """Restore the order of a heap of keys whose first one has grown."""
    key, at = heap[0], 0
    while 2 * at + 1 < n:
        child = 2 * at + 1
        if child + 1 < n and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= key:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = key


@kernel
def grow(groups: Any, residue: Any, l: Any, owner: Any) -> Any:  # pragma: no cover - compiled
    """Phase two: add rows of the rarest values as long as the residue's height stays; whether it became eligible.

    The dead stay dead and no value becomes rarer in the residue, so a heap of values by their rows there, and
    for each value a pointer to its first cell in an alive group, only move forward.
    """
    n_values, n_cells = residue.rows.shape[0], groups.value.shape[0]
    starts = np.zeros(n_values + 1, np.int64)
    for c in range(n_cells):
        starts[groups.value[c] + 1] += 1
    for v in range(n_values):
        starts[v + 1] += starts[v]
    pointer = starts[:-1].copy()
    cells = np.empty(n_cells, np.int64)
    for c in range(n_cells):
        cells[pointer[groups.value[c]]] = c
        pointer[groups.value[c]] += 1
    pointer[:] = starts[:-1]
    heap = residue.rows * n_values + np.arange(n_values)
    heap.sort()
    dead = np.zeros(groups.size.shape[0], np.bool_)
    n = n_values
    while n:
        v = heap[0] % n_values
        if heap[0] // n_values != residue.rows[v]:
            heap[0] = residue.rows[v] * n_values + v
            _sink(heap, n)
            continue
        while pointer[v] < starts[v + 1]:
            cell = cells[pointer[v]]
            g = owner[cell]
            if groups.left[cell] > 0 and not dead[g]:
                if is_alive(groups, residue, l, g):
                    break
                dead[g] = True
            pointer[v] += 1
        if pointer[v] == starts[v + 1]:
            n -= 1
            heap[0] = heap[n]
            _sink(heap, n)
            continue
        cell = cells[pointer[v]]
        if is_fat(groups, l, owner[cell]):
            take(groups, residue, 2, owner[cell], cell)
        else:
            take_pillars(groups, residue, 2, owner[cell])
        if is_done(residue, l):
            return True
    return False
