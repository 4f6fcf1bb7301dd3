"""average class size over plain lists, with k = 1: records / classes."""


def loss(_rows, cells, _columns):
    classes = {tuple(record) for record in cells if record is not None}
    return len(cells) / max(1, len(classes))
