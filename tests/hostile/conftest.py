"""Gives every test in this folder the marker `hostile` and one installation to attack, shared by all of them."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest

from tests.hostile import attacks, network, rebinding
from tests.hostile.delivering import deliver
from tests.hostile.installation import Installation, installed
from tests.real import api as client
from tests.real import build, cluster

Json = dict[str, Any]
HERE = pathlib.Path(__file__).parent
# Seconds that only a test that hangs needs; the first test waits for the start of everything.
LIMIT = 600
_cannot_build = pytest.StashKey[str]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.hostile)
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(LIMIT))


def pytest_collection_finish(session: pytest.Session) -> None:
    # Here and not in the fixture, because a first build takes longer than a test may.
    if session.config.option.collectonly or not any(item.get_closest_marker("hostile") for item in session.items):
        return
    try:
        build.build(say=False)
    except build.BuildError as error:
        session.config.stash[_cannot_build] = str(error)


@pytest.fixture(scope="session")
def installation(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """The attacked installation; the tests of this folder run in one process, one after the other."""
    if _cannot_build in request.config.stash:
        pytest.fail(request.config.stash[_cannot_build], pytrace=False)
    try:
        network.leave()
    except network.NoNetworkOfItsOwn as problem:
        # CI runs as root, where this has to work; elsewhere nothing of this folder may run without it.
        if os.geteuid() == 0:
            pytest.fail(str(problem), pytrace=False)
        pytest.skip(str(problem))
    folder = tmp_path_factory.mktemp("hostile")
    places = {attack.namespace for attack in attacks.everything()}
    with (
        rebinding.resolving() as resolver,
        cluster.serving(folder / "cluster", build.build(say=False)) as where,
    ):
        admin = client.Api(where)
        try:
            with installed(folder / "installation", where, admin, places) as made:
                made.resolver = resolver
                yield made
        finally:
            admin.close()


@pytest.fixture(scope="session")
def delivered(installation: Installation) -> dict[str, Json]:
    """All attacks by Applications, delivered at once and at rest; the Application of each by its name."""
    begun = installation.mark()
    apps = deliver(installation, attacks.everything())
    installation.delivery_writes = installation.writes(begun)
    return apps
