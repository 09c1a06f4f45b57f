"""Following a kind: watches are taken up where they were, lists read page by page, one kind's trouble is its own."""

import asyncio
from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import GroupKind, Object, gvk_of, key_of
from syncline.controller.live.scope import ViewScope
from syncline.model.settings.resources import RespectRbac
from syncline.ports.kube import Discovery, EventType, Page
from tests.support.loops.simulated import run_simulated
from tests.support.objects import SETTINGS, config_map, obj
from tests.unit.live.served import BROKEN, EXPIRED, FORBIDDEN, MAPS, PODS, Served, View, bookmark, event, widgets

PATH = "/api/v1/configmaps"


def at(value: Object, version: int) -> Object:
    return {
        **value,
        "metadata": {**value["metadata"], "resourceVersion": str(version), "uid": value["metadata"]["name"]},
    }


def page(version: int, *names: str, begins: bool = True) -> Page:
    return Page([at(config_map(name), 1) for name in names], str(version), begins)


def test_a_watch_that_breaks_is_taken_up_after_the_last_event_or_bookmark_and_nothing_is_listed_again() -> None:
    async def main() -> None:
        cluster = Served(MAPS)
        cluster.lists[PATH] = [[page(5, "a")]]
        added = event(EventType.ADDED, at(config_map("b"), 7))
        cluster.watches[PATH] = [[5.0, added, bookmark(9), BROKEN], [5.0, bookmark(12)], [5.0, BROKEN]]
        view = View(cluster)
        await view.follow(60)
        assert cluster.asked == [f"list {PATH}", *(f"watch {PATH} from {version}" for version in (5, 9, 12, 12))]
        assert (view.names(MAPS), view.reached) == (["a", "b"], [])
        await view.live.stop()

    run_simulated(main)


def test_a_version_that_the_server_no_longer_has_leads_to_another_list() -> None:
    async def main() -> None:
        cluster = Served(MAPS)
        cluster.lists[PATH] = [[page(5, "a", "b")], [page(20, "b", "c")]]
        cluster.watches[PATH] = [[5.0, EXPIRED]]
        view = View(cluster)
        await view.follow(60)
        assert cluster.asked == [f"list {PATH}", f"watch {PATH} from 5", f"list {PATH}", f"watch {PATH} from 20"]
        assert (view.names(MAPS), view.changed) == (["b", "c"], ["a", "b", "c", "a"])
        await view.live.stop()

    run_simulated(main)


@pytest.mark.parametrize("ends", [[], [EXPIRED]])
def test_a_stream_that_ends_at_once_again_and_again_is_asked_for_at_leisure(ends: list[Any]) -> None:
    async def main() -> None:
        cluster = Served(MAPS)
        cluster.watches[PATH] = [list(ends) for _ in range(10_000)]
        view = View(cluster)
        await view.follow(120)
        assert 10 < len(cluster.asked) < 70
        await view.live.stop()

    run_simulated(main)


def test_a_list_that_expires_half_way_counts_from_where_it_begins_anew() -> None:
    async def main() -> None:
        cluster = Served(MAPS)
        cluster.lists[PATH] = [[page(5, "a", "b"), page(9, "b"), page(9, "c", begins=False)]]
        view = View(cluster)
        await view.follow(1)
        assert (view.names(MAPS), cluster.asked[-1]) == (["b", "c"], f"watch {PATH} from 9")
        await view.live.stop()

    run_simulated(main)


@pytest.mark.parametrize(("version", "kept"), [(8, ["a", "ours"]), (6, ["a"])])
def test_what_we_write_while_a_list_is_read_is_not_taken_for_deleted(version: int, kept: list[str]) -> None:
    """The list is of version 7: an object that was written before and is not in it is gone again."""

    async def main() -> None:
        cluster = Served(MAPS)
        view = View(cluster)
        ours = at(config_map("ours"), version)
        cluster.lists[PATH] = [[page(7, "a"), lambda: view.live.note_write(ours), page(7, begins=False)]]
        await view.follow(1)
        assert view.names(MAPS) == kept
        await view.live.stop()

    run_simulated(main)


