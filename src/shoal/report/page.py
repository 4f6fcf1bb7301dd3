"""An account as one HTML page that needs nothing else: no network, no script."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from shoal.errors import EngineError
from shoal.report.audit_findings import audit_plots
from shoal.report.findings import plots_of
from shoal.report.frontier import frontier_plot
from shoal.report.plot import Plot
from shoal.report.population import population_changes, population_figures
from shoal.report.words import (
    certificate_sentences,
    count,
    link_sentence,
    measure,
    model_sentence,
    percent,
    plain_text,
    treatment,
)

__all__ = ["account_page", "audit_page", "sweep_page"]

Account = Mapping[str, Any]
MOST_LEVELS = 40
"""Values of a column that the page lists; the JSON beside it has more."""


def account_page(account: Account) -> str:
    """Return the page of a release.

    Parameters
    ----------
    account : mapping
        Internal or external; the page tells what the account tells and nothing else.

    Raises
    ------
    EngineError
        If the extra ``report`` is not installed.
    """
    return _page(f"{account['kind']}.html", account, plots_of(account))


def audit_page(account: Account) -> str:
    """Return the page of an audit, from ``Audit.as_dict()``."""
    return _page("audit.html", account, audit_plots(account))


def sweep_page(sweep: Account) -> str:
    """Return the page of a sweep, from ``Sweep.as_dict()``."""
    plot = frontier_plot(sweep)
    return _page("sweep.html", sweep, [plot] if plot else [])


def _page(template: str, account: Account, plots: Sequence[Plot]) -> str:
    try:
        import jinja2
        from markupsafe import Markup
    except ImportError:
        raise EngineError(
            "a report needs Altair, vl-convert and Jinja", fix='pip install "shoal[report]"'
        ) from None
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("shoal.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "bound": certificate_sentences,
        "count": count,
        "percent": percent,
        "measure": measure,
        "sentence": model_sentence,
        "link": link_sentence,
        "treatment": treatment,
        "plain": plain_text,
        "population": population_figures,
        "changes": population_changes,
        "shown": _shown,
        # Only what shoal drew is taken as markup; every other text is escaped.
        "drawing": Markup,
    }
    sections = {name: list(found) for name, found in groupby(plots, key=lambda plot: plot.section)}
    return environment.get_template(template).render(
        a=account, sections=sections, data=_embedded(account), most=MOST_LEVELS
    )


def _shown(text: Any) -> str:
    """Return a text with a sign for each character that would not be seen; mappings as a spec has them."""
    if isinstance(text, Mapping):
        text = "{ " + ", ".join(f"{key} = {value}" for key, value in text.items()) + " }"
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(text))


def _embedded(account: Account) -> Any:
    """Return JSON that can stand in a script element: no text in it can end the element."""
    from markupsafe import Markup

    text = json.dumps(account, ensure_ascii=True, allow_nan=False, indent=1)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)  # noqa: S704 - escaped above
