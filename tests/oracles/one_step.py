"""One step finer in one column of a class, over plain rows, and what a class must not show."""


def by_children(rows, column, children):
    """The parts by the child that holds the row's code; *children* are the codes of each child."""
    parts = [[row for row in rows if row[0][column] in child] for child in children]
    return [part for part in parts if part]


def in_two(rows, column):
    """The two parts of the first cut between codes that makes them most equal; one part if all rows agree."""
    codes = sorted({row[0][column] for row in rows})
    if len(codes) == 1:
        return [rows]

    def smaller(cut):
        left = sum(row[0][column] <= cut for row in rows)
        return min(left, len(rows) - left)

    cut = max(codes[:-1], key=smaller)
    return [[r for r in rows if r[0][column] <= cut], [r for r in rows if r[0][column] > cut]]
