"""A bucket release counted again by Polars alone, and held against the decision and the input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.core.buckets import Buckets
from shoal.core.regions import SUPPRESSED
from shoal.core.verdict import judge
from shoal.engines.apply import label_table
from shoal.engines.recount import Recount, fingerprints, recount
from shoal.errors import VerificationError
from shoal.kernels.grouping import sum_by_group
from shoal.risk.bucket_links import bucket_links
from shoal.workflow.beside import BUCKET
from shoal.workflow.check import Proof, Residue
from shoal.workflow.forms.links import Links, links_of
from shoal.workflow.forms.surest import surest_link
from shoal.workflow.plan import Plan
from shoal.workflow.prepare import Prepared, text_expressions
from shoal.workflow.publish import Published

__all__ = ["BucketProof", "check_decision", "prove_buckets"]

FAULT = "this is a fault of shoal: please report it with the private manifest's settings"


@dataclass(frozen=True, slots=True)
class BucketProof(Proof):
    """What the recount of buckets has shown.

    Parameters
    ----------
    verdicts : tuple of Verdict
        One per model, without fakes; all hold.
    residue : Residue
        None: suppressed rows are left out.
    classes : Classes
        The buckets without fakes.
    links : Links
        What the rows of a bucket that may be somebody's say of the sensitive value, fakes left out.
    surest, average : float
        Probability with which somebody who knows the quasi-identifiers of a record, and not its bucket, links it
        with a value: the largest, and the mean over records of the largest of each, in [0, 1].
    """

    links: Links
    surest: float
    average: float


def prove_buckets(
    output: pl.LazyFrame,
    published: Published,
    prepared: Prepared,
    buckets: Buckets,
    plan: Plan,
    *,
    number: NDArray[np.int32],
) -> BucketProof:
    """Count a bucket release by the second path.

    Whatever differs is an error: the cells of each group of columns in each bucket from those that were decided,
    the sensitive values of a bucket without its fakes from those of its records; and so is a model that does not
    hold on these, or a promise of the decision.

    Parameters
    ----------
    output : LazyFrame
        The staged file or frame.
    published : Published
        Which of its rows are fake, and whose the others are.
    prepared : Prepared
    buckets : Buckets
    plan : Plan
    number : int32 [n_buckets]
        Number under which each bucket was published.

    Raises
    ------
    VerificationError
    """
    table = prepared.table
    # The number of the bucket as text, so that a file and a frame are read alike.
    columns = [BUCKET, *table.names, buckets.sensitive]
    texts = output.select(text_expressions(output, columns).values()).collect(engine="streaming")
    labels = _expected_cells(prepared, buckets)
    for g, group in enumerate(buckets.groups):
        if not _same_cells(texts, labels, prepared, buckets, g, group, number):
            raise VerificationError(
                "the recount of the output differs from what the search decided; nothing was written",
                where=f"cells of {', '.join(group)}",
                fix=FAULT,
            )
    fake = np.zeros(texts.height, bool) if published.fake is None else published.fake
    genuine = texts.filter(~pl.Series(fake))
    hierarchy = table.sensitive_hierarchies[table.sensitive_names.index(buckets.sensitive)]
    found = recount(
        genuine.lazy(),
        [BUCKET],
        {buckets.sensitive: hierarchy.codes},
        unit=None if published.unit is None else published.unit[~fake],
    )
    _check_buckets(found, prepared, buckets, number)
    # They are the numbers that were meant, so they can be compared as numbers from here on.
    genuine = genuine.with_columns(pl.col(BUCKET).cast(pl.Int32)).rename(_own_names(prepared, buckets))
    verdicts = judge(plan.models, found.everything, prepared.context)
    links = _links(genuine, prepared, buckets, plan, number)
    failed = [verdict.model for verdict in verdicts if not verdict.satisfied]
    if links.fewest < buckets.linked:
        failed.append(f"that everybody is linked with {buckets.linked} different values")
    surest = bucket_links(table, buckets)
    if buckets.surest < 1 and _surest(genuine, prepared, buckets) > buckets.surest:
        failed.append(f"that nobody is linked with a value with a probability above {buckets.surest:.4g}")
    if failed:
        raise VerificationError(
            "the output does not meet " + ", ".join(failed) + "; nothing was written",
            where=f"{sum(v.violating_classes for v in verdicts)} buckets violate a model",
            fix=FAULT,
        )
    kept = np.flatnonzero(surest)
    rows = sum_by_group(
        table.point_of_item[buckets.item_of_share], buckets.rows * (buckets.bucket >= 0), table.n_points
    )
    return BucketProof(
        verdicts,
        Residue(0, as_class=True, as_suppressed=True),
        found.everything,
        links,
        surest=float(surest.max(initial=0)),
        average=float(np.average(surest[kept], weights=rows[kept])) if kept.size else 0.0,
    )


def check_decision(prepared: Prepared, buckets: Buckets, plan: Plan) -> None:
    """Hold a decision against the input, before it is published: every record once, under cells that cover it.

    Raises
    ------
    VerificationError
    """
    table = prepared.table
    kept = buckets.bucket >= 0
    leaf = table.codes[table.point_of_item[buckets.item_of_share]]
    linked = np.array([name in buckets.groups[-1] for name in table.names])
    may_widen = linked | bool(getattr(plan.algorithm, "forbidden", ()))
    faults = {
        "records are missing or stand twice": not np.array_equal(
            sum_by_group(buckets.item_of_share.astype(np.int32), buckets.rows, table.n_items), table.counts
        ),
        "cells do not cover their records": not ((buckets.lo <= leaf) & (leaf <= buckets.hi))[kept].all(),
        "cells were widened that need not be": bool((buckets.lo < buckets.hi)[kept][:, ~may_widen].any()),
        "columns are in no group, or in two": sorted(name for group in buckets.groups for name in group)
        != sorted([*table.names, buckets.sensitive]),
        "more records are suppressed than may be": int(buckets.rows[buckets.bucket == SUPPRESSED].sum())
        > int(plan.suppression_limit * table.n_rows),
        "fakes copy records of other buckets": bool(
            (buckets.bucket[buckets.fakes.source] != buckets.fakes.bucket[:, None]).any()
        ),
    }
    wrong = [what for what, is_so in faults.items() if is_so]
    if wrong:
        raise VerificationError(
            "the decision does not fit the input; nothing was written", where="; ".join(wrong), fix=FAULT
        )


def _expected_cells(prepared: Prepared, buckets: Buckets) -> pl.DataFrame:
    """Return what each share is published as, one row per share and one column per quasi-identifier."""
    labels = label_table(prepared.table, buckets.regions)
    return labels.rename(dict(zip(labels.columns, prepared.table.names, strict=True)))


def _same_cells(  # noqa: PLR0917 - what one comparison is about
    texts: pl.DataFrame,
    labels: pl.DataFrame,
    prepared: Prepared,
    buckets: Buckets,
    g: int,
    group: tuple[str, ...],
    number: NDArray[np.int32],
) -> bool:
    """Whether every bucket holds the sub-tuples of one group that it was meant to, each as often."""
    table, fakes = prepared.table, buckets.fakes
    kept = np.flatnonzero(buckets.bucket >= 0)
    share = np.concatenate([kept, fakes.source[:, g]])
    meant: dict[str, pl.Series] = {name: labels[name][share] for name in group if name in table.names}
    if buckets.sensitive in group:
        j = table.sensitive_names.index(buckets.sensitive)
        codes = np.concatenate([table.sensitive[buckets.item_of_share[kept], j], fakes.sensitive])
        leaves = pl.Series(table.sensitive_hierarchies[j].leaves, dtype=pl.String)
        meant[buckets.sensitive] = leaves.gather(codes)
    bucket = np.concatenate([buckets.bucket[kept], fakes.bucket])
    rows = np.concatenate([buckets.rows[kept], np.ones(len(fakes), np.int64)])
    expected = _counted(meant, pl.Series(number[bucket]).cast(pl.String), pl.Series(rows))
    found = _counted(
        {name: texts[name] for name in group}, texts[BUCKET], pl.Series(np.ones(texts.height, np.int64))
    )
    return expected.equals(found)


def _counted(cells: Mapping[str, pl.Series], bucket: pl.Series, rows: pl.Series) -> pl.DataFrame:
    """Count sub-tuples by bucket, each known by its hash: sorted, so that equal countings are equal frames."""
    columns = [bucket.alias("q0"), *(cell.alias(f"q{j}") for j, cell in enumerate(cells.values(), 1))]
    prints = pl.Series("print", fingerprints(pl.DataFrame(columns)))
    frame = pl.DataFrame([prints, rows.alias("rows")])
    return frame.group_by("print").agg(pl.col("rows").sum()).sort("print")


def _check_buckets(found: Recount, prepared: Prepared, buckets: Buckets, number: NDArray[np.int32]) -> None:
    """Hold the records and people of each bucket against those that were meant."""
    meant = buckets.as_classes.classes(prepared.table)
    prints = fingerprints(pl.DataFrame({"q0": pl.Series(number).cast(pl.String)}))

    def ordered(
        keys: NDArray[np.uint64], rows: NDArray[np.int64], size: NDArray[np.int64]
    ) -> list[NDArray[np.int64]]:
        order = np.argsort(keys)
        return [keys[order].view(np.int64), rows[order], size[order]]

    pairs = zip(
        ordered(found.prints, found.everything.rows, found.everything.size),
        ordered(prints, meant.rows, meant.size),
        strict=True,
    )
    if not all(np.array_equal(*pair) for pair in pairs) or found.unknown.any():
        raise VerificationError(
            "the recount of the output differs from what the search decided; nothing was written",
            where=f"{len(found.everything)} buckets counted, {buckets.n_buckets} expected",
            fix=FAULT,
        )


def _own_names(prepared: Prepared, buckets: Buckets) -> dict[str, str]:
    """Return names for the columns that none of those has that are made in between, whatever the table's are."""
    return {name: f"q{j}" for j, name in enumerate(prepared.table.names)} | {buckets.sensitive: "s"}


