"""Gives every test in this folder the marker `argocd`, whose chore builds Dex too."""

import pathlib

import pytest

from tests.dex import build
from tests.real.build import BuildError

HERE = pathlib.Path(__file__).parent
_cannot_build = pytest.StashKey[str]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.argocd)


@pytest.fixture(scope="session")
def dex() -> pathlib.Path:
    """Return the program; `make test-argocd-short` builds it first."""
    try:
        return build.build(say=False)
    except BuildError as error:
        pytest.fail(str(error), pytrace=False)
