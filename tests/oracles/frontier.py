"""Groups of l different values along an order of rows, one row at a time (l-diversity by suppression, A7)."""


def groups(values, l):
    """Return the groups as lists of row positions.

    ``values`` is the sensitive value of each row in curve order; no value has more than a share of 1/l.
    """
    left = list(range(len(values)))
    found = []
    while len(left) >= 2 * l:
        first = {}
        count = {}
        for row in left:
            first.setdefault(values[row], row)
            count[values[row]] = count.get(values[row], 0) + 1
        quota = len(left) // l
        group = [first[v] for v in count if count[v] == quota]
        others = sorted(first[v] for v in count if count[v] < quota)
        group += others[: max(0, l - len(group))]
        found.append(sorted(group))
        left = [row for row in left if row not in group]
    if left:
        found.append(left)
    return found
