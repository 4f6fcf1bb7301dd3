"""KL divergence of a release: sum over distinct rows of f * ln(f / f*) (Kifer and Gehrke 2006)."""

from collections import Counter
from math import log


def loss(records, domains):
    """Return the divergence of the rows from what the release says of them.

    A record is (quasi codes, sensitive codes, box); the box is a list of (lo, hi), None where it is suppressed.
    ``domains`` are the numbers of values of the quasi-identifiers.
    """
    n = len(records)
    whole = [(0, size - 1) for size in domains]
    published = Counter((tuple(box or whole), tuple(sensitive)) for _, sensitive, box in records)
    total = 0.0
    for (codes, sensitive), rows in Counter((tuple(q), tuple(s)) for q, s, _ in records).items():
        said = 0.0
        for (box, value), times in published.items():
            if value == sensitive and all(lo <= c <= hi for c, (lo, hi) in zip(codes, box, strict=True)):
                cells = 1
                for lo, hi in box:
                    cells *= hi - lo + 1
                said += times / n / cells
        total += rows / n * log(rows / n / said)
    return total
