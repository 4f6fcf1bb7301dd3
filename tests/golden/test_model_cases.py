"""Published values, and outcomes of public bug reports that concern models and risk on given tables."""

import csv
import json
from fractions import Fraction

import numpy as np
import pytest

from shared import ROOT, needs_shared
from shoal.core.hierarchy import Hierarchy
from shoal.core.table import FrequencyTable
from shoal.core.verdict import judge
from shoal.models import AlphaKAnonymity, KAnonymity, LDiversity, TCloseness
from shoal.models.alpha_k_anonymity import effective_alpha
from shoal.risk.missing_cells import class_sizes
from shoal.risk.reidentification import risk_of


def column(texts, *, number=False):
    """A flat hierarchy over the texts that occur, in number order where asked, and their codes."""
    values = sorted({text for text in texts if text})
    order = [float(value) for value in values] if number else None
    tree = Hierarchy.from_paths(values, [["*"]] * len(values), order=order, null="" in texts)
    return tree, np.array([tree.codes[text or None] for text in texts], np.int32)


def counted(rows, quasi, sensitive=(), *, numbers=()):
    """The table, its classes without generalization, and where each row went."""
    texts = {name: [row[name] for row in rows] for name in (*quasi, *sensitive)}
    made = {name: column(cells, number=name in numbers) for name, cells in texts.items()}
    table, item_of_row = FrequencyTable.from_columns(
        {name: made[name] for name in quasi}, {name: made[name] for name in sensitive}
    )
    classes = table.classes(table.point_of_item.astype(np.int32), table.n_points, sensitive)
    return table, classes, table.point_of_item[item_of_row]


def case(number):
    folder = next((ROOT / "cases").glob(f"{number}-*"))
    told = json.loads((folder / "expected.json").read_text())
    tables = {path.stem: read(path) for path in folder.glob("*.csv")}
    return tables, told["roles"], told["expected"]


