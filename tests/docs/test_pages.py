"""The documentation is true: links resolve, terms exist, code runs."""

import ast
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import typer

from shoal.cli.main import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


def blocks(page, language):
    """Return the fenced blocks of one language, each with the comment that follows it."""
    pattern = rf"^( *)```{language}\n(.*?)^ *```\n(?:<!-- (.*?) -->)?"
    return [
        (re.sub(rf"^{indent}", "", body, flags=re.MULTILINE), note)
        for indent, body, note in re.findall(pattern, page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    ]


def anchors(page):
    """Return the anchors of a page's headings as they are made on the web."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", NAMES)
def test_links_resolve(name):
    page = ROOT / name
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), target
        if anchor:
            assert anchor in anchors(linked), target


def layers_that_are_checked():
    """Return the layers from the top down, each a set of packages."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    return [set(re.findall(r"\w+", layer)) for layer in layers]


def test_the_layers_that_are_told_are_those_that_are_checked():
    told = re.search(
        r"^```\n(cli\n.*?)^```", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert [set(re.findall(r"\w+", line)) for line in told[1].splitlines()] == layers_that_are_checked()
    _, table = (ROOT / "docs/explanation/how_it_works.md").read_text("utf-8").split("\n## The layers\n")
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    assert [set(re.findall(r"`(\w+)`", row)) for row in rows] == layers_that_are_checked()


@pytest.mark.parametrize("name", NAMES)
def test_files_of_the_repository_that_a_page_names_are_there(name):
    # How to add a model names the two files that its reader is about to write.
    to_be_written = {"src/shoal/models/bounded.py", "tests/oracles/bounded.py"}
    for path in set(
        re.findall(r"`((?:src/)?(?:shoal|tests|benchmarks)/[\w/]+\.py)`", (ROOT / name).read_text("utf-8"))
    ):
        assert path in to_be_written or (ROOT / path).exists() or (ROOT / "src" / path).exists(), path


@pytest.mark.parametrize("name", NAMES)
def test_code_of_a_page_is_valid(name):
    for body, _ in blocks(ROOT / name, "python"):
        ast.parse(body)
    for body, _ in blocks(ROOT / name, "toml"):
        tomllib.loads(body)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_listed_where_readers_look(name):
    if name.startswith("docs/decisions/0"):
        assert f"({Path(name).name})" in (ROOT / "docs/decisions/README.md").read_text("utf-8")
    elif name.startswith("docs/reference/"):
        assert f"({Path(name).name})" in (ROOT / "docs/reference/README.md").read_text("utf-8") + "(README.md)"
    elif name.startswith("docs/") and name != "docs/README.md":
        assert f"({name.removeprefix('docs/')})" in (ROOT / "docs/README.md").read_text("utf-8")


def command_of(words):
    """Return a command of the command line, its words, and what stands behind them."""
    command, used, rest = typer.main.get_command(app), [], list(words)
    while hasattr(command, "commands") and rest and rest[0] in command.commands:
        used.append(rest.pop(0))
        command = command.commands[used[-1]]
    return command, " ".join(used), rest


def options_of(command):
    """Return the options that a command takes, or any of its commands."""
    if hasattr(command, "commands"):
        return set().union(*map(options_of, command.commands.values()))
    return {"-h", "--help"} | {option for parameter in command.params for option in parameter.opts}


@pytest.mark.parametrize("name", NAMES)
def test_commands_of_a_page_exist_with_their_options(name):
    text = re.sub(r"\\\n\s*", " ", (ROOT / name).read_text("utf-8"))
    for line in re.findall(r"(?:^ *\$ |^|`)shoal ([a-z][^\n`]*)", text, re.MULTILINE):
        if not re.match(r"(init|audit|anonymize|verify|sweep|utility|attack|hierarchy|list)\b", line):
            continue
        command, _, rest = command_of(shlex.split(line.partition("  #")[0]))
        assert not (hasattr(command, "commands") and rest[:1] and not rest[0].startswith("-")), line
        given = {word.partition("=")[0] for word in rest if re.match(r"--?[a-z]", word)}
        assert given <= options_of(command), line


def test_the_reference_has_every_command_and_no_option_that_a_command_lacks():
    text = (ROOT / "docs/reference/command_line.md").read_text("utf-8")
    sections = dict(re.findall(r"^## shoal ([a-z ]+)\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    told = {name.split()[0] for name in sections}
    assert told == set(typer.main.get_command(app).commands)
    for name, body in sections.items():
        named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", body))
        # A section may speak of another command: it then writes it out.
        for other in re.findall(r"`shoal ([^`]*)`", body):
            named -= set(re.findall(r"--[a-z][a-z-]*", other))
        assert named <= options_of(command_of(name.split())[0]), name


RUNNING = (
    "README.md",
    "docs/how-to/coming_from_pycanon.md",
    "docs/how-to/add_a_model.md",
    "docs/how-to/report_a_release.md",
    "docs/how-to/release_again.md",
    "docs/how-to/publish_buckets.md",
)


@pytest.mark.parametrize("name", RUNNING)
def test_python_of_a_page_runs(name, tmp_path):
    for body, _ in blocks(ROOT / name, "python"):
        # A module of its own, since dataclasses look their module up.
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", body],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr


def test_commands_of_the_tutorial_run(tmp_path):
    lines = [
        (line.removeprefix("$ "), note)
        for body, note in blocks(ROOT / "docs/tutorials/first_release.md", "console")
        for line in body.splitlines()
        if line.startswith("$ ") and "dev.py" not in line and "activate" not in line
    ]
    assert len(lines) > 5
    entry = "import sys; from shoal.cli.main import run; sys.exit(run())"
    programs = {"shoal": [sys.executable, "-c", entry], "python": [sys.executable], "head": ["head"]}
    for line, note in lines:
        program, *options = shlex.split(line)
        done = subprocess.run(
            [*programs[program], *options], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        expected = int(note.removeprefix("exit code: ")) if note else 0
        assert done.returncode == expected, f"{line}\n{done.stdout}\n{done.stderr}"


def test_every_policy_and_every_check_is_in_the_reference():
    from shoal.workflow.policy import Policy, known_policies
    from shoal.workflow.policy_checks import CHECKS

    text = (ROOT / "docs/reference/policies.md").read_text("utf-8")
    for name in known_policies():
        policy = Policy.named(name)
        assert f"| `{name}` | {policy.title} | {'; '.join(check.title for check in policy.checks)} |" in text
        assert f"[{policy.citation}]({policy.url}), {policy.dated}" in text
        row = next(line for line in text.splitlines() if line.startswith(f"| `{name}` |"))
        for mark in "KO":
            titles = [check.title for check in policy.checks if check.confidence == mark]
            assert (f"; {mark}: {', '.join(titles)}" in row) == bool(titles)
    assert all(f"`{name}`" in text for name in CHECKS)


def test_every_name_of_the_glossary_is_in_the_code():
    text = (ROOT / "docs/glossary.md").read_text("utf-8")
    code = "\n".join(path.read_text("utf-8") for path in sorted((ROOT / "src").glob("**/*.py")))
    known = set(re.findall(r"\w+", code))
    named = {name for line in text.splitlines() for name in re.findall(r"`(\w+)`", line)}
    assert len(named) > 30
    assert named <= known


def test_what_can_be_chosen_has_a_line_in_the_glossary():
    from shoal.algorithms import ALGORITHMS
    from shoal.attacks import ATTACKS
    from shoal.core.schema import Role
    from shoal.loss import LOSSES
    from shoal.models import MODELS

    text = (ROOT / "docs/glossary.md").read_text("utf-8")
    terms = set(re.findall(r"^\*\*(.*?)\*\*", text, re.MULTILINE))
    assert {*MODELS, *LOSSES, *ALGORITHMS, *ATTACKS, *Role} <= terms
