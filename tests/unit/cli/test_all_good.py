"""Waiting for every Application: each change is one look at one Application, however many there are."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

from syncline.apimachinery.keys import GroupKind, Object
from syncline.cli.run.all_good import until_good
from syncline.controller.live.index import LiveIndex
from syncline.model.settings.settings import Settings


class CountingIndex(LiveIndex):
    looks = 0

    def of_kind(self, kind: GroupKind, namespace: str = "") -> Iterator[Object]:
        for obj in super().of_kind(kind, namespace):
            self.looks += 1
            yield obj


class View:
    def __init__(self) -> None:
        self.index: LiveIndex = CountingIndex(Settings())
        self.listeners: list[Callable[[Object], None]] = []

    def change(self, obj: Object) -> None:
        self.index.put(obj)
        self.tell(obj)

    def delete(self, obj: Object) -> None:
        self.index.remove(obj)
        self.tell(obj)

    def tell(self, obj: Object) -> None:
        for listener in self.listeners:
            listener(obj)


def app(name: str, version: int, phase: str = "", kind: str = "Application") -> dict[str, Any]:
    status = {"sync": {"status": "Synced"}, "health": {"status": "Healthy"}, "operationState": {"phase": phase}}
    metadata = {"namespace": "argocd", "name": name, "uid": name, "resourceVersion": str(version)}
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": kind, "metadata": metadata, "status": status if phase else {}}


async def test_a_hundred_apps_are_looked_at_once_and_each_change_alone() -> None:
    view = View()
    for number in range(100):
        view.index.put(app(f"a{number}", 1))
    waiting = asyncio.ensure_future(until_good(view))
    await asyncio.sleep(0)
    for number in range(99):
        view.change(app(f"a{number}", 2 + number, "Succeeded"))
        await asyncio.sleep(0)
        assert not waiting.done()
    view.change(app("a99", 200, "Succeeded"))
    await waiting
    assert isinstance(view.index, CountingIndex)
    assert view.index.looks == 100
    assert not view.listeners


async def test_one_that_is_unwell_again_or_new_is_waited_for_and_one_that_is_gone_is_not() -> None:
    view = View()
    view.index.put(app("a", 1))
    waiting = asyncio.ensure_future(until_good(view))
    await asyncio.sleep(0)
    view.change(app("b", 2))
    view.change(app("a", 3, "Succeeded"))
    view.change(app("p", 4, kind="AppProject"))
    view.change(app("b", 5, "Failed"))
    await asyncio.sleep(0)
    assert not waiting.done()
    view.delete(app("b", 6))
    await waiting


async def test_without_applications_nothing_is_good() -> None:
    view = View()
    waiting = asyncio.ensure_future(until_good(view))
    await asyncio.sleep(0)
    assert not waiting.done()
    view.change(app("a", 1, "Succeeded"))
    await waiting
