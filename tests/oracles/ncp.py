"""ncp over plain lists: mean over cells of (leaves - 1)/(D - 1)."""


def loss(rows, cells, columns):
    total = 0.0
    for record in cells:
        for j, column in enumerate(columns):
            leaves = column["n"] if record is None else record[j][1] - record[j][0] + 1
            total += (leaves - 1) / (column["n"] - 1) if column["n"] > 1 else 0
    return total / (len(rows) * len(columns))
