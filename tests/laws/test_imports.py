"""What may import what, beyond the layers that import-linter checks."""

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import shoal

HEAVY = ("numpy", "polars", "numba", "narwhals", "pandas", "pyarrow", "scipy", "typer", "rich")
HERE = Path(__file__).resolve()
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(shoal.__path__, "shoal.")
    # The kernels are nobody's face: only other packages of shoal call them.
    if not any(part.startswith("_") or part == "kernels" for part in module.name.split("."))
)


def loaded_by(code):
    """Return which of the heavy libraries a fresh interpreter holds after running *code*."""
    code += f"\nimport sys\nprint('loaded:', *[name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()[1:]


def test_importing_shoal_loads_no_other_library():
    assert loaded_by("import shoal") == []


def test_what_publishes_a_table_loads_no_attack():
    code = "import sys, shoal.workflow\nprint(*[name for name in sys.modules if 'attack' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_asking_for_help_loads_no_data_library():
    code = """
import sys
sys.argv = ["shoal", "--help"]
from shoal.cli.main import run
try:
    run()
except SystemExit:
    pass
"""
    assert set(loaded_by(code)) <= {"typer", "rich"}


def test_every_public_name_is_there_and_is_listed():
    for name in shoal.__all__:
        assert getattr(shoal, name) is not None
    assert dir(shoal) == sorted(shoal.__all__)
    with pytest.raises(AttributeError, match="no attribute"):
        shoal.no_such_name  # noqa: B018


def test_type_checkers_see_the_public_names_where_they_live():
    tree = ast.parse(Path(shoal.__file__).read_text("utf-8"))
    block = next(
        node for node in tree.body if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    seen = {
        node.module: sorted(alias.name for alias in node.names)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
    }
    assert seen == {module: sorted(names) for module, names in shoal._HOMES.items()}
    assert sorted(shoal.__all__) == sorted([*shoal._HOME_OF, "__version__"])


@pytest.mark.parametrize("name", MODULES)
def test_a_module_lists_its_public_names(name):
    module = importlib.import_module(name)
    own = {
        key
        for key, value in vars(module).items()
        if not key.startswith("_")
        and (inspect.isclass(value) or inspect.isfunction(value))
        and value.__module__ == name
    }
    if own:
        assert hasattr(module, "__all__"), f"add __all__ to {name}"
    for key in getattr(module, "__all__", ()):
        assert hasattr(module, key), f"{name}.__all__ lists {key}, which is not there"


def test_oracles_know_nothing_of_shoal():
    for path in sorted(HERE.parents[1].joinpath("oracles").glob("**/*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not [name for name in names if name.split(".")[0] == "shoal"], path.name
