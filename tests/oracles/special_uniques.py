"""Elliot et al. 2005: minimal sample uniques, by looking at every set of columns of every record."""

from itertools import combinations
from math import comb, prod


def alone(rows, i, chosen):
    """Whether the member of row i alone has its values in some columns; a row is (values, person or None)."""
    values, person = rows[i]
    mine = i if person is None else person
    for other, (theirs, who) in enumerate(rows):
        member = other if person is None else who
        if member != mine and all(values[j] == theirs[j] for j in chosen):
            return False
    return True


def minimal_uniques(rows, i, m):
    """The minimal sets of up to m columns in which row i is alone."""
    n = len(rows[i][0])
    found = []
    for k in range(1, min(m, n) + 1):
        for chosen in combinations(range(n), k):
            smaller = (chosen[:j] + chosen[j + 1 :] for j in range(k))
            if alone(rows, i, chosen) and not any(fewer and alone(rows, i, fewer) for fewer in smaller):
                found.append(chosen)
    return found


def worth(k, n, m, scores):
    """What a minimal unique of k of n columns counts where sets of up to m are looked at."""
    if scores == "ihsn":
        return (2 ** (n - k) - 1) / comb(n, k)
    return prod(n - i for i in range(k, min(m, n - 1) + 1))


def score(rows, i, m, scores):
    """The SUDA score of row i."""
    n = len(rows[i][0])
    return sum(worth(len(chosen), n, m, scores) for chosen in minimal_uniques(rows, i, m))
