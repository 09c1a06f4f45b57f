"""Lists come in pages, and a list that expires half way is read again."""

import pytest

from syncline.adapters.kube.client import KubeCluster
from syncline.ports.kube import ApiError, Listed
from tests.unit.kube_client.scripted import CONFIG_MAPS, NAMESPACES, Scripted, json, refusal


def item(name: str) -> dict[str, object]:
    return {"metadata": {"name": name}}


def whole(name: str) -> dict[str, object]:
    return {"metadata": {"name": name}, "apiVersion": "v1", "kind": "ConfigMap"}


def page(*names: str, token: str = "", version: str = "7") -> dict[str, object]:
    metadata = {"resourceVersion": version, "continue": token} if token else {"resourceVersion": version}
    return {"kind": "ConfigMapList", "metadata": metadata, "items": [item(name) for name in names]}


async def test_pages_are_joined_and_items_learn_their_kind() -> None:
    transport = Scripted(json(page("a", "b", token="t/1=")), json(page("c")))
    listed = await KubeCluster(transport).list(CONFIG_MAPS, namespace="shop", label_selector="app in (a,b)")
    assert listed == Listed((whole("a"), whole("b"), whole("c")), "7")
    path, selector = "/api/v1/namespaces/shop/configmaps", {"labelSelector": "app in (a,b)"}
    assert transport.asked() == [
        ("GET", path, {**selector, "limit": "500"}),
        ("GET", path, {**selector, "limit": "500", "continue": "t/1="}),
    ]
    assert all(answer.closed for answer in transport.given)


async def test_a_list_that_expires_between_pages_is_read_again_in_one_piece() -> None:
    expired = refusal(410, "Expired", "The provided continue parameter is too old")
    transport = Scripted(json(page("old", token="t")), expired, json(page("a", "b", version="9")))
    assert await KubeCluster(transport).list(CONFIG_MAPS) == Listed((whole("a"), whole("b")), "9")
    assert [query for _, _, query in transport.asked()] == [
        {"limit": "500"},
        {"limit": "500", "continue": "t"},
        {},
    ]


@pytest.mark.parametrize("items", [None, []])
async def test_an_empty_list_may_be_null(items: object) -> None:
    answer = {"kind": "NamespaceList", "metadata": {"resourceVersion": "3"}, "items": items}
    assert await KubeCluster(Scripted(json(answer))).list(NAMESPACES) == Listed((), "3")


async def test_a_list_that_is_forbidden_says_so() -> None:
    message = 'configmaps is forbidden: User "eve" cannot list resource "configmaps" at the cluster scope'
    transport = Scripted(refusal(403, "Forbidden", message, kind="configmaps"))
    with pytest.raises(ApiError) as caught:
        await KubeCluster(transport).list(CONFIG_MAPS)
    error = caught.value
    assert (error.code, error.reason, str(error), error.details) == (
        403,
        "Forbidden",
        message,
        {"kind": "configmaps"},
    )
