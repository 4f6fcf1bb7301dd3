"""Reports, mappings and accounts as files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from shoal.errors import SpecError
from shoal.io.staged import Staged
from shoal.report.page import account_page
from shoal.workflow.account.codebook import mapping
from shoal.workflow.account.external import external_account
from shoal.workflow.account.internal import internal_account
from shoal.workflow.outcome import Outcome

__all__ = ["account_of", "check_report_path", "finite", "mapping_text", "report_text", "save", "text_of"]

KINDS = (".html", ".json")


def check_report_path(path: str | Path, *, force: bool | None = None) -> None:
    """Refuse a report that could not be written, before a long run begins.

    Parameters
    ----------
    path : str or Path
    force : bool, optional
        Whether a file that is there may be replaced; where it is not given, only the name is looked at.

    Raises
    ------
    SpecError
        If the name ends neither as a page nor as JSON, or no file can be put there.
    """
    if Path(path).suffix.lower() not in KINDS:
        raise SpecError("a report is a page or JSON", where=str(path), fix="let its name end in .html or .json")
    if force is not None:
        with Staged(force=force) as files:
            # Never committed: only whether it could be.
            files.add(path)


def account_of(
    release: Outcome, *, external: bool, alternatives: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return the account for the publisher, or the one that may be published."""
    told = external_account(release) if external else internal_account(release, alternatives=alternatives)
    account: dict[str, Any] = finite(told)
    return account


def report_text(
    release: Outcome, path: str | Path, *, external: bool, alternatives: Mapping[str, Any] | None = None
) -> str:
    """Return what a report's file holds: a page, or the same as JSON."""
    check_report_path(path)
    account = account_of(release, external=external, alternatives=alternatives)
    return text_of(account, path, account_page)


def text_of(account: Mapping[str, Any], path: str | Path, page: Callable[[Mapping[str, Any]], str]) -> str:
    """Return JSON where the name of the file says so, else the page that *page* makes of an account."""
    check_report_path(path)
    account = finite(account)
    if Path(path).suffix.lower() == ".json":
        return json.dumps(account, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return page(account)


def mapping_text(release: Outcome) -> str:
    """Return the mapping from values to what was published for them, as CSV."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["column", "value", "published", "records"])
    for entry in mapping(release):
        writer.writerow([entry["column"], entry["value"], entry["published"], entry["rows"]])
    return out.getvalue()


def save(text: str, path: str | Path, *, private: bool, force: bool) -> Path:
    """Write a text so that the file appears whole or not at all."""
    with Staged(force=force) as files:
        files.add(path, private=private).write_text(text, encoding="utf-8")
        files.commit()
    return Path(path)


def finite(value: Any) -> Any:
    """Return plain data in which numbers that JSON does not have are null."""
    if isinstance(value, Mapping):
        return {str(key): finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [finite(inner) for inner in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):  # noqa: PLR0124
        return None
    return value
