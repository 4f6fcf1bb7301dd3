"""discernibility over plain lists: each record costs the size of its class, a suppressed one the whole table."""


def loss(_rows, cells, _columns):
    return float(sum(len(cells) if record is None else cells.count(record) for record in cells))
