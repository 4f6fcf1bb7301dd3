"""Benedetti and Franconi 1998: the mean of 1/F, summed over the negative binomial distribution of F."""


def mean_of_inverse(f, p, *, terms=20_000):
    """Sum over F >= f of 1/F * C(F - 1, f - 1) p^f (1 - p)^(F - f), with exact binomials while they fit."""
    total, chance = 0.0, p**f
    for size in range(f, f + terms):
        total += chance / size
        chance *= (1 - p) * size / (size - f + 1)
    return total


def household(risks):
    """The chance that at least one member is found."""
    nobody = 1.0
    for risk in risks:
        nobody *= 1 - risk
    return 1 - nobody
