"""Gives every test in this folder the marker `argocd`, Argo CD's module, and Argo CD itself."""

import pathlib
from collections.abc import Iterator

import pytest

from tests.argocd import build
from tests.argocd.module import Module, archive
from tests.real import build as real

HERE = pathlib.Path(__file__).parent
# Seconds; the first test may have to fetch the module.
LIMIT = 600
# What kept the programs from being built, told by the fixture so that each test fails with the sentence.
_cannot_build = pytest.StashKey[str]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.argocd)
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(LIMIT))


def pytest_collection_finish(session: pytest.Session) -> None:
    # Here and not in the fixture, because a first build takes longer than a test may.
    if session.config.option.collectonly:
        return
    if not any("programs" in getattr(item, "fixturenames", ()) for item in session.items):
        return
    try:
        build.build(say=False)
        real.build(say=False)
    except real.BuildError as error:
        session.config.stash[_cannot_build] = str(error)


@pytest.fixture(scope="session")
def programs(request: pytest.FixtureRequest) -> build.Programs:
    """The real Argo CD and what it needs, to be run by `tests.argocd.harness`; kube-apiserver is built too."""
    if _cannot_build in request.config.stash:
        pytest.fail(request.config.stash[_cannot_build], pytrace=False)
    return build.build(say=False)


@pytest.fixture(scope="session")
def argocd() -> Iterator[Module]:
    """Argo CD's module, of the version that we compare with."""
    module = Module(archive())
    yield module
    module.close()
