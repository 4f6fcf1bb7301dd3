"""Which buckets of two releases have an entry in common in every group of columns."""
# ruff: noqa: PLR0917 - compiled functions take their arrays one by one

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.kernels.jit import kernel

__all__ = ["meet_entries"]


@kernel
def _lowest(word: Any) -> Any:  # pragma: no cover - compiled
    """Return the number of the lowest bit that is set."""
    bit = 0
    for width in (32, 16, 8, 4, 2, 1):
        mask = (np.uint64(1) << np.uint64(width)) - np.uint64(1)
        if word & mask == np.uint64(0):
            word >>= np.uint64(width)
            bit += width
    return bit


@kernel
def meet_entries(  # pragma: no cover - compiled
    words: Any,
    word_base: Any,
    n_words: Any,
    holder_starts: Any,
    holders: Any,
    entry_base: Any,
    entry_starts: Any,
    entries: Any,
    first_starts: Any,
    first_values: Any,
    second_starts: Any,
    second_values: Any,
    seen: Any,
    stamp: Any,
    totals: Any,
) -> Any:
    """Add up pairs of buckets that meet, those that share a value, those that share one, and values shared.

    For group *g* of columns, bits ``words[word_base[g] + b * n_words[g]:]`` say which entries of the second
    release meet one of bucket *b* of the first. Entry *e* of group *g* stands in the buckets
    ``holders[holder_starts[entry_base[g] + e]:...]``, and bucket *c* holds the entries
    ``entries[entry_starts[g, c]:entry_starts[g, c + 1]]``. *seen* marks buckets that were looked at by *stamp*,
    which is returned.
    """
    n_groups = n_words.shape[0]
    for bucket in range(first_starts.shape[0] - 1):
        best, least = 0, -1
        for group in range(n_groups):
            there = 0
            base = word_base[group] + bucket * n_words[group]
            for place in range(n_words[group]):
                word = words[base + place]
                while word:
                    entry = entry_base[group] + place * 64 + _lowest(word)
                    word &= word - np.uint64(1)
                    there += holder_starts[entry + 1] - holder_starts[entry]
            if least < 0 or there < least:
                best, least = group, there
        stamp += 1
        base = word_base[best] + bucket * n_words[best]
        for place in range(n_words[best]):
            word = words[base + place]
            while word:
                found = entry_base[best] + place * 64 + _lowest(word)
                word &= word - np.uint64(1)
                for holder in range(holder_starts[found], holder_starts[found + 1]):
                    other = holders[holder]
                    if seen[other] == stamp:
                        continue
                    seen[other] = stamp
                    meets = True
                    for group in range(n_groups):
                        if group == best:
                            continue
                        row = word_base[group] + bucket * n_words[group]
                        some = False
                        for at in range(entry_starts[group, other], entry_starts[group, other + 1]):
                            entry = entries[at]
                            if words[row + (entry >> 6)] >> np.uint64(entry & 63) & np.uint64(1):
                                some = True
                                break
                        if not some:
                            meets = False
                            break
                    if not meets:
                        continue
                    shared = 0
                    mine, theirs = first_starts[bucket], second_starts[other]
                    while mine < first_starts[bucket + 1] and theirs < second_starts[other + 1]:
                        if first_values[mine] == second_values[theirs]:
                            shared += 1
                            mine += 1
                            theirs += 1
                        elif first_values[mine] < second_values[theirs]:
                            mine += 1
                        else:
                            theirs += 1
                    totals[0] += 1
                    totals[1] += shared > 0
                    totals[2] += shared == 1
                    totals[3] += shared
    return stamp
