"""Docstrings follow numpydoc and say what a reader needs; their examples run as doctests."""

import builtins
import importlib
import inspect
import pkgutil

import pytest

import shoal
from docs.docstring import SECTIONS, described, parameters, sections
from shoal import errors

NOTES = {
    "models": ("Nulls:", "Weights:", "Monotone:", "Cost:"),
    "loss": ("Range:", "0 means:", "Weights:"),
    "attacks": ("Attacker:", "Baseline:", "Control:", "Cost:"),
    "algorithms": ("Optimality:", "Deterministic:", "Cost:", "Models:"),
}


def published():
    """Yield each function, class and method that a module lists, by its full name."""
    for found in pkgutil.walk_packages(shoal.__path__, "shoal."):
        if found.name.endswith("__main__"):
            continue
        module = importlib.import_module(found.name)
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if not (inspect.isclass(thing) or inspect.isfunction(thing)) or thing.__module__ != found.name:
                continue
            yield f"{found.name}.{name}", thing
            if inspect.isclass(thing):
                for key, value in vars(thing).items():
                    function = getattr(value, "__func__", value)
                    if not key.startswith("_") and inspect.isfunction(function) and function.__name__ == key:
                        yield f"{found.name}.{name}.{key}", function


PUBLISHED = dict(published())


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_public_object_is_documented_by_numpydoc(name):
    thing = PUBLISHED[name]
    assert thing.__doc__, "no docstring"
    found = sections(thing.__doc__)
    assert found[""].splitlines()[0].endswith((".", "?")), "the summary is one sentence on one line"
    titles = [title for title in found if title]
    assert set(titles) <= set(SECTIONS), "unknown section"
    assert titles == sorted(titles, key=SECTIONS.index), "sections out of numpydoc's order"
    if "Parameters" in found:
        assert sorted(described(found["Parameters"])) == sorted(parameters(thing)), "differs from the signature"
    for raised in described(found.get("Raises", "")):
        assert hasattr(errors, raised) or hasattr(builtins, raised), f"no error {raised}"


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (kind, name)
        for kind, registry in [
            ("models", "MODELS"),
            ("loss", "LOSSES"),
            ("attacks", "ATTACKS"),
            ("algorithms", "ALGORITHMS"),
        ]
        for name in getattr(importlib.import_module(f"shoal.{kind}"), registry, ())
    ],
)
def test_what_can_be_chosen_by_name_states_its_properties_and_its_source(kind, name):
    registry = {"models": "MODELS", "loss": "LOSSES", "attacks": "ATTACKS", "algorithms": "ALGORITHMS"}[kind]
    cls = getattr(importlib.import_module(f"shoal.{kind}"), registry)[name]
    found = sections(cls.__doc__)
    for line in NOTES[kind]:
        assert line in found.get("Notes", ""), f"Notes of {name} lack the line {line!r}"
    assert "References" in found or kind == "algorithms"
    assert "Examples" in found or kind == "algorithms"
