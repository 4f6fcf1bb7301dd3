"""Random builders with values that they accept."""

from __future__ import annotations

from datetime import date

from hypothesis import strategies as st

from shoal.hierarchies import auto, dates, flat, intervals, ordered, parents, prefix, tree

WORDS = st.text(alphabet='ab,;"{}[]( é0.', min_size=1, max_size=4).filter(lambda t: t == t.strip())


@st.composite
def builds(draw):
    """A builder, distinct values for it (perhaps with a missing one), and a type: ``(builder, values, type)``."""
    builder, values, type_ = draw(
        st.one_of(of_integers(), of_decimals(), of_codes(), of_dates(), of_order(), of_groups(), of_anything())
    )
    if draw(st.booleans()):
        values = [*values, None]
    return builder, values, type_


@st.composite
def of_integers(draw):
    values = draw(st.sets(st.integers(-30, 60), min_size=1, max_size=8))
    settings = {"origin": draw(st.integers(0, 3))}
    if draw(st.booleans()):
        settings |= {"low": min(values) - draw(st.integers(0, 2)), "high": max(values) + draw(st.integers(1, 3))}
    if draw(st.booleans()):
        settings["bottom"] = draw(st.integers(-10, 0))
    if draw(st.booleans()):
        settings["top"] = draw(st.integers(10, 30))
    widths = draw(st.sampled_from([(2,), (5, 10), (3, 6, 24), (5, 10, 20, 40)]))
    return intervals(*widths, **settings), [str(v) for v in values], draw(st.sampled_from([None, "integer"]))


@st.composite
def of_decimals(draw):
    values = draw(st.sets(st.decimals(0, 2, places=2), min_size=1, max_size=8))
    builder = draw(
        st.sampled_from(
            [
                intervals("0.1", "0.5"),
                intervals(0.3, low=0, high=2),
                intervals(0.25, bottom="0.3", top="1.7"),
                intervals(cuts=[[0, "0.33", 1, 1.5, 2], [0, 1, 2]]),
            ]
        )
    )
    return builder, [str(v) for v in values], "decimal"


@st.composite
def of_codes(draw):
    values = draw(st.sets(st.text(alphabet="01*", min_size=1, max_size=4).filter(lambda t: t != "*"), min_size=1))
    return prefix(draw(st.integers(1, 5))), sorted(values), draw(st.sampled_from([None, "text"]))


@st.composite
def of_dates(draw):
    days = draw(st.sets(st.dates(date(1999, 11, 1), date(2002, 3, 1)), min_size=1, max_size=8))
    periods = draw(st.sampled_from([(), ("week",), ("day", "month"), ("month", "quarter", "year", "decade")]))
    return dates(*periods), [day.isoformat() for day in days], draw(st.sampled_from([None, "date"]))


@st.composite
def of_order(draw):
    values = draw(st.lists(WORDS, min_size=1, max_size=9, unique=True))
    chosen = draw(st.lists(st.sampled_from(values), min_size=1, unique=True))
    return ordered(values, fanout=draw(st.sampled_from([2, 3, (2, 4)]))), chosen, "ordered"


@st.composite
def of_groups(draw):
    leaves = draw(st.lists(WORDS, min_size=1, max_size=6, unique=True))
    names = st.sampled_from(["G", "H", "a", *leaves])
    top = {leaf: f"{draw(names)}" for leaf in leaves}
    if draw(st.booleans()):
        return parents({leaf: f"({group})" for leaf, group in top.items()}), leaves, None
    groups = {}
    for leaf, group in top.items():
        groups.setdefault(group, []).append(leaf)
    above = {}
    for group, members in groups.items():
        above.setdefault(draw(st.sampled_from(["East", "West"])), []).append({group: members})
    return tree(above), leaves, draw(st.sampled_from([None, "text", "ordered"]))


@st.composite
def of_anything(draw):
    values = draw(st.sets(WORDS | st.integers(0, 400).map(str), min_size=1, max_size=8))
    return draw(st.sampled_from([flat(), auto()])), sorted(values), draw(st.sampled_from([None, "text"]))
