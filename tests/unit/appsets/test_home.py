"""What generators ask of the control plane: a kind that was installed a moment ago is found too."""

import asyncio
from types import SimpleNamespace
from typing import cast

from syncline.apimachinery.keys import GroupVersionKind
from syncline.controller.appsets.home import read_home
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.core.appset.questions import Failure, ObjectsQuestion
from syncline.core.policy.set_tenancy import SetTenancy
from syncline.ports.kube import ApiResource, Discovery, Listed

PLACEMENTS = ApiResource(gvk=GroupVersionKind("example.com", "v1", "Placement"), plural="placements", namespaced=True)
ASKED = ObjectsQuestion("example.com/v1", "placements", "both")
FOUND = {"metadata": {"name": "both"}}


class Home:
    """An API server that serves a kind which the live view has not heard of."""

    def __init__(self, *served: ApiResource) -> None:
        self._served = served

    async def discover(self) -> Discovery:
        return Discovery(self._served)

    async def list(self, _resource: ApiResource, *, namespace: str, label_selector: str) -> Listed:
        assert (namespace, label_selector) == ("argocd", "")
        return Listed((FOUND, {"metadata": {"name": "other"}}), "1")


def answer(home: Home) -> object:
    world = cast("World", SimpleNamespace(home=home, settings=SimpleNamespace(namespace="argocd")))
    live = cast("LiveCluster", SimpleNamespace(discovery=Discovery(())))
    return asyncio.run(read_home(world, live, ASKED, SetTenancy(is_operators=True)))


def test_a_kind_that_was_just_installed_is_found() -> None:
    assert answer(Home(PLACEMENTS)) == (FOUND,)


def test_a_kind_that_is_not_there_is_told() -> None:
    assert answer(Home()) == Failure("placements of example.com/v1 are not served: install their CRD")
