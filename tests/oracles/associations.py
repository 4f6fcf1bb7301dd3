"""Cramér's V with Bergsma's correction, and the even spread of a published cell, over plain lists."""

from math import sqrt


def cramers_v(pairs):
    """Of a list of (first, second, weight)."""
    firsts, seconds, cells = {}, {}, {}
    for a, b, weight in pairs:
        if weight:
            firsts[a] = firsts.get(a, 0) + weight
            seconds[b] = seconds.get(b, 0) + weight
            cells[a, b] = cells.get((a, b), 0) + weight
    n, r, c = sum(firsts.values()), len(firsts), len(seconds)
    if min(r, c) < 2 or n <= 1:
        return None
    chi2 = 0
    for a, of_a in firsts.items():
        for b, of_b in seconds.items():
            expected = of_a * of_b / n
            chi2 += (cells.get((a, b), 0) - expected) ** 2 / expected
    phi2 = max(0, chi2 / n - (r - 1) * (c - 1) / (n - 1))
    most = min(r - (r - 1) ** 2 / (n - 1), c - (c - 1) ** 2 / (n - 1)) - 1
    # Few records over many groups leave nothing to compare with, up to the noise of sums.
    if most < 1e-9:
        return None
    return min(1, sqrt(phi2 / most)) if phi2 > 1e-9 else 0


def spread(lo, hi, group_of_leaf, null):
    """Share of the interval [lo, hi] in each group; the missing value counts only where it is alone."""
    leaves = list(range(lo, hi + 1))
    if null is not None and len(leaves) > 1:
        leaves = [leaf for leaf in leaves if leaf != null]
    shares = {}
    for leaf in leaves:
        shares[group_of_leaf[leaf]] = shares.get(group_of_leaf[leaf], 0) + 1 / len(leaves)
    return shares
