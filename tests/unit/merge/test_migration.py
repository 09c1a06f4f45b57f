"""From client-side to server-side apply: what updaters own comes to the applier."""

import json
from typing import Any

from syncline.apimachinery import merge
from tests.unit.merge.kinds import NODE, Object, thing

T1 = "2024-01-01T00:00:00Z"
LAST = "kubectl.kubernetes.io/last-applied-configuration"
CLIENT = "kubectl-client-side-apply"


def made(spec: Object, manager: str = CLIENT, **metadata: Any) -> Object:
    return merge.update(None, thing(spec, **metadata), manager=manager, node=NODE, now=T1)


def migrated(obj: Object, *names: str) -> list[Object] | None:
    return merge.migrate_client_side(obj, from_managers=names or (CLIENT,), to_manager="syncline", node=NODE)


def owners(entries: list[Object] | None) -> list[tuple[str, str, Any]]:
    return [(entry["manager"], entry["operation"], entry["fieldsV1"]) for entry in entries or ()]


def test_an_updater_becomes_the_applier() -> None:
    obj = made({"text": "a"})
    assert owners(migrated(obj)) == [("syncline", "Apply", {"f:spec": {".": {}, "f:text": {}}})]


def test_an_updater_joins_the_applier_that_is_there() -> None:
    obj = merge.apply(made({"text": "a"}), thing({"number": 1}), manager="syncline", node=NODE, force=False, now=T1).obj
    assert owners(migrated(obj)) == [("syncline", "Apply", {"f:spec": {".": {}, "f:number": {}, "f:text": {}}})]


def test_other_owners_stay_as_they_are() -> None:
    obj = made({"text": "a"}, "controller")
    assert migrated(obj) is None
    obj = merge.update(obj, {**obj, "spec": {"text": "a", "number": 1}}, manager=CLIENT, node=NODE, now=T1)
    assert {name for name, _, _ in owners(migrated(obj))} == {"controller", "syncline"}


def test_whoever_wrote_the_annotation_is_a_client_side_applier() -> None:
    last = json.dumps({**thing({"text": "a"})})
    obj = made({"text": "a"}, "renamed-kubectl", annotations={LAST: last})
    assert [name for name, _, _ in owners(migrated(obj))] == ["syncline"]


def test_a_field_removed_after_the_migration_goes_away() -> None:
    obj = made({"text": "a", "number": 1})
    config = thing({"text": "a"})
    stuck = merge.apply(obj, config, manager="syncline", node=NODE, force=False, now=T1)
    assert stuck.obj["spec"] == {"text": "a", "number": 1}
    moved = {**obj, "metadata": {**obj["metadata"], "managedFields": migrated(obj)}}
    assert merge.apply(moved, config, manager="syncline", node=NODE, force=False, now=T1).obj["spec"] == {"text": "a"}
