"""Mohammed et al. 2011: how well a division of a node tells the class values apart, over (code, value) records."""

import math


def counts(values):
    return [values.count(value) for value in set(values)]


def entropy(values):
    return -sum(c / len(values) * math.log2(c / len(values)) for c in counts(values))


def score(records, children, kind):
    """The sum of the largest counts of the children, or the information gain in bits."""
    parts = [[value for code, value in records if lo <= code <= hi] for lo, hi in children]
    if kind == "max":
        return sum(max(counts(part), default=0) for part in parts)
    whole = [value for part in parts for value in part]
    if not whole:
        return 0.0
    return entropy(whole) - sum(len(part) / len(whole) * entropy(part) for part in parts if part)
