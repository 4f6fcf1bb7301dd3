"""stars over plain lists: cells that cover a whole domain of more than one value."""


def loss(_rows, cells, columns):
    return float(
        sum(
            column["n"] > 1 and (record is None or record[j] == (0, column["n"] - 1))
            for record in cells
            for j, column in enumerate(columns)
        )
    )
