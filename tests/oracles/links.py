"""What the rows of a bucket that may be somebody's say, by looking at every person and every row."""


def links(rows, people, covers):
    """Return the fewest sensitive values, missing ones not counted, and the largest share of one.

    Parameters
    ----------
    rows : list of (bucket, labels, sensitive)
    people : list of (bucket, values)
    covers : callable
        Whether labels cover values.
    """
    fewest, largest = None, 0
    for bucket, values in people:
        mine = [s for b, labels, s in rows if b == bucket and covers(labels, values)]
        if not mine:
            return 0, 1
        different = {s for s in mine if s is not None}
        fewest = len(different) if fewest is None else min(fewest, len(different))
        largest = max(largest, *(mine.count(s) / len(mine) for s in set(mine)))
    return fewest, largest
