"""Every hierarchy file of the shared tables loads and is what its lines say.

The files come with their tables. Some hold trees of unequal depth, chains of single children, roots with a text of
their own, or labels that a leaf and a group share.
"""

import csv
import functools

import numpy as np
import pytest

from shared import ROOT, needs_shared
from shoal.errors import ShoalWarning
from shoal.hierarchies import from_csv, write_csv

# Three files of cahousing repeat a line; a test of its own says so.
pytestmark = pytest.mark.filterwarnings("ignore::shoal.errors.ShoalWarning")

FILES = sorted((ROOT / "data").glob("**/*hierarchy*.csv"))


@functools.cache
def hierarchy_of(file):
    return from_csv(file).load()


def lines_of(file):
    with file.open(encoding="utf-8", newline="") as opened:
        return list(csv.reader(opened, delimiter=";"))


@needs_shared
def test_all_files_are_there():
    assert len(FILES) == 54


@needs_shared
@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_levels_group_the_values_as_the_lines_do(file):
    lines = lines_of(file)
    h = hierarchy_of(file)
    assert set(h.leaves) == {line[0] for line in lines}
    assert len(h.leaves) == len(set(h.leaves))
    assert h.labels[h.root] == "*"
    code = np.array([h.codes[line[0]] for line in lines])
    rooted = len({line[-1] for line in lines}) == 1
    assert h.n_levels == len(lines[0]) + (not rooted)
    for level in range(1, len(lines[0])):
        # One label is one node and one node one label, apart from chains, where two levels are one node.
        pairs = {(line[level], int(node)) for line, node in zip(lines, h.levels[level][code], strict=True)}
        assert len(pairs) == len({label for label, _ in pairs}) == len({node for _, node in pairs})


@needs_shared
def test_adult_reads_as_arx_prints_it():
    h = from_csv(ROOT / "data" / "arx-adult" / "adult_hierarchy_age.csv").load()
    assert h.ordered
    assert h.leaves == tuple(str(age) for age in range(1, 101))
    assert [h.labels[node] for node in h.levels[:, h.codes["37"]]] == ["37", "35-39", "30-39", "20-39", "*"]
    h = from_csv(ROOT / "data" / "arx-adult" / "adult_hierarchy_education.csv").load()
    assert [h.labels[node] for node in h.levels[:, h.codes["Bachelors"]]][1:] == [
        "Undergraduate",
        "Higher education",
        "*",
    ]


@needs_shared
def test_number_codes_with_scattered_groups_are_nominal():
    names = [file.stem for file in FILES if not hierarchy_of(file).ordered]
    numbers = [name for name in names if not name.startswith("adult")]
    # Groups of the genetic benchmark's integer codes are not contiguous in number order.
    assert len(numbers) == 29
    assert all(name.split("_int_")[0] in ("creditcard", "mach2019") for name in numbers)


@needs_shared
def test_a_line_that_stands_twice_is_passed_over_with_a_warning():
    file = next(file for file in FILES if file.stem.endswith("latitude"))
    with pytest.warns(ShoalWarning, match="line 517"):
        from_csv(file).load()


SMALL = [file for file in FILES if file.stat().st_size < 100_000]


@needs_shared
@pytest.mark.parametrize("file", SMALL, ids=[file.stem for file in SMALL])
def test_written_files_read_back_equal(file, tmp_path):
    h = hierarchy_of(file)
    write_csv(h, tmp_path / "h.csv", ",")
    assert from_csv(tmp_path / "h.csv").load().same_as(h)
