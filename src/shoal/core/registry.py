"""Names of models, losses and algorithms: built in, or brought by other packages through entry points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cached_property
from importlib.metadata import entry_points
from typing import Any

from shoal.errors import SpecError, nearest_name

__all__ = ["Registry"]


class Registry(Mapping[str, type]):
    """The classes of one kind by their published name.

    Parameters
    ----------
    kind : str
        What they are, in the singular, for errors.
    group : str
        Entry-point group through which other packages add theirs.
    *builtin : type
        Classes with a ``name``.
    """

    def __init__(self, kind: str, group: str, *builtin: type) -> None:
        self.kind = kind
        self.group = group
        self._builtin = builtin

    @cached_property
    def _known(self) -> dict[str, type]:
        known = {cls.name: cls for cls in self._builtin}  # type: ignore[attr-defined]
        for point in entry_points(group=self.group):
            known.setdefault(point.name, point.load())
        return known

    def __getitem__(self, name: str) -> type:
        try:
            return self._known[name]
        except KeyError:
            raise SpecError(f"unknown {self.kind} {name!r}", fix=nearest_name(name, self._known)) from None

    def __contains__(self, name: object) -> bool:
        return name in self._known

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)

    def make(self, name: str, **settings: Any) -> Any:
        """Create one by name with the settings of a spec.

        Raises
        ------
        SpecError
            If the name or a setting is unknown, or a needed setting is missing.
        """
        cls = self[name]
        known = {f.name: f for f in fields(cls) if f.init} if is_dataclass(cls) else {}
        for key in settings:
            if key not in known:
                raise SpecError(
                    f"{self.kind} {name!r} has no setting {key!r}",
                    fix=nearest_name(key, known) if known else "",
                )
        missing = [
            key
            for key, f in known.items()
            if key not in settings and f.default is MISSING and f.default_factory is MISSING
        ]
        if missing:
            raise SpecError(f"{self.kind} {name!r} needs {' and '.join(missing)}", fix=f"add {missing[0]} = ...")
        return cls(**settings)

    def first_line(self, name: str) -> str:
        """Return the one-line description of an entry."""
        return (self[name].__doc__ or "").strip().splitlines()[0]
