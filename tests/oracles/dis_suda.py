"""Skinner and Elliot 2002, and how sdcMicro spreads DIS over records by their SUDA scores."""


def dis(uniques, pairs, fraction):
    """The chance that a match with somebody who stands alone is right: U f/(U f + P (1 - f))."""
    right, wrong = uniques * fraction, pairs * (1 - fraction)
    return right / (right + wrong) if right + wrong else None


def spread(scores, uniques, chance, n):
    """Chances whose odds against fall as score^(1 + (8 - n)/20) grows, and sum up to U times those of DIS."""
    power = 1 + (8 - n) / 20
    highest = max(scores, default=0)
    weights = [(score / highest) ** power if score else None for score in scores]
    against = uniques * (1 / chance - 1)
    inverse = sum(1 / weight for weight in weights if weight)
    return [0.0 if weight is None else 1 / (1 + against / weight / inverse) for weight in weights]
