"""From a table to a proposed spec: what ``shoal init`` does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal.core.schema import Role
from shoal.errors import InputError
from shoal.io.facts import ColumnFacts, TableFacts
from shoal.io.frames import from_frame
from shoal.io.opening import open_source
from shoal.io.profile import profile
from shoal.io.source import reading as reading_of
from shoal.workflow.naming import names_person, topics_of, words_of
from shoal.workflow.patterns import found_inside, recognize
from shoal.workflow.proposal import ColumnProposal, Proposal, about
from shoal.workflow.role_rules import decide
from shoal.workflow.seen_column import Seen

__all__ = ["propose", "propose_file"]

DEFAULT_MISSING = ("",)


def propose(
    frame: Any, *, missing: Sequence[str] = DEFAULT_MISSING, reading: Mapping[str, Any] | None = None
) -> Proposal:
    """Propose a role, a type and a hierarchy for every column of a table, each with its reason.

    Parameters
    ----------
    frame : dataframe
        Any that :func:`shoal.io.frames.from_frame` opens. A lazy Polars frame is read as it is, three times.
    missing : sequence of str, default ``("",)``
        Texts that mean missing.
    reading : mapping, optional
        Further settings for the ``[input]`` table of the spec, such as the delimiter.

    Returns
    -------
    Proposal
        ``.columns`` in the table's order; ``.to_toml()`` is the commented spec.

    Raises
    ------
    InputError
        If the table has no columns.

    Notes
    -----
    A proposal is a heuristic: it looks at names and cells, and cannot know what an attacker knows. It holds no
    cell value. The table is read three times, streaming; memory grows with columns, not with rows.

    Examples
    --------
    >>> proposal = propose(pl.DataFrame({"name": ["Ann", "Bo", "Cy"], "age": ["34", "34", "51"]}))
    >>> [(column.name, str(column.role)) for column in proposal.columns]
    [('name', 'identifier'), ('age', 'quasi-identifier')]
    """
    if isinstance(frame, pl.LazyFrame):
        return _propose(frame, missing, reading or {})
    with from_frame(frame, missing=missing) as source:
        return _propose(source.scan(), missing, reading or {})


def _propose(frame: pl.LazyFrame, missing: Sequence[str], reading: Mapping[str, Any]) -> Proposal:
    facts = profile(frame, missing=missing)
    if not facts.columns:
        raise InputError("the table has no columns")
    commas = _has_decimal_commas(facts.columns)
    if not commas:
        # Beside numbers with a point, a comma is as likely to part thousands.
        facts = replace(facts, columns=tuple(_without_commas(column) for column in facts.columns))
    bodies = any({"height", "bmi"}.intersection(words_of(column.name)) for column in facts.columns)
    proposals = [_with_warnings(decide(_see(c, facts, bodies=bodies)), c) for c in facts.columns]
    proposals = _one_household(_one_weight(_one_unit(proposals, facts)))
    settings: dict[str, Any] = {**reading, "missing": list(missing)}
    if commas:
        settings["decimal_comma"] = True
    published = [c for c, p in zip(facts.columns, proposals, strict=True) if p.role not in _LEFT_OUT]
    return Proposal(
        columns=tuple(proposals),
        n_rows=facts.n_rows,
        input=settings,
        markers=tuple(dict.fromkeys(marker for column in published for marker in column.markers)),
        distinct={
            column.name: column.n_distinct
            for column, proposal in zip(facts.columns, proposals, strict=True)
            if proposal.role == Role.SENSITIVE
        },
    )


_LEFT_OUT = (Role.DROP, Role.IDENTIFIER, Role.UNIT, Role.HOUSEHOLD)


def _see(column: ColumnFacts, table: TableFacts, *, bodies: bool) -> Seen:
    values = table.values(column.name) if column.readable else []
    return Seen(
        facts=column,
        topics=topics_of(column.name),
        words=words_of(column.name),
        content=recognize(values),
        n_inside=found_inside(values) if column.mean_words > 1 else 0,
        bodies=bodies,
    )


def _with_warnings(proposal: ColumnProposal, facts: ColumnFacts) -> ColumnProposal:
    if proposal.role in _LEFT_OUT:
        return proposal
    return replace(proposal, warnings=(*proposal.warnings, *_oddities(facts)))


def _oddities(facts: ColumnFacts) -> Iterator[str]:
    if facts.markers:
        listed = ", ".join(f'"{marker}" ({about(n)} rows)' for marker, n in facts.markers.items())
        yield f"{listed} may mean missing: decide it in [input]."
    if "NA" in facts.markers and _may_be_countries(facts):
        yield '"NA" is also the country code of Namibia.'
    if facts.counts.get("masked"):
        yield f"{about(facts.counts['masked'])} cells end in a star: they seem suppressed or generalized already."
    if facts.counts.get("padded"):
        yield f"{about(facts.counts['padded'])} cells have blanks around them; with and without are two values."
    if facts.n_variants:
        yield "some values are alike but for capitals or blanks; they count as different values."
    if facts.share_of("other_date") > 0.5:
        yield (
            "these look like dates that are not written YYYY-MM-DD; convert them, then use "
            'type = "date" and hierarchy = { dates = ["month", "year"] }.'
        )
    if facts.counts.get("decimal_comma") and facts.share_of("decimal_comma") + facts.share_of("integer") > 0.9:
        yield "numbers with a decimal comma."


def _may_be_countries(facts: ColumnFacts) -> bool:
    words = ("countr", "nation", "citizen", "land", "pays", "pais")
    named = any(word.startswith(words) for word in words_of(facts.name))
    return named or (
        facts.common_length == 2
        and facts.share_of("decimal") == 0
        and facts.n_equal_length > 0.5 * facts.n_sampled
    )


def _has_decimal_commas(columns: Sequence[ColumnFacts]) -> bool:
    commas = [
        c for c in columns if c.counts.get("decimal_comma") and c.all_are("integer", "decimal_comma", markers=True)
    ]
    points = [c for c in columns if c.counts.get("decimal", 0) > c.counts.get("integer", 0)]
    return bool(commas) and not points


def _without_commas(column: ColumnFacts) -> ColumnFacts:
    return replace(column, counts={**column.counts, "decimal_comma": 0})


def _one_unit(proposals: Sequence[ColumnProposal], facts: TableFacts) -> list[ColumnProposal]:
    # A key of people before any other; then the one with the most rows per value, which protects most.
    rivals = [
        (not names_person(proposal.name), column.share_distinct, i)
        for i, (proposal, column) in enumerate(zip(proposals, facts.columns, strict=True))
        if proposal.role == Role.UNIT
    ]
    best = min(rivals, default=(False, 0.0, -1))[2]
    return _keep(proposals, Role.UNIT, best, Role.IDENTIFIER, "Another column stands for the person already.")


def _one_weight(proposals: Sequence[ColumnProposal]) -> list[ColumnProposal]:
    best = next((i for i, proposal in enumerate(proposals) if proposal.role == Role.WEIGHT), -1)
    return _keep(proposals, Role.WEIGHT, best, Role.DROP, "Another column is the weight already.")


def _one_household(proposals: Sequence[ColumnProposal]) -> list[ColumnProposal]:
    best = next((i for i, proposal in enumerate(proposals) if proposal.role == Role.HOUSEHOLD), -1)
    return _keep(proposals, Role.HOUSEHOLD, best, Role.IDENTIFIER, "Another column is the household already.")


def _keep(
    proposals: Sequence[ColumnProposal], role: Role, best: int, instead: Role, reason: str
) -> list[ColumnProposal]:
    return [
        replace(p, role=instead, type=None, reason=f"{p.reason} {reason}", warnings=())
        if p.role == role and i != best
        else p
        for i, p in enumerate(proposals)
    ]


def propose_file(
    path: str | Path,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: Sequence[str] | None = None,
) -> Proposal:
    """Propose a spec for a file; see :func:`propose`.

    Parameters
    ----------
    path : str or path
        CSV, TSV or Parquet.
    delimiter, encoding : str, optional
        How a CSV file is written; found by itself where left out.
    missing : sequence of str, optional
        Texts that mean missing; the empty text where left out.

    Returns
    -------
    Proposal

    Raises
    ------
    InputError
        If the file cannot be read; nothing is written.
    """
    texts = DEFAULT_MISSING if missing is None else missing
    with (
        open_source(path, delimiter=delimiter, encoding=encoding, missing=texts) as source,
        reading_of(source),
    ):
        read = {"delimiter": source.dialect.delimiter if source.dialect else None, "encoding": encoding}
        return propose(
            source.scan(),
            missing=source.missing,
            reading={key: value for key, value in read.items() if value is not None},
        )
