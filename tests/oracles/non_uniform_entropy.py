"""non-uniform entropy over plain lists: minus the sum over cells of log2(count(a)/count(gen(a)))."""

from math import log2


def loss(rows, cells, columns):
    bits = 0.0
    for j, column in enumerate(columns):
        values = [row[j] for row in rows]
        for value, record in zip(values, cells, strict=True):
            lo, hi = (0, column["n"] - 1) if record is None else record[j]
            bits -= log2(values.count(value) / sum(lo <= v <= hi for v in values))
    return bits
