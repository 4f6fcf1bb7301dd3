"""Top-down specialization over plain lists (after Fung, Wang and Yu 2005).

A tree is a dict: interval of codes -> the intervals below it. A record is (quasi codes, sensitive codes, ...).
"""

from collections import Counter, defaultdict
from math import log


def specialize(records, trees, passes, reached, start):
    """Return the cut of each column: a set of intervals.

    ``passes(classes)`` tells whether all of a list of classes pass, ``reached(classes)`` the figures that the
    models reach; ``start`` is the cut of each column to begin with.
    """
    cuts = [set(cut) for cut in start]
    while True:
        now = reached(classes_of(records, cuts))
        scored = []
        for j, tree in enumerate(trees):
            for node in cuts[j]:
                under = [r for r in records if node[0] <= r[0][j] <= node[1]]
                if not under or not tree.get(node):
                    continue
                after = [cut if c != j else cut - {node} | set(tree[node]) for c, cut in enumerate(cuts)]
                classes = classes_of(records, after)
                if passes(classes):
                    given_up = [abs(a - b) for a, b in zip(now, reached(classes), strict=True)]
                    score = gain(under, j, tree[node]) / (1 + sum(given_up) / len(given_up))
                    scored.append((-round(score, 9), j, node, after))
        if not scored:
            return cuts
        cuts = min(scored, key=lambda entry: entry[:3])[3]


def classes_of(records, cuts):
    found = defaultdict(list)
    for record in records:
        box = [next(n for n in cut if n[0] <= code <= n[1]) for cut, code in zip(cuts, record[0], strict=True)]
        found[tuple(box)].append(record)
    return list(found.values())


def gain(under, j, children):
    parts = [[r for r in under if lo <= r[0][j] <= hi] for lo, hi in children]
    return entropy(under) - sum(len(part) / len(under) * entropy(part) for part in parts if part)


def entropy(records):
    counts = Counter(record[1][0] for record in records)
    return -sum(n / len(records) * log(n / len(records)) for n in counts.values())
