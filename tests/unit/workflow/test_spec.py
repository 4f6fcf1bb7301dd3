"""The spec: what it says, what it refuses, and that every way of writing it means the same run."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.algorithms import Best, Mondrian, Optimal
from shoal.core.schema import COLUMN_TYPES, Column, Role, Schema
from shoal.errors import SchemaError, SpecError
from shoal.loss import NCP, KLDivergence
from shoal.models import KAnonymity
from shoal.workflow.faults import FaultySpecError
from shoal.workflow.plan import Plan
from shoal.workflow.seed import seed_of
from shoal.workflow.spec import ColumnSpec, InputSpec, MethodSpec, Spec, json_schema
from shoal.workflow.spec_keys import COLUMN, INPUT, METHOD, SUPPRESSED, TOP, build_json_schema

EXAMPLE = """
version = 1

[input]
delimiter = ";"
missing = ["", "?"]

[columns.age]
role = "quasi-identifier"
type = "integer"
hierarchy = { intervals = [5, 10, 20, 40] }

[columns."zip code"]
role = "quasi-identifier"
weight = 2.50
max_level = 3

[columns.disease]
role = "sensitive"

[[models]]
model = "k-anonymity"
k = 5

[method]
algorithm = "mondrian"
labels = "ranges"
suppression_limit = 0.07
budget_s = 60
"""
SMALLEST = 'version = 1\n[columns.a]\nrole = "quasi-identifier"\n'


def faults(text):
    """The faults of a spec as (where, problem)."""
    with pytest.raises(SpecError) as caught:
        Spec.from_toml(text)
    if isinstance(caught.value, FaultySpecError):
        return [(fault.where, fault.problem) for fault in caught.value.faults]
    return [(caught.value.where, caught.value.problem)]


# What it says


def test_a_spec_is_read_with_its_defaults():
    spec = Spec.from_toml(EXAMPLE)
    assert spec.models() == (KAnonymity(k=5),)
    assert spec.schema().quasi_identifiers == ("age", "zip code")
    assert spec.method.loss == "ncp"
    assert spec.loss().name == "ncp"
    assert spec.algorithm().name == "mondrian"
    assert spec.algorithm().labels == "ranges"
    assert spec.method.suppressed == "star"
    assert spec.weights() == {"zip code": 2.5}
    assert spec.max_levels() == {"zip code": 3}
    assert spec.budget_s == 60


def test_without_a_method_the_defaults_are_those_of_the_contract():
    spec = Spec.from_toml(SMALLEST)
    assert spec.method == MethodSpec(algorithm=None, loss="ncp", suppression_limit=0)
    assert spec.algorithm() == Best(labels="nodes")


def test_models_that_local_recoding_cannot_hold_make_the_default_global():
    spec = Spec.from_toml(SMALLEST + '[[models]]\nmodel = "average-risk"\nrisk = 0.1\n')
    assert spec.algorithm() == Optimal()
    assert spec.plan(models=[KAnonymity(k=5)]).algorithm == Best()
    with pytest.raises(SpecError, match="cannot hold"):
        spec.changed(method={"algorithm": "best"})
    with pytest.raises(SpecError, match="unknown key 'max_class_size'"):
        spec.changed(method={"max_class_size": 9})


def test_a_measure_of_finished_releases_is_no_objective():
    with pytest.raises(SpecError, match="cannot steer a search") as refused:
        Spec.from_toml(SMALLEST + '[method]\nloss = "kl-divergence"\n')
    assert 'release.measure("kl-divergence")' in str(refused.value)
    with pytest.raises(SpecError, match="cannot steer a search"):
        Plan.resolve(models=KAnonymity(k=2), loss=KLDivergence())
    with pytest.raises(SpecError, match="not a loss"):
        Plan.resolve(models=KAnonymity(k=2), loss=KAnonymity(k=2))


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"models": [KAnonymity]}, "not a privacy model"),
        ({"algorithm": Mondrian}, "algorithm is not one"),
        ({"algorithm": 3}, "algorithm is not one"),
        ({"loss": NCP}, "not a loss"),
        *[({"weights": {"a": w}}, "weights must be positive") for w in (0, float("nan"), float("inf"), "3")],
        *[({"max_levels": {"a": level}}, "highest levels") for level in (-1, 0.5, "1")],
    ],
)
def test_what_is_no_model_algorithm_loss_weight_or_level_is_refused(setting, message):
    with pytest.raises(SpecError, match=message):
        Plan.resolve(**{"models": KAnonymity(k=2), **setting})


@pytest.mark.parametrize("role", ["unit", "household", "weight"])
def test_a_schema_too_has_one_person_one_household_and_one_weight_at_most(role):
    with pytest.raises(SchemaError, match="more than one column has the role") as refused:
        Schema(quasi_identifiers=["a"], columns=[Column("b", role), Column("c", role)])
    assert refused.value.where == "b, c"


@pytest.mark.parametrize("seed", [-1, 1.5, "1"])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(SpecError, match="the seed must be a whole number"):
        seed_of(seed)


def test_a_weight_and_a_highest_level_can_be_given_beside_a_spec():
    spec = Spec.from_toml(SMALLEST).changed(columns={"a": {"weight": 3, "max_level": 1}})
    assert (spec.weights(), spec.max_levels()) == ({"a": 3.0}, {"a": 1})
    with pytest.raises(SpecError, match="no column 'b'"):
        spec.changed(columns={"b": {"weight": 3}})
    quick = Spec.quick(["age", "sex"], k=2, weights={"age": Decimal("2.5")}, max_levels={"sex": 0})
    assert (quick.weights(), quick.max_levels()) == ({"age": 2.5}, {"sex": 0})
    with pytest.raises(SpecError, match="no column 'zip'"):
        Spec.quick(["age"], k=2, max_levels={"zip": 0})


@pytest.mark.parametrize("written", ["0.07", '"0.07"', '"7/100"', "7e-2"])
def test_numbers_are_read_by_their_digits(written):
    spec = Spec.from_toml(SMALLEST + f"[method]\nsuppression_limit = {written}\n")
    assert spec.suppression_limit == Fraction(7, 100)


def test_the_input_unpacks_into_the_options_that_are_given():
    spec = Spec.from_toml(EXAMPLE)
    assert dict(**spec.input) == {"delimiter": ";", "missing": ("", "?")}


def test_a_column_without_a_role_is_not_in_the_schema():
    spec = Spec.from_toml(SMALLEST + '[columns.b]\ntype = "integer"\n')
    assert [column.name for column in spec.schema().columns] == ["a"]


def test_labels_nodes_is_no_fault_where_an_algorithm_publishes_nodes_only():
    Spec.from_toml(SMALLEST + '[method]\nalgorithm = "optimal"\nlabels = "nodes"\n')
    assert faults(SMALLEST + '[method]\nalgorithm = "optimal"\nlabels = "ranges"\n')[0][0] == "[method]"


def test_paths_start_at_the_folder_of_the_spec(tmp_path):
    (tmp_path / "shoal.toml").write_text(SMALLEST, encoding="utf-8")
    assert Spec.from_toml(tmp_path / "shoal.toml").folder == tmp_path
    assert Spec.from_toml(str(tmp_path / "shoal.toml")).folder == tmp_path


def test_a_spec_that_is_not_there_or_not_text_is_refused(tmp_path):
    with pytest.raises(SpecError, match="cannot be read"):
        Spec.from_toml(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_bytes(b"version = 1 # \xff")
    with pytest.raises(SpecError, match="not UTF-8") as caught:
        Spec.from_toml(tmp_path / "bad.toml")
    assert "byte 14" in caught.value.where
    with pytest.raises(SpecError, match="not TOML"):
        Spec.from_toml("version = \n")


# What it refuses


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        ('[columns.a]\nrole = "quasi-identifier"\n', "top of the spec", "the spec has no version"),
        (SMALLEST.replace("1", "2", 1), "version", "the spec has a version that is not known"),
        (SMALLEST + "[methods]\n", "top of the spec", "unknown key 'methods'"),
        (SMALLEST + "[input]\ndelimeter = ';'\n", "[input]", "unknown key 'delimeter'"),
        (SMALLEST + "[input]\ndelimiter = ';;'\n", "[input]", "delimiter must be one character"),
        (SMALLEST + "[input]\nmissing = '?'\n", "[input]", "missing must be a list of texts"),
        (SMALLEST + "max_levl = 3\n", "[columns.a]", "unknown key 'max_levl'"),
        (SMALLEST + "max_level = -1\n", "[columns.a]", "max_level must be at least 0"),
        (SMALLEST + "max_level = true\n", "[columns.a]", "max_level must be a whole number"),
        (SMALLEST + "weight = 0\n", "[columns.a]", "weight must be above 0"),
        (SMALLEST + "weight = nan\n", "weight", "a number must be finite"),
        (SMALLEST + 'type = "number"\n', "[columns.a]", "unknown type 'number'"),
        (SMALLEST + "hierarchy = {}\n", "[columns.a]", None),
        (SMALLEST + "[columns]\nb = 3\n", None, None),
        ('version = 1\n[columns.a]\nrole = "drop"\n', "[columns]", "no column is a quasi-identifier"),
        ('version = 1\n[columns.a]\nrole = "quasi"\n', "[columns.a]", "unknown role 'quasi'"),
        (SMALLEST + '[[models]]\nmodel = "k-anonimity"\n', "[[models]] number 1", "unknown model 'k-anonimity'"),
        (SMALLEST + "[[models]]\nk = 3\n", "[[models]] number 1", "the table names no model"),
        (SMALLEST + '[[models]]\nmodel = "k-anonymity"\n', "[[models]] number 1", "model 'k-anonymity' needs k"),
        (SMALLEST + '[method]\nalgorithm = "mondrain"\n', "[method]", "unknown algorithm 'mondrain'"),
        (SMALLEST + '[method]\nloss = "npc"\n', "[method]", "unknown loss 'npc'"),
        (SMALLEST + "[method]\nlabls = 'nodes'\n", "[method]", "unknown key 'labls'"),
        (SMALLEST + "[method]\nsuppression_limit = 4\n", "[method]", "suppression_limit must be in [0, 1]"),
        (SMALLEST + "[method]\nsuppression_limit = 'few'\n", "[method]", "suppression_limit is not a number"),
        (SMALLEST + "[method]\nbudget_s = 0\n", "[method]", "budget_s must be above 0"),
        (SMALLEST + "[method]\nsuppressed = 'stars'\n", "[method]", "unknown suppressed 'stars'"),
    ],
)
def test_every_fault_is_named_with_its_place(text, where, problem):
    found = faults(text)
    assert len(found) == 1
    assert where is None or found[0][0] == where
    assert problem is None or found[0][1] == problem


@pytest.mark.parametrize("role", ["sensitive", "insensitive", "drop", "identifier"])
def test_only_quasi_identifiers_have_weights_and_levels(role):
    found = faults(SMALLEST + f'[columns.b]\nrole = "{role}"\nweight = 2\nmax_level = 1\n')
    assert found == [
        ("[columns.b]", "only a quasi-identifier has a weight"),
        ("[columns.b]", "only a quasi-identifier has a max_level"),
    ]


@pytest.mark.parametrize("role", ["unit", "weight"])
def test_one_unit_and_one_weight_at_most(role):
    two = "".join(f'[columns.{name}]\nrole = "{role}"\n' for name in "bc")
    assert faults(SMALLEST + two) == [("[columns]", f"more than one column has the role '{role}'")]


def test_all_faults_come_at_once():
    text = """
    versoin = 1
    [columns.age]
    rol = "quasi-identifier"
    [columns.b]
    role = "quasi"
    [[models]]
    model = "k-anonimity"
    [[models]]
    model = "k-anonymity"
    k = 0
    [method]
    algoritm = "optimal"
    loss = "npc"
    """
    assert [where for where, _ in faults(text)] == [
        "top of the spec",
        "top of the spec",
        "[columns.age]",
        "[columns.b]",
        "[[models]] number 1",
        "[[models]] number 2",
        "[method]",
        "[method]",
    ]
    with pytest.raises(FaultySpecError) as caught:
        Spec.from_toml(text)
    assert "did you mean 'version'?" in str(caught.value)
    assert len(caught.value.as_dict()["faults"]) == 8


def test_the_constructor_checks_as_the_reader_does():
    with pytest.raises(SpecError, match="no column is a quasi-identifier"):
        Spec(columns={"a": ColumnSpec(role="drop")})
    with pytest.raises(SpecError, match="max_level must be a whole number"):
        Spec(columns={"a": ColumnSpec(role="quasi-identifier", max_level=2.5)})


# Every way of writing it

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
decimals = st.decimals(min_value="0.001", max_value=1, places=3)
plain_values = st.recursive(
    st.one_of(texts, st.integers(), st.booleans(), st.decimals(allow_nan=False, allow_infinity=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=8,
)


@st.composite
def specs(draw):
    """A random spec without faults."""
    names = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
    columns = {}
    for number, name in enumerate(names):
        role = (
            "quasi-identifier"
            if not number
            else draw(
                st.sampled_from([None, *Role]).filter(
                    lambda role: role not in (Role.UNIT, Role.HOUSEHOLD, Role.WEIGHT)
                )
            )
        )
        quasi = role == "quasi-identifier"
        columns[name] = ColumnSpec(
            role=role,
            type=draw(st.sampled_from([None, *COLUMN_TYPES])),
            weight=draw(st.none() | decimals) if quasi else None,
            max_level=draw(st.none() | st.integers(0, 9)) if quasi else None,
            hierarchy=draw(st.none() | trees) if quasi else None,
        )
    return Spec(
        input=InputSpec(
            delimiter=draw(st.none() | st.characters(exclude_categories=["Cs"])),
            encoding=draw(st.none() | texts),
            missing=tuple(draw(st.lists(texts, max_size=3))),
            decimal_comma=draw(st.none() | st.booleans()),
        ),
        columns=columns,
        requirements=tuple(
            {"model": "k-anonymity", "k": k} for k in draw(st.lists(st.integers(1, 9), max_size=2))
        ),
        method=MethodSpec(
            suppression_limit=draw(st.one_of(decimals, st.just("1/3"), st.just(0))),
            labels=draw(st.sampled_from([None, "nodes", "ranges", "sets"])),
            budget_s=draw(st.none() | decimals),
            suppressed=draw(st.sampled_from(SUPPRESSED)),
        ),
    )


@st.composite
def _trees(draw):
    """A hierarchy of named groups, long enough at times to need a table of its own."""
    values = draw(st.lists(texts.filter(bool), min_size=1, max_size=40, unique=True))
    groups = draw(st.lists(texts.filter(bool), min_size=1, max_size=5, unique=True))
    members = {group: values[number :: len(groups)] for number, group in enumerate(groups)}
    return {"tree": {group: below for group, below in members.items() if below}}


trees = _trees()


@given(specs())
@settings(max_examples=60)
def test_toml_reads_back_as_the_same_spec(spec):
    text = spec.to_toml()
    assert Spec.from_toml(text) == spec
    assert Spec.from_toml(text).to_toml() == text


@given(specs())
@settings(max_examples=30)
def test_key_order_survives_since_the_order_of_a_tree_matters(spec):
    again = Spec.from_toml(spec.to_toml())
    assert list(again.columns) == list(spec.columns)
    for name, column in spec.columns.items():
        if column.hierarchy is not None:
            assert list(again.columns[name].hierarchy["tree"]) == list(column.hierarchy["tree"])


@given(specs())
@settings(max_examples=30)
def test_the_script_holds_the_same_spec(spec):
    script = spec.to_python()
    made = script[: script.index('if __name__ == "__main__"')]
    made = made.replace("from shoal.workflow import anonymize_file\n", "")
    scope = {"__file__": "here.py", "__name__": "script"}
    exec(compile(made, "script", "exec"), scope)  # noqa: S102 - the script is what is tested
    assert scope["spec"] == spec


@given(specs())
@settings(max_examples=30)
def test_json_is_the_same_document(spec):
    document = json.loads(json.dumps(spec.as_dict(), allow_nan=False))
    assert Spec.from_dict(document).requirements == spec.requirements
    assert Spec.from_dict(document).schema().columns == spec.schema().columns


@given(st.dictionaries(texts, plain_values, max_size=4))
@settings(max_examples=100)
def test_the_toml_writer_keeps_any_plain_document(table):
    import tomllib

    from shoal.workflow.toml import write_toml

    document = {"columns": {"x": table}}
    again = tomllib.loads(write_toml(document), parse_float=Decimal)
    assert again == document
    assert json.dumps(again, default=lambda _: "a decimal") == json.dumps(document, default=lambda _: "a decimal")


def test_changed_replaces_keys_and_checks_again():
    spec = Spec.from_toml(EXAMPLE)
    changed = spec.changed(input={"delimiter": ","}, method={"loss": "ncp", "suppression_limit": "0.1"})
    assert changed.input == InputSpec(delimiter=",", missing=("", "?"))
    assert changed.suppression_limit == Fraction(1, 10)
    assert changed.columns == spec.columns
    with pytest.raises(SpecError, match="unknown algorithm"):
        spec.changed(method={"algorithm": "mondrain"})


# The short form


def test_the_short_form_is_a_spec_like_any_other():
    spec = Spec.quick(["age", "zip"], sensitive=["disease"], k=5, method={"algorithm": "mondrian"})
    assert spec == Spec.from_toml(spec.to_toml())
    assert spec.models() == (KAnonymity(k=5),)
    assert spec.schema().sensitive == ("disease",)


def test_the_short_form_refuses_what_it_cannot_mean():
    with pytest.raises(SpecError, match="l needs a sensitive column"):
        Spec.quick(["age"], l=3)
    with pytest.raises(SpecError, match="'age' is named twice"):
        Spec.quick(["age"], sensitive=["age"])


@pytest.mark.parametrize(
    ("files", "columns", "found"),
    [
        (["adult_hierarchy_age.csv", "adult_hierarchy_sex.csv"], ["age", "sex"], ["age", "sex"]),
        (["h_marital-status.csv"], ["status", "marital-status"], ["marital-status"]),
        (["h_age.csv", "h_mileage.csv"], ["age"], ["age"]),
        (["age.csv", "old_age.csv"], ["age"], ["age"]),
        (["h_native-country.csv"], ["age"], []),
    ],
)
def test_hierarchy_files_are_matched_by_the_end_of_their_names(tmp_path, files, columns, found):
    from shoal.workflow.quick import match_hierarchies

    for name in files:
        (tmp_path / name).write_text("a;*\n", encoding="utf-8")
    matched = match_hierarchies(tmp_path, columns)
    assert list(matched) == found
    assert all(re.search(rf"(^|[^a-z]){re.escape(name)}$", path.stem) for name, path in matched.items())


def test_two_hierarchy_files_of_one_column_are_ambiguous(tmp_path):
    for name in ("new_age.csv", "old_age.csv"):
        (tmp_path / name).write_text("a;*\n", encoding="utf-8")
    with pytest.raises(SpecError, match="2 hierarchy files fit column 'age'"):
        Spec.quick(["age"], k=2, hierarchies=tmp_path)
    with pytest.raises(SpecError, match="is not there"):
        Spec.quick(["age"], k=2, hierarchies=tmp_path / "none")


# The JSON Schema


def test_the_shipped_json_schema_is_the_one_of_the_keys():
    assert json_schema() == build_json_schema()


def test_the_json_schema_has_the_keys_that_the_parser_knows():
    properties = json_schema()["properties"]
    assert set(properties) == {key.name for key in TOP}
    assert set(properties["input"]["properties"]) == {key.name for key in INPUT}
    assert set(properties["columns"]["additionalProperties"]["properties"]) == {key.name for key in COLUMN}
    assert set(properties["method"]["properties"]) == {key.name for key in METHOD}
    for keys, part in ((INPUT, InputSpec), (COLUMN, ColumnSpec)):
        assert {key.name for key in keys} == set(part.__dataclass_fields__)
    assert {key.name for key in METHOD} == set(MethodSpec.__dataclass_fields__) - {"settings"}


def test_the_example_fits_the_json_schema():
    assert misfits(Spec.from_toml(EXAMPLE).as_dict(), json_schema()) == []
    assert misfits({"version": 2, "method": {"suppressed": "x"}, "extra": 1}, json_schema()) == [
        "version",
        "method.suppressed",
        "extra",
    ]


def misfits(value, schema, path=""):
    """The places where a document breaks the parts of JSON Schema that ours uses."""
    kinds = {
        "object": dict,
        "array": list,
        "string": str,
        "boolean": bool,
        "integer": int,
        "number": (int, float),
    }
    kind = schema.get("type", [])
    allowed = [kind] if isinstance(kind, str) else kind
    if allowed and not any(isinstance(value, kinds[k]) for k in allowed):
        return [path]
    if ("const" in schema and value != schema["const"]) or ("enum" in schema and value not in schema["enum"]):
        return [path]
    found = []
    if isinstance(value, dict):
        found += [f"{path}.{key}".strip(".") for key in schema.get("required", ()) if key not in value]
        for key, inner in value.items():
            below = schema.get("properties", {}).get(key, schema.get("additionalProperties", {}))
            place = f"{path}.{key}".strip(".")
            found += [place] if below is False else misfits(inner, {} if below is True else below, place)
    if isinstance(value, list):
        for inner in value:
            found += misfits(inner, schema.get("items", {}), path)
    return found


def test_the_folder_is_no_part_of_what_a_spec_says():
    assert Spec.from_toml(SMALLEST, folder="a") == Spec.from_toml(SMALLEST, folder=Path("b"))


@pytest.mark.parametrize(
    "text",
    [
        '[input]\nmissing = ""\n',
        '[input]\ndelimiter = ";;"\n',
        "[input]\nencoding = 8\n",
        '[input]\ndecimal_comma = "yes"\n',
        "[columns.b]\nrole = 1\n",
        '[columns.b]\nhierarchy = "auto"\n',
        "[columns.b]\nhierarchy = { prefix = 0 }\n",
        '[columns.b]\nrole = "quasi-identifier"\nweight = 0\n',
        '[columns.b]\nrole = "quasi-identifier"\nmax_level = -1\n',
        '[columns.b]\nrole = "quasi-identifier"\nmax_level = "two"\n',
        '[columns.b]\nrole = "identifier"\npseudonym = "yes"\n',
        '[columns.b]\nrole = "unit"\n[columns.c]\nrole = "unit"\n',
        "[population]\nfile = 3\n",
        "[method]\nbudget_s = 0\n",
        '[method]\nbudget_s = "10"\n',
        "[method]\nsuppression_limit = true\n",
        "method = 3\n",
    ],
)
def test_every_fault_says_what_to_write_instead(text):
    head = SMALLEST if "[" in text else text + SMALLEST
    with pytest.raises(SpecError) as caught:
        Spec.from_toml(head + text if "[" in text else head)
    for fault in getattr(caught.value, "faults", [caught.value]):
        assert fault.where
        assert fault.fix


def test_a_spec_knows_the_files_that_it_reads(tmp_path):
    text = SMALLEST + '[columns.b]\nrole = "quasi-identifier"\nhierarchy = { file = "b.csv" }\n'
    spec = Spec.from_toml(text + '[population]\nfile = "all.csv"\n', folder=tmp_path)
    assert spec.files() == [tmp_path / "all.csv", tmp_path / "b.csv"]