def _surest(genuine: pl.DataFrame, prepared: Prepared, buckets: Buckets) -> float:
    """Read how surely the output links those of the input who are in a bucket."""
    table, own = prepared.table, _own_names(prepared, buckets)
    point = np.unique(table.point_of_item[buckets.item_of_share[buckets.bucket >= 0]])
    return surest_link(
        genuine,
        pl.DataFrame({own[name]: table.codes[point, j] for j, name in enumerate(table.names)}),
        {own[name]: hierarchy for name, hierarchy in zip(table.names, table.hierarchies, strict=True)},
        [[own[name] for name in group] for group in buckets.groups],
        bucket=BUCKET,
        sensitive=own[buckets.sensitive],
    )


def _links(
    genuine: pl.DataFrame, prepared: Prepared, buckets: Buckets, plan: Plan, number: NDArray[np.int32]
) -> Links:
    """Read to which values the output links the people of the input."""
    table, own = prepared.table, _own_names(prepared, buckets)
    counts_missing = all(
        getattr(model, "count_nulls", True) or getattr(model, "kind", "") != "distinct" for model in plan.models
    )
    linked = [j for j, name in enumerate(table.names) if name in buckets.groups[-1]]
    hierarchies = {own[table.names[j]]: table.hierarchies[j] for j in linked}
    kept = np.flatnonzero(buckets.bucket >= 0)
    point = table.point_of_item[buckets.item_of_share[kept]]
    people = pl.DataFrame(
        {
            BUCKET: number[buckets.bucket[kept]],
            **{own[table.names[j]]: table.codes[point, j] for j in linked},
        }
    ).unique()
    return links_of(
        genuine.select(BUCKET, *hierarchies, own[buckets.sensitive]),
        people,
        hierarchies,
        bucket=BUCKET,
        sensitive=own[buckets.sensitive],
        counts_missing=counts_missing,
    )
