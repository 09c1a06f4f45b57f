"""Gives every test in this folder the marker `argocd` and Argo CD's module."""

import pathlib
from collections.abc import Iterator

import pytest

from tests.argocd.module import Module, archive

HERE = pathlib.Path(__file__).parent
# Seconds; the first test may have to fetch the module.
LIMIT = 600


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.argocd)
            item.add_marker(pytest.mark.timeout(LIMIT))


@pytest.fixture(scope="session")
def argocd() -> Iterator[Module]:
    """Argo CD's module, of the version that we compare with."""
    module = Module(archive())
    yield module
    module.close()
