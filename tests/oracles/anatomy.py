"""Which sensitive values Anatomy puts together, over plain lists (after Xiao and Tao 2006)."""


def groups(values, l):
    """The groups of values in the order in which they are made, and what is left over.

    Equally tall stacks are taken in the order of their values.
    """
    stacks = {value: values.count(value) for value in set(values)}
    made = []
    while sum(n > 0 for n in stacks.values()) >= l:
        taken = sorted((v for v, n in stacks.items() if n), key=lambda v: (-stacks[v], v))[:l]
        for value in taken:
            stacks[value] -= 1
        made.append(taken)
    return made, sorted(v for v, n in stacks.items() for _ in range(n))
