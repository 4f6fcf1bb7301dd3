"""ncp-value over plain lists: mean over cells of (highest - lowest)/(max - min)."""


def loss(rows, cells, columns):
    total = 0.0
    for record in cells:
        for j, column in enumerate(columns):
            codes = list(range(column["n"])) if record is None else list(range(record[j][0], record[j][1] + 1))
            total += _share(codes, column)
    return total / (len(rows) * len(columns))


def _share(codes, column):
    if len(codes) == 1:
        return 0.0
    places = column["positions"]
    known = [] if places is None else [places[c] for c in range(column["n"]) if c != column["null"]]
    if not known or max(known) == min(known):
        return (len(codes) - 1) / (column["n"] - 1)
    if column["null"] in codes:
        return 1.0
    inside = [places[c] for c in codes]
    return (max(inside) - min(inside)) / (max(known) - min(known))
