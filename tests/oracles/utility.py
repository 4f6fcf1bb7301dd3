"""Utility of a published table by its definition, over plain lists.

A release is a list of rows; a row is a list of cells, a cell the set of values that it covers. In a release of
buckets, *bucket* names the bucket of each row and *groups* the columns that were shuffled together. A query is a
dict from column to the set of values that a record may have.
Source: composition.md sections 7.1 and 7.2 (Hasan, Jiang, Chen, Wang 2018; Zhang, Koudas, Srivastava, Yu 2007).
"""

from fractions import Fraction
from itertools import product


def share(cell, values, *, literal):
    if literal:
        return Fraction(len(cell) == 1 and cell <= values)
    return Fraction(len(cell & values), len(cell))


def buckets(rows, bucket, groups, n_columns):
    """Return the rows of each bucket, and the groups with a group of its own for what is in none."""
    if bucket is None:
        return [[row] for row in rows], [tuple(range(n_columns))]
    named = {j for group in groups for j in group}
    groups = [*groups, *((j,) for j in range(n_columns) if j not in named)]
    return [
        [row for row, b in zip(rows, bucket, strict=True) if b == number] for number in sorted(set(bucket))
    ], groups


def estimate(rows, query, *, bucket=None, groups=(), n_columns, literal=False, rate=1):
    total = Fraction(0)
    found, groups = buckets(rows, bucket, groups, n_columns)
    for entries in found:
        expected = Fraction(len(entries))
        for group in groups:
            met = Fraction(0)
            for row in entries:
                each = Fraction(1)
                for j in group:
                    if j in query:
                        each *= share(row[j], query[j], literal=literal)
                met += each
            expected *= met / len(entries)
        total += expected
    return total / rate


def joint(rows, columns, n_values, *, bucket=None, groups=(), n_columns):
    """Return the expected count of each combination of values of some columns."""
    return [
        estimate(
            rows,
            {j: frozenset([value]) for j, value in zip(columns, values, strict=True)},
            bucket=bucket,
            groups=groups,
            n_columns=n_columns,
        )
        for values in product(*(range(n_values[j]) for j in columns))
    ]


def variation(before, after):
    if not sum(before) or not sum(after):
        return None
    return (
        sum(abs(x / Fraction(sum(before)) - y / Fraction(sum(after))) for x, y in zip(before, after, strict=True))
        / 2
    )


def level(tree, cell):
    """Return the level of the smallest node over a cell. A tree is a list of (depth, leaves), with the root."""
    if len(cell) == 1:
        return 0
    height = max(depth for depth, _ in tree)
    smallest = min((len(node), -depth) for depth, node in tree if cell <= node)
    return height + smallest[1]


def distortion(rows, trees):
    if not rows or not trees:
        return 0
    heights = [max(depth for depth, _ in tree) for tree in trees]
    costs = [
        Fraction(level(tree, row[j]), height)
        for row in rows
        for j, (tree, height) in enumerate(zip(trees, heights, strict=True))
    ]
    return sum(costs) / len(costs)
