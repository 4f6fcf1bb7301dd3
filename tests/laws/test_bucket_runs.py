"""Whatever the table, releases of buckets and of noisy counts leave proven, whole and as their seed says."""

from collections import Counter, defaultdict

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal as sh
from shoal.algorithms import ALGORITHMS
from shoal.core.label_reading import parse_label

pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

BUCKETS = [
    ALGORITHMS.make("anatomy"),
    ALGORITHMS.make("slicing"),
    ALGORITHMS.make("merging"),
    ALGORITHMS.make("merging", n=0, grouping="pam"),
    ALGORITHMS.make("merging", n=2, fake_sensitive="bucket", m_s=2),
    ALGORITHMS.make("merging", strict=True, n=0),
]
NOISE = [ALGORITHMS.make("dp-counts"), ALGORITHMS.make("hybrid"), ALGORITHMS.make("diffgen", h=3)]

cell = st.one_of(st.none(), st.sampled_from(["a", "b", "ç", "02", "{x}", "y, z"]))
number = st.one_of(st.none(), st.integers(0, 6).map(str))


@st.composite
def frames(draw, most=20):
    n = draw(st.integers(1, most))
    column = lambda values: draw(st.lists(values, min_size=n, max_size=n))  # noqa: E731
    return pl.DataFrame(
        {
            "name": [f"person {i}" for i in range(n)],
            "group": column(cell),
            "disease": column(st.one_of(st.none(), st.sampled_from("uvwx"))),
            "age": column(number),
            "place": column(st.sampled_from("mn")),
            "note": [f"note {i}" for i in range(n)],
        },
        schema=dict.fromkeys(("name", "group", "disease", "age", "place", "note"), pl.String),
    )


def schema(*, note):
    return sh.Schema(
        quasi_identifiers=["group", "age", "place"],
        sensitive=["disease"],
        identifiers=["name"],
        insensitive=["note"] if note else [],
        drop=[] if note else ["note"],
    )


@pytest.mark.parametrize("algorithm", BUCKETS, ids=str)
@given(frame=frames(), l=st.sampled_from([1, 2, 3]), seed=st.integers(0, 9))
@settings(max_examples=30)
def test_a_bucket_release_holds_every_record_once_and_links_it_with_l_values(algorithm, frame, l, seed):
    try:
        release = sh.anonymize(
            frame,
            schema(note=True),
            models=sh.LDiversity(sensitive="disease", l=l),
            algorithm=algorithm,
            seed=seed,
            insensitive="copy",
        )
    except sh.InfeasibleError as error:
        assert error.fix
        return
    out, told = release.data, release.manifest["buckets"]
    assert out.columns == ["group", "disease", "age", "place", "note", "bucket"]
    assert out.height == frame.height + told["fakes"]
    assert set(out["note"]) == set(frame["note"])
    assert Counter(frame["disease"]) <= Counter(out["disease"])
    for names in told["groups"][:-1]:
        assert Counter(frame.select(names).rows()) <= Counter(out.select(names).rows())

    # The note says which bucket a record lies in: every one of its values is linked with l diseases there.
    rows = defaultdict(list)
    for row in out.iter_rows(named=True):
        rows[row["bucket"]].append(row)
    beside = [name for name in told["groups"][-1] if name != "disease"]
    trees = dict(zip(release.table.names, release.table.hierarchies, strict=True))
    fakes = told["fakes_per_bucket"] or 0
    genuine = {row["note"]: row for row in frame.iter_rows(named=True)}
    for inside in rows.values():
        for record in {row["note"] for row in inside}:
            values = {
                row["disease"]
                for row in inside
                if all(covers(trees[name], row[name], genuine[record][name]) for name in beside)
            }
            if told["linked_values"] > 1:
                assert len(values - {None}) >= l
        assert len({row["disease"] for row in inside} - {None}) >= min(l, 1 if fakes else l)


@pytest.mark.parametrize("algorithm", [a for a in BUCKETS if a.name == "merging" and not a.strict], ids=str)
@given(frame=frames(), seed=st.integers(0, 9), kind=st.sampled_from(["distinct", "frequency", "entropy"]))
@settings(max_examples=20)
def test_where_people_are_counted_a_model_holds_on_the_people_of_each_bucket(algorithm, frame, seed, kind):
    frame = frame.with_columns(pl.Series("name", [f"person {i // 2}" for i in range(frame.height)]))
    roles = sh.Schema(quasi_identifiers=["group", "age", "place"], sensitive=["disease"], unit="name")
    model = sh.LDiversity(sensitive="disease", l=2, kind=kind)
    try:
        release = sh.anonymize(frame.drop("note"), roles, models=model, algorithm=algorithm, seed=seed)
    except sh.InfeasibleError as error:
        assert error.fix
        return
    assert release.by_people
    assert "name" not in release.data.columns
    assert release.verdicts[0].achieved >= 2 - 1e-9


def covers(hierarchy, label, value):
    return label == value if label is None else bool(parse_label(hierarchy, label)[hierarchy.codes[value]])


@pytest.mark.parametrize("algorithm", [*BUCKETS, *NOISE], ids=str)
@given(frame=frames(), seed=st.integers(0, 9))
@settings(max_examples=10)
def test_the_same_seed_gives_the_same_rows(algorithm, frame, seed):
    def run():
        try:
            return sh.anonymize(
                frame,
                schema(note=False),
                models=sh.LDiversity(sensitive="disease", l=2),
                algorithm=algorithm,
                seed=seed,
            ).data
        except sh.InfeasibleError as error:
            return str(error)

    first, again = run(), run()
    assert first.equals(again) if isinstance(first, pl.DataFrame) else first == again


@pytest.mark.parametrize("algorithm", NOISE, ids=str)
@given(frame=frames(), seed=st.integers(0, 9))
@settings(max_examples=20)
def test_noisy_rows_hold_labels_and_values_of_the_domain_and_nothing_else(algorithm, frame, seed):
    try:
        release = sh.anonymize(
            frame, schema(note=False), models=sh.KAnonymity(k=2), algorithm=algorithm, seed=seed
        )
    except sh.InfeasibleError as error:
        assert error.fix
        return
    out = release.data
    assert out.columns == ["group", "disease", "age", "place"]
    assert set(out["disease"]) <= set(frame["disease"])
    for name, hierarchy in zip(release.table.names, release.table.hierarchies, strict=True):
        for label in set(out[name]):
            assert label is None or parse_label(hierarchy, label).any()
