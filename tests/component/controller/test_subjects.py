"""A second subject beside Applications, in one controller: both work, and neither stops the other."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence

import pytest

from syncline.apimachinery.keys import GroupKind, Object
from syncline.controller.runtime.keys import Key
from syncline.controller.runtime.subject import LiveChange, Subject, Watch
from syncline.model.desired import Desired, ValuesLayer
from syncline.model.look_again import LookAgain
from syncline.model.settings.settings import Settings
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree
from tests.support.loops.simulated import run_simulated
from tests.support.stories import AUTO, FILES
from tests.support.world import SandboxBed

CONFIG_MAP = GroupKind("", "ConfigMap")
COPIED = "example.com/copied"


class Copies(Subject[Key]):
    """Keeps a copy of every ConfigMap that asks for one."""

    name = "copy"
    width = 2

    def __init__(self, bed: SandboxBed, *, broken: str = "") -> None:
        self._bed = bed
        self._broken = broken
        self.begun: set[str] = set()

    def watches(self) -> Sequence[Watch[Key]]:
        return (Watch(kinds=frozenset({CONFIG_MAP}), keys=self._itself),)

    def _itself(self, change: LiveChange) -> Iterable[Key]:
        if COPIED in (change.obj["metadata"].get("annotations") or {}):
            yield Key(change.key.namespace, change.key.name)

    def keys(self) -> Iterable[Key]:
        return ()

    async def reconcile(self, key: Key) -> LookAgain:
        self.begun.add(key.name)
        if self._broken == "raises":
            raise ZeroDivisionError
        if self._broken == "hangs":
            await asyncio.Event().wait()
        found = await self._bed.get("ConfigMap", key.name, "v1", key.namespace)
        if found is not None:
            await self._bed.apply(config_map(f"{key.name}-copy", found["data"], key.namespace))
        return LookAgain.on_change()


class BrokenRenderer:
    """A renderer with a bug."""

    fingerprint = "broken"

    def __init__(self, broken: str) -> None:
        self._broken = broken
        self.asked = 0

    async def is_current(self, request: RenderRequest, desired: Desired) -> bool:
        return True

    def adjust(self, settings: Settings) -> None:
        pass

    async def layers(
        self, request: RenderRequest, tree: Tree, refs: Mapping[str, Tree] | None = None
    ) -> tuple[ValuesLayer, ...]:
        return ()

    async def render(self, request: RenderRequest, tree: Tree, refs: Mapping[str, Tree] | None = None) -> Desired:
        self.asked += 1
        if self._broken == "hangs":
            await asyncio.Event().wait()
        raise ZeroDivisionError


def config_map(name: str, data: Object, namespace: str, **annotations: str) -> Object:
    metadata = {"name": name, "namespace": namespace, "annotations": annotations}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def asking_for_a_copy(bed: SandboxBed, name: str) -> Object:
    return config_map(name, {"color": name}, bed.control, **{COPIED: ""})


async def until_copied(bed: SandboxBed, name: str) -> None:
    """Wait for a copy; failures are not looked at, since some tests cause them."""
    async with asyncio.timeout(60):
        while (copy := await bed.get("ConfigMap", f"{name}-copy", "v1", bed.control)) is None:
            await bed.clock.sleep(0.5)
    assert copy["data"] == {"color": name}


def left_running() -> list[str]:
    """The tasks that still run, besides the test itself."""
    return [task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()]


def test_both_work_and_both_stop() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        controller = bed.controller()
        controller.runtime.register(Copies(bed))
        await controller.start()
        bed.source.commit(FILES)
        await bed.apply(asking_for_a_copy(bed, "red"))
        await bed.apply(bed.application(automated=AUTO))
        await bed.until_delivered()
        await until_copied(bed, "red")
        await bed.apply(asking_for_a_copy(bed, "blue"))
        await until_copied(bed, "blue")
        assert not bed.failures
        await controller.stop()
        await bed.stop()
        assert left_running() == []

    run_simulated(main)


@pytest.mark.parametrize("broken", ["raises", "hangs"])
def test_applications_are_delivered_whatever_becomes_of_the_other_subject(broken: str) -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        controller, copies = bed.controller(), Copies(bed, broken=broken)
        controller.runtime.register(copies)
        await controller.start()
        for number in range(5):
            await bed.apply(asking_for_a_copy(bed, f"red-{number}"))
        await bed.clock.sleep(5)
        assert copies.begun
        told = [what for what, _ in bed.failures]
        assert all(what.startswith("copy ") for what in told)
        assert bool(told) is (broken == "raises")
        bed.failures.clear()
        bed.source.commit(FILES)
        await bed.apply(bed.application(automated=AUTO))
        await bed.until_delivered()
        await controller.stop()
        await bed.stop()
        assert left_running() == []

    run_simulated(main)


@pytest.mark.parametrize("broken", ["raises", "hangs"])
def test_the_other_subject_works_whatever_becomes_of_applications(broken: str) -> None:
    async def main() -> None:
        bed = SandboxBed()
        renderer = BrokenRenderer(broken)
        bed.renderer = renderer
        await bed.start()
        controller = bed.controller()
        controller.runtime.register(Copies(bed))
        await controller.start()
        bed.source.commit(FILES)
        await bed.apply(bed.application(automated=AUTO))
        await bed.clock.sleep(5)
        assert renderer.asked
        await bed.apply(asking_for_a_copy(bed, "red"))
        await until_copied(bed, "red")
        assert {what for what, _ in bed.failures} == (
            {f"Application {bed.control}/web, retried in 30 s"} if broken == "raises" else set()
        )
        await controller.stop()
        await bed.stop()
        assert left_running() == []

    run_simulated(main)
