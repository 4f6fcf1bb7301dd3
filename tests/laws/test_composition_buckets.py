"""The composition attack on buckets, alone and beside boxes: equal to its definition over sets of leaf vectors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import composition as oracle
from shoal.attacks import Composition
from shoal.attacks.composition import candidates as matching
from shoal.core.bucket_entries import GroupEntries, PairedValues
from shoal.core.published import LeafSets, PublishedBuckets, PublishedClasses
from shoal.risk.composition import composition_risk

N_LEAVES, N_VALUES, N_COLUMNS = 4, 4, 3
# Most cells are leaves, as most are in releases of buckets.
side = st.integers(0, N_LEAVES - 1).map(lambda leaf: frozenset([leaf])) | st.frozensets(
    st.integers(0, N_LEAVES - 1), min_size=1
)
values = st.frozensets(st.integers(0, N_VALUES - 1), min_size=1)
partitions = st.sampled_from([((0, 1, 2),), ((0,), (1, 2)), ((0, 1), (2,)), ((0, 2), (1,)), ((0,), (1,), (2,))])
boxes = st.lists(st.tuples(st.lists(side, min_size=N_COLUMNS, max_size=N_COLUMNS), values), min_size=1, max_size=4)


@st.composite
def buckets(draw):
    groups = draw(partitions)
    found = []
    for _ in range(draw(st.integers(1, 4))):
        entries = [
            (columns, draw(st.lists(st.tuples(*[side] * len(columns)), min_size=1, max_size=3, unique=True)))
            for columns in groups
        ]
        beside = [draw(values) for _ in entries[-1][1]]
        found.append((entries, frozenset().union(*beside), beside))
    return found


@st.composite
def attacks(draw, kinds=None):
    first, second = draw(st.tuples(*(kinds or (buckets(), boxes))))
    releases = [first, second] if draw(st.booleans()) else [second, first]
    people = []
    for _ in range(draw(st.integers(1, 5))):
        s = draw(st.integers(0, N_VALUES - 1))
        q = draw(st.lists(st.integers(0, N_LEAVES - 1), min_size=N_COLUMNS, max_size=N_COLUMNS))
        people.append({"q": [q, q], "s": [draw(st.sampled_from([s, s, None, 0])) for _ in releases]})
    return releases, people


def coded(release):
    """Write a release of the oracle in code space."""
    n = len(release)
    offsets = np.concatenate([[0], np.cumsum([len(c[1]) for c in release])])
    codes = np.array([v for c in release for v in sorted(c[1])], np.int32)
    if len(release[0]) == 2:
        sides = tuple(
            LeafSets.from_runs([(v, v) for v in sorted(c[0][j])] for c in release) for j in range(N_COLUMNS)
        )
        cells = np.repeat(np.arange(n, dtype=np.int32)[:, None], N_COLUMNS, axis=1)
        return PublishedClasses(cells, sides, offsets, codes)
    labels = [[] for _ in range(N_COLUMNS)]
    groups, pairs = [], []
    for g, (columns, _) in enumerate(release[0][0]):
        held = {}
        for b, class_ in enumerate(release):
            for at, entry in enumerate(class_[0][g][1]):
                held.setdefault(entry, []).append(b)
                if g == len(release[0][0]) - 1:
                    pairs += [(b, list(held).index(entry), v) for v in class_[2][at]]
        for entry in held:
            for j, cell in zip(columns, entry, strict=True):
                if cell not in labels[j]:
                    labels[j].append(cell)
        cells = [[labels[j].index(cell) for j, cell in zip(columns, entry, strict=True)] for entry in held]
        sizes = np.concatenate([[0], np.cumsum([len(some) for some in held.values()])])
        flat = np.array([b for some in held.values() for b in some], np.int32)
        groups.append(GroupEntries(columns, np.array(cells, np.int32).reshape(-1, len(columns)), sizes, flat))
    pairs.sort()
    of_bucket = np.array(pairs, np.int32)
    starts = np.searchsorted(of_bucket[:, 0], np.arange(n + 1))
    sides = tuple(LeafSets.from_runs([(v, v) for v in sorted(cell)] for cell in found) for found in labels)
    paired = PairedValues(len(groups) - 1, starts, of_bucket[:, 1], of_bucket[:, 2])
    return PublishedBuckets(tuple(groups), sides, offsets, codes, paired)


def linked(releases, people, **options):
    known = [np.array([u["q"][i] for u in people], np.int32) for i in range(len(releases))]
    tables = [coded(release) for release in releases]
    return tables, Composition().link(tables, known, **options)


KINDS = {"bucket and box": (buckets(), boxes), "buckets": (buckets(), buckets())}


@pytest.mark.parametrize("kinds", KINDS.values(), ids=KINDS)
def test_candidates_matches_and_risks_are_those_of_the_definition(kinds):
    @settings(max_examples=60)
    @given(attacks(kinds))
    def check(attack):
        releases, people = attack
        tables, links = linked(releases, people)
        for u, person in enumerate(people):
            found = oracle.matches(releases, person)
            assert links.matches[u] == len(found)
            assert links.together.of(u) == sorted({match[-1] for match in found})
            assert links.classes[u].tolist() == [len(oracle.candidates(r, person["q"][0])) for r in releases]
        truth = np.array([[-1 if s is None else s for s in u["s"]] for u in people], np.int32)
        true, own = Composition().true_matches(tables, links, truth)
        assert true.tolist() == [oracle.is_true(releases, u) for u in people]
        met = Composition().meet(*tables)
        assert (met.meeting, met.matching, met.disclosing) == oracle.meetings(*releases)
        assert met.triples == len(oracle.triples(*releases))
        risk = composition_risk(links.matches, true, truth, own, triples=met.triples)
        assert risk.risk_all == oracle.risk_all(releases, people)
        assert risk.risk_overlap == oracle.risk_overlap(releases, people)
        if risk.risk_class is not None:
            assert risk.risk_class == oracle.risk_class(*releases, people)

    check()


@given(attacks())
def test_values_beside_cells_that_fit_are_fewer_and_are_those_of_the_definition(attack):
    releases, people = attack
    _, links = linked(releases, people, paired=True)
    _, all_of_them = linked(releases, people)
    for u, person in enumerate(people):
        for i, release in enumerate(releases):
            assert links.alone[i].of(u) == sorted(oracle.paired_values(release, person["q"][i]))
        assert set(links.together.of(u)) <= set(all_of_them.together.of(u))


def risk_of(releases, people):
    tables, links = linked(releases, people)
    truth = np.array([[-1 if s is None else s for s in u["s"]] for u in people], np.int32)
    true, own = Composition().true_matches(tables, links, truth)
    return composition_risk(links.matches, true, truth, own)


@given(attacks())
def test_the_risk_is_a_share_is_nothing_without_an_overlap_and_the_same_with_the_releases_swapped(attack):
    releases, people = attack
    found = risk_of(releases, people)
    assert all(reading is None or 0 <= reading <= 1 for reading in (found.risk_all, found.risk_overlap))
    swapped = [{"q": u["q"][::-1], "s": u["s"][::-1]} for u in people]
    assert risk_of(releases[::-1], swapped) == found
    apart = [{**u, "s": [u["s"][0], None]} for u in people]
    assert not risk_of(releases, apart).true_matches


@given(attacks(), st.data())
def test_a_value_of_nobody_in_a_bucket_never_raises_the_risk(attack, data):
    releases, people = attack
    # The value is nobody's, and the other release may hold it or not.
    nobody = N_VALUES
    at = data.draw(st.sampled_from([i for i, release in enumerate(releases) if len(release[0]) == 3]))
    b = data.draw(st.integers(0, len(releases[at]) - 1))
    groups, values, beside = releases[at][b]
    more = [list(release) for release in releases]
    more[at][b] = (groups, values | {nobody}, [beside[0] | {nobody}, *beside[1:]])
    other = 1 - at
    if data.draw(st.booleans()):
        more[other] = [(c[0], c[1] | {nobody}, *c[2:]) for c in more[other]]
    before, after = risk_of(releases, people), risk_of(more, people)
    for reading in ("risk_all", "risk_overlap"):
        old, new = getattr(before, reading), getattr(after, reading)
        assert old is None or new <= old


@given(buckets(), st.data())
def test_blocks_and_bits_that_are_not_kept_change_nothing(release, data):
    codes = np.array(data.draw(st.lists(st.tuples(*[st.integers(0, N_LEAVES - 1)] * 3), min_size=1)), np.int32)
    table = coded(release)

    def pairs():
        return [
            (start + p, c)
            for start, _, point, class_ in matching.candidates(table, codes)
            for p, c in zip(point.tolist(), class_.tolist(), strict=True)
        ]

    whole = pairs()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(matching, "BLOCK", 2)
        patched.setattr(matching, "CACHED", 0)
        patched.setattr(matching, "MOST_PAIRS", 1)
        assert pairs() == whole


def test_a_bucket_fits_whoever_has_an_entry_in_every_group():
    # Columns {(21, Z1), (23, Z1)} and {(*, .), (*, .)}: two entries times two sexes, four leaf vectors.
    release = [([((0, 1), [({0}, {0}), ({1}, {0})]), ((2,), [({0, 1},)])], frozenset({0}), [frozenset({0})])]
    release = [
        ([(c, [tuple(map(frozenset, e)) for e in entries]) for c, entries in groups], v, b)
        for groups, v, b in release
    ]
    assert len(oracle.vectors(release[0])) == 4
    people = [{"q": [[0, 0, 1]], "s": [0]}, {"q": [[0, 1, 0]], "s": [0]}]
    _, links = linked(release and [release], people)
    assert links.classes[:, 0].tolist() == [1, 0]
