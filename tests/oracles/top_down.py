"""Top-down local recoding over plain lists (after Wong et al. 2006, remainders published as they are).

A column is a dict: ``children`` (interval -> intervals below it), ``height`` (interval -> edges down to its
deepest leaf) and ``fit`` ("cut", "fit" or "tight": how far a side without children shrinks to its records). A
record is (quasi codes, sensitive codes, person or None). *needs* says what is asked of a class in numbers, where
that is all that is asked: ``(k, group of each sensitive value, largest share of each group)``.
"""

from collections import Counter


def top_down(records, columns, n_values, passes, needs=None, *, invalid_root=False):
    """Return the classes as (sides, records), or None where the whole table fails."""
    whole = tuple((0, n - 1) for n in n_values)
    records = sorted(records)
    valid = passes(records)
    if not valid and not invalid_root:
        return None
    waiting, done = [(whole, records, valid)], []
    while waiting:
        sides, found, valid = waiting.pop()
        sides = tuple(
            refined(side, found, column, j) for j, (side, column) in enumerate(zip(sides, columns, strict=True))
        )
        best = None
        for j, column in enumerate(columns):
            branches, rest = specialized(sides, found, column, j, passes, needs, valid)
            if not branches:
                continue
            height = column["height"].get(sides[j], (sides[j][1] - sides[j][0]).bit_length())
            rank = (-sum(len(branch) for _, branch in branches), len(branches), -height, j)
            if best is None or rank < best[0]:
                best = rank, branches, rest, j
        if best is None:
            if not valid:
                return None
            done.append((sides, found))
            continue
        _, branches, rest, j = best
        if rest:
            done.append((sides, rest))
        waiting += [(replaced(sides, j, side), branch, True) for side, branch in branches]
    return done


def replaced(sides, j, side):
    return (*sides[:j], side, *sides[j + 1 :])


def refined(side, records, column, j):
    """The lowest node that covers the records: levels with one branch lose nothing."""
    codes = [q[j] for q, _, _ in records]
    while True:
        below = [c for c in column["children"].get(side, []) if c[0] <= min(codes) and max(codes) <= c[1]]
        if not below:
            break
        side = below[0]
    if side in column["children"]:
        return side
    agree = min(codes) == max(codes)
    return (min(codes), max(codes)) if column["fit"] == "tight" or (column["fit"] == "fit" and agree) else side


def specialized(sides, records, column, j, passes, needs, valid):
    """One level down column *j*: the branches that stay, and the remainder."""
    codes = sorted({q[j] for q, _, _ in records})
    if len(codes) == 1:
        return [], records
    below = column["children"].get(sides[j]) or halves(sides[j], records, codes, j)
    parts = [[side, [r for r in records if side[0] <= r[0][j] <= side[1]]] for side in below]
    branches = [part for part in parts if part[1] and passes(part[1])]
    rest = [r for part in parts if part not in branches for r in part[1]]
    while rest and not passes(rest):
        if not valid or not branches:
            return [], records
        moved = one_tuple(branches, rest, needs) if needs else None
        if moved:
            branch, tuple_ = moved
            branch[1].remove(tuple_)
            rest.append(tuple_)
        else:
            smallest = min(branches, key=lambda branch: (len(branch[1]), branch[0]))
            branches.remove(smallest)
            rest += smallest[1]
    return branches, sorted(rest)


def halves(side, records, codes, j):
    """The two intervals with the most even numbers of rows; the lower cut where two are."""
    rows = {code: sum(q[j] <= code for q, _, _ in records) for code in codes[:-1]}
    at = min(codes[:-1], key=lambda code: (abs(2 * rows[code] - len(records)), code))
    return [(side[0], at), (at + 1, side[1])]


def one_tuple(branches, rest, needs):
    """The tuple that goes back next and its branch, or None."""
    k, group_of, limits = needs

    def groups(records):
        return Counter(group_of[s[0]] for _, s, _ in records)

    def over(counts, n):
        return {g for g, limit in limits.items() if counts[g] > limit * n}

    shown, n = groups(rest), len(rest)
    too_many = over(shown, n)
    ranked = []
    for branch in branches:
        for tuple_ in branch[1]:
            group = group_of[tuple_[1][0]]
            left = [r for r in branch[1] if r is not tuple_]
            if len(left) < max(k, 1) or over(groups(left), len(left)):
                continue
            if group in limits:
                with_it = shown[group] + 1
                if too_many and (group in too_many or with_it > limits[group] * (n + 1)):
                    continue
                slack = (1, -(limits[group] * n - shown[group]))
            else:
                slack = (0, 0)
            ranked.append((slack, -len(branch[1]), tuple_[:2], branch, tuple_))
    if not ranked:
        return None
    best = min(ranked, key=lambda r: r[:3])
    return best[3], best[4]
