"""Fields of former client-side appliers count as ours, also where the Application names who that was."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object, gvk_of
from syncline.core.compare import migration
from syncline.core.compare.context import for_app
from syncline.model import names
from syncline.model.comparison import DifferenceCause
from syncline.model.settings.settings import Settings
from tests.support.objects import (
    NOW,
    as_applied,
    compared,
    config_map,
    edited,
    node_for,
    obj,
    prepared,
    typed_application,
)

WANTED = prepared(config_map(data={"a": "1"}))


def written_by(manager: str) -> Object:
    """Return a ConfigMap that a client-side applier wrote, with a key that Git has no more."""
    ours = as_applied(WANTED.objects[0].obj)
    return edited(ours, {**ours, "data": {"a": "1", "gone": "x"}}, manager=manager)


def causes(manager: str, **app: Any) -> list[DifferenceCause]:
    context = for_app(typed_application(**app), Settings(), node_for, NOW)
    (row,) = compared(WANTED, written_by(manager), in_context=context).rows
    return [difference.cause for difference in row.differences]


NAMED = {"annotations": {names.MIGRATION_MANAGER: "our-old-pipeline"}}


@pytest.mark.parametrize(
    ("manager", "app", "expected"),
    [
        ("kubectl-client-side-apply", {}, [DifferenceCause.REMOVED]),
        ("our-old-pipeline", {}, []),
        ("our-old-pipeline", {"metadata": NAMED}, [DifferenceCause.REMOVED]),
        ("somebody-else", {"metadata": NAMED}, []),
        ("kubectl-client-side-apply", {"metadata": NAMED}, [DifferenceCause.REMOVED]),
        ("kubectl-client-side-apply", {"syncPolicy": {"syncOptions": ["ClientSideApplyMigration=false"]}}, []),
    ],
)
def test_a_key_of_a_former_applier_is_removed_unless_nothing_is_to_be_migrated(
    manager: str, app: dict[str, Any], expected: list[DifferenceCause]
) -> None:
    assert causes(manager, **app) == expected


def test_who_applied_string_data_owns_the_data_it_became() -> None:
    """The API server keeps the ownership of what it does not keep; a key that goes from Git would stay live."""
    entry = {"manager": "argocd-controller", "operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1"}
    fields: dict[str, Any] = {"f:stringData": {"f:user": {}, "f:word": {}}, "f:data": {"f:key": {}}, "f:type": {}}
    secret = obj("Secret", "login", data={"user": "YWRh", "word": "Y2FuYXJ5", "key": "a2V5"})
    secret["metadata"]["managedFields"] = [{**entry, "fieldsV1": fields}]
    moved = migration.migrated(secret, "argocd-controller", node_for(gvk_of(secret)))
    assert moved is not None
    owned: dict[str, Any] = {"f:data": {"f:key": {}, "f:user": {}, "f:word": {}}, "f:type": {}}
    assert moved["metadata"]["managedFields"] == [{**entry, "fieldsV1": owned}]
    assert migration.migrated(moved, "argocd-controller", node_for(gvk_of(secret))) is None
