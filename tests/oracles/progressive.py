"""Progressive local recoding over plain lists: from the leaves up, two readings of Wong et al. 2006.

A column is a dict: ``parent`` (interval -> the next one above it) and ``cost`` (leaf, interval) -> what publishing
the leaf as the interval loses. A record is (quasi codes, sensitive codes, person or None).
"""

from collections import defaultdict


def classes_of(vectors, records):
    found = defaultdict(list)
    for vector, record in zip(vectors, records, strict=True):
        found[vector].append(record)
    return found


def lost(vector, records, columns):
    return sum(column["cost"][q[j], vector[j]] for q, _, _ in records for j, column in enumerate(columns))


def level_wise(records, columns, passes):
    """Climb one column by one node in all violating records, again and again."""
    vectors = [tuple((code, code) for code in q) for q, _, _ in records]
    root = tuple(top(column, side) for column, side in zip(columns, vectors[0], strict=True))
    while True:
        found = classes_of(vectors, records)
        failing = {vector for vector, members in found.items() if not passes(members)}
        if not failing:
            return {vector: sorted(members) for vector, members in found.items()}
        best = None
        for j, column in enumerate(columns):
            tried = [replaced(v, j, column["parent"].get(v[j], v[j])) if v in failing else v for v in vectors]
            if tried == vectors:
                continue
            after = classes_of(tried, records)
            left = sum(len(members) for members in after.values() if not passes(members))
            added = sum(lost(v, m, columns) for v, m in after.items())
            added -= sum(lost(v, m, columns) for v, m in found.items())
            if best is None or (left, added, j) < best[0]:
                best = (left, added, j), tried
        if best is None:
            # Only the class at the root fails: the class that loses least joins it.
            others = [v for v in found if v != root]
            if not others:
                return None
            nearest = min(others, key=lambda v: (lost(root, found[v], columns) - lost(v, found[v], columns), v))
            best = None, [root if v == nearest else v for v in vectors]
        vectors = best[1]


def top(column, side):
    while side in column["parent"]:
        side = column["parent"][side]
    return side


def replaced(vector, j, side):
    return (*vector[:j], side, *vector[j + 1 :])


def join(column, one, other):
    side = one
    while not (side[0] <= other[0] and other[1] <= side[1]):
        side = column["parent"][side]
    return side


def nearest_join(records, columns, passes, needs=None, *, prefer=None):
    """Join the smallest violating class with the class, or with a part of one, that costs least.

    Joins whose outcome the test *prefer* holds for come first: the test of the models where it is not given.
    """
    prefer = prefer or passes
    records = sorted(records)
    found = dict(classes_of([tuple((code, code) for code in q) for q, _, _ in records], records))
    while True:
        failing = [v for v, members in found.items() if not passes(members)]
        if not failing:
            return {vector: sorted(members) for vector, members in found.items()}
        smallest = min(failing, key=lambda v: (len(found[v]), v))
        mine = found[smallest]
        best = None
        for other, theirs in found.items():
            if other == smallest:
                continue
            at = tuple(join(c, a, b) for c, a, b in zip(columns, smallest, other, strict=True))
            parts = [theirs]
            if at != other and passes(theirs):
                there = found.get(at, []) if at != smallest else []
                parts += stubs(mine + there, theirs, passes, needs)
            for part in parts:
                there = found.get(at, []) if at not in {smallest, other} else []
                if at == other:
                    there = [r for r in theirs if r not in part] if part is not theirs else []
                added = lost(at, mine + part, columns) - lost(smallest, mine, columns) - lost(other, part, columns)
                rank = (not prefer(mine + part + there), added, at, other, len(part) < len(theirs))
                if best is None or rank < best[0]:
                    best = rank, at, other, part
        if best is None:
            return None
        _, at, other, part = best
        del found[smallest]
        rest = list(found[other])
        for record in part:
            rest.remove(record)
        if rest:
            found[other] = rest
        else:
            del found[other]
        found[at] = found.get(at, []) + mine + part


def stubs(receiver, theirs, passes, needs):
    """The fewest records of a passing class that make the receiver pass and leave the class passing."""
    rest, moved, got = list(theirs), [], list(receiver)
    bounded = (lambda r: needs[1][r[1][0]] in needs[2]) if needs else (lambda _: False)
    for record in sorted(theirs, key=lambda r: (bounded(r), r[:2])):
        if passes(got):
            break
        rest = [r for r in rest if r is not record]
        moved.append(record)
        got.append(record)
        if not passes(rest):
            return []
    return [moved] if moved and passes(got) else []
