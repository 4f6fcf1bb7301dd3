"""The private tables of the experiment: disjoint sets of people, each with the same others."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

import shoal as sh
from shoal.core.hierarchy import Hierarchy
from shoal.core.table import FrequencyTable

SHARED = Path(os.environ.get("SHOAL_SHARED", Path(__file__).resolve().parents[3] / "shared")).resolve()
ADULT = SHARED / "data" / "adult-uci" / "adult_full.parquet"
QUASI = ("age", "sex", "marital-status", "workclass", "relationship", "salary-class")
SENSITIVE = ("occupation", "education")
N_SETS = 10
SET_ROWS = 4_000

TREES = {
    "marital-status": sh.tree(
        {
            "Married": ["Married-civ-spouse", "Married-AF-spouse"],
            "Was-married": ["Divorced", "Separated", "Widowed", "Married-spouse-absent"],
            "Never-married": ["Never-married"],
        }
    ),
    "workclass": sh.tree(
        {
            "gov": ["Federal-gov", "Local-gov", "State-gov"],
            "self": ["Self-emp-inc", "Self-emp-not-inc"],
            "Private": ["Private"],
            "Unpaid": ["Without-pay", "Never-worked"],
            "?": ["?"],
        }
    ),
    "relationship": sh.tree(
        {
            "Family": ["Wife", "Husband", "Own-child", "Other-relative"],
            "Non-family": ["Not-in-family", "Unmarried"],
        }
    ),
}


@dataclass(frozen=True, eq=False)
class People:
    """Everybody that there is, in code space; ``?`` is a value like any other.

    Parameters
    ----------
    source : str
        What is known of where they come from.
    hierarchies : dict of str to Hierarchy
    codes : dict of str to int32 [n_people]
    """

    source: str
    hierarchies: dict[str, Hierarchy]
    codes: dict[str, NDArray[np.int32]]

    def __len__(self) -> int:
        return len(self.codes["age"])


@dataclass(frozen=True, eq=False)
class Private:
    """A table that somebody publishes.

    Parameters
    ----------
    people : int64 [n_rows]
        Who the rows are of.
    table : FrequencyTable
    item_of_row : int32 [n_rows]
    codes : int32 [n_rows, n_columns]
        Quasi-identifiers and then the sensitive column.
    """

    people: NDArray[np.int64]
    table: FrequencyTable
    item_of_row: NDArray[np.int32]
    codes: NDArray[np.int32]


@cache
def everybody() -> People:
    """Return the people of Adult, or generated ones that look like them where the table is absent."""
    if ADULT.exists():
        frame = pl.read_parquet(ADULT).select(*QUASI, *SENSITIVE)
        source = "the 48,842 people of UCI Adult"
    else:
        frame = look_alike(48_842, seed=1994)
        source = "48,842 generated people that look like those of UCI Adult"
    return coded(frame, source)


def coded(frame: pl.DataFrame, source: str) -> People:
    """Number the values of each column."""
    hierarchies, codes = {}, {}
    for name in (*QUASI, *SENSITIVE):
        texts = frame[name].cast(pl.String).fill_null("?").to_list()
        distinct = sorted(set(texts))
        if name == "age":
            hierarchy = sh.intervals(5, 10, 20, 40).build(distinct, column=name, type="integer")
        else:
            hierarchy = TREES.get(name, sh.flat()).build(distinct, column=name, type="text")
        hierarchies[name] = hierarchy
        codes[name] = np.array([hierarchy.codes[text] for text in texts], np.int32)
    return People(source, hierarchies, codes)


def look_alike(n: int, *, seed: int) -> pl.DataFrame:
    """Generate people whose columns hang together as those of Adult do, roughly; nobody of them exists."""
    rng = np.random.default_rng(seed)
    age = np.clip(rng.gamma(7.5, 5.2, n).astype(int), 17, 90)
    male = rng.random(n) < 0.67
    married = rng.random(n) < np.clip((age - 18) / 22, 0, 0.62) * np.where(male, 1.15, 0.5)
    was = ~married & (rng.random(n) < np.clip((age - 22) / 50, 0, 0.75))
    # As objects, since an array of texts cuts longer ones that come later.
    marital = np.where(married, "Married-civ-spouse", np.where(was, "Divorced", "Never-married")).astype(object)
    marital[was & (rng.random(n) < 0.3)] = "Widowed"
    marital[was & (rng.random(n) < 0.15)] = "Separated"
    marital[rng.random(n) < 0.012] = "Married-spouse-absent"
    relation = np.where(married, np.where(male, "Husband", "Wife"), "Not-in-family").astype(object)
    relation[~married & (rng.random(n) < np.clip((32 - age) / 18, 0, 1))] = "Own-child"
    relation[was & (rng.random(n) < 0.45)] = "Unmarried"
    relation[~married & (rng.random(n) < 0.05)] = "Other-relative"
    grades = ["7th-8th", "9th", "10th", "11th", "HS-grad", "Some-college", "Assoc-voc", "Assoc-acdm", "Bachelors"]
    grades += ["Masters", "Prof-school", "Doctorate", "12th", "5th-6th", "1st-4th", "Preschool"]
    shares = np.array([20, 15, 28, 37, 323, 223, 42, 33, 164, 54, 17, 12, 13, 10, 5, 2], float)
    education = np.array(grades)[rng.choice(len(grades), n, p=shares / shares.sum())]
    high = np.isin(education, ["Bachelors", "Masters", "Prof-school", "Doctorate"])
    rich = rng.random(n) < np.where(married, 0.3, 0.05) + 0.28 * (high & married) + 0.05 * high
    jobs = ["Prof-specialty", "Craft-repair", "Exec-managerial", "Adm-clerical", "Sales", "Other-service"]
    jobs += ["Machine-op-inspct", "?", "Transport-moving", "Handlers-cleaners", "Farming-fishing", "Tech-support"]
    jobs += ["Protective-serv", "Priv-house-serv", "Armed-Forces"]
    base = np.array([126, 125, 125, 115, 113, 101, 62, 58, 48, 42, 31, 30, 20, 5, 0.6])
    tilt = np.ones((n, len(jobs)))
    tilt[~male] *= [1, 0.12, 0.7, 3.2, 0.8, 1.9, 0.7, 1.1, 0.12, 0.3, 0.15, 1, 0.3, 20, 0.1]
    tilt[high] *= [2.6, 0.3, 2.0, 0.5, 1, 0.2, 0.1, 0.4, 0.1, 0.1, 0.4, 1, 0.7, 0.1, 0.3]
    chances = np.cumsum(base * tilt, axis=1)
    place = (rng.random(n)[:, None] * chances[:, -1:] > chances).sum(axis=1)
    occupation = np.array(jobs)[place]
    work = ["Private", "Self-emp-not-inc", "Local-gov", "State-gov", "Self-emp-inc", "Federal-gov"]
    workclass = np.array(work)[rng.choice(6, n, p=[0.74, 0.082, 0.066, 0.042, 0.037, 0.033])].astype(object)
    workclass[occupation == "?"] = "?"
    workclass[rng.random(n) < 0.0005] = "Without-pay"
    workclass[rng.random(n) < 0.0002] = "Never-worked"
    columns = [
        age,
        np.where(male, "Male", "Female"),
        marital,
        workclass,
        relation,
        np.where(rich, ">50K", "<=50K"),
    ]
    return pl.DataFrame(dict(zip((*QUASI, *SENSITIVE), [*columns, occupation, education], strict=True)))


@cache
def sets(
    seed: int, rows: int = SET_ROWS, n_sets: int = N_SETS
) -> tuple[tuple[NDArray[np.int64], ...], NDArray[np.int64]]:
    """Return disjoint sets of people, and who is in none of them."""
    order = np.random.default_rng(seed).permutation(len(everybody()))
    ends = np.arange(n_sets + 1) * rows
    return tuple(order[a:b] for a, b in pairwise(ends)), order[ends[-1] :]


def private(people: NDArray[np.int64], sensitive: str) -> Private:
    """Return the table of some people with one of the sensitive columns."""
    known = everybody()
    quasi = {name: (known.hierarchies[name], known.codes[name][people]) for name in QUASI}
    beside = {sensitive: (known.hierarchies[sensitive], known.codes[sensitive][people])}
    table, item_of_row = FrequencyTable.from_columns(quasi, beside)
    codes = np.stack([known.codes[name][people] for name in (*QUASI, sensitive)], axis=1)
    return Private(people, table, item_of_row, codes)
