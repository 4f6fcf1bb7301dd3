"""Extended Incognito against the definition on thousands of random tables, in both forms of (α, k)-anonymity."""

import pytest

from golden.test_alpha_k_incognito import compare


@pytest.mark.slow
@pytest.mark.parametrize(("form", "seed"), [("ratio", 3), ("ceiling", 4)])
def test_the_search_finds_every_valid_node_and_the_lemmas_do_so_in_the_ratio_form_alone(form, seed):
    feasible, wrong, rootless = compare(10_000, seed, form)
    assert feasible > 2000
    assert (wrong > 200) == (rootless > 200) == (form == "ceiling")
