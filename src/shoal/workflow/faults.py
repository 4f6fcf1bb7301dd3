"""Everything that is wrong with a spec, gathered and raised at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

from shoal.errors import SpecError

__all__ = ["Fault", "Faults", "FaultySpecError"]


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: the problem, its place in the spec and what to do."""

    problem: str
    where: str = ""
    fix: str = ""

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        return f"{place}{self.problem}" + (f" ({self.fix})" if self.fix else "")


class FaultySpecError(SpecError):
    """A spec with several faults.

    Attributes
    ----------
    faults : tuple of Fault
        All of them, in the order of the spec.
    """

    def __init__(self, faults: tuple[Fault, ...]) -> None:
        self.faults = faults
        lines = "".join(f"\n  - {fault}" for fault in faults)
        super().__init__(f"the spec has {len(faults)} faults:{lines}")

    def as_dict(self) -> dict[str, Any]:
        """Return the error as plain data with every fault."""
        named = {**super().as_dict(), "error": "SpecError", "problem": f"the spec has {len(self.faults)} faults"}
        return {**named, "faults": [asdict(fault) for fault in self.faults]}


class Faults(list[Fault]):
    """A list of faults that can catch and raise errors."""

    def add(self, problem: str, *, where: str = "", fix: str = "") -> None:
        """Note one fault."""
        self.append(Fault(problem, where, fix))

    @contextmanager
    def catching(self, where: str) -> Iterator[None]:
        """Note a :class:`SpecError` of the body, as a fault at *where*, and go on."""
        try:
            yield
        except FaultySpecError as error:
            self.extend(error.faults)
        except SpecError as error:
            place = f"{where}, {error.where}" if error.where else where
            self.add(error.problem, where=place, fix=error.fix)

    def raise_any(self) -> None:
        """Raise what was noted, one fault as a plain error.

        Raises
        ------
        SpecError
            If there is any fault.
        """
        if len(self) == 1:
            raise SpecError(self[0].problem, where=self[0].where, fix=self[0].fix)
        if self:
            raise FaultySpecError(tuple(self))
