"""Mondrian that cuts the widest column first, over plain lists (after LeFevre et al. 2006).

A column is a dict: ``n`` values, ``children`` (interval -> intervals below it; none for a column that is cut
anywhere), ``place`` of each value in [0, 1]. A record is (codes, anything).
"""


def mondrian(records, columns, passes, *, least=1):
    """Return the records of each bucket."""
    whole = [(0, column["n"] - 1) for column in columns]
    return cut(whole, sorted(records), columns, passes, least)


def cut(sides, records, columns, passes, least):
    sides = [
        refined(side, records, column, j) for j, (side, column) in enumerate(zip(sides, columns, strict=True))
    ]
    order = sorted(range(len(columns)), key=lambda j: (-width(sides[j], records, columns[j], j), j))
    for j in order:
        if len({record[0][j] for record in records}) == 1:
            continue
        for inside, box, rest in proposals(sides[j], records, columns[j], j):
            parts = (
                [record for record in records if inside(record[0][j])],
                [record for record in records if not inside(record[0][j])],
            )
            if min(map(len, parts)) >= least and all(map(passes, parts)):
                return [
                    bucket
                    for side, part in zip((box, rest), parts, strict=True)
                    for bucket in cut([*sides[:j], side, *sides[j + 1 :]], part, columns, passes, least)
                ]
    return [records]


def refined(side, records, column, j):
    for child in column["children"].get(side, ()):
        if all(child[0] <= record[0][j] <= child[1] for record in records):
            return refined(child, records, column, j)
    return side


def width(side, records, column, j):
    values = [record[0][j] for record in records]
    if len(set(values)) == 1:
        return 0
    if side in column["children"]:
        return round((side[1] - side[0] + 1) / column["n"], 12)
    return round(column["place"][max(values)] - column["place"][min(values)], 12)


def proposals(side, records, column, j):
    """Yield (who is in the first part, its side, the side of the others), the first to be tried first."""
    values = sorted(record[0][j] for record in records)
    n = len(values)
    if side in column["children"]:
        parts = [(c, sum(c[0] <= v <= c[1] for v in values)) for c in column["children"][side]]
        for child, _ in sorted(parts, key=lambda part: -min(part[1], n - part[1])):
            yield (lambda v, child=child: child[0] <= v <= child[1]), child, side
        return
    middle = values[(n - 1) // 2]
    below = [v for v in values if v < middle]
    cuts = [(middle, sum(v <= middle for v in values))]
    if below:
        cuts.append((max(below), len(below)))
    for at, _ in sorted(cuts, key=lambda c: -min(c[1], n - c[1])):
        yield (lambda v, at=at: v <= at), (side[0], at), (at + 1, side[1])
