"""Which texts of a table mean missing, or look as if they did."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from shoal.io.source import Source, reading

__all__ = ["MarkerCounts", "count_markers"]

_SUSPICIOUS = frozenset(
    ["?", "na", "n/a", "n.a.", "#n/a", "nan", "none", "null", "nil", "-", "--", ".", "..", "*", "unknown"]
)
_SHOWN = 20
_BATCH = 250_000


@dataclass(frozen=True, slots=True)
class MarkerCounts:
    """Cells that are missing, look missing, look generalized, or are padded with blanks.

    Parameters
    ----------
    missing : dict of str to dict of str to int
        Per column, how often each text that the source treats as missing occurs; ``""`` also counts nulls.
    suspicious : dict of str to dict of str to int
        Per column, texts that often mean missing (``NA``, ``?``, ``-``) or are the mark of generalization
        (``*``, ``1305*``), and are values here; of the latter the 20 most frequent.
    padded : dict of str to int
        Per column, cells that begin or end with a blank, which makes another value of them.
    """

    missing: dict[str, dict[str, int]]
    suspicious: dict[str, dict[str, int]]
    padded: dict[str, int]


def count_markers(source: Source) -> MarkerCounts:
    """Count missing, suspicious and padded cells in one streaming pass.

    Raises
    ------
    InputError
        If the rows cannot be read.

    Examples
    --------
    >>> from shoal.io.frames import from_frame
    >>> source = from_frame(pl.DataFrame({"land": ["NA", "", "DE ", "NA"]}))
    >>> count_markers(source)
    MarkerCounts(missing={'land': {'': 1}}, suspicious={'land': {'NA': 2}}, padded={'land': 1})
    """
    frame = source.raw()
    texts: dict[str, dict[str, int]] = {name: {} for name in source.columns}
    padded = dict.fromkeys(source.columns, 0)
    with reading(source):
        for batch in frame.collect_batches(chunk_size=_BATCH, maintain_order=False):
            for series in batch:
                _count(series, source.missing, texts[series.name], padded)
    missing = {
        name: {text: n for text, n in found.items() if text in source.missing or text == ""}
        for name, found in texts.items()
    }
    suspicious = {
        name: _most_frequent({text: n for text, n in found.items() if text not in missing[name]})
        for name, found in texts.items()
    }
    return MarkerCounts(
        {name: found for name, found in missing.items() if found},
        {name: found for name, found in suspicious.items() if found},
        {name: n for name, n in padded.items() if n},
    )


def _count(series: pl.Series, missing: tuple[str, ...], texts: dict[str, int], padded: dict[str, int]) -> None:
    nulls = series.null_count()
    if series.dtype.is_float():
        nulls += int(series.is_nan().sum())
    if nulls:
        texts[""] = texts.get("", 0) + nulls
    if series.dtype != pl.String:
        return
    counts = series.drop_nulls().value_counts(name="__count")
    values, sizes = counts.to_series(0), counts.to_series(1)
    padded[series.name] += int(sizes.filter(values != values.str.strip_chars()).sum())
    lower = values.str.strip_chars().str.to_lowercase()
    marks = (
        values.is_in(list(missing))
        | lower.is_in(list(_SUSPICIOUS))
        | (values == "")
        | values.str.contains(r"^\S+\*+$|^\[.*\]$|^\{.*\}$")
    )
    for text, n in zip(values.filter(marks), sizes.filter(marks), strict=True):
        texts[text] = texts.get(text, 0) + n


def _most_frequent(found: dict[str, int]) -> dict[str, int]:
    ranked = sorted(found.items(), key=lambda item: (_is_generalized(item[0]), -item[1], item[0]))
    known = sum(not _is_generalized(text) for text in found)
    return dict(ranked[: known + _SHOWN])


def _is_generalized(text: str) -> bool:
    return text.strip().lower() not in _SUSPICIOUS
