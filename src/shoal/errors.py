"""Every error that shoal raises: what is wrong, where, and what to do.

A message never holds a cell value. Values that help a person find the fault stand on ``err.examples``,
which no ``str``, ``repr``, command or page prints.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from typing import Any

__all__ = [
    "EngineError",
    "HierarchyError",
    "InfeasibleError",
    "InputError",
    "PolicyError",
    "SchemaError",
    "ShoalError",
    "ShoalWarning",
    "SpecError",
    "VerificationError",
    "check_choice",
    "nearest_name",
]


class ShoalWarning(UserWarning):
    """Something a user should know before publishing; the run goes on."""


class ShoalError(Exception):
    """Base of all errors: a problem, its place and its fix.

    Parameters
    ----------
    problem : str
        What is wrong, in one sentence without a cell value.
    where : str, optional
        Column, row position, byte offset, level or line.
    fix : str, optional
        What the user can do about it.
    examples : iterable, optional
        Offending values; kept on the object and never printed.
    """

    exit_code = 2

    def __init__(self, problem: str, *, where: str = "", fix: str = "", examples: Iterable[object] = ()) -> None:
        super().__init__(problem)
        self.problem = problem
        self.where = where
        self.fix = fix
        self.examples: tuple[object, ...] = tuple(examples)

    def __str__(self) -> str:
        lines = [self.problem]
        if self.where:
            lines.append(f"  where: {self.where}")
        if self.fix:
            lines.append(f"  fix: {self.fix}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    def as_dict(self) -> dict[str, Any]:
        """Return the error as plain data, without its examples."""
        return {"error": type(self).__name__, "problem": self.problem, "where": self.where, "fix": self.fix}


class SchemaError(ShoalError):
    """The roles do not fit the table: unknown column, two roles, no quasi-identifier."""


class SpecError(ShoalError):
    """A setting is wrong: threshold out of range, unknown name, unknown key."""


class HierarchyError(ShoalError):
    """A hierarchy misses values or is not a tree over them."""

    exit_code = 4


class InputError(ShoalError):
    """The input cannot be read as it is declared."""

    exit_code = 4


class EngineError(ShoalError):
    """An engine lacks an extra or cannot do what is asked."""


class InfeasibleError(ShoalError):
    """No recoding meets the models within the limits.

    Attributes
    ----------
    choices : tuple of str
        The nearest feasible choices, best first, each a sentence that a user can act on.
    """

    exit_code = 3

    def __init__(self, problem: str, *, where: str = "", fix: str = "", choices: Sequence[str] = ()) -> None:
        self.choices = tuple(choices)
        super().__init__(problem, where=where, fix=fix or "; or ".join(self.choices))

    def as_dict(self) -> dict[str, Any]:
        """Return the error as plain data with its nearest feasible choices."""
        return {**super().as_dict(), "choices": list(self.choices)}


class PolicyError(ShoalError):
    """The output does not meet a policy, and nobody said why that is accepted; nothing was written."""

    exit_code = 1


class VerificationError(ShoalError):
    """The recount of the output disagrees with the search; nothing was written."""

    exit_code = 1


def check_choice(setting: str, value: str, known: Iterable[str], *, where: str = "") -> None:
    """Refuse a setting that is none of the *known* ones.

    Raises
    ------
    SpecError
        With the nearest one.
    """
    if value not in known:
        raise SpecError(f"unknown {setting} {value!r}", where=where, fix=nearest_name(value, known))


def nearest_name(name: str, known: Iterable[str]) -> str:
    """Return ``"did you mean ...?"`` for a misspelt name, or the list of what is known.

    Examples
    --------
    >>> nearest_name("mondrain", ["mondrian", "optimal"])
    "did you mean 'mondrian'?"
    >>> nearest_name("x", ["mondrian", "optimal"])
    'known are: mondrian, optimal'
    """
    known = sorted(known)
    close = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {close[0]!r}?" if close else "known are: " + ", ".join(known)
