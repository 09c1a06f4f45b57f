"""The live index: newest wins, deleted stays deleted, apps and owners are found."""

from typing import Any

from syncline.apimachinery.keys import GroupKind, Object, key_of
from syncline.controller.index import LiveIndex
from tests.support.objects import SETTINGS, config_map, obj, tracked

CONFIG = GroupKind("", "ConfigMap")


def at(value: Object, version: int, uid: str = "1", owner: str = "") -> Object:
    metadata: dict[str, Any] = {**value["metadata"], "resourceVersion": str(version), "uid": uid}
    if owner:
        metadata["ownerReferences"] = [{"uid": owner}]
    return {**value, "metadata": metadata}


def index(*objects: Object) -> LiveIndex:
    made = LiveIndex(SETTINGS)
    for item in objects:
        made.put(item)
    return made


def test_a_newer_version_replaces_an_older_one_and_not_the_other_way_round() -> None:
    live = index(at(config_map(data={"a": "2"}), 2))
    assert live.put(at(config_map(data={"a": "1"}), 1)) is False
    assert live.put(at(config_map(data={"a": "3"}), 3)) is True
    found = live.get(key_of(config_map()))
    assert found is not None
    assert found["data"] == {"a": "3"}


def test_a_deleted_object_does_not_come_back_by_a_late_answer_but_a_new_one_does() -> None:
    live = index(at(config_map(), 5))
    live.remove(at(config_map(), 6))
    assert live.put(at(config_map(), 5)) is False
    assert live.get(key_of(config_map())) is None
    assert live.put(at(config_map(), 7, uid="2")) is True


def test_a_relist_swaps_a_kind_whole_and_reports_what_changed() -> None:
    live = index(at(config_map("a"), 1, "a"), at(config_map("b"), 1, "b"))
    changed = live.replace_kind(CONFIG, [at(config_map("b"), 1, "b"), at(config_map("c"), 2, "c")])
    assert sorted(item["metadata"]["name"] for item in changed) == ["a", "c"]
    assert [item["metadata"]["name"] for item in live.of_kind(CONFIG)] == ["b", "c"]


def test_objects_are_found_by_their_app_and_forgotten_when_the_mark_goes() -> None:
    live = index(at(tracked(config_map()), 1))
    assert live.owned_by("shop") == {key_of(config_map())}
    live.put(at(config_map(), 2))
    assert live.owned_by("shop") == frozenset()


def test_descendants_come_along_and_lead_back_to_the_app() -> None:
    top = at(tracked(obj("Deployment", "web", api="apps/v1")), 1, "top")
    middle = at(obj("ReplicaSet", "web-1", api="apps/v1"), 2, "middle", "top")
    leaf = at(obj("Pod", "web-1-a"), 3, "leaf", "middle")
    live = index(top, middle, leaf)
    names = [item["metadata"]["name"] for item in live.with_descendants([key_of(top)])]
    assert sorted(names) == ["web", "web-1", "web-1-a"]
    assert live.instances_above(leaf) == {"shop"}


def test_owners_that_own_one_another_end() -> None:
    one = at(obj("Pod", "a"), 1, "a", "b")
    other = at(obj("Pod", "b"), 2, "b", "a")
    live = index(one, other)
    assert live.instances_above(one) == frozenset()
    assert len(live.with_descendants([key_of(one)])) == 2
