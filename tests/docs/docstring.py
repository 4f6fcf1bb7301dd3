"""Reading a numpydoc docstring: its sections, and the names that they describe."""

from __future__ import annotations

import inspect
import re

SECTIONS = (
    "Parameters",
    "Attributes",
    "Returns",
    "Yields",
    "Raises",
    "Warns",
    "See Also",
    "Notes",
    "References",
    "Examples",
)


def sections(doc):
    """Return the text of each section by its title, the summary as ``""``, in the order of the docstring."""
    lines = inspect.cleandoc(doc or "").splitlines()
    found, title, body = {}, "", []
    for at, line in enumerate(lines):
        following = lines[at + 1] if at + 1 < len(lines) else ""
        if line.strip() and set(following) == {"-"}:
            found[title] = "\n".join(body).strip()
            title, body = line, []
        elif not (at and set(line) == {"-"} and lines[at - 1] == title):
            body.append(line)
    found[title] = "\n".join(body).strip()
    return found


def described(section):
    """Return the names that a section describes, in order; ``a, b : int`` describes two."""
    names = []
    for line in section.splitlines():
        if line and not line[0].isspace():
            names += [name.strip().lstrip("*") for name in re.split(r"\s:(?:\s|$)", line)[0].split(",")]
    return names


def parameters(thing):
    """Return the names of the parameters of a function or of a class's constructor."""
    try:
        signature = inspect.signature(thing)
    except ValueError:
        return []
    return [name for name in signature.parameters if name not in {"self", "cls"} and not name.startswith("_")]
