"""El Emam 2013: the prosecutor's risk, member by member; a row is (values, person or None)."""

from fractions import Fraction
from statistics import median

from oracles.tables import sizes


def figures(rows, threshold):
    """Highest and mean risk, share above a threshold, members alone, and sizes of groups."""
    found = sizes(rows)
    risks = [Fraction(1, size) for size in found for _ in range(size)]
    return {
        "members": len(risks),
        "n_classes": len(found),
        "highest": max(risks),
        "average": sum(risks) / len(risks),
        "share_above": Fraction(sum(risk > Fraction(threshold) for risk in risks), len(risks)),
        "uniques": risks.count(1),
        "smallest": min(found),
        "mean_class_size": Fraction(sum(found), len(found)),
        "median_class_size": median(found),
    }
