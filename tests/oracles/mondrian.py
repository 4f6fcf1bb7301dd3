"""Mondrian over plain lists: cut a box of records while both parts pass (after LeFevre et al. 2006).

A column is a dict: ``n`` values, ``children`` (interval -> intervals below it, for columns that are cut along a
tree), ``fit`` ("cut", "fit" or "tight": how far a side without children shrinks to its records). A record is
(quasi codes, sensitive codes, person or None).
"""

from itertools import pairwise
from math import sqrt


def mondrian(records, columns, passes, *, least=1, lend=True):
    """Return the boxes and their records: a list of (sides, records)."""
    points = {}
    for record in sorted(records, key=lambda r: r[0]):
        points.setdefault(record[0], []).append(record)
    whole = [(0, column["n"] - 1) for column in columns]
    if not passes(records):
        return None
    return cut(whole, list(points.values()), columns, passes, least, lend)


def cut(sides, points, columns, passes, least, lend):
    sides = [refined(sides, points, columns, j) for j in range(len(columns))]
    ranked = []
    for j in range(len(columns)):
        ranked += proposals(sides, points, columns, j, least, lend)
    for _, box, rest, inside, lent in sorted(ranked, key=lambda proposal: -proposal[0]):
        j = next(j for j in range(len(columns)) if (box[j], rest[j]) != (sides[j], sides[j]))
        first = [p for p in points if inside[0] <= p[0][0][j] <= inside[1]]
        if lent:
            first = without_lent(first, points, sides, box, columns, j, lent, least)
        second = [p for p in points if p not in first]
        if first and passes(rows_of(first)) and passes(rows_of(second)):
            done = cut(box, first, columns, passes, least, lend)
            return done + cut(rest, second, columns, passes, least, lend)
    return [(tuple(sides), rows_of(points))]


def rows_of(points):
    return [record for point in points for record in point]


def refined(sides, points, columns, j):
    """The lowest node, or the narrowest side, that the records allow without a cut."""
    codes = [p[0][0][j] for p in points]
    low, high = min(codes), max(codes)
    side, column = sides[j], columns[j]
    while side in column["children"]:
        below = [child for child in column["children"][side] if child[0] <= low and high <= child[1]]
        if not below:
            return side
        side = below[0]
    shrinks = column["fit"] == "tight" or (column["fit"] == "fit" and low == high)
    return (low, high) if shrinks else side


def proposals(sides, points, columns, j, least, lend):
    """The cuts of one column as (score, box, box of the rest, interval of the first part, rows it lends)."""
    low, high = sides[j]
    column = columns[j]
    scale = 1.0 / max(1, column["n"] - 1)
    total = len(rows_of(points))
    codes = sorted({p[0][0][j] for p in points})
    if len(codes) == 1 or total < 2 * least:
        return []
    width = scale * (high - low)
    found = []
    for child in column["children"].get(sides[j], []):
        part = sum(len(p) for p in points if child[0] <= p[0][0][j] <= child[1])
        lent = max(0, least - (total - part))
        part -= lent
        if part >= max(1, least) and (lend or not lent):
            # Present values beside missing ones, still to be cut anywhere, count as if they were cut already.
            narrow = scale * (child[1] - child[0]) if child in column["children"] else 0.0
            gain = part * (width - narrow) / total
            score = sqrt(gain * width) * thrift(part, total, least)
            found.append((score, replaced(sides, j, child), list(sides), child, lent))
    if sides[j] not in column["children"]:
        for code, following in pairwise(codes):
            part = sum(len(p) for p in points if p[0][0][j] <= code)
            rest = total - part
            if part < least or rest < least:
                continue
            # The gap between two codes goes to the part with fewer rows.
            tight = column["fit"] == "tight"
            end = code if tight or part > rest else following - 1
            start = following if tight else end + 1
            gain = width - scale * (part * (end - low) + rest * (high - start)) / total
            share = 4.0 * part * rest / (float(total) * total)
            score = gain / sqrt(share) * thrift(part, total, least)
            left, right = replaced(sides, j, (low, end)), replaced(sides, j, (end + 1, high))
            found.append((score, left, right, (low, end), 0))
    return found


def replaced(sides, j, side):
    return [side if c == j else old for c, old in enumerate(sides)]


def thrift(part, total, least):
    waste = part % least + (total - part) % least - total % least
    return 1.0 / (1.0 + 3.0 * waste / total)


def without_lent(first, points, sides, box, columns, j, lent, least):
    """The first part without the points that it leaves to the others, those that widen the others least."""
    first = list(first)
    others = [p for p in points if p not in first]
    spare = len(rows_of(first)) - least
    price = ((sides[j][1] - sides[j][0]) - (box[j][1] - box[j][0])) * (1.0 / max(1, columns[j]["n"] - 1))
    while lent > 0:
        n_others = len(rows_of(others))
        best = None
        for p in first:
            if len(p) > spare:
                continue
            wider = 0.0
            for c, column in enumerate(columns):
                if c != j:
                    codes = [q[0][0][c] for q in others]
                    code = p[0][0][c]
                    beyond = max(0, min(codes) - code) + max(0, code - max(codes))
                    wider += (1.0 / max(1, column["n"] - 1)) * beyond
            cost = wider * (n_others + lent) + price * max(lent, len(p))
            if best is None or cost < best[0]:
                best = cost, p
        if best is None:
            return []
        first.remove(best[1])
        others.append(best[1])
        lent -= len(best[1])
        spare -= len(best[1])
    return first
