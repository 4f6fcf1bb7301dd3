"""precision over plain lists: mean over cells of edges climbed / edges to the root."""


def loss(rows, cells, columns):
    total = 0.0
    for row, record in zip(rows, cells, strict=True):
        for j, column in enumerate(columns):
            n = column["n"]
            if n == 1:
                continue
            path = column["paths"][row[j]]
            cell = (0, n - 1) if record is None else record[j]
            inner = [e for (lo, hi), e in path if lo <= cell[0] and cell[1] <= hi and (lo, hi) != (0, n - 1)]
            total += (inner[0] if inner else path[-1][1]) / path[-1][1]
    return total / (len(rows) * len(columns))
