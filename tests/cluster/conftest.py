"""Gives every test in this folder the marker `cluster`, a whole control plane, a client, a namespace.

`control_plane` says how to reach it (address, kubeconfig, tokens), `plane` is a plain JSON client for it, `namespace` a
namespace that is deleted afterwards. One control plane serves all tests of a run: a test keeps to its namespace, and
names of its own for what has none.
"""

import pathlib
import uuid
from collections.abc import Iterator

import pytest

from tests.cluster import build
from tests.real import api as client
from tests.real import build as servers
from tests.real import cluster, sharing

HERE = pathlib.Path(__file__).parent
# Seconds that only a test that hangs needs; a control plane that is slow fails nothing.
LIMIT = 420
_cannot_build = pytest.StashKey[str]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.cluster)
            if item.get_closest_marker("timeout") is None:
                # Whichever test comes first waits for the control plane to start.
                item.add_marker(pytest.mark.timeout(LIMIT))


def pytest_collection_finish(session: pytest.Session) -> None:
    # Here and not in the fixture, because a first build takes longer than a test may.
    if session.config.option.collectonly or not any(item.get_closest_marker("cluster") for item in session.items):
        return
    try:
        build.build(say=False)
    except servers.BuildError as error:
        session.config.stash[_cannot_build] = str(error)


@pytest.fixture(scope="session")
def control_plane(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[cluster.Cluster]:
    """A running control plane, shared by all workers of this test run."""
    if _cannot_build in request.config.stash:
        pytest.fail(request.config.stash[_cannot_build], pytrace=False)
    base = tmp_path_factory.getbasetemp()
    run = base.parent if hasattr(request.config, "workerinput") else base
    try:
        with sharing.joined(run / "control-plane", owner="tests.cluster.plane") as joined:
            yield joined
    except cluster.ClusterError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def plane(control_plane: cluster.Cluster) -> Iterator[client.Api]:
    """A thread-safe JSON client for the control plane."""
    made = client.Api(control_plane)
    yield made
    made.close()


@pytest.fixture
def namespace(plane: client.Api) -> Iterator[str]:
    """A fresh namespace, deleted afterwards with all that is in it."""
    name = f"test-{uuid.uuid4().hex[:10]}"
    plane.ok("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    yield name
    plane.request("DELETE", f"/api/v1/namespaces/{name}")
