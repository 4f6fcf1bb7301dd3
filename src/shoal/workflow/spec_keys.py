"""The keys of a spec, each with its kind: one list for the parser, the JSON Schema and the docs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from shoal.core.schema import COLUMN_TYPES, Role
from shoal.errors import nearest_name
from shoal.workflow.faults import Faults

__all__ = [
    "COLUMN",
    "INPUT",
    "LABELS",
    "METHOD",
    "POPULATION",
    "SUPPRESSED",
    "TOP",
    "Key",
    "build_json_schema",
    "check_keys",
]

LABELS = ("nodes", "ranges", "sets", "stars")
SUPPRESSED = ("star", "drop", "blank-sensitive")
INSENSITIVE = ("refuse", "copy")


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a table of the spec.

    Parameters
    ----------
    name : str
    kind : str
        ``"text"``, ``"texts"``, ``"whole"``, ``"number"``, ``"exact"`` (a number or a text like "1/3"),
        ``"flag"``, ``"table"`` or ``"tables"``.
    about : str
        What it does, in one sentence.
    choices : tuple of str
        The texts that are allowed; any where empty.
    """

    name: str
    kind: str
    about: str
    choices: tuple[str, ...] = ()


TOP = (
    Key("version", "whole", "Version of the spec's shape: 1."),
    Key("input", "table", "How the input is read."),
    Key("columns", "table", "One table per column, by its name."),
    Key("population", "table", "The people that the table is a sample of."),
    Key("models", "tables", "What the release must meet, one table per model."),
    Key("method", "table", "How the recoding is searched for."),
)
INPUT = (
    Key("delimiter", "text", "Character between the fields of a CSV file; found by itself where left out."),
    Key("encoding", "text", "Encoding of a CSV file; UTF-8 where left out."),
    Key("missing", "texts", "Texts that mean that a value is missing; the empty text where left out."),
    Key(
        "decimal_comma",
        "flag",
        "Whether numbers are written with a decimal comma; found by itself where left out.",
    ),
)
POPULATION = (
    Key("file", "text", "File with the same quasi-identifiers, one row per person."),
    *INPUT,
)
COLUMN = (
    Key("role", "text", "What the column is for; without a role it is dropped and listed.", tuple(map(str, Role))),
    Key("type", "text", "How its texts are read; the hierarchy decides where left out.", COLUMN_TYPES),
    Key("weight", "number", "Weight of a quasi-identifier in the loss, above 0; 1 where left out."),
    Key("max_level", "whole", "Highest level a quasi-identifier may be generalized to; its root where left out."),
    Key("hierarchy", "table", "How its values are generalized; automatic where left out."),
    Key("pseudonym", "flag", "Whether an identifier is published as a keyed pseudonym; it is left out otherwise."),
)
METHOD = (
    Key(
        "algorithm",
        "text",
        "Name of the search, see `shoal list algorithms`; `best` where left out, or `optimal` if models need it.",
    ),
    Key("loss", "text", "Name of the objective, see `shoal list losses`."),
    Key("suppression_limit", "exact", "Largest share of records that may be suppressed, in [0, 1]."),
    Key("labels", "text", "What the published cells of a local recoding may say.", LABELS),
    Key("budget_s", "number", "Seconds after which the best recoding found so far is taken."),
    Key("suppressed", "text", "What becomes of suppressed records.", SUPPRESSED),
    Key("insensitive", "text", "What fake rows of a bucket hold in insensitive columns.", INSENSITIVE),
)

KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    "text": ((str,), "a text"),
    "texts": ((list,), "a list of texts"),
    "whole": ((int,), "a whole number"),
    "number": ((int, Decimal), "a number"),
    "exact": ((int, Decimal, str), 'a number or a text like "1/3"'),
    "flag": ((bool,), "true or false"),
    "table": ((Mapping,), "a table"),
    "tables": ((list,), "tables"),
}

