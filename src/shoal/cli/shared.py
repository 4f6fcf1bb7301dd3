"""Options that several commands take, declared once: a command names them and gets those that are given."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

from shoal.cli import options as o

__all__ = ["SHARED", "takes"]

SHARED: dict[str, Any] = {
    "quasi": o.Quasi,
    "sensitive": o.Sensitive,
    "insensitive": o.Insensitive,
    "unit": o.Unit,
    "household": o.Household,
    "weight": o.Weight,
    "k": o.K,
    "l": o.L,
    "t": o.T,
    "alpha": o.Alpha,
    "hierarchies": o.Hierarchies,
    "algorithm": o.Algorithm,
    "loss": o.Loss,
    "labels": o.Labels,
    "suppression_limit": o.SuppressionLimit,
    "attribute_weight": o.AttributeWeight,
    "max_level": o.MaxLevel,
    "budget": o.Budget,
    "settings": o.Settings,
    "delimiter": o.Delimiter,
    "encoding": o.Encoding,
    "missing": o.Missing,
    "population": o.Population,
}
"""What :func:`shoal.cli.options.spec_from` takes, by its name there; each is None where it is not given."""


def takes(*names: str) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Give a command the shared options of these names, as one mapping ``given``.

    Parameters
    ----------
    names : str
        Keys of :data:`SHARED`, in the order of the help.
    """

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        signature = inspect.signature(command, eval_str=True)
        own = [parameter for name, parameter in signature.parameters.items() if name != "given"]
        more = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=SHARED[name])
            for name in names
        ]

        @wraps(command)
        def run(*arguments: Any, **options: Any) -> int:
            given = {name: options.pop(name) for name in names}
            return command(*arguments, given=given, **options)

        # Typer reads the options off the signature.
        parameters = [*own, *more]
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": int}
        del run.__wrapped__
        return run

    return decorate
