"""Ways to cut a class in two, by trying all."""

from itertools import combinations


def can_be_cut(rows, passes, box):
    """Whether *rows* part in two sets that pass and are published as different boxes."""
    n = len(rows)
    for size in range(1, n // 2 + 1):
        for some in combinations(range(n), size):
            parts = [rows[i] for i in some], [rows[i] for i in range(n) if i not in some]
            if box(parts[0]) != box(parts[1]) and all(passes(part) for part in parts):
                return True
    return False
