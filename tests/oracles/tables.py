"""What the oracles of whole tables share.

A published table is a list of (labels, person) rows, person None where rows are counted.
"""

from collections import defaultdict


def classes(rows):
    """The members of each class, by its labels: people, or the numbers of its rows."""
    found = defaultdict(set)
    for number, (labels, person) in enumerate(rows):
        found[labels].add(number if person is None else ("person", person))
    return found


def sizes(rows):
    """The size of each class."""
    return [len(members) for members in classes(rows).values()]
