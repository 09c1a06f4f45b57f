"""An Application as it would be if something were otherwise: what `app diff` looks at."""

from __future__ import annotations

from typing import Any

from syncline.model import names
from syncline.model.operation import SyncOperation
from syncline.verbs.look import Overrides, supposed

APP: dict[str, Any] = {
    "metadata": {"name": "web", "namespace": "argocd", "annotations": {names.COMPARE_OPTIONS: "IgnoreExtraneous"}},
    "spec": {"future": 1},
    "operation": {"sync": {}},
    "status": {
        "health": {"status": "Healthy"},
        "operationState": {"phase": "Running", "syncResult": {"revision": "pinned"}},
    },
}


def test_nothing_otherwise_is_the_very_object() -> None:
    assert supposed(APP, Overrides()) is APP


def test_other_revisions_are_those_of_a_sync_that_has_not_begun() -> None:
    assert supposed(APP, Overrides(sync=SyncOperation(revision="v2"))) == {
        **APP,
        "operation": {"sync": {"revision": "v2"}},
        "status": {"health": {"status": "Healthy"}},
    }


def test_a_comparison_by_the_server_adds_to_the_compare_options() -> None:
    found = supposed(APP, Overrides(server_side=True))
    assert found["metadata"]["annotations"] == {names.COMPARE_OPTIONS: "IgnoreExtraneous,ServerSideDiff=true"}
    assert APP["metadata"]["annotations"] == {names.COMPARE_OPTIONS: "IgnoreExtraneous"}
