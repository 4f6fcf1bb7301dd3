"""Widening cells of one bucket until every leaf vector is linked with l sensitive values, over plain lists."""

from fractions import Fraction


def lowest(ancestors, cell, leaf):
    """The lowest node above a cell and a leaf; the ancestors of a leaf are (lo, hi, level), itself among them."""
    return min(
        (node for node in ancestors[leaf] if node[0] <= cell[0] and cell[1] <= node[1]), key=lambda node: node[2]
    )


def level(ancestors, cell):
    return next(node[2] for node in ancestors[cell[0]] if node[:2] == cell)


def widen(rows, trees, heights, l, uncounted=None):
    """The cells of each row, a tuple of (lo, hi) per column.

    Parameters
    ----------
    rows : list of (leaf vector, sensitive value)
    trees : per column, the ancestors of each leaf
    heights : per column
    """
    cells = [tuple((x, x) for x in leaf) for leaf, _ in rows]
    for vector in sorted({leaf for leaf, _ in rows}):

        def covers(r, vector=vector):
            return all(lo <= x <= hi for x, (lo, hi) in zip(vector, cells[r], strict=True))

        while True:
            linked = {rows[r][1] for r in range(len(rows)) if covers(r)} - {uncounted}
            if len(linked) >= l:
                break
            choices = []
            for r, (leaf, value) in enumerate(rows):
                if value in linked or value == uncounted:
                    continue
                wider = [lowest(t, c, x) for t, c, x in zip(trees, cells[r], vector, strict=True)]
                cost = sum(
                    Fraction(node[2] - level(t, c), max(1, h))
                    for node, t, c, h in zip(wider, trees, cells[r], heights, strict=True)
                )
                choices.append(((cost, cells[r], value, leaf), r, tuple(node[:2] for node in wider)))
            if not choices:
                break
            _, r, wider = min(choices)
            cells[r] = wider
    return cells
