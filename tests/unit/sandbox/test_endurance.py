"""What a sandbox forgets, so that it can run for weeks: history by age, number and size, Events, old revisions."""

from __future__ import annotations

from typing import Any

from syncline.sandbox.cluster.settings import SandboxSettings
from syncline.sandbox.store.history import HistoryLimits
from syncline.sandbox.store.store import Bucket, ObjectStore, RowKey
from tests.unit.sandbox.driving import CONFIG_MAPS, DEPLOYMENTS, REPLICA_SETS, Kube, config_map, play, workload

BARE = SandboxSettings(simulate=False)
EVENTS = "/api/v1/namespaces/default/events"
PLACE = RowKey(Bucket("", "configmaps"), "default", "settings")


def write(store: ObjectStore, times: int, size: int = 0) -> None:
    for _ in range(times):
        obj = {"metadata": {"name": "settings"}, "data": {"filling": "x" * size}}
        store.put(PLACE, obj, expected=store.at(PLACE))


def test_a_watch_from_before_the_last_five_minutes_is_expired() -> None:
    async def story(kube: Kube) -> Any:
        version = (await kube.create(CONFIG_MAPS, config_map()))["metadata"]["resourceVersion"]
        await kube.merge(f"{CONFIG_MAPS}/settings", {"data": {"a": "1"}})
        await kube.clock.sleep(299)
        await kube.merge(f"{CONFIG_MAPS}/settings", {"data": {"a": "2"}})
        early = await kube.get(CONFIG_MAPS, resourceVersion=version, resourceVersionMatch="Exact", limit=1)
        await kube.clock.sleep(2)
        await kube.merge(f"{CONFIG_MAPS}/settings", {"data": {"a": "3"}})
        late = await kube.get(CONFIG_MAPS, watch="true", resourceVersion=version)
        return "data" in early["items"][0], late["type"], late["object"]["code"], late["object"]["reason"]

    assert play(story, BARE) == (False, "ERROR", 410, "Expired")


def test_history_is_bounded_by_the_bytes_of_its_bodies() -> None:
    store = ObjectStore(monotonic=lambda: 0.0, history=HistoryLimits(size=100_000))
    write(store, 100, size=10_000)
    # 10 bodies of 10 kB and their metadata are more than 100 kB, so 9 changes are left.
    assert len(store.since(store.version - 9, PLACE.bucket)) == 9
    assert store.oldest == store.version - 9


def test_history_keeps_nothing_that_was_worked_out_for_watchers() -> None:
    store = ObjectStore(monotonic=lambda: 0.0)
    store.subscribe(lambda event: event.encoded.update({"json": b"x" * 1000}))
    write(store, 3)
    assert [event.encoded for event in store.since(1, PLACE.bucket)] == [{}, {}, {}]


def event(name: str) -> dict[str, Any]:
    about = {"kind": "ConfigMap", "namespace": "default", "name": "settings"}
    return {"apiVersion": "v1", "kind": "Event", "metadata": {"name": name}, "involvedObject": about, "reason": "Test"}


def test_an_event_ends_an_hour_after_it_was_last_written() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(EVENTS, event("once"))
        await kube.create(EVENTS, event("again"))
        await kube.clock.sleep(1800)
        await kube.merge(f"{EVENTS}/again", {"count": 2})
        await kube.clock.sleep(1799)
        before = await kube.names(EVENTS)
        await kube.clock.sleep(2)
        after = await kube.names(EVENTS)
        await kube.clock.sleep(1800)
        return before, after, await kube.names(EVENTS)

    assert play(story, BARE) == (["again", "once"], ["again"], [])


def test_the_oldest_events_go_when_there_are_too_many_whoever_wrote_them() -> None:
    async def story(kube: Kube) -> Any:
        for number in range(12):
            await kube.create(EVENTS, event(f"number-{number:02}"))
            await kube.clock.sleep(0.01)
        return await kube.names(EVENTS)

    kept = play(story, SandboxSettings(simulate=False, event_limit=5))
    assert kept == [f"number-{number:02}" for number in range(7, 12)]


def test_a_deployment_keeps_ten_old_replica_sets() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEPLOYMENTS, workload(replicas=1))
        for number in range(2, 16):
            await kube.clock.sleep(30)
            container = {"name": "app", "image": f"example/app:{number}"}
            template = {"spec": {"template": {"spec": {"containers": [container]}}}}
            await kube.merge(f"{DEPLOYMENTS}/web", template)
        await kube.clock.sleep(30)
        return len(await kube.names(REPLICA_SETS))

    # The limit counts old ones: the current one comes on top.
    assert play(story) == 11


def test_addresses_start_again_when_a_network_is_used_up() -> None:
    async def story(kube: Kube) -> Any:
        return [kube.sandbox.backend.next_address("10.244") for _ in range(70_000)]

    addresses = play(story, BARE)
    parts = [[int(part) for part in address.split(".")] for address in addresses]
    assert all(0 <= number <= 255 for four in parts for number in four)
