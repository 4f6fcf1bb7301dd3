"""Invented people and their visits, as arrays of codes into the vocabulary."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.examples.vocabulary import (
    DIAGNOSES,
    EDUCATION,
    INSURANCE,
    MARITAL_STATUS,
    NATIONALITY,
    SEX,
    Choice,
    family_names,
    given_names,
    postcodes,
)

__all__ = [
    "FIRST_DAY",
    "MAX_VISITS",
    "N_DAYS",
    "PEOPLE_PER_BLOCK",
    "People",
    "Visits",
    "draw_people",
    "draw_visits",
    "spread_visits",
]

MAX_VISITS = 12

PEOPLE_PER_BLOCK = 1 << 17
"""People that are drawn at a time; it bounds the memory of a table of any size."""

FIRST_DAY = 18_993
"""1 January 2022, in days since 1 January 1970."""

N_DAYS = 3 * 365

_DAYS_PER_YEAR = 365.2425
_AGE_BANDS = np.array([15, 40, 65])
_ADULT = 18

Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class People:
    """Attributes that a person keeps over all visits.

    Every field is an array [n_people] of codes into the vocabulary; ``born`` is in days since 1 January 1970 and
    -1 marks a missing education or marital status.
    """

    given_name: Codes
    family_name: Codes
    sex: Codes
    born: Codes
    postcode: Codes
    education: Codes
    marital_status: Codes
    nationality: Codes
    insurance: Codes
    diagnosis: Codes


@dataclass(frozen=True, slots=True, eq=False)
class Visits:
    """Visits by admission date, each field an array [n_visits].

    ``person`` counts within the block, ``age`` is in full years at admission, ``day`` in days since 1 January
    1970, ``cents`` the cost in hundredths.
    """

    person: NDArray[np.int64]
    age: NDArray[np.int64]
    day: Codes
    diagnosis: Codes
    cents: NDArray[np.int64]


def spread_visits(rng: np.random.Generator, people: int, visits: int) -> NDArray[np.int64]:
    """Return how many of *visits* each of *people* makes: 1 to 12, most of them few.

    Returns
    -------
    int64 [people]
        Adds up to *visits* exactly; *visits* must lie in [people, 12 people].

    Examples
    --------
    >>> spread_visits(np.random.default_rng(1), 4, 9).sum()
    np.int64(9)
    """
    eager = rng.standard_exponential(people) ** 1.7 + 1e-9
    wanted = rng.multinomial(visits - people, eager / eager.sum())
    extra = np.minimum(wanted, MAX_VISITS - 1)
    room = MAX_VISITS - 1 - extra
    # What the most eager may not take goes to the others in turn, one each before anybody gets two.
    left = int((wanted - extra).sum())
    while left:
        open_ = np.flatnonzero(room)[:left]
        extra[open_] += 1
        room[open_] -= 1
        left -= open_.shape[0]
    return 1 + extra


def draw_people(rng: np.random.Generator, n: int) -> People:
    """Return *n* people whose attributes hang together as in life: the widowed are old, students young."""
    # A young peak of births, a broad middle and a long old age; hospitals see more of both ends.
    kind = rng.random(n)
    age = np.where(
        kind < 0.1,
        rng.random(n) * 6,
        np.where(kind < 0.55, 6 + rng.random(n) * 54, 50 + 48 * rng.beta(2.2, 2.0, n)),
    )
    born = np.floor(FIRST_DAY - age * _DAYS_PER_YEAR).astype(np.int32)
    adult = age >= _ADULT
    sex = _draw(rng, SEX, n)

    region = postcodes()
    postcode = _draw(rng, region, n)
    nationality = _draw(rng, NATIONALITY, n)
    # Far from the largest regions nearly everybody is of the country itself.
    rural = np.array([text[0] in "56789" for text in region.texts])[postcode]
    nationality[rural & (rng.random(n) < 0.6)] = NATIONALITY.code("DE")

    education = _draw(rng, EDUCATION, n)
    education = np.where(age > 75, np.maximum(education - 1, 0), education)
    schooling = np.clip((age - 4) // 5, 0, 3)
    education = np.where(adult, education, np.minimum(education, schooling)).astype(np.int32)

    status = _draw(rng, MARITAL_STATUS, n)
    single, widowed = MARITAL_STATUS.code("single"), MARITAL_STATUS.code("widowed")
    status[age < 20 + 12 * rng.random(n)] = single
    status[(age < 55) & (status == widowed)] = MARITAL_STATUS.code("married")
    status[(age > 75) & (rng.random(n) < 0.4)] = widowed

    insurance = _draw(rng, INSURANCE, n)
    insurance[~adult & (rng.random(n) < 0.8)] = INSURANCE.code("family")
    student = INSURANCE.code("student")
    insurance[(insurance == student) & ((age < _ADULT) | (age > 30))] = INSURANCE.code("statutory")
    insurance[adult & (education >= EDUCATION.code("master")) & (rng.random(n) < 0.35)] = INSURANCE.code("private")

    education[rng.random(n) < 0.04] = -1
    status[rng.random(n) < 0.025] = -1
    return People(
        given_name=rng.integers(0, len(given_names()), n, np.int32),
        family_name=np.minimum(
            (len(family_names()) * rng.random(n) ** 2).astype(np.int32), np.int32(len(family_names()) - 1)
        ),
        sex=sex,
        born=born,
        postcode=postcode,
        education=education,
        marital_status=status,
        nationality=nationality,
        insurance=insurance,
        diagnosis=_draw_diagnosis(rng, age.astype(np.int64), sex),
    )


def draw_visits(rng: np.random.Generator, people: People, visits: NDArray[np.int64]) -> Visits:
    """Return the visits of *people*, *visits* [n_people] for each, in the order of admission."""
    person = np.repeat(np.arange(visits.shape[0]), visits)
    n = person.shape[0]
    # Winter has more admissions than summer.
    year = rng.integers(0, 3, n)
    even = rng.random(n)
    within = even - 0.2 * np.sin(2 * np.pi * even) / (2 * np.pi)
    day = np.clip(year * 365 + within * 365, 0, N_DAYS - 1).astype(np.int32) + np.int32(FIRST_DAY)
    order = np.argsort((day - FIRST_DAY).astype(np.int16), kind="stable")
    person, day = person[order], day[order]
    lived = np.maximum(day - people.born[person], 0)
    age = (lived / _DAYS_PER_YEAR).astype(np.int64)
    diagnosis = _draw_diagnosis(rng, age, people.sex[person])
    # Chronic conditions come back.
    diagnosis = np.where(rng.random(n) < 0.45, people.diagnosis[person], diagnosis)
    median = np.array([d.cost for d in DIAGNOSES])[diagnosis]
    cents = (100 * median * (0.8 + age / 200) * np.exp(0.55 * rng.standard_normal(n))).astype(np.int64)
    return Visits(person=person, age=age, day=day, diagnosis=diagnosis.astype(np.int32), cents=cents)


def _draw(rng: np.random.Generator, choice: Choice, n: int) -> Codes:
    cumulative = np.cumsum(choice.chances)
    codes = np.searchsorted(cumulative, rng.random(n), side="right")
    return np.minimum(codes, len(choice.texts) - 1).astype(np.int32)


def _diagnosis_chances() -> NDArray[np.float64]:
    """Return the cumulative chance of each code by (age band, sex), float64 [4 * 3, n_codes]."""
    ages = np.array([d.by_age for d in DIAGNOSES])
    women, men = np.array([d.women for d in DIAGNOSES]), np.array([d.men for d in DIAGNOSES])
    factors = np.stack([women, men, np.minimum(women, men)])
    weights = ages.T[:, None, :] * factors[None, :, :]
    rows = weights.reshape(-1, len(DIAGNOSES))
    return np.cumsum(rows / rows.sum(axis=1, keepdims=True), axis=1)


def _draw_diagnosis(rng: np.random.Generator, age: NDArray[np.int64], sex: Codes) -> Codes:
    chances = _diagnosis_chances()
    group = np.searchsorted(_AGE_BANDS, age, side="right") * len(SEX.texts) + sex
    # Group g owns the stretch [g, g + 1) of one ascending line, so that one search serves all groups.
    line = (np.arange(chances.shape[0])[:, None] + chances).ravel()
    found = np.searchsorted(line, group + rng.random(age.shape[0]), side="right") - group * len(DIAGNOSES)
    return np.clip(found, 0, len(DIAGNOSES) - 1).astype(np.int32)