EXAMPLES = {"texts": '["", "?"]', "whole": "1", "number": "2", "exact": "0.04", "flag": "true"}


def check_keys(
    table: Mapping[str, Any], keys: Iterable[Key], *, where: str, faults: Faults, more: Iterable[str] = ()
) -> dict[str, Any]:
    """Return the part of a table that can be used, and note every other key.

    Parameters
    ----------
    table : mapping
        A table of the spec.
    keys : iterable of Key
        What it may hold.
    where : str
        Its place, for the faults.
    faults : Faults
        Gets a fault per unknown key, wrong kind and unknown choice.
    more : iterable of str
        Further keys that are known and not checked here.
    """
    known = {key.name: key for key in keys}
    more = set(more)
    good = {}
    for name, value in table.items():
        if name in more:
            good[name] = value
        elif name not in known:
            faults.add(f"unknown key {name!r}", where=where, fix=nearest_name(name, [*known, *more]))
        elif not _is_kind(value, known[name].kind):
            faults.add(f"{name} must be {KINDS[known[name].kind][1]}", where=where, fix=_example(known[name]))
        elif known[name].choices and value not in known[name].choices:
            faults.add(f"unknown {name} {value!r}", where=where, fix=nearest_name(value, known[name].choices))
        else:
            good[name] = value
    return good


def _example(key: Key) -> str:
    """Return how a key of this kind is written."""
    if key.kind == "tables":
        return f"write [[{key.name}]] above the keys of each"
    if key.kind == "table":
        as_table = f"as in {key.name} = {{ auto = true }}"
        return as_table if key.name == "hierarchy" else f"write [{key.name}] above its keys"
    if key.kind == "text":
        return f'as in {key.name} = "{key.choices[0] if key.choices else "..."}"'
    return f"as in {key.name} = {EXAMPLES[key.kind]}"


def _is_kind(value: object, kind: str) -> bool:
    types = KINDS[kind][0]
    if isinstance(value, bool):
        return kind == "flag"
    if kind == "texts":
        return isinstance(value, list) and all(isinstance(text, str) for text in value)
    if kind == "tables":
        return isinstance(value, list) and all(isinstance(inner, Mapping) for inner in value)
    return isinstance(value, types)


def build_json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a spec, built from the keys.

    Settings of models, hierarchies and algorithms belong to their classes, which plug-ins extend; shoal checks
    them when it reads a spec.
    """
    top: dict[str, dict[str, Any]] = {key.name: _json_kind(key) for key in TOP}
    top["version"]["const"] = 1
    top["input"] |= _json_table(INPUT)
    top["population"] |= {**_json_table(POPULATION), "required": ["file"]}
    top["columns"]["additionalProperties"] = {"type": "object", **_json_table(COLUMN)}
    top["models"]["items"] = {
        "type": "object",
        "required": ["model"],
        "properties": {"model": {"type": "string", "description": "Name of the model, see `shoal list models`."}},
    }
    top["method"] |= {**_json_table(METHOD), "additionalProperties": True}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "shoal spec",
        "description": "One run: how to read a table, what its columns are, what must hold, how to search.",
        "type": "object",
        "required": ["version"],
        "properties": top,
        "additionalProperties": False,
    }


def _json_table(keys: Iterable[Key]) -> dict[str, Any]:
    return {"properties": {key.name: _json_kind(key) for key in keys}, "additionalProperties": False}


def _json_kind(key: Key) -> dict[str, Any]:
    kinds: dict[str, dict[str, Any]] = {
        "text": {"type": "string"},
        "texts": {"type": "array", "items": {"type": "string"}},
        "whole": {"type": "integer"},
        "number": {"type": "number"},
        "exact": {"type": ["number", "string"]},
        "flag": {"type": "boolean"},
        "table": {"type": "object"},
        "tables": {"type": "array"},
    }
    return {**kinds[key.kind], "description": key.about, **({"enum": list(key.choices)} if key.choices else {})}
