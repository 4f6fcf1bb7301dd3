"""Seeded tables of invented hospital visits, of any size, several visits per person."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.core.schema import Schema
from shoal.errors import SpecError
from shoal.examples.population import (
    MAX_VISITS,
    PEOPLE_PER_BLOCK,
    People,
    Visits,
    draw_people,
    draw_visits,
    spread_visits,
)
from shoal.examples.vocabulary import (
    DIAGNOSES,
    EDUCATION,
    INSURANCE,
    MARITAL_STATUS,
    NATIONALITY,
    SEX,
    family_names,
    given_names,
    postcodes,
)

if TYPE_CHECKING:
    import polars as pl

__all__ = ["hospital_schema", "hospital_spec", "hospital_visits", "write_hospital_visits"]

_VISITS_PER_PERSON = 2.4


def hospital_visits(n: int, *, seed: int = 2024, patients: int | None = None) -> pl.DataFrame:
    """Return a table of *n* invented hospital visits.

    A person has one to twelve visits and the same sex, postcode, education, marital status, nationality and
    insurance in all of them; the age grows with the admission date. Diagnosis depends on age and sex, and cost on
    diagnosis and age. Some education and marital status cells are missing.

    Parameters
    ----------
    n : int
        Number of visits (rows), at least 1.
    seed : int, default 2024
        The same seed and sizes give the same table.
    patients : int, optional
        Number of people, between ``n / 12`` and ``n``; ``n / 2.4`` where left out.

    Returns
    -------
    polars.DataFrame
        Columns ``patient, name, age, sex, postcode, education, marital_status, nationality, insurance,
        admission_date, diagnosis, cost``; *age* in years is an integer, *admission_date* a date, *cost* a
        number with two decimals and the others are text.

    Raises
    ------
    SpecError
        If *n* or *patients* is out of range.

    Examples
    --------
    >>> visits = hospital_visits(1000)
    >>> visits.shape, visits["patient"].n_unique()
    ((1000, 12), 417)
    """
    import polars as pl

    return pl.concat(_blocks(n, seed, patients), rechunk=True)


def write_hospital_visits(
    path: str | Path, n: int, *, seed: int = 2024, patients: int | None = None, overwrite: bool = False
) -> None:
    """Write *n* invented hospital visits to a file, a block of people at a time.

    The rows are those of :func:`hospital_visits`; ten million take seconds and well under a gigabyte.

    Parameters
    ----------
    path : str or Path
        A ``.csv`` or ``.parquet`` file.
    n, seed, patients
        As for :func:`hospital_visits`.
    overwrite : bool, default False
        Replace a file that is there.

    Raises
    ------
    SpecError
        If the suffix or a size is out of range, or the file is there already.
    """
    from polars.io.plugins import register_io_source

    path = Path(path)
    if path.suffix not in {".csv", ".parquet"}:
        raise SpecError("the file name does not say what to write", fix="end it in .csv or .parquet")
    if path.exists() and not overwrite:
        raise SpecError("the file is there already", fix="choose another name, or pass overwrite=True")
    schema = hospital_visits(1).schema
    _check(n, patients)

    def source(with_columns: list[str] | None, *_pushed_down: Any) -> Iterator[pl.DataFrame]:
        for block in _blocks(n, seed, patients):
            yield block if with_columns is None else block.select(with_columns)

    frame = register_io_source(source, schema=schema, is_pure=True)
    part = path.with_name(path.name + ".part")
    try:
        if path.suffix == ".csv":
            frame.sink_csv(part, float_precision=2)
        else:
            frame.sink_parquet(part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def hospital_schema() -> Schema:
    """Return the roles and hierarchies of the example's columns, those of the example's spec.

    Examples
    --------
    >>> hospital_schema().unit, hospital_schema().sensitive
    ('patient', ('diagnosis',))
    """
    from shoal.workflow.spec import Spec

    return Spec.from_toml(hospital_spec()).schema()


def hospital_spec() -> str:
    """Return the text of the example's spec, a TOML file as ``shoal anonymize --spec`` reads it.

    Examples
    --------
    >>> "version = 1" in hospital_spec()
    True
    """
    return files("shoal.examples").joinpath("hospital.toml").read_text("utf-8")


def _check(n: int, patients: int | None) -> int:
    """Return the number of people."""
    if n < 1:
        raise SpecError("a table of visits has at least one row", fix="n = 1000")
    people = max(1, -(-n // MAX_VISITS), round(n / _VISITS_PER_PERSON)) if patients is None else patients
    if not people <= n <= MAX_VISITS * people:
        raise SpecError(
            f"{people} patients cannot have {n} visits: everybody has 1 to {MAX_VISITS}",
            fix=f"choose patients between {-(-n // MAX_VISITS)} and {n}",
        )
    return people


def _blocks(n: int, seed: int, patients: int | None) -> Iterator[pl.DataFrame]:
    """Yield the table a block of people at a time; each block draws from a stream of its own."""
    people = _check(n, patients)
    for block, start in enumerate(range(0, people, PEOPLE_PER_BLOCK)):
        stop = min(people, start + PEOPLE_PER_BLOCK)
        rng = np.random.default_rng([seed, block])
        visits = spread_visits(rng, stop - start, n * stop // people - n * start // people)
        drawn = draw_people(rng, stop - start)
        yield _frame(start, drawn, draw_visits(rng, drawn, visits))


def _frame(start: int, people: People, visits: Visits) -> pl.DataFrame:
    import polars as pl

    def texts(name: str, values: tuple[str, ...], codes: NDArray[np.int32]) -> pl.Series:
        """Write codes as text; code -1 is missing."""
        at = pl.Series(codes[visits.person])
        return pl.Series(name, [*values, None], pl.String).gather(at.replace(-1, len(values)))

    given = texts("given", given_names(), people.given_name)
    family = texts("family", family_names(), people.family_name)
    number = pl.Series(start + visits.person)
    return pl.DataFrame(
        {
            "patient": number,
            "given": given,
            "family": family,
            "age": visits.age,
            "sex": texts("sex", SEX.texts, people.sex),
            "postcode": texts("postcode", postcodes().texts, people.postcode),
            "education": texts("education", EDUCATION.texts, people.education),
            "marital_status": texts("marital_status", MARITAL_STATUS.texts, people.marital_status),
            "nationality": texts("nationality", NATIONALITY.texts, people.nationality),
            "insurance": texts("insurance", INSURANCE.texts, people.insurance),
            "admission_date": visits.day,
            "diagnosis": pl.Series([d.code for d in DIAGNOSES]).gather(pl.Series(visits.diagnosis)),
            "cost": visits.cents / 100,
        }
    ).select(
        pl.format("P{}", pl.col("patient").cast(pl.String).str.zfill(8)).alias("patient"),
        pl.format("{} {}", "given", "family").alias("name"),
        "age",
        "sex",
        "postcode",
        "education",
        "marital_status",
        "nationality",
        "insurance",
        pl.col("admission_date").cast(pl.Date),
        "diagnosis",
        "cost",
    )
