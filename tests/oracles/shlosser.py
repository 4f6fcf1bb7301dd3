"""Haas and Stokes 1998: the third modified Shlosser estimator of the number of classes, over plain sizes."""


def classes_of_population(found, q):
    """Classes in the sample, and an estimate of those that it missed; *found* are the sizes in the sample."""
    f = {size: found.count(size) for size in set(found)}
    top = sum(i * q**2 * (1 - q**2) ** (i - 1) * n for i, n in f.items())
    bottom = sum(((1 - q**2) ** i - (1 - q) ** i) * n for i, n in f.items())
    never = sum((1 - q) ** i * n for i, n in f.items())
    once = sum(i * q * (1 - q) ** (i - 1) * n for i, n in f.items())
    return len(found) + f.get(1, 0) * (top / bottom) * (never / once) ** 2
