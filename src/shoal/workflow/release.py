"""What a run gives back: the published table and the proof that belongs to it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.report.notebook import release_html
from shoal.workflow.account.codebook import codebook, mapping
from shoal.workflow.account.files import account_of, mapping_text, report_text, save
from shoal.workflow.outcome import Outcome
from shoal.workflow.sweep_result import Sweep

__all__ = ["Release"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Release(Outcome):
    """A published table that passed the recount, and what can be told of it. Only the workflow makes one.

    Its attributes are those of :class:`shoal.workflow.outcome.Outcome`.
    """

    def account(self, *, external: bool = False) -> dict[str, Any]:
        """Return what a report tells, as plain data.

        Parameters
        ----------
        external : bool, default False
            Only what may be published: no seed, no risk, no extreme, nothing that fewer than k records have.
        """
        return account_of(self, external=external)

    def to_html(
        self, path: str | Path, *, external: bool = False, sweep: Sweep | None = None, force: bool = False
    ) -> Path:
        """Write the report as one page that needs no network.

        Parameters
        ----------
        path : str or Path
            Ends in ``.html``; or in ``.json`` for the same as data.
        external : bool, default False
            The report that may be published, instead of the private one with everything.
        sweep : Sweep, optional
            The choices that were looked at before, for the private report.
        force : bool, default False
            Overwrite an existing file.

        Raises
        ------
        SpecError
            If the file exists, or its name ends otherwise.
        EngineError
            If the extra ``report`` is not installed.
        """
        alternatives = None if sweep is None else sweep.as_dict()
        text = report_text(self, path, external=external, alternatives=alternatives)
        return save(text, path, private=not external, force=force)

    def codebook(self) -> list[dict[str, Any]]:
        """Describe every published column with all its values; not safe to publish.

        Returns
        -------
        list of dict
            ``name``, ``role``, ``type``, ``levels`` (``label`` and ``rows``; None where they are too many),
            ``distinct`` and ``missing``.
        """
        return codebook(self)

    def mapping(self) -> list[dict[str, Any]]:
        """Return what each value of each quasi-identifier was published as; not safe to publish.

        Returns
        -------
        list of dict
            ``column``, ``value`` (None: missing), ``published`` and ``rows``.
        """
        return mapping(self)

    def to_mapping(self, path: str | Path, *, force: bool = False) -> Path:
        """Write :meth:`mapping` as CSV that only this user may read; not safe to publish."""
        return save(mapping_text(self), path, private=True, force=force)

    def _repr_html_(self) -> str:
        return release_html(self.as_dict())
