"""The live index: newest wins, deleted stays deleted, apps, owners and referrers are found, nothing is lost."""

from typing import Any

import msgspec

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of
from syncline.controller.live.index import LiveIndex
from syncline.model.settings.settings import TrackingMethod
from tests.support.objects import SETTINGS, config_map, deployment, obj, tracked

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


def test_what_a_complete_list_does_not_have_is_dropped_and_told() -> None:
    live = index(at(config_map("a"), 1, "a"), at(config_map("b"), 1, "b"))
    gone = [item["metadata"]["name"] for item in live.drop_unseen(CONFIG, {key_of(config_map("b"))})]
    assert (gone, [item["metadata"]["name"] for item in live.of_kind(CONFIG)]) == (["a"], ["b"])


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


def test_an_object_is_given_back_as_it_came_whether_it_was_looked_at_lately_or_not() -> None:
    objects = [
        at(deployment(f"web-{number}", image=f"shop/web:{number}"), number + 1, str(number)) for number in range(9)
    ]
    live = LiveIndex(SETTINGS)
    for item in objects:
        live.put(item, awaited=False)
    assert list(live.of_kind(GroupKind("apps", "Deployment"))) == objects
    assert [live.get(key_of(item)) for item in objects] == objects
    assert live.get(key_of(objects[0])) is live.get(key_of(objects[0]))


def test_the_same_version_of_an_object_replaces_itself_where_it_is_served_in_another_api_version() -> None:
    before, after = (at(obj("Widget", "a", api=f"example.io/{version}"), 5) for version in ("v1beta1", "v1"))
    live = index(before)
    assert live.put(before) is False
    assert live.put(after) is True
    assert live.get(key_of(after)) == after


def test_marks_are_read_anew_under_other_settings() -> None:
    labelled = at(config_map(labels={SETTINGS.instance_label: "blue"}), 1)
    live = index(labelled, at(tracked(config_map("other")), 1, "2"))
    live.use(msgspec.structs.replace(SETTINGS, tracking=TrackingMethod.LABEL))
    assert live.owned_by("blue") == {key_of(labelled)}
    assert not live.owned_by("shop")
    live.use(SETTINGS)
    assert not live.owned_by("blue")
    assert live.owned_by("shop") == {key_of(config_map("other"))}


def test_what_belongs_to_no_app_and_no_object_is_known_by_namespace() -> None:
    stray = at(config_map("stray"), 1, "1")
    live = index(stray, at(tracked(config_map("own")), 1, "2"), at(config_map("child"), 1, "3", owner="2"))
    assert live.strays("shop") == {key_of(stray)}
    live.put(at(tracked(config_map("stray")), 2, "1"))
    assert live.strays("shop") == frozenset()
    live.use(msgspec.structs.replace(SETTINGS, tracking=TrackingMethod.LABEL))
    assert live.strays("shop") == {key_of(stray), key_of(config_map("own"))}


def pod(name: str, version: int, *secrets: str, node: str = "node-1") -> Object:
    volumes = [{"name": item, "secret": {"secretName": item}} for item in secrets]
    return at(obj("Pod", name, spec={"nodeName": node, "volumes": volumes}), version, name)


def named_by(live: LiveIndex, kind: str, name: str) -> list[str]:
    found = live.referrers(ObjectKey("", kind, "" if kind == "Node" else "shop", name))
    return sorted(key.name for key in found)


def test_referrers_are_found_whether_or_not_what_they_name_is_there_and_follow_every_change() -> None:
    live = index(pod("a", 1, "first", "second"), pod("b", 2, "first", "second"))
    assert [named_by(live, "Secret", name) for name in ("first", "second", "third")] == [["a", "b"], ["a", "b"], []]
    assert named_by(live, "Node", "node-1") == ["a", "b"]
    live.put(pod("a", 3, "second", node="node-2"))
    assert [named_by(live, "Secret", name) for name in ("first", "second")] == [["b"], ["a", "b"]]
    assert [named_by(live, "Node", name) for name in ("node-1", "node-2")] == [["b"], ["a"]]
    live.remove(pod("b", 4))
    assert [named_by(live, "Secret", name) for name in ("first", "second")] == [[], ["a"]]


def test_references_tell_the_fields_in_which_an_object_names_others() -> None:
    live = index(pod("a", 1, "first"))
    assert [(str(found.key), found.path) for found in live.references(key_of(pod("a", 1)))] == [
        ("/Node:/node-1", "spec.nodeName"),
        ("/Secret:shop/first", "spec.volumes[0].secret.secretName"),
    ]
    assert live.references(key_of(pod("b", 1))) == ()


def test_a_definition_is_found_by_the_kind_it_defines_until_it_is_gone() -> None:
    kind = GroupKind("example.io", "Widget")
    crd = at(
        obj(
            "CustomResourceDefinition",
            "widgets.example.io",
            api="apiextensions.k8s.io/v1",
            spec={"group": kind.group, "names": {"kind": kind.kind}},
        ),
        1,
    )
    live = index(crd)
    assert live.definition(kind) == crd
    live.remove(at(crd, 2))
    assert live.definition(kind) is None


class Spec(msgspec.Struct):
    replicas: int = 0


class Scaled(msgspec.Struct):
    spec: Spec


def test_a_part_of_an_object_can_be_had_without_the_rest() -> None:
    live = index(at(deployment(replicas=3), 1))
    decoder = msgspec.json.Decoder(Scaled)
    assert live.part(key_of(deployment()), decoder) == Scaled(Spec(3))
    assert live.part(key_of(config_map()), decoder) is None
