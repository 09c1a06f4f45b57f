"""Gives every test in this folder the marker `node` and a cluster with two real nodes, shared by all of them.

`nodes` is the cluster (`tests.node.cluster.NodeCluster`), `api` a plain JSON client for it, `namespace` a namespace
that is deleted afterwards. The tests run in one process, one after the other.
"""

import pathlib
import tempfile
import uuid
from collections.abc import Iterator

import pytest

from tests.node import build, cluster, requirements
from tests.node.network import NoNetwork
from tests.real import api as client
from tests.real import build as servers
from tests.real.cluster import ClusterError

HERE = pathlib.Path(__file__).parent
# Seconds that only a test that hangs needs; the first test waits for the start of everything.
LIMIT = 900
_cannot_build = pytest.StashKey[str]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.node)
            if item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(LIMIT))


def pytest_collection_finish(session: pytest.Session) -> None:
    # Here and not in the fixture, because a first build takes longer than a test may.
    if session.config.option.collectonly or not any(item.get_closest_marker("node") for item in session.items):
        return
    if requirements.missing():
        return
    try:
        build.build(say=False)
    except servers.BuildError as error:
        session.config.stash[_cannot_build] = str(error)


@pytest.fixture(scope="session")
def nodes(request: pytest.FixtureRequest) -> Iterator[cluster.NodeCluster]:
    """A running cluster with two nodes."""
    if sentence := requirements.missing():
        pytest.skip(sentence)
    if _cannot_build in request.config.stash:
        pytest.fail(request.config.stash[_cannot_build], pytrace=False)
    # Not below pytest's folder: paths of sockets must be short.
    with tempfile.TemporaryDirectory(prefix="syncline-node-", ignore_cleanup_errors=True) as folder:
        try:
            with cluster.serving(pathlib.Path(folder)) as started:
                yield started
        except (ClusterError, NoNetwork) as error:
            pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def api(nodes: cluster.NodeCluster) -> Iterator[client.Api]:
    """A thread-safe JSON client for the cluster."""
    opened = client.Api(nodes.cluster)
    yield opened
    opened.close()


@pytest.fixture
def namespace(api: client.Api) -> Iterator[str]:
    """A fresh namespace, deleted afterwards with all that is in it."""
    name = f"test-{uuid.uuid4().hex[:10]}"
    api.ok("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    yield name
    api.request("DELETE", f"/api/v1/namespaces/{name}")