def read(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_toy_of_two_classes():
    # E1 = {a,a,b,c}, E2 = {a,a,b,b}
    rows = [{"class": c, "s": s} for c, values in (("1", "aabc"), ("2", "aabb")) for s in values]
    table, classes, _ = counted(rows, ["class"], ["s"])
    context = table.context()

    def achieved(model, **settings):
        return model(sensitive="s", **settings).achieved(classes, context)

    assert KAnonymity(k=1).achieved(classes, context) == 4
    assert achieved(AlphaKAnonymity, alpha=1) == 0.5
    assert achieved(LDiversity, l=1) == 2
    entropy = [np.exp(1.5 * np.log(2)), 2.0]  # 2.828 and 2.0
    for c, l in enumerate(entropy):
        alone = table.classes(np.where(table.point_of_item == c, 0, -1).astype(np.int32), 1, ["s"])
        assert LDiversity(sensitive="s", l=1, kind="entropy").achieved(alone, context) == pytest.approx(l)
    assert achieved(LDiversity, l=1, kind="frequency") == 2.0
    assert not LDiversity(sensitive="s", l=2, kind="recursive", c="1.001").violating(classes, context).any()
    assert LDiversity(sensitive="s", l=2, kind="recursive", c=1).violating(classes, context).all()
    assert achieved(TCloseness, t=0) == pytest.approx(0.125)


def test_toy_ordered_distance():
    rows = [{"class": c, "s": s} for c, values in (("1", "1123"), ("2", "1122")) for s in values]
    table, classes, _ = counted(rows, ["class"], ["s"], numbers=["s"])
    assert TCloseness(sensitive="s", t=0, ground="ordered").achieved(classes, table.context()) == pytest.approx(
        0.0625
    )


def test_salaries_of_the_t_closeness_paper():
    # Nine salaries 3k..11k; {3,4,5}k is 0.375 away and {6,8,11}k 0.1667.
    rows = [
        {"class": "1" if s in (3, 4, 5) else "2" if s in (6, 8, 11) else "3", "s": str(s)} for s in range(3, 12)
    ]
    table, classes, _ = counted(rows, ["class"], ["s"], numbers=["s"])
    distances = TCloseness(sensitive="s", t=0, ground="ordered").distances(classes, table.context())
    assert distances[:2] == pytest.approx([0.375, 1 / 6])


@pytest.mark.parametrize(
    ("alpha", "by_k"),
    [
        ("1/2", {2: "2/3", 3: "2/3", 5: "3/5", 10: "6/11"}),
        ("1/10", {2: "1/2", 3: "1/3", 5: "1/5", 10: "2/11"}),
        ("1/5", {2: "1/2", 3: "1/3", 5: "1/3", 10: "3/11"}),
    ],
)
def test_effective_alpha_of_the_ceiling_form(alpha, by_k):
    found = {k: effective_alpha(Fraction(alpha), k) for k in by_k}
    assert found == {k: Fraction(share) for k, share in by_k.items()}


def test_effective_alpha_is_the_maximum_over_all_sizes():
    for q in range(1, 13):
        for p in range(1, q + 1):
            for k in range(1, 14):
                alpha = Fraction(p, q)
                most = max(Fraction(-(-p * n // q), n) for n in range(k, k + 2 * q + 1))
                assert effective_alpha(alpha, k) == most


def test_effective_alpha_of_fine_fractions_returns_at_once():
    for alpha in (Fraction(1, 10**9), Fraction(10**9 - 1, 10**9), Fraction(333333333, 10**9)):
        for k in (1, 5, 1000, 10**6):
            assert alpha <= effective_alpha(alpha, k) < alpha + Fraction(1, k)


@needs_shared
def test_case_03_both_readings_of_suppressed_rows():
    tables, roles, told = case("03")
    rows = tables["anonymized"]
    kept = [row for row in rows if any(row[name] != "*" for name in roles["qi"])]
    suppressed = len(rows) - len(kept)
    assert suppressed == told["suppressed_records"]
    _, classes, _ = counted(kept, roles["qi"])
    for reading, key in (("kept", "without_suppressed"), ("class", "suppressed_as_ordinary_class")):
        risk = risk_of(classes, suppressed_rows=suppressed, reading=reading)
        assert {
            "k": risk.smallest,
            "classes": risk.n_classes,
            "average_class_size": risk.mean_class_size,
            "highest_prosecutor_risk": risk.highest,
            "average_risk": risk.average,
            "uniques": risk.uniques,
        } == told[key]


@needs_shared
@pytest.mark.parametrize("number", ["06", "12"])
def test_case_06_and_12_l_diversity_of_a_given_table(number):
    tables, roles, told = case(number)
    (sensitive,) = roles["sensitive"]
    table, classes, class_of_row = counted(tables["data"], roles["qi"], [sensitive])
    context = table.context()
    assert KAnonymity(k=1).achieved(classes, context) == told.get("k", told.get("k_own_value"))
    distinct = LDiversity(sensitive=sensitive, l=1).achieved(classes, context)
    entropy = LDiversity(sensitive=sensitive, l=1, kind="entropy").achieved(classes, context)
    assert distinct == told["distinct_l"]
    assert entropy == pytest.approx(told["entropy_l"], abs=1e-12)
    if number == "12":
        assert sorted(classes.rows.tolist(), reverse=True) == told["class_sizes"]
        per_row = np.diff(classes.histograms[sensitive].offsets)[class_of_row]
        assert per_row.tolist() == told["distinct_l_per_row"]


@needs_shared
def test_case_08_a_table_is_checked_as_it_stands():
    tables, roles, told = case("08")
    table, classes, class_of_row = counted(tables["data"], roles["qi"], ["disease"])
    context = table.context()
    settings = {"sensitive": "disease"}
    assert KAnonymity(k=1).achieved(classes, context) == told["k"]
    assert LDiversity(l=1, **settings).achieved(classes, context) == told["distinct_l"]
    entropy = LDiversity(l=1, kind="entropy", **settings)
    assert entropy.achieved(classes, context) == pytest.approx(told["entropy_l"], abs=1e-12)
    for row, c in zip(tables["data"], class_of_row, strict=True):
        alone = table.classes(np.where(table.point_of_item == c, 0, -1).astype(np.int32), 1, ["disease"])
        assert entropy.achieved(alone, context) == pytest.approx(
            told["entropy_l_per_class"][row["zip"]], abs=1e-12
        )
    for c, key in (("1.5", "c=1.5"), ("2", "c=2")):
        recursive = LDiversity(l=told["recursive_c_l"]["l"], kind="recursive", c=c, **settings)
        assert (not recursive.violating(classes, context).any()) == told["recursive_c_l"][key]
    assert AlphaKAnonymity(alpha=1, **settings).achieved(classes, context) == told["alpha"]
    t = TCloseness(t=0, **settings).achieved(classes, context)
    assert t == pytest.approx(told["t_equal_distance"], abs=1e-12)
    # The entropy model passes at exactly l = 2 and fails above it.
    assert not LDiversity(l=2, kind="entropy", **settings).violating(classes, context).any()
    assert LDiversity(l="2.000001", kind="entropy", **settings).violating(classes, context).any()


@needs_shared
@pytest.mark.parametrize("number", ["10", "22"])
def test_case_10_and_22_readings_of_missing_cells(number):
    tables, roles, told = case(number)
    table, classes, point_of_row = counted(tables["data"], roles["qi"])
    assert KAnonymity(k=1).achieved(classes, table.context()) == told["k_own_value"]
    for reading in ("wildcard", "conservative"):
        sizes = class_sizes(table, reading)[point_of_row]
        assert sizes.tolist() == told.get(f"fk_{reading}", sizes.tolist())
        assert sizes.min() == told.get(f"k_{reading}", sizes.min())


@needs_shared
def test_case_14_records_in_small_classes():
    _, roles, told = case("14")
    rows = read(ROOT / roles["data"])
    table, classes, _ = counted(rows, roles["qi"])
    assert (len(rows), len(classes)) == (told["rows"], told["classes"])
    for k, records in told["records_in_classes_smaller_than"].items():
        (verdict,) = judge([KAnonymity(k=int(k))], classes, table.context())
        assert verdict.violating_rows == records
        assert verdict.achieved == told["k"]


@needs_shared
def test_case_25_ordered_distance_goes_by_number():
    tables, roles, told = case("25")
    table, classes, class_of_row = counted(tables["data"], roles["qi"], roles["sensitive"], numbers=["salary"])
    context = table.context()
    distances = TCloseness(sensitive="salary", t=0, ground="ordered").distances(classes, context)
    for row, c in zip(tables["data"], class_of_row, strict=True):
        name = f"{row['zip']} {row['age']}"
        assert distances[c] == pytest.approx(told["salary_ordered_emd_per_class"][name], abs=1e-12)
    assert KAnonymity(k=1).achieved(classes, context) == told["k"]
    for name in roles["sensitive"]:
        t = TCloseness(sensitive=name, t=0).achieved(classes, context)
        assert t == pytest.approx(told[f"{name}_t_equal"], abs=1e-12)
        assert LDiversity(sensitive=name, l=1).achieved(classes, context) == told[f"{name}_distinct_l"]
    assert distances.max() == pytest.approx(told["salary_t_ordered"], abs=1e-12)


@needs_shared
def test_case_30_number_of_violating_records():
    tables, roles, told = case("30")
    for quasi in roles["qi_sets"]:
        table, classes, _ = counted(tables["data"], quasi)
        expected = told["+".join(quasi)]
        assert KAnonymity(k=1).achieved(classes, table.context()) == expected["k"]
        if "class_sizes" in expected:
            assert sorted(classes.rows.tolist()) == expected["class_sizes"]
        for k in (2, 3):
            (verdict,) = judge([KAnonymity(k=k)], classes, table.context())
            assert verdict.violating_rows == expected.get(f"violating_{k}", verdict.violating_rows)
