"""TP by its definition, over lists of counts: ``groups[g][v]`` rows of group g have the sensitive value v."""

import itertools


def height(counts):
    return max(counts, default=0)


def pillars(counts):
    top = height(counts)
    return {v for v, n in enumerate(counts) if n == top} if top else set()


def eligible(counts, l):
    return sum(counts) >= l * height(counts)


class Run:
    """One run: the groups and the residue as they are now, and every move in order."""

    def __init__(self, groups, l):
        self.groups = [list(counts) for counts in groups]
        self.residue = [0] * len(groups[0])
        self.l = l
        self.moves = []
        self.phase = 0
        self.rounds = 0

    def move(self, group, value):
        assert self.groups[group][value] > 0
        self.groups[group][value] -= 1
        self.residue[value] += 1
        self.moves.append((self.phase, group, value))

    def move_pillars(self, group):
        for value in sorted(pillars(self.groups[group])):
            self.move(group, value)

    def done(self):
        return eligible(self.residue, self.l)

    def fat(self, group):
        return sum(self.groups[group]) > self.l * height(self.groups[group])

    def conflicting(self, group):
        return bool(pillars(self.groups[group]) & pillars(self.residue))

    def alive(self, group):
        return sum(self.groups[group]) > 0 and (self.fat(group) or not self.conflicting(group))


def naive_truncation(counts, l, choose=min):
    """Remove a pillar, whichever is chosen, until the group is eligible."""
    counts = list(counts)
    while not eligible(counts, l):
        counts[choose(pillars(counts))] -= 1
    return counts


def tp(groups, l):
    """Run the three phases; the table must be eligible as a whole."""
    run = Run(groups, l)
    run.phase = 1
    for group in range(len(groups)):
        while not eligible(run.groups[group], l):
            run.move(group, min(pillars(run.groups[group])))
    run.first = list(run.residue)
    if run.done() or grow(run):
        return run
    run.phase = 3
    while not round_of(run):
        pass
    return run


def grow(run):
    run.phase = 2
    everything = range(len(run.groups))
    while True:
        living = [g for g in everything if run.alive(g)]
        values = [v for v in range(len(run.residue)) if any(run.groups[g][v] for g in living)]
        if not values:
            return False
        value = min(values, key=lambda v: (run.residue[v], v))
        group = next(g for g in living if run.groups[g][value])
        before = height(run.residue)
        if run.fat(group):
            run.move(group, value)
        else:
            run.move_pillars(group)
        assert height(run.residue) == before
        assert eligible(run.groups[group], run.l)
        if run.done():
            return True


def round_of(run):
    run.rounds += 1
    everything = range(len(run.groups))
    shared = {g: pillars(run.groups[g]) & pillars(run.residue) for g in everything if sum(run.groups[g])}
    open_, chosen = pillars(run.residue), []
    while open_:
        best = max((g for g in shared if g not in chosen), key=lambda g: (len(open_ - shared[g]), -g))
        assert open_ - shared[best], "the table is not eligible"
        chosen.append(best)
        open_ &= shared[best]
    for group in chosen:
        run.move_pillars(group)
        if run.done():
            return True
    for group in everything:
        while run.alive(group):
            if run.fat(group):
                values = [v for v, n in enumerate(run.groups[group]) if n and v not in pillars(run.residue)]
                run.move(group, values[0])
            else:
                run.move_pillars(group)
            if run.done():
                return True
    return False


def optimal_removal(groups, l):
    """The fewest rows that can be removed so that what is left of each group, and what is removed, is eligible."""
    reachable = {(0,) * len(groups[0])}
    for counts in groups:
        parts = [
            part
            for part in itertools.product(*(range(n + 1) for n in counts))
            if eligible([n - p for n, p in zip(counts, part, strict=True)], l)
        ]
        reachable = {tuple(map(sum, zip(r, part, strict=True))) for r in reachable for part in parts}
    sizes = [sum(r) for r in reachable if eligible(r, l)]
    return min(sizes, default=None)


def optimal_stars(rows, l):
    """The fewest stars of any partition of ``rows``, pairs of (quasi-identifiers, value), into eligible groups."""
    n = len(rows)
    cost = [None] * (1 << n)
    for subset in range(1, 1 << n):
        members = [rows[i] for i in range(n) if subset >> i & 1]
        values = [value for _, value in members]
        if len(values) >= l * max(values.count(v) for v in values):
            different = sum(len(set(column)) > 1 for column in zip(*(q for q, _ in members), strict=True))
            cost[subset] = len(members) * different
    best = [0] + [None] * ((1 << n) - 1)
    for subset in range(1, 1 << n):
        low = subset & -subset
        part = subset
        while part:
            if part & low and cost[part] is not None and best[subset ^ part] is not None:
                total = cost[part] + best[subset ^ part]
                if best[subset] is None or total < best[subset]:
                    best[subset] = total
            part = (part - 1) & subset
    return best[-1]


def stars(groups_of_rows):
    """Stars of a partition: lists of quasi-identifier tuples."""
    return sum(
        len(rows) * sum(len(set(column)) > 1 for column in zip(*rows, strict=True)) for rows in groups_of_rows
    )
