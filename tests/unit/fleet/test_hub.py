"""Clusters that Applications are delivered to are found in the kubeconfig by their address, or named as not read."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any, cast

import pytest

from syncline.apimachinery.keys import GroupVersionKind
from syncline.model.errors import NeedsUser
from syncline.ports.kube import ApiResource, ClusterReader, Page
from syncline.ports.transport import TransportError
from syncline.verbs.fleet.hub import Contexts, FleetWish, read_fleet
from tests.unit.live.served import MAPS, Served

FAR = "https://far.example.com"
APPS = ApiResource(
    gvk=GroupVersionKind("argoproj.io", "v1alpha1", "Application"),
    plural="applications",
    namespaced=True,
    verbs=frozenset({"list"}),
)
WISH = FleetWish(name="home", server="https://10.0.0.1", as_of="2026-01-01T00:00:00Z", namespaces=("argocd",))
NO_WAY = "no context of the kubeconfig reaches it"


def an_app(destination: Mapping[str, str]) -> dict[str, Any]:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "a", "namespace": "argocd"},
        "spec": {"destination": dict(destination)},
    }


def home(destination: Mapping[str, str]) -> Served:
    served = Served(APPS, MAPS)
    served.lists[APPS.path()] = [[Page([an_app(destination)], "1", begins=True)]]
    return served


class Unreachable(Served):
    """A cluster that does not answer."""

    async def discover(self) -> Any:
        raise TransportError("far.example.com does not answer")


def clusters(
    destination: Mapping[str, str], contexts: Mapping[str, str], far: Served | Exception
) -> list[tuple[str, str]]:
    @contextlib.asynccontextmanager
    async def opened(context: str) -> AsyncIterator[ClusterReader]:
        assert context == "far"
        if isinstance(far, Exception):
            raise far
        yield cast("ClusterReader", far)

    read = asyncio.run(read_fleet(cast("ClusterReader", home(destination)), WISH, Contexts(contexts, opened)))
    return [(one.name, one.problem) for one in read.snapshot.clusters]


@pytest.mark.parametrize(
    ("destination", "contexts", "found"),
    [
        ({"server": FAR}, {FAR: "far"}, [("home", ""), ("far", "")]),
        ({"server": FAR + "/"}, {FAR: "far"}, [("home", ""), ("far", "")]),
        ({"server": FAR}, {}, [("home", ""), (FAR, NO_WAY)]),
        ({"name": "far"}, {FAR: "far"}, [("home", ""), ("far", "")]),
        ({"name": "other"}, {FAR: "far"}, [("home", ""), ("other", NO_WAY)]),
        ({"server": "https://10.0.0.1"}, {}, [("home", "")]),
        ({"name": "in-cluster"}, {}, [("home", "")]),
    ],
)
def test_other_clusters_are_found_by_their_address(
    destination: dict[str, str], contexts: dict[str, str], found: list[tuple[str, str]]
) -> None:
    assert clusters(destination, contexts, Served(MAPS)) == found


@pytest.mark.parametrize(
    ("far", "problem"),
    [
        (Unreachable(), "far.example.com does not answer"),
        (NeedsUser("the plugin of user far is not installed"), "the plugin of user far is not installed"),
    ],
)
def test_a_cluster_that_cannot_be_read_says_why(far: Served | Exception, problem: str) -> None:
    assert clusters({"server": FAR}, {FAR: "far"}, far)[1][1] == problem
