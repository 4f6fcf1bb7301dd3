"""Codes such as postcodes and ICD: the last characters masked, one more each level."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from shoal.core.hierarchy import ANY, Hierarchy
from shoal.errors import HierarchyError, SpecError
from shoal.hierarchies.reading import distinct_values, refuse_type, where

__all__ = ["Prefix", "prefix"]


@dataclass(frozen=True)
class Prefix:
    """Prefixes of text codes; see :func:`prefix`."""

    n: int
    length: int | None = None
    mask: str = "*"

    def __post_init__(self) -> None:
        for name, number in (("n", self.n), ("length", self.length)):
            if number is not None and (isinstance(number, bool) or not isinstance(number, int) or number < 1):
                raise SpecError(
                    f"{name} of a prefix must be a whole number of at least 1",
                    fix="prefix = 5 in a spec, prefix(5) in Python",
                )
        if not isinstance(self.mask, str) or len(self.mask) != 1:
            raise SpecError("the mask of a prefix must be one character", fix='mask = "*"')

    def build(self, values: Iterable[str | None], *, column: str = "", type: str | None = None) -> Hierarchy:  # noqa: A002
        """Return the hierarchy over *values*; they stay text, leading zeros and all.

        Raises
        ------
        HierarchyError
            If values are longer than the declared length.
        SpecError
            If the column is declared as anything but text.
        """
        refuse_type("a prefix", type, ("text",), column)
        texts, null = distinct_values(values, column)
        length = self.length or max((len(text) for text in texts), default=0)
        longer = [text for text in texts if len(text) > length]
        if longer:
            raise HierarchyError(
                f"{len(longer)} value(s) have more than {length} characters",
                where=where(column),
                fix="raise length, or leave it out to use the longest value",
                examples=longer,
            )
        levels = range(1, min(self.n, max(length, 1) - 1) + 1)
        paths = [[*(self._masked(text, length - masked, masked) for masked in levels), ANY] for text in texts]
        return Hierarchy.from_paths(texts, paths, null=null, type="text", column=column)

    def _masked(self, text: str, kept: int, masked: int) -> str:
        return text if len(text) < kept else text[:kept] + self.mask * masked


def prefix(n: int, *, length: int | None = None, mask: str = "*") -> Prefix:
    """Generalize codes by masking their last characters, one more at each level.

    Parameters
    ----------
    n : int
        Number of masking levels: the last one masks *n* characters. Where that is the whole code, it is the root.
    length : int, optional
        Characters of a full code; the longest value where left out. A shorter value keeps its text until a level
        keeps as many characters as it has; there it joins the codes that begin with it.
    mask : str, default "*"
        What stands for a masked character.

    Returns
    -------
    Prefix

    Examples
    --------
    >>> h = prefix(5).build(["02139", "02138", "02114", "94110"])
    >>> [h.labels[node] for node in h.levels[:, 1]]
    ['02138', '0213*', '021**', '021**', '021**', '*']
    """
    return Prefix(n, length, mask)
