"""The short form: a spec from a few options instead of a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from shoal.core.rational import Exact
from shoal.errors import SpecError, nearest_name

__all__ = ["add_to_columns", "match_hierarchies", "quick_document"]


def quick_document(
    quasi_identifiers: Iterable[str],
    *,
    sensitive: Iterable[str] = (),
    insensitive: Iterable[str] = (),
    unit: str | None = None,
    household: str | None = None,
    weight: str | None = None,
    k: int | None = None,
    l: int | None = None,
    t: Exact | None = None,
    alpha: Exact | None = None,
    hierarchies: str | Path | None = None,
    population: str | Path | None = None,
    weights: Mapping[str, Any] | None = None,
    max_levels: Mapping[str, int] | None = None,
    input: Mapping[str, Any] | None = None,  # noqa: A002
    method: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the document of a spec from a few options.

    Parameters
    ----------
    quasi_identifiers : iterable of str
        Columns that an attacker may know.
    sensitive : iterable of str
        Columns whose link to a person must not become known; *l*, *t* and *alpha* hold for each of them.
    insensitive : iterable of str
        Columns that are published as they are. A column that is named nowhere is dropped.
    unit : str, optional
        Column that names the person a row belongs to.
    household : str, optional
        Column that names the household of a row.
    weight : str, optional
        Column with the survey weight of a row.
    k, l : int, optional
        k-anonymity, and distinct l-diversity.
    t, alpha : number or text, optional
        t-closeness with equal ground distance, and (alpha, k)-anonymity in ratio form.
    hierarchies : path, optional
        A folder with one CSV hierarchy per column, see :func:`match_hierarchies`; quasi-identifiers without a
        file get an automatic hierarchy.
    population : str or Path, optional
        File of the people that the table is a sample of.
    weights, max_levels : mapping, optional
        Weight in the loss, and highest level, of quasi-identifiers.
    input, method : mapping, optional
        Keys of ``[input]`` and ``[method]``.

    Raises
    ------
    SpecError
        If *l*, *t* or *alpha* is asked and no column is sensitive, a column is named twice, or a column has two
        hierarchy files.

    Examples
    --------
    >>> document = quick_document(["age", "sex"], sensitive=["disease"], k=5, l=2)
    >>> [model["model"] for model in document["models"]]
    ['k-anonymity', 'l-diversity']
    """
    quasi, sensitive = list(quasi_identifiers), list(sensitive)
    columns: dict[str, dict[str, Any]] = {}
    for role, names in (
        ("quasi-identifier", quasi),
        ("sensitive", sensitive),
        ("insensitive", list(insensitive)),
        ("unit", [unit] if unit else []),
        ("household", [household] if household else []),
        ("weight", [weight] if weight else []),
    ):
        for name in names:
            if name in columns:
                raise SpecError(f"column {name!r} is named twice", fix="give each column one role")
            columns[name] = {"role": role}
    if hierarchies is not None:
        for name, path in match_hierarchies(hierarchies, quasi).items():
            columns[name]["hierarchy"] = {"file": str(path)}
    for key, values in (("weight", weights), ("max_level", max_levels)):
        add_to_columns(columns, {name: {key: value} for name, value in (values or {}).items()})
    models: list[dict[str, Any]] = [{"model": "k-anonymity", "k": k}] if k is not None else []
    for name, letter, value in (
        ("l-diversity", "l", l),
        ("t-closeness", "t", t),
        ("alpha-k-anonymity", "alpha", alpha),
    ):
        if value is None:
            continue
        if not sensitive:
            raise SpecError(f"{letter} needs a sensitive column", fix="name it with --sensitive")
        models += [{"model": name, "sensitive": column, letter: value} for column in sensitive]
    return {
        "version": 1,
        "input": dict(input or {}),
        "columns": columns,
        **({} if population is None else {"population": {"file": str(population)}}),
        "models": models,
        "method": dict(method or {}),
    }


def add_to_columns(columns: dict[str, dict[str, Any]], given: Mapping[str, Mapping[str, Any]]) -> None:
    """Add keys to the tables of columns.

    Raises
    ------
    SpecError
        If there is no such column.
    """
    for name, keys in given.items():
        if name not in columns:
            raise SpecError(f"there is no column {name!r}", fix=nearest_name(name, columns))
        columns[name] = {**columns[name], **keys}


def match_hierarchies(folder: str | Path, columns: Iterable[str]) -> dict[str, Path]:
    """Find each column's file ``*COLUMN.csv`` in a folder, as ARX's examples lay them out.

    A file belongs to the longest of the column names that its name ends with: ``adult_marital-status.csv`` is
    never the file of a column ``status`` that stands beside ``marital-status``. Where several files end with a
    name, one that is just the name wins, then one with a sign before it.

    Returns
    -------
    dict of str to Path
        Columns that have a file.

    Raises
    ------
    SpecError
        If the folder is not there, or a column has two files that fit equally well.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise SpecError("the folder of hierarchies is not there", where=str(folder))
    columns = list(columns)
    found: dict[str, list[tuple[int, Path]]] = {name: [] for name in columns}
    for path in sorted(folder.glob("*.csv")):
        ends = [name for name in columns if path.stem.endswith(name)]
        if ends:
            longest = max(ends, key=len)
            found[longest].append((_fit(path.stem.removesuffix(longest)), path))
    matched = {}
    for name, paths in found.items():
        best = [path for fit, path in paths if fit == min(fit for fit, _ in paths)]
        if len(best) > 1:
            raise SpecError(
                f"{len(best)} hierarchy files fit column {name!r}: {', '.join(path.name for path in best)}",
                where=str(folder),
                fix="keep one of them there, or name the file in a spec",
            )
        if best:
            matched[name] = best[0]
    return matched


def _fit(before: str) -> int:
    """Return how well a name fits by the text before it; smaller is better."""
    if not before:
        return 0
    return 2 if before[-1].isalnum() else 1
