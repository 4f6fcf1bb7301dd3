"""Prefixes by hand."""

import pytest

from shoal.errors import HierarchyError, SpecError
from shoal.hierarchies import prefix


def path(h, leaf):
    return [h.labels[node] for node in h.levels[:, h.codes[leaf]]]


def test_one_character_more_is_masked_at_each_level_and_zeros_stay():
    h = prefix(5).build(["02138", "02139", "02210", "03000", "94110"])
    assert path(h, "02139") == ["02139", "0213*", "0213*", "02***", "0****", "*"]
    assert path(h, "94110") == ["94110"] * 5 + ["*"]
    assert h.type == "text"
    assert not h.ordered


def test_the_number_of_levels_does_not_depend_on_the_values():
    assert prefix(5).build(["02138", "02139"]).n_levels == prefix(5).build(["02138", "94110"]).n_levels == 6


def test_fewer_levels_than_characters():
    h = prefix(2).build(["I21.9", "I21.4", "I25.1", "J45.0"])
    assert path(h, "I21.9") == ["I21.9", "I21.*", "I21.*", "*"]
    assert [h.labels[n] for n in range(h.n_values, len(h.labels))] == ["I21.*", "*"]


def test_more_levels_than_characters_end_at_the_root():
    assert path(prefix(9).build(["ab", "ac", "bc"]), "ab") == ["ab", "a*", "*"]


def test_a_shorter_code_joins_the_codes_that_begin_with_it():
    # Kept characters by level: 4, 3, 2, 1. "021" is whole until three are kept.
    h = prefix(5).build(["021", "0213", "02139", "02140", "0299"])
    assert path(h, "021") == ["021", "021", "021**", "*", "*", "*"]
    assert path(h, "0213") == ["0213", "0213*", "021**", "*", "*", "*"]
    assert path(h, "02139")[1] == "0213*"
    assert path(h, "0299")[:3] == ["0299", "0299", "0299"]


def test_a_declared_length_refuses_longer_codes():
    with pytest.raises(HierarchyError, match=r"1 value\(s\) have more than 5 characters") as caught:
        prefix(5, length=5).build(["02139", "02139-1234"])
    assert caught.value.examples == ("02139-1234",)
    assert prefix(2, length=5).build(["021", "022"]).labels[2:] == ("*",)


def test_another_mask():
    assert path(prefix(1, mask="x").build(["12", "13", "21"]), "12") == ["12", "1x", "*"]


def test_a_value_that_looks_masked_is_told_from_the_group():
    h = prefix(1).build(["0213*", "02139", "02138", "94110"])
    assert path(h, "02139")[1] == "0213* (level 1)"


@pytest.mark.parametrize(
    "arguments",
    [{"n": 0}, {"n": "5"}, {"n": True}, {"n": 2, "length": 0}, {"n": 2, "mask": ""}, {"n": 2, "mask": "**"}],
)
def test_wrong_settings(arguments):
    with pytest.raises(SpecError):
        prefix(**arguments)
