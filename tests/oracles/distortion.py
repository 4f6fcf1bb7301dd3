"""distortion over plain lists: edges climbed / edges to the root, each summed over all cells."""


def loss(rows, cells, columns):
    climbed = full = 0
    for row, record in zip(rows, cells, strict=True):
        for j, column in enumerate(columns):
            if column["n"] == 1:
                continue
            path = column["paths"][row[j]]
            full += path[-1][1]
            climbed += _edges(path, column["n"], (0, column["n"] - 1) if record is None else record[j])
    return climbed / full if full else 0.0


def _edges(path, n, cell):
    """Walk up from the leaf to the first node that covers the cell; the root is the end of the path."""
    for (lo, hi), edges in path:
        if lo <= cell[0] and cell[1] <= hi and (lo, hi) != (0, n - 1):
            return edges
    return path[-1][1]
