"""Whoever writes to an Application or its objects needs the right to it as it is stored (security row F4).

The live view may be behind: an Application that has just moved to another project is not for those who have rights to
its old project alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import Object
from syncline.model import names
from tests.component.server.test_rights_matrix import set_policy
from tests.support.stories import FILES
from tests.support.web import Browser, Got, Site, app, on_site

API = "argoproj.io/v1alpha1"
APP = "/api/v1/applications/shop"
CONFIG = f"{APP}/resource?kind=ConfigMap&namespace=shop&resourceName=settings&version=v1"
RESTART = {"group": "apps", "kind": "Deployment", "namespace": "shop", "resourceName": "web", "action": "restart"}


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A request that writes, the rights that it needs beside `get`, and what is stored on the Application before."""

    method: str
    path: str
    body: Any = None
    verbs: tuple[str, ...]
    before: dict[str, Any] = {}


def entry(number: int) -> dict[str, Any]:
    source = {"repoURL": "https://git.example/repo.git", "path": "apps/web", "targetRevision": "main"}
    return {"id": number, "revision": "0" * 40, "deployedAt": "2030-01-01T00:00:00Z", "source": source}


HISTORY = {"status": {"history": [entry(1), entry(2)], "sync": {"status": "Synced"}, "health": {}}}
RUNS: dict[str, Any] = {"operation": {"sync": {}}}
REQUESTS = {
    "sync": Asked(method="POST", path=f"{APP}/sync", body={}, verbs=("sync",)),
    "sync of manifests": Asked(
        method="POST", path=f"{APP}/sync", body={"manifests": ["{}"]}, verbs=("sync", "override")
    ),
    "rollback": Asked(method="POST", path=f"{APP}/rollback", body={"id": 1}, verbs=("sync",), before=HISTORY),
    "terminate": Asked(method="DELETE", path=f"{APP}/operation", verbs=("sync",), before=RUNS),
    "delete": Asked(method="DELETE", path=f"{APP}?cascade=false", verbs=("delete",)),
    "delete with its objects": Asked(method="DELETE", path=APP, verbs=("delete",)),
    "adopt": Asked(method="POST", path=f"{APP}/adopt", body={}, verbs=("update",)),
    "refresh": Asked(method="GET", path=f"{APP}?refresh=normal", verbs=()),
    "patch of an object": Asked(
        method="POST", path=f"{CONFIG}&patchType=", body='{"data":{"colour":"red"}}', verbs=("update/*",)
    ),
    "deletion of an object": Asked(method="DELETE", path=CONFIG, verbs=("delete/*",)),
    "action": Asked(method="POST", path=f"{APP}/resource/actions/v2", body=RESTART, verbs=("action/*",)),
    "action by query": Asked(
        method="POST",
        path=f"{APP}/resource/actions?group=apps&kind=Deployment&namespace=shop&resourceName=web",
        body="restart",
        verbs=("action/*",),
    ),
}


def tracked(obj: Object, by: str) -> Object:
    metadata = {**obj["metadata"], "annotations": {names.TRACKING_ID: by}}
    return {**obj, "metadata": metadata}


async def arrange(site: Site, asked: Asked, name: str) -> None:
    """Deliver by hand: a ConfigMap, of another app where adopting is asked for, and a Deployment."""
    owner = "elsewhere" if name == "adopt" else "shop"
    await site.bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "shop"}}
    await site.bed.apply(tracked({**config, "data": {"colour": "green"}}, f"{owner}:/ConfigMap:shop/settings"))
    labels = {"app": "web"}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "web:1"}]}}
    web = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}}
    spec = {"selector": {"matchLabels": labels}, "template": pod}
    await site.bed.apply(tracked({**web, "spec": spec}, "shop:apps/Deployment:shop/web"))
    site.bed.source.commit(FILES)
    if asked.before:
        await site.bed.patch("Application", "shop", asked.before, API, site.bed.control)
    await site.settle()


