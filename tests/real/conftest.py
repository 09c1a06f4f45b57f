"""Gives every test in this folder the marker `real`, a real API server, a client, a namespace."""

import pathlib
import uuid
from collections.abc import Iterator

import pytest

from tests.real import api as client
from tests.real import build, cluster, sharing

HERE = pathlib.Path(__file__).parent
# Seconds that only a test that hangs needs; a server that is slow fails nothing.
LIMIT = 420
# What kept the binaries from being built, told by the fixture so that each test fails with the sentence.
_cannot_build = pytest.StashKey[str]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.real)
            if item.get_closest_marker("timeout") is None:
                # Whichever test comes first waits for the server to start.
                item.add_marker(pytest.mark.timeout(LIMIT))


def pytest_collection_finish(session: pytest.Session) -> None:
    # Here and not in the fixture, because a first build takes longer than a test may.
    if session.config.option.collectonly or not any(item.get_closest_marker("real") for item in session.items):
        return
    try:
        build.build(say=False)
    except build.BuildError as error:
        session.config.stash[_cannot_build] = str(error)


@pytest.fixture(scope="session")
def real_cluster(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[cluster.Cluster]:
    """A running API server, shared by all workers of this test run."""
    if _cannot_build in request.config.stash:
        pytest.fail(request.config.stash[_cannot_build], pytrace=False)
    base = tmp_path_factory.getbasetemp()
    run = base.parent if hasattr(request.config, "workerinput") else base
    try:
        with sharing.joined(run / "real-cluster") as joined:
            yield joined
    except cluster.ClusterError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def api(real_cluster: cluster.Cluster) -> Iterator[client.Api]:
    """A thread-safe JSON client for the real API server."""
    made = client.Api(real_cluster)
    yield made
    made.close()


@pytest.fixture
def namespace(api: client.Api) -> str:
    """A fresh namespace; nothing deletes it, because without a controller manager deletion never ends."""
    name = f"test-{uuid.uuid4().hex[:10]}"
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    api.ok("POST", "/api/v1/namespaces", body)
    return name
