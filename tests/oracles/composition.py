"""The composition attack by its definition: sets of leaves, and a loop over everything.

A release is a list of classes (sides, values): *sides* one set of leaves per column, *values* a set. A person is a
dict with the leaves ``q``, one vector per release; the values ``s``, one per release, None where he is not in it;
and the positions ``own`` of his classes, where they are told.
A class of a release of buckets is (groups, values, pairs): *groups* a list of (columns, entries), an entry one set
of leaves per column; *pairs* the sensitive values beside each entry of the last group, a set for each.
Sources: composition.md sections 6.1 to 6.3 (Hasan, Jiang, Chen, Wang 2018); Ganta, Kasiviswanathan, Smith 2008.
"""

import itertools
from fractions import Fraction


def vectors(class_):
    """Return QI(E), the leaf vectors that a class may describe."""
    if len(class_) == 2:
        return set(itertools.product(*class_[0]))
    groups = class_[0]
    n_columns = sum(len(columns) for columns, _ in groups)
    found = set()
    for chosen in itertools.product(*(entries for _, entries in groups)):
        sides = [None] * n_columns
        for (columns, _), entry in zip(groups, chosen, strict=True):
            for j, side in zip(columns, entry, strict=True):
                sides[j] = side
        found |= set(itertools.product(*sides))
    return found


def candidates(release, q):
    return [c for c, class_ in enumerate(release) if tuple(q) in vectors(class_)]


def paired_values(release, q):
    """Return the values of candidate classes that stand beside an entry of their group that fits."""
    found = set()
    for c in candidates(release, q):
        if len(release[c]) == 2:
            found |= release[c][1]
            continue
        (columns, entries), beside = release[c][0][-1], release[c][2]
        for entry, values in zip(entries, beside, strict=True):
            if all(q[j] in side for j, side in zip(columns, entry, strict=True)):
                found |= values
    return found


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
        for (a, mine), (b, theirs) in itertools.product(enumerate(first), enumerate(second))
        if vectors(mine) & vectors(theirs)
        for s in mine[1] & theirs[1]
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
        mine[1] & theirs[1] for mine, theirs in itertools.product(first, second) if vectors(mine) & vectors(theirs)
    ]
    return len(shared), sum(map(bool, shared)), sum(len(s) == 1 for s in shared)
