"""Full-domain generalization of plain rows: all valid level vectors, and the search by the paper's lemmas."""

from itertools import combinations, product


def all_nodes(heights):
    return list(product(*(range(height + 1) for height in heights)))


def groups(rows, trees, columns, levels):
    """The rows by their labels; a row is (codes, sensitive text) and a tree lists each code's node per level."""
    found = {}
    for codes, sensitive in rows:
        label = tuple(trees[j][level][codes[j]] for j, level in zip(columns, levels, strict=True))
        found.setdefault(label, []).append(sensitive)
    return list(found.values())


def valid(rows, trees, passes):
    """Every level vector all of whose classes pass: the definition."""
    columns = range(len(trees))
    nodes = all_nodes([len(tree) - 1 for tree in trees])
    return [node for node in nodes if all(passes(group) for group in groups(rows, trees, columns, node))]


def by_the_lemmas(rows, trees, passes):
    """Extended Incognito as published: subsets prune, and what lies above a valid vector is taken as valid.

    Returns what it says is valid, and how many tests it made.
    """
    smaller, tests = {(): {()}}, 0
    for size in range(1, len(trees) + 1):
        found = {}
        for columns in combinations(range(len(trees)), size):
            survives = set()
            for node in sorted(all_nodes([len(trees[j]) - 1 for j in columns]), key=sum):
                parts = [(columns[:i] + columns[i + 1 :], node[:i] + node[i + 1 :]) for i in range(size)]
                if not all(part in smaller[subset] for subset, part in parts):
                    continue
                below = [(*node[:i], node[i] - 1, *node[i + 1 :]) for i in range(size) if node[i]]
                if any(finer in survives for finer in below):
                    survives.add(node)
                    continue
                tests += 1
                if all(passes(group) for group in groups(rows, trees, columns, node)):
                    survives.add(node)
            found[columns] = survives
        smaller = found
    return sorted(smaller[tuple(range(len(trees)))]), tests
