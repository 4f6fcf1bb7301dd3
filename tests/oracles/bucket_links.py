"""How surely a bucket release links a record with each sensitive value, over plain lists.

A bucket is a list of groups, each a list of entries; an entry is a tuple of (lo, hi) per column. Beside them stand
the sensitive values of the entries of the last group.
"""

from collections import defaultdict
from fractions import Fraction


def covers(entry, values):
    return all(lo <= x <= hi for x, (lo, hi) in zip(values, entry, strict=True))


def bucket_chances(record, buckets):
    """The probability of each bucket for a record, given as its values per group of columns."""
    found = []
    for groups, _ in buckets:
        chance = Fraction(1)
        for values, entries in zip(record, groups, strict=True):
            chance *= Fraction(sum(covers(entry, values) for entry in entries), len(entries))
        found.append(chance)
    total = sum(found)
    return [chance / total for chance in found]


def links(record, buckets):
    """The probability of each sensitive value for a record."""
    found = defaultdict(Fraction)
    for chance, (groups, sensitive) in zip(bucket_chances(record, buckets), buckets, strict=True):
        if chance == 0:
            continue
        mine = [s for entry, s in zip(groups[-1], sensitive, strict=True) if covers(entry, record[-1])]
        for s in mine:
            found[s] += chance / len(mine)
    return dict(found)
