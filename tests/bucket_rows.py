"""A bucket release row by row, for tests: what is published, and of which record each row is."""

from typing import NamedTuple


class Row(NamedTuple):
    """A genuine record in its bucket: codes of the quasi-identifiers, cells as (lo, hi), code of the value."""

    codes: tuple
    cells: tuple
    value: int


def rows_of(table, buckets):
    """The genuine records of each bucket, one list a bucket."""
    found = [[] for _ in range(buckets.n_buckets)]
    value = table.sensitive[:, table.sensitive_names.index(buckets.sensitive)]
    for share, item in enumerate(buckets.item_of_share.tolist()):
        codes = tuple(table.codes[table.point_of_item[item]].tolist())
        cells = tuple(zip(buckets.lo[share].tolist(), buckets.hi[share].tolist(), strict=True))
        found[buckets.bucket[share]] += [Row(codes, cells, int(value[item]))] * int(buckets.rows[share])
    return found


def published(table, buckets):
    """What each bucket shows, fakes among it: per group the entries, sorted; the last with the sensitive value."""
    found = []
    columns = [[table.names.index(name) for name in group if name in table.names] for group in buckets.groups]
    fakes = buckets.fakes
    for number, rows in enumerate(rows_of(table, buckets)):
        groups = [[tuple(row.cells[j] for j in mine) for row in rows] for mine in columns]
        groups[-1] = [(entry, row.value) for entry, row in zip(groups[-1], rows, strict=True)]
        for i in (fakes.bucket == number).nonzero()[0].tolist():
            for g, mine in enumerate(columns):
                share = fakes.source[i, g]
                assert buckets.bucket[share] == number
                entry = tuple((int(buckets.lo[share, j]), int(buckets.hi[share, j])) for j in mine)
                groups[g].append((entry, int(fakes.sensitive[i])) if g == len(columns) - 1 else entry)
        found.append([sorted(group) for group in groups])
    return found


def same(one, other):
    """Whether two bucket releases are equal array by array."""
    names = ("offsets", "bucket", "rows", "lo", "hi")
    arrays = [(getattr(one, name), getattr(other, name)) for name in names]
    arrays += [
        (getattr(one.fakes, name), getattr(other.fakes, name)) for name in ("bucket", "source", "sensitive")
    ]
    equal = all(a.shape == b.shape and (a == b).all() for a, b in arrays)
    return equal and one.groups == other.groups and one.n_buckets == other.n_buckets