async def hold_back(site: Site, monkeypatch: pytest.MonkeyPatch, name: str = "shop") -> None:
    """Move an Application, with the live view as it was before."""
    stale = await site.bed.app(name)
    shown = type(site.backend).application
    await site.bed.patch("Application", name, {"spec": {"project": "other"}}, API, site.bed.control)
    await site.settle()

    def behind(backend: Any, key: Any) -> Object | None:
        return stale if key.name == name else shown(backend, key)

    monkeypatch.setattr(type(site.backend), "application", behind)


async def stored(site: Site) -> list[Any]:
    found = [
        await site.bed.find_app("shop"),
        await site.bed.get("ConfigMap", "settings", "v1", "shop"),
        await site.bed.get("Deployment", "web", "apps/v1", "shop"),
    ]
    return [obj and (obj["metadata"]["uid"], obj["metadata"]["resourceVersion"]) for obj in found]


def grants(verbs: Iterable[str], *projects: str) -> list[str]:
    return [f"p, WHO, applications, {verb}, {name}/*, allow" for verb in ("get", *verbs) for name in projects]


async def send(browser: Browser, asked: Asked) -> Got:
    return await browser.ask(asked.method, asked.path, asked.body)


@pytest.mark.parametrize("name", REQUESTS)
def test_an_application_that_moved_unseen_is_not_written_by_the_right_to_its_old_project(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story(site: Site) -> None:
        asked = REQUESTS[name]
        await arrange(site, asked, name)
        await hold_back(site, monkeypatch)
        await set_policy(site, *grants(asked.verbs, "team"))
        before = await stored(site)
        assert None not in before
        got = await send(await site.as_("ann"), asked)
        assert (got.status, got.json["message"]) == (403, "permission denied"), got.body
        assert await stored(site) == before

    on_site(story)


@pytest.mark.parametrize("name", [name for name in REQUESTS if name != "refresh"])
def test_the_right_to_both_projects_is_enough(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(site: Site) -> None:
        asked = REQUESTS[name]
        await arrange(site, asked, name)
        await hold_back(site, monkeypatch)
        await set_policy(site, *grants(asked.verbs, "team", "other"))
        before = await stored(site)
        got = await send(await site.as_("ann"), asked)
        assert got.status == 200, got.body
        assert await stored(site) != before

    on_site(story)


@pytest.mark.parametrize("method", ["DELETE", "action"])
def test_an_application_that_is_an_object_of_another_is_judged_as_it_is_stored(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its parent stays where it is, and the child moves."""

    async def story(site: Site) -> None:
        control = site.bed.control
        child = tracked(app("child", "team", control), f"shop:argoproj.io/Application:{control}/child")
        await site.bed.apply(child)
        site.bed.source.commit({"apps/web/child.yaml": msgspec.yaml.encode(app("child", "team", control)).decode()})
        await site.settle()
        rights = ("get", "update/*", "delete/*", "delete", "action/*")
        await set_policy(site, *grants(rights, "team"))
        ann = await site.as_("ann")
        looked = await ann.get(f"{APP}/managed-resources")
        assert "child" in looked.body.decode(), looked.body
        before_move = site.backend.live.index.get

        stale = await site.bed.app("child")

        def behind(key: Any) -> Object | None:
            return stale if (key.kind, key.name) == ("Application", "child") else before_move(key)

        see = site.backend.looks.see
        seen = await see(await site.bed.app("shop"))

        async def seen_before(_app: Object) -> Any:
            return seen

        monkeypatch.setattr(site.backend.looks, "see", seen_before)
        await site.bed.patch("Application", "child", {"spec": {"project": "other"}}, API, control)
        await site.settle()
        monkeypatch.setattr(site.backend.live.index, "get", behind, raising=True)
        version = (await site.bed.app("child"))["metadata"]["resourceVersion"]
        named = {"group": "argoproj.io", "kind": "Application", "namespace": control, "resourceName": "child"}
        if method == "DELETE":
            query = "&".join(f"{name}={value}" for name, value in named.items())
            got = await ann.delete(f"{APP}/resource?{query}")
        else:
            got = await ann.post(f"{APP}/resource/actions/v2", {**named, "action": "toggle-auto-sync"})
        assert (got.status, got.json["message"]) == (403, "permission denied"), got.body
        assert (await site.bed.app("child"))["metadata"]["resourceVersion"] == version

    on_site(story)
