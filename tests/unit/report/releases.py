"""Releases to tell of, small enough to be made in every test."""

import warnings

import polars as pl

from shoal.algorithms import Mondrian
from shoal.core.schema import Schema
from shoal.hierarchies import flat, intervals
from shoal.models import KAnonymity, LDiversity
from shoal.workflow import anonymize

HOSTILE = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "=1+1",
    "{{ 7 * 7 }}",
    "a&b<c>d",
)
"""Texts that mean something to a page, to a spreadsheet or to a template."""


ROLES = Schema(quasi_identifiers={"age": intervals(5, 10, 20), "town": flat()}, types={"age": "integer"})


def visits(rows=240, towns=("Aam", "Bex", "Cull", "Dorn")):
    """An invented table with common and rare values; nothing in it is drawn at random."""
    return pl.DataFrame(
        {
            "name": [f"person {i}" for i in range(rows)],
            "age": [str(18 + (i * 37) % 61) for i in range(rows)],
            "town": [towns[(i * i + i // 7) % len(towns)] for i in range(rows)],
            "disease": [("flu", "cold", "measles", "gout", "asthma")[(i * 7 + i // 9) % 5] for i in range(rows)],
            "note": [("none", "seen again")[i % 2] for i in range(rows)],
        }
    )


def release(frame=None, **options):
    """Publish it so that some records are suppressed."""
    schema = Schema(
        quasi_identifiers={"age": intervals(5, 10, 20), "town": flat()},
        sensitive=["disease"],
        insensitive=["note"],
        identifiers=["name"],
        types={"age": "integer"},
    )
    models = [KAnonymity(k=5), LDiversity(sensitive="disease", l=2)]
    given = {"models": models, "algorithm": "optimal", "suppression_limit": "0.1", "seed": 987654321, **options}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return anonymize(visits() if frame is None else frame, schema, **given)


def hostile():
    """A release whose values are the hostile texts, and a column that is named like one."""
    frame = visits(towns=HOSTILE).rename({"note": "<b>note</b>"})
    schema = Schema(
        quasi_identifiers={"age": intervals(5, 10, 20), "town": flat()},
        sensitive=["disease"],
        insensitive=["<b>note</b>"],
        types={"age": "integer"},
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return anonymize(frame, schema, models=KAnonymity(k=3), algorithm=Mondrian(labels="sets"), seed=1)