def test_a_kind_that_cannot_be_listed_is_named_alone_and_its_return_is_told() -> None:
    async def main() -> None:
        cluster = Served(MAPS, PODS)
        cluster.lists[PATH] = [[page(5, "a")]]
        cluster.lists["/api/v1/pods"] = [[FORBIDDEN], [FORBIDDEN], [Page((), "6", begins=True)]]
        view = View(cluster)
        await view.follow(1)
        assert view.live.failures == {GroupKind("", "Pod"): "pods is forbidden"}
        assert [view.live.unlisted(GroupKind("", kind)) for kind in ("Pod", "ConfigMap")] == [True, False]
        assert (view.names(MAPS), view.live.unreachable, view.reached) == (["a"], "", [])
        await asyncio.sleep(60)
        assert (view.live.failures, view.reached) == ({}, [""])
        await view.live.stop()

    run_simulated(main)


def test_a_kind_that_may_not_be_listed_does_not_count_where_rights_are_respected() -> None:
    async def main() -> None:
        cluster = Served(PODS)
        cluster.lists["/api/v1/pods"] = [[FORBIDDEN]]
        view = View(cluster, msgspec.structs.replace(SETTINGS, respect_rbac=RespectRbac.NORMAL))
        await view.follow(1)
        assert view.live.failures == {}
        await view.live.stop()

    run_simulated(main)


def test_a_kind_that_one_of_several_namespaces_refuses_is_not_known_whole() -> None:
    async def main() -> None:
        cluster = Served(PODS)
        cluster.lists["/api/v1/namespaces/one/pods"] = [[FORBIDDEN]]
        view = View(cluster, scope=ViewScope(namespaces=("one", "two")))
        await view.follow(300)
        assert view.live.failures == {GroupKind("", "Pod"): "pods is forbidden"}
        await view.live.stop()

    run_simulated(main)


def test_a_kind_that_is_served_in_another_version_is_followed_there_and_its_objects_stay() -> None:
    async def main() -> None:
        cluster = Served(widgets("v1beta1"))
        path = "/apis/example.io/{}/widgets"
        for version in ("v1beta1", "v1"):
            item = at(obj("Widget", "a", api=f"example.io/{version}"), 3)
            cluster.lists[path.format(version)] = [[Page([item], "5", begins=True)]]
        view = View(cluster)
        await view.follow(1)
        cluster.discovery = Discovery((widgets("v1"),))
        await view.live.rediscover()
        assert view.names(widgets("v1")) == ["a"]
        await asyncio.sleep(1)
        found = view.live.index.get(key_of(obj("Widget", "a", api="example.io/v1")))
        assert found is not None
        assert found["apiVersion"] == "example.io/v1"
        assert [asked for asked in cluster.asked if asked.startswith("watch")] == [
            f"watch {path.format('v1beta1')} from 5",
            f"watch {path.format('v1')} from 5",
        ]
        await view.live.stop()

    run_simulated(main)


def test_a_group_that_could_not_be_asked_is_asked_again_and_its_return_is_told() -> None:
    async def main() -> None:
        cluster = Served(MAPS)
        cluster.discovery = Discovery((MAPS,), {"metrics.example.io": "no endpoints"})
        view = View(cluster)
        await view.follow(45)
        assert (cluster.discoveries, view.reached) == (2, [])
        cluster.discovery = Discovery((MAPS,))
        await asyncio.sleep(300)
        assert (cluster.discoveries, view.reached) == (3, [""])
        await view.live.stop()

    run_simulated(main)


@pytest.mark.parametrize(
    ("api", "kind"),
    [("apiextensions.k8s.io/v1", "CustomResourceDefinition"), ("apiregistration.k8s.io/v1", "APIService")],
)
def test_whatever_defines_kinds_makes_us_ask_for_them_again(api: str, kind: str) -> None:
    async def main() -> None:
        gvk = gvk_of(obj(kind, "a", api=api))
        defining = msgspec.structs.replace(MAPS, gvk=gvk, plural="x", namespaced=False)
        cluster = Served(defining)
        changed = event(EventType.MODIFIED, at(obj(kind, "a", api=api, namespace=""), 7))
        cluster.watches[defining.path()] = [[5.0, changed, 5.0, changed, 600.0]]
        view = View(cluster)
        await view.follow(60)
        assert cluster.discoveries == 2
        await view.live.stop()

    run_simulated(main)
