"""Hierarchy files: what is read, what is refused."""

import pytest

from shared import ROOT, needs_shared
from shoal.errors import HierarchyError, ShoalWarning, SpecError
from shoal.hierarchies import flat, from_csv, intervals, tree, write_csv

AWKWARD = ROOT / "awkward" / "16_hierarchies"
AGES = ["34", "45", "66", "70"]


@pytest.fixture
def file(tmp_path):
    """Write a text or bytes to a file and return its builder."""

    def make(text, **settings):
        path = tmp_path / "h.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return from_csv(path, **settings)

    return make


def refusal(builder, values=(), **settings):
    with pytest.raises(HierarchyError) as caught:
        builder.build(values, column="age", **settings)
    error = caught.value
    for example in set(error.examples) - {"", "*"}:
        assert str(example) not in str(error).replace(str(builder.path), "")
    return error


def path(h, leaf):
    return [h.labels[node] for node in h.levels[:, h.codes[leaf]]]


def test_every_leaf_of_the_file_is_in_the_domain(file):
    h = file("34;<50;*\n45;<50;*\n66;>=50;*\n70;>=50;*\n").build(["45", None])
    assert h.leaves == (*AGES, None)
    assert path(h, "45") == ["45", "<50", "*"]
    assert h.type == "integer"
    assert h.ordered


@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_delimiter_is_detected(file, delimiter, newline):
    lines = [["34", "<50", "*"], ["45", "<50", "*"], ["66", ">=50", "*"]]
    h = file(newline.join(delimiter.join(line) for line in lines)).load()
    assert path(h, "34") == ["34", "<50", "*"]


def test_a_comma_in_labels_does_not_pass_for_a_delimiter(file):
    assert file("a, b;c\nd, e;c\n").load().leaves == ("a, b", "d, e")


def test_quotes_marks_and_line_breaks_within_a_label(file):
    h = file('"a;b";"says ""x""";*\n"c\nd";g;*\ne;g;*\n').load()
    assert path(h, "a;b") == ["a;b", "a;b", "*"]
    assert path(h, "c\nd") == ["c\nd", "g", "*"]


def test_a_byte_order_mark_is_no_part_of_the_first_value(file):
    assert file(b"\xef\xbb\xbf1;*\n2;*\n").load().leaves == ("1", "2")


def test_encodings(file):
    assert file("Österreich;*\nZypern;*\n".encode("latin-1"), encoding="latin-1").load().leaves[0] == "Österreich"
    error = refusal(file("a;*\nÖ;*\n".encode("latin-1")))
    assert "byte 4 " in str(error)
    with pytest.raises(SpecError, match="unknown encoding"):
        file("a;*\n", encoding="utf-99").load()


def test_a_root_of_its_own_text_prints_the_star(file):
    assert file("DE;Europe;World\nUS;America;World\n").load().labels == ("DE", "US", "*")


def test_a_file_of_one_column_is_flat(file):
    assert file("a\nb\n").load().labels == ("a", "b", "*")


def test_lines_of_unequal_length(file):
    error = refusal(file("34;30-39;<50;*\n45;<50;*\n66;60-69;>=50;*\n\n70;70-79;>=50;*\n"))
    assert error.problem.startswith("1 line(s) of the hierarchy have a length other than 4")
    assert error.where.endswith("line 2")
    assert error.examples == ("45",)


def test_padded_labels(file):
    error = refusal(file("34; <50; *\n45;<50;*\n"))
    assert error.problem.startswith("1 line(s)")
    assert error.where.endswith("line 1")


def test_empty_labels_and_a_delimiter_at_the_end(file):
    assert refusal(file("34;<50;\n45;<50;\n")).problem.startswith("2 line(s) of the hierarchy hold an empty label")
    assert "missing values have a place of their own" in refusal(file("34;*\n;*\n")).fix


def test_a_value_on_two_lines_that_differ(file):
    error = refusal(file("34;<50;*\n34;30s;*\n45;<50;*\n"))
    assert error.problem.startswith("1 value(s) stand on lines")
    assert error.where.endswith("lines 1, 2")
    assert error.examples == ("34",)


def test_a_repeated_line_passes_with_a_warning(file):
    with pytest.warns(ShoalWarning, match=r"(?s)1 line\(s\) .* line 3"):
        h = file("34;<50;*\n45;<50;*\n34;<50;*\n").load()
    assert h.leaves == ("34", "45")


def test_a_label_with_two_parents(file):
    error = refusal(file("34;30s;<50;*\n45;40s;<50;*\n66;30s;>=50;*\n"))
    assert "two parents" in error.problem
    assert error.where.endswith("lines 1, 3")
    assert error.examples == ("30s",)


def test_the_mark_of_a_suppressed_cell_as_a_leaf(file):
    error = refusal(file("34;<50;*\n*;*;*\n"))
    assert "suppressed" in error.problem
    assert error.where.endswith("line 2")


