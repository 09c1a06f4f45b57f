"""An app whose cluster nobody knows: deleted, it goes stage by stage without its objects."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from syncline.core.assess import assess_app
from syncline.core.decide import released_without_cluster
from syncline.model import names
from syncline.model.settings.parts import Safety
from syncline.model.settings.settings import Settings
from tests.support.objects import NOW, SETTINGS, application_object, snapshot

PRE, RESOURCES, POST = names.PRE_DELETE_FINALIZER, names.RESOURCES_FINALIZER, names.POST_DELETE_FINALIZER
FROZEN = msgspec.structs.replace(SETTINGS, safety=Safety(freeze="audit"))


def released(finalizers: list[str], settings: Settings = SETTINGS, **metadata: Any) -> str:
    about = {"finalizers": finalizers, "deletionTimestamp": NOW, **metadata}
    return released_without_cluster(assess_app(snapshot(application_object(metadata=about), settings=settings)))


@pytest.mark.parametrize(
    ("finalizers", "first"),
    [
        ([POST, RESOURCES, PRE], PRE),
        ([POST, f"{RESOURCES}/background"], RESOURCES),
        ([POST], POST),
        ([f"{PRE}/cleanup", RESOURCES], PRE),
        (["example.com/other"], ""),
        ([], ""),
    ],
)
def test_stages_are_given_up_in_the_order_of_execution(finalizers: list[str], first: str) -> None:
    assert released(finalizers) == first


def test_nothing_is_given_up_while_the_app_is_not_deleted_skipped_or_frozen() -> None:
    assert released([RESOURCES], deletionTimestamp="") == ""
    assert released([RESOURCES], annotations={names.SKIP_RECONCILE: "true"}) == ""
    assert released([RESOURCES], annotations={names.FREEZE: "audit"}) == ""
    assert released([RESOURCES], settings=FROZEN) == ""
