"""Which algorithm loses least over the benchmark tables? Prints the table of the decision record.

python3 experiments/alpha_k/default.py [ALGORITHM ...]    SHOAL_SHARED names the folder with the tables
"""

from __future__ import annotations

import sys

import tables
from searches import ALGORITHMS, PUBLISHED, SUPPRESSING, Found, measured

from shoal.core.protocols import PrivacyModel
from shoal.core.table import FrequencyTable
from shoal.loss import NCP
from shoal.models import AlphaKAnonymity, KAnonymity, LDiversity, TCloseness

LOCAL = [name for name in ALGORITHMS if name not in {PUBLISHED, SUPPRESSING, "best"}]


def tasks(table: FrequencyTable) -> dict[str, tuple[PrivacyModel, ...]]:
    """Return what is asked of a table, by name."""
    five = KAnonymity(k=5)
    if not table.sensitive_names:
        return {"k = 5": (five,)}
    name = table.sensitive_names[0]
    most = float(table.context().sensitive[name].frequencies.max())
    few = table.sensitive_hierarchies[0].n_values < 4
    return {
        "k = 5": (five,),
        f"k = 5, distinct l = {2 if few else 4}": (five, LDiversity(sensitive=name, l=2 if few else 4)),
        f"k = 5, α = {_above(most)}": (AlphaKAnonymity(sensitive=name, alpha=_above(most), k=5),),
        "k = 5, t = 0.2": (five, TCloseness(sensitive=name, t="0.2")),
    }


def _above(most: float) -> str:
    """Return a share somewhat above the most frequent value's, so that the task is feasible but not idle."""
    return f"{min(0.9, round(most * 1.3 + 0.05, 1)):g}"


def main() -> None:
    """Print a row for each task, the least loss in bold."""
    names = sys.argv[1:] or LOCAL
    print("| table | asked | " + " | ".join(names) + " |")
    print("|---" * (len(names) + 2) + "|")
    for label, table in tables.benchmark().items():
        for asked, models in tasks(table).items():
            found = [measured(name, table, models, NCP()) for name in names]
            least = min(each.ncp for each in found if each.ncp is not None)
            print(f"| {label} | {asked} | " + " | ".join(cell(each, least) for each in found) + " |", flush=True)


def cell(found: Found, least: float) -> str:
    """Return the loss and the CPU seconds of a search."""
    if found.ncp is None:
        return "infeasible"
    loss = f"{found.ncp:.4f}"
    return f"{f'**{loss}**' if found.ncp <= least + 1e-9 else loss} ({found.cpu_s:.2f} s)"


if __name__ == "__main__":
    main()
