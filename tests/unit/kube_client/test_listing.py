"""Lists come in pages, and a list that expires half way is read again."""

import pytest

from syncline.adapters.kube.client import KubeCluster
from syncline.ports.kube import ApiError, Listed
from tests.unit.kube_client.scripted import CONFIG_MAPS, NAMESPACES, Answer, Scripted, json, refusal


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


async def test_pages_come_one_by_one_and_say_where_a_list_begins() -> None:
    expired = refusal(410, "Expired", "The provided continue parameter is too old")
    transport = Scripted(json(page("a", token="t")), json(page("b", token="u")), expired, json(page("b", version="9")))
    found = [
        ([obj["metadata"]["name"] for obj in one.items], one.resource_version, one.begins)
        async for one in KubeCluster(transport).pages(CONFIG_MAPS)
    ]
    assert found == [(["a"], "7", True), (["b"], "7", False), (["b"], "9", True)]


async def test_the_next_page_is_asked_for_only_when_somebody_wants_it() -> None:
    transport = Scripted(json(page("a", token="t")), json(page("b")))
    pages = KubeCluster(transport).pages(CONFIG_MAPS)
    first = await anext(pages)
    assert len(transport.requests) == 1
    assert [*first.items] == [whole("a")]
    await pages.aclose()


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"items": {}}', b'{"items": [1], "metadata": {}}'])
async def test_a_list_that_is_none_is_said_to_come_from_something_else_than_kubernetes(body: bytes) -> None:
    with pytest.raises(ApiError, match="GET /api/v1/configmaps did not return a JSON object"):
        await KubeCluster(Scripted(Answer(200, body))).list(CONFIG_MAPS)
