"""The composition attack: equal to its definition, and what must hold for every pair of releases."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import composition as oracle
from shoal.attacks import ATTACKS, Composition
from shoal.core.published import LeafSets, PublishedClasses
from shoal.risk.composition import composition_risk

N_LEAVES, N_VALUES, N_COLUMNS = 5, 4, 2
leaves = st.integers(0, N_LEAVES - 1)
side = st.frozensets(leaves, min_size=1)
released = st.lists(
    st.tuples(
        st.lists(side, min_size=N_COLUMNS, max_size=N_COLUMNS),
        st.frozensets(st.integers(0, N_VALUES - 1), min_size=1),
    ),
    min_size=1,
    max_size=5,
)


@st.composite
def attacks(draw, *, least=1, most=3, own=False):
    """Releases, and people who are in some of them."""
    releases = draw(st.lists(released, min_size=least, max_size=most))
    q = st.lists(leaves, min_size=N_COLUMNS, max_size=N_COLUMNS)
    people = []
    for _ in range(draw(st.integers(1, 6))):
        s = draw(st.integers(0, N_VALUES - 1))
        there = [draw(st.sampled_from([s, s, s, None, 0])) for _ in releases]
        person = {
            "q": [draw(q)] * len(releases) if draw(st.booleans()) else [draw(q) for _ in releases],
            "s": there,
        }
        if own:
            person["own"] = [draw(st.none() | st.integers(0, len(r) - 1)) for r in releases]
            person["own"] = [None if s is None else c for c, s in zip(person["own"], there, strict=True)]
        people.append(person)
    return releases, people


def runs(leaves):
    return [(leaf, leaf) for leaf in sorted(leaves)]


def classes(release):
    """Write a release of the oracle in code space, each label of a class its own."""
    sides = tuple(LeafSets.from_runs(runs(c[0][j]) for c in release) for j in range(N_COLUMNS))
    cells = np.repeat(np.arange(len(release), dtype=np.int32)[:, None], N_COLUMNS, axis=1)
    values = [sorted(c[1]) for c in release]
    offsets = np.concatenate([[0], np.cumsum([len(v) for v in values])])
    return PublishedClasses(cells, sides, offsets, np.array([v for some in values for v in some], np.int32))


def linked(releases, people):
    known = [np.array([u["q"][i] for u in people], np.int32) for i in range(len(releases))]
    coded = [classes(release) for release in releases]
    return coded, Composition().link(coded, known)


@given(attacks())
def test_candidates_and_matches_are_those_of_the_definition(attack):
    releases, people = attack
    _, links = linked(releases, people)
    for u, person in enumerate(people):
        found = oracle.matches(releases, person)
        assert links.matches[u] == len(found)
        assert links.together.of(u) == sorted({match[-1] for match in found})
        for i, release in enumerate(releases):
            assert links.alone[i].of(u) == sorted(oracle.values_alone(release, person["q"][i]))
            assert links.classes[u, i] == len(oracle.candidates(release, person["q"][i]))


@given(attacks(least=2, most=2) | attacks(least=2, most=2, own=True))
def test_the_readings_of_the_risk_are_those_of_the_definition(attack):
    releases, people = attack
    coded, links = linked(releases, people)
    truth = np.array([[-1 if s is None else s for s in u["s"]] for u in people], np.int32)
    own = None
    if "own" in people[0]:
        own = np.array([[-1 if c is None else c for c in u["own"]] for u in people], np.int32)
    true, where = Composition().true_matches(coded, links, truth, own)
    met = Composition().meet(*coded)
    assert true.tolist() == [oracle.is_true(releases, u) for u in people]
    assert (met.meeting, met.matching, met.disclosing) == oracle.meetings(*releases)
    assert met.triples == len(oracle.triples(*releases))
    risk = composition_risk(links.matches, true, truth, where, triples=met.triples)
    assert risk.risk_all == oracle.risk_all(releases, people)
    assert risk.risk_overlap == oracle.risk_overlap(releases, people)
    if risk.held_triples is not None:
        assert risk.risk_class == oracle.risk_class(*releases, people)
    else:
        assert any(len(c) > 1 for u in people for c in oracle.own_classes(releases, u))
    assert own is not None or all(r is None or 0 <= r <= 1 for r in (risk.risk_all, risk.risk_overlap))


@given(
    st.lists(st.integers(0, 1), min_size=N_LEAVES, max_size=N_LEAVES),
    st.lists(
        st.tuples(leaves, st.integers(0, N_VALUES - 1), st.sampled_from(["both", "first", "second"])), min_size=1
    ),
)
def test_where_boxes_are_disjoint_the_overlap_is_hidden_by_common_values_alone(cut, persons):
    # Each release cuts the first column in two, in its own way; everybody who is in it is published.
    releases, people = [], [{"q": [[x, 0]] * 2, "s": [s] * 2} for x, s, _ in persons]
    for i, name in enumerate(("first", "second")):
        sides = [frozenset(x for x, part in enumerate(cut) if (part if i else x < 3) == p) for p in (0, 1)]
        classes = [
            (side, frozenset(s for x, s, where in persons if x in side and where in ("both", name)))
            for side in sides
        ]
        releases.append([([side, frozenset(range(N_LEAVES))], held) for side, held in classes if side and held])
        for u, (_, _, where) in zip(people, persons, strict=True):
            if where not in ("both", name):
                u["s"] = [None if j == i else s for j, s in enumerate(u["s"])]
    if not all(releases):
        return
    both = [u for u, (_, _, where) in zip(people, persons, strict=True) if where == "both"]
    common = sum(
        len(oracle.values_alone(releases[0], u["q"][0]) & oracle.values_alone(releases[1], u["q"][1]))
        for u in both
    )
    coded, links = linked(releases, people)
    truth = np.array([[-1 if s is None else s for s in u["s"]] for u in people], np.int32)
    true, where = Composition().true_matches(coded, links, truth)
    assert composition_risk(links.matches, true, truth, where).risk_overlap == oracle.share(len(both), common)


@given(attacks(least=2))
def test_a_further_release_never_leaves_more_candidates(attack):
    releases, people = attack
    _, all_of_them = linked(releases, people)
    _, fewer = linked(releases[:-1], people)
    for u in range(len(people)):
        assert set(all_of_them.together.of(u)) <= set(fewer.together.of(u))


@given(attacks(least=2, most=2), st.data())
def test_a_value_of_nobody_in_a_class_never_raises_the_risk(attack, data):
    releases, people = attack
    fewer = [[(sides, frozenset(values - {N_VALUES - 1})) for sides, values in r] for r in releases]
    people = [{"q": u["q"], "s": [s if s != N_VALUES - 1 else None for s in u["s"]]} for u in people]
    fewer = [[(sides, values or frozenset({0})) for sides, values in r] for r in fewer]
    at = data.draw(st.integers(0, len(fewer[0]) - 1))
    more = [list(fewer[0]), fewer[1]]
    more[0][at] = (more[0][at][0], more[0][at][1] | {N_VALUES - 1})
    more[1] = [(sides, values | {N_VALUES - 1}) for sides, values in more[1]]
    before, after = (oracle.risk_all(r, people) for r in (fewer, more))
    assert before is None or after <= before
    truth = np.array([[-1 if s is None else s for s in u["s"]] for u in people], np.int32)
    coded, links = linked(more, people)
    true, where = Composition().true_matches(coded, links, truth)
    assert composition_risk(links.matches, true, truth, where).risk_all == after


@given(released, st.data())
def test_the_own_class_always_matches(release, data):
    own = data.draw(st.integers(0, len(release) - 1))
    q = [data.draw(st.sampled_from(sorted(side))) for side in release[own][0]]
    _, links = linked([release], [{"q": [q]}])
    assert links.classes[0, 0] >= 1
    assert release[own][1] <= set(links.together.of(0))


@given(attacks(least=2, most=2))
def test_the_order_of_releases_and_of_people_changes_nothing(attack):
    releases, people = attack
    _, links = linked(releases, people)
    swapped = [{"q": u["q"][::-1]} for u in people]
    _, other = linked(releases[::-1], swapped[::-1])
    assert other.matches[::-1].tolist() == links.matches.tolist()
    assert other.disclosed[::-1].tolist() == links.disclosed.tolist()


@settings(max_examples=20)
@given(st.integers(60, 200), st.integers(0, 2**32 - 1))
def test_more_classes_than_a_word_has_bits(n_classes, seed):
    rng = np.random.default_rng(seed)
    release = [
        (
            [frozenset(rng.choice(N_LEAVES, rng.integers(1, 3)).tolist()) for _ in range(N_COLUMNS)],
            frozenset(rng.choice(N_VALUES, 2).tolist()),
        )
        for _ in range(n_classes)
    ]
    people = [{"q": [rng.integers(0, N_LEAVES, N_COLUMNS).tolist()] * 2} for _ in range(5)]
    coded, links = linked([release, release[: n_classes // 2]], people)
    met = Composition().meet(*coded)
    assert (met.meeting, met.matching, met.disclosing) == oracle.meetings(release, release[: n_classes // 2])
    assert links.matches.tolist() == [len(oracle.matches([release, release[: n_classes // 2]], u)) for u in people]


def test_nobody_and_no_class():
    nothing = PublishedClasses(
        np.empty((0, 2), np.int32), (LeafSets.from_runs([]),) * 2, np.zeros(1, np.int64), np.empty(0, np.int32)
    )
    some = classes([([{0}, {0}], {1})])
    nobody = np.empty((0, 2), np.int32)
    assert Composition().link([some, nothing], [nobody, nobody]).matches.tolist() == []
    assert Composition().link([some, nothing], [np.array([[0, 0]])] * 2).matches.tolist() == [0]
    assert Composition().meet(some, nothing).meeting == 0


def test_the_attack_is_in_the_registry():
    assert isinstance(ATTACKS.make("composition"), Composition)