def test_a_file_that_is_empty_missing_or_no_csv(file, tmp_path):
    assert "empty" in refusal(file("")).problem
    assert "empty" in refusal(file("\n\n")).problem
    assert "cannot be read" in refusal(from_csv(tmp_path / "nowhere.csv")).problem
    assert "no CSV" in refusal(file('"a;b\n')).problem


def test_values_that_the_file_misses(file):
    error = refusal(file("34;*\n45;*\n"), ["34", "66", "70"])
    assert error.problem == "the hierarchy misses 2 value(s) of the column"
    assert error.examples == ("66", "70")


def test_leaves_that_do_not_fit_the_type(file):
    assert refusal(file("34;*\nold;*\n"), type="integer").problem.startswith("1 of 2")


def test_a_declared_order_is_that_of_the_lines(file):
    h = file("low;x;*\nmid;x;*\nhigh;y;*\n").build([], type="ordered")
    assert h.ordered
    assert h.leaves == ("low", "mid", "high")


@pytest.mark.parametrize("delimiter", ["", ";;", '"', "\n"])
def test_wrong_delimiters(delimiter):
    with pytest.raises(SpecError):
        from_csv("h.csv", delimiter=delimiter)


def test_writing_keeps_every_step_of_a_chain(tmp_path):
    h = tree({"A": {"B": ["x"]}, "C": {"D": ["y", "z"]}}).build(["x"])
    write_csv(h, tmp_path / "h.csv")
    # A and B are both x alone; D and C are one node, named D.
    assert (tmp_path / "h.csv").read_text() == (
        "x;x (level 1);x (level 2);*\n"
        "y;D;D (level 2);*\n"
        "z;D;D (level 2);*\n"
    )  # fmt: skip
    assert from_csv(tmp_path / "h.csv").load().same_as(h)


def test_writing_missing_values_leaves_them_to_the_table(tmp_path):
    h = intervals(10).build(["1", "2", "11", None])
    write_csv(h, tmp_path / "h.csv")
    assert (tmp_path / "h.csv").read_text() == "1;[0, 9];*\n2;[0, 9];*\n11;11 (level 1);*\n".replace(
        "[0, 9]", '"[0, 9]"'
    )
    assert from_csv(tmp_path / "h.csv").build(h.leaves).same_as(h)


def test_writing_replaces_nothing_unasked_and_leaves_nothing_half_written(tmp_path):
    h = flat().build(["a", "b"])
    write_csv(h, tmp_path / "h.csv")
    with pytest.raises(SpecError, match="there already"):
        write_csv(h, tmp_path / "h.csv")
    write_csv(flat().build(["c"]), tmp_path / "h.csv", ",", overwrite=True)
    assert (tmp_path / "h.csv").read_text() == "c,*\n"
    assert [p.name for p in tmp_path.iterdir()] == ["h.csv"]


@pytest.mark.parametrize("values", [[" a", "b"], ["", "b"], [None]])
def test_labels_that_could_not_be_read_back_are_not_written(tmp_path, values):
    with pytest.raises(HierarchyError):
        write_csv(flat().build(values), tmp_path / "h.csv")
    assert not list(tmp_path.iterdir())


@needs_shared
@pytest.mark.parametrize(
    ("name", "problem", "place", "examples"),
    [
        ("missing_value", r"misses 1 value\(s\)", "column 'age'", ("45",)),
        ("ragged", r"1 line\(s\) .* length other than 4", "line 2", ("45",)),
        ("duplicate_conflict", r"1 value\(s\) stand on lines", "lines 1, 2", ("34",)),
        ("not_a_tree", r"1 label\(s\) of level 1 have two parents", "lines 1, 3", ("30s",)),
        ("blank_padded", r"3 line\(s\) .* padded with blanks", "lines 1, 2, 3", ("34", "45", "66")),
    ],
)
def test_awkward_files_are_refused(name, problem, place, examples):
    with pytest.raises(HierarchyError, match=problem) as caught:
        from_csv(AWKWARD / f"{name}.csv").build(AGES, column="age")
    assert caught.value.where.endswith(place)
    assert caught.value.examples == examples


@needs_shared
def test_the_awkward_file_without_a_root_gets_one():
    h = from_csv(AWKWARD / "no_root.csv").build(AGES, column="age")
    assert path(h, "34") == ["34", "<50", "*"]


@needs_shared
def test_the_value_that_a_public_report_could_not_find_is_found():
    case = ROOT / "cases" / "01-hierarchy-misses-first-value"
    rows = [line.split(",") for line in (case / "data.csv").read_text().split()]
    columns = {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}
    for name in ("age", "gender"):
        from_csv(case / f"h_{name}.csv").build(columns[name], column=name)
    with pytest.raises(HierarchyError) as caught:
        from_csv(case / "h_zipcode.csv").build(columns["zipcode"], column="zipcode")
    assert "'zipcode'" in str(caught.value)
    assert caught.value.examples == ("81675",)
