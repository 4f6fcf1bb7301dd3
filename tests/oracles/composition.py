"""The composition attack by its definition: sets of leaves, and a loop over everything.

A release is a list of classes (sides, values): *sides* one set of leaves per column, *values* a set. A person is a
dict with the leaves ``q``, one vector per release; the values ``s``, one per release, None where he is not in it;
and the positions ``own`` of his classes, where they are told.
Sources: composition.md sections 6.1 to 6.3 (Hasan, Jiang, Chen, Wang 2018); Ganta, Kasiviswanathan, Smith 2008.
"""

import itertools
from fractions import Fraction


def candidates(release, q):
    return [c for c, (sides, _) in enumerate(release) if all(x in side for x, side in zip(q, sides, strict=True))]


def values_alone(release, q):
    return set().union(*(release[c][1] for c in candidates(release, q)))


def matches(releases, person):
    found = []
    for classes in itertools.product(*map(candidates, releases, person["q"])):
        shared = frozenset.intersection(*(release[c][1] for release, c in zip(releases, classes, strict=True)))
        found += [(*classes, s) for s in sorted(shared)]
    return found


def own_classes(releases, person):
    """Where the person's own class is not told, any candidate that holds the value may be it."""
    if "own" in person:
        return [
            [c] if c is not None and s in release[c][1] else []
            for release, c, s in zip(releases, person["own"], person["s"], strict=True)
        ]
    return [
        [c for c in candidates(release, q) if s in release[c][1]]
        for release, q, s in zip(releases, person["q"], person["s"], strict=True)
    ]


def is_true(releases, person):
    return None not in person["s"] and len(set(person["s"])) == 1 and all(own_classes(releases, person))


def share(part, whole):
    return Fraction(part, whole) if whole else None


def risk_all(releases, people):
    return share(sum(is_true(releases, u) for u in people), sum(len(matches(releases, u)) for u in people))


def risk_overlap(releases, people):
    return risk_all(releases, [u for u in people if None not in u["s"]])


def triples(first, second):
    return {
        (a, b, s)
        for (a, (mine, values)), (b, (theirs, others)) in itertools.product(enumerate(first), enumerate(second))
        if all(set(x) & set(y) for x, y in zip(mine, theirs, strict=True))
        for s in values & others
    }


def risk_class(first, second, people):
    held = {
        (*(classes[0] for classes in own_classes([first, second], u)), u["s"][0])
        for u in people
        if is_true([first, second], u)
    }
    return share(len(held), len(triples(first, second)))


def meetings(first, second):
    """Return how many pairs of classes meet, share a value, and share exactly one."""
    shared = [
        values & others
        for (mine, values), (theirs, others) in itertools.product(first, second)
        if all(set(x) & set(y) for x, y in zip(mine, theirs, strict=True))
    ]
    return len(shared), sum(map(bool, shared)), sum(len(s) == 1 for s in shared)
