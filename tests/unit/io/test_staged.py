"""Outputs appear whole and together, or not at all."""

import io
import os
import stat

import polars as pl
import pytest

from shoal.errors import SpecError
from shoal.io.dialect import Dialect
from shoal.io.sink import output_kind, write
from shoal.io.staged import Staged


def test_nothing_is_there_before_the_commit_and_everything_after(tmp_path):
    with Staged() as files:
        first, second = files.add(tmp_path / "a"), files.add(tmp_path / "b", private=True)
        assert first.parent == tmp_path
        first.write_text("1")
        second.write_text("2")
        assert not (tmp_path / "a").exists()
        files.commit()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
    assert (tmp_path / "a").read_text() == "1"


@pytest.mark.parametrize("stop", [ValueError, KeyboardInterrupt, SystemExit])
def test_whatever_stops_the_work_leaves_nothing_behind(tmp_path, stop):
    def work():
        with Staged() as files:
            files.add(tmp_path / "a").write_text("1")
            raise stop

    with pytest.raises(stop):
        work()
    assert list(tmp_path.iterdir()) == []


def test_without_a_commit_nothing_stays(tmp_path):
    with Staged() as files:
        files.add(tmp_path / "a").write_text("1")
    assert list(tmp_path.iterdir()) == []


def test_an_existing_target_needs_force(tmp_path):
    target = tmp_path / "a"
    target.write_text("old")
    with Staged() as files, pytest.raises(SpecError, match="exists already") as caught:
        files.add(target)
    assert str(target) in caught.value.where
    assert caught.value.exit_code == 2
    with Staged(force=True) as files:
        files.add(target).write_text("new")
        assert target.read_text() == "old"
        files.commit()
    assert target.read_text() == "new"


def test_a_target_that_appears_meanwhile_is_kept_and_nothing_is_written(tmp_path):
    with Staged() as files:
        files.add(tmp_path / "a").write_text("1")
        files.add(tmp_path / "b").write_text("1")
        (tmp_path / "b").write_text("theirs")
        with pytest.raises(SpecError, match="exists already"):
            files.commit()
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
    assert (tmp_path / "b").read_text() == "theirs"


def test_targets_that_cannot_be_are_refused(tmp_path):
    with Staged() as files:
        for path in (tmp_path, tmp_path / "no" / "a"):
            with pytest.raises(SpecError):
                files.add(path)
        files.add(tmp_path / "a")
        with pytest.raises(SpecError, match="same path"):
            files.add(tmp_path / "a")
        (tmp_path / "link").symlink_to(tmp_path / "nowhere")
        with pytest.raises(SpecError, match="exists already"):
            files.add(tmp_path / "link")


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_private_files_are_private_and_public_ones_follow_the_umask(tmp_path):
    old = os.umask(0o022)
    try:
        with Staged() as files:
            for name, private in (("public", False), ("private", True)):
                path = files.add(tmp_path / name, private=private)
                write(pl.LazyFrame({"a": [1]}), path, kind="csv")
            files.commit()
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "public").stat().st_mode) == 0o644
    assert stat.S_IMODE((tmp_path / "private").stat().st_mode) == 0o600


def test_standard_output_gets_its_bytes_at_the_commit():
    out = io.BytesIO()
    with Staged(stdout=out) as files:
        write(pl.LazyFrame({"a": ["x"]}), files.add("-"), kind="csv")
        assert out.getvalue() == b""
        files.commit()
    assert out.getvalue() == b"a\nx\n"


@pytest.mark.parametrize(
    ("missing", "wanted"),
    [(("",), b"a;b\n;1\n"), (("?",), b"a;b\n?;1\n"), (("", "?"), b"a;b\n;1\n"), ((";",), b"a;b\n;1\n")],
)
def test_missing_cells_are_written_as_they_were_where_that_is_known(tmp_path, missing, wanted):
    path = tmp_path / "o"
    write(pl.LazyFrame({"a": [None], "b": ["1"]}), path, kind="csv", dialect=Dialect(";", missing=missing))
    assert path.read_bytes() == wanted


def test_the_suffix_names_the_output_format():
    assert [output_kind(path) for path in ("a.csv", "A.TSV", "a.parquet", "-")] == ["csv", "tsv", "parquet", "csv"]
    with pytest.raises(SpecError, match="suffix"):
        output_kind("a.xlsx")


def test_typed_columns_are_written_as_their_canonical_text(tmp_path):
    path = tmp_path / "o"
    write(pl.LazyFrame({"a": [2.0, 0.1, None], "b": [True, False, None]}), path, kind="tsv")
    assert path.read_bytes() == b"a\tb\n2\ttrue\n0.1\tfalse\n\t\n"


def test_a_disk_that_refuses_is_an_error_without_cells(tmp_path):
    with pytest.raises(Exception, match="cannot be written") as caught:
        write(pl.LazyFrame({"a": ["Zebedee"]}).select(pl.col("a").cast(pl.Int8)), tmp_path / "o", kind="csv")
    assert "Zebedee" not in str(caught.value)


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("spelled", ["table.csv", "sub/../table.csv", "link.csv"])
def test_no_output_replaces_what_it_is_made_of(tmp_path, force, spelled):
    (tmp_path / "sub").mkdir()
    (tmp_path / "table.csv").write_text("people")
    (tmp_path / "link.csv").symlink_to(tmp_path / "table.csv")
    with (
        Staged(force=force, inputs=["-", str(tmp_path / "table.csv")]) as files,
        pytest.raises(SpecError, match="replace an input") as caught,
    ):
        files.add(tmp_path / spelled)
    assert caught.value.fix
    assert (tmp_path / "table.csv").read_text() == "people"


def test_one_path_spelled_in_two_ways_is_one_output(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with Staged(force=True) as files:
        files.add("a")
        with pytest.raises(SpecError, match="same path"):
            files.add(tmp_path / "a")


def test_without_a_standard_output_the_error_says_so(monkeypatch):
    monkeypatch.setattr("sys.stdout", None)
    with Staged() as files:
        files.add("-").write_bytes(b"a")
        with pytest.raises(SpecError, match="standard output is closed"):
            files.commit()


def test_a_folder_is_no_output(tmp_path):
    with pytest.raises(SpecError, match="is a folder"):
        output_kind(tmp_path)
