"""`import syncline` offers a few names and loads nothing before one of them is used."""

import importlib
import subprocess
import sys

import pytest

import syncline

PUBLIC = sorted(set(syncline.__all__) - {"__version__"})
LOADED = "import sys, syncline; print(*[name for name in sys.modules if name.startswith('syncline.')])"


def test_importing_the_package_loads_no_module_of_it() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout.split() == []


def test_importing_the_package_does_not_import_typing_or_asyncio() -> None:
    code = "import sys; before = set(sys.modules); import syncline; print(*set(sys.modules) - before)"
    command = [sys.executable, "-S", "-c", f"import sys; sys.path.insert(0, {_source()!r}); {code}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    assert done.stdout.split() == ["syncline"]


def _source() -> str:
    import pathlib

    return str(pathlib.Path(syncline.__file__).parents[1])


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    found = getattr(syncline, name)
    assert (found.__doc__ or "").strip()


def test_the_table_of_homes_and_the_list_of_public_names_agree() -> None:
    homes = [name for names in syncline._HOMES.values() for name in names]
    assert sorted(homes) == PUBLIC
    assert dir(syncline) == sorted(syncline.__all__)


def test_a_name_that_does_not_exist_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'rendr'"):
        syncline.rendr  # type: ignore[attr-defined] # noqa: B018


def test_modules_of_the_package_are_still_imported_by_name() -> None:
    assert importlib.import_module("syncline.model.errors").SynclineError is syncline.SynclineError
