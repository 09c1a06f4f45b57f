"""An app whose Git cannot be reached from here: what is recorded counts, and nothing contradicts it."""

from typing import Any

import pytest

from syncline.core.diagnose.explain import explain
from syncline.core.diagnose.live.recorded import NOT_LOOKED, as_recorded, not_rendered
from syncline.model.reason import Reason
from syncline.model.snapshot import Trouble
from tests.support.objects import application_object, assessed

UNREACHED = Trouble(Reason.SOURCE_FAILED, "Failed to load target state: could not resolve host git.example")
ROW = {
    "group": "",
    "version": "v1",
    "kind": "ConfigMap",
    "namespace": "shop",
    "name": "settings",
    "status": "OutOfSync",
}
STATUS = {"sync": {"status": "OutOfSync"}, "health": {"status": "Missing"}, "resources": [ROW]}


def test_the_recorded_status_counts_where_this_machine_cannot_render() -> None:
    assessment = assessed(application_object(status=STATUS), troubles=(UNREACHED,))
    assert not_rendered(assessment) == "could not resolve host git.example"
    told = explain(as_recorded(assessment), NOT_LOOKED)
    assert (told.sync, told.health) == ("OutOfSync", "Missing")
    assert [(one.code, one.message) for one in told.findings] == [
        ("LIV-102", "ConfigMap/settings is in Git but not in the cluster")
    ]


@pytest.mark.parametrize(
    ("status", "trouble"),
    [
        ({"sync": {"status": "Unknown"}}, UNREACHED),
        ({**STATUS, "conditions": [{"type": "ComparisonError", "message": "could not resolve host"}]}, UNREACHED),
        (STATUS, Trouble(Reason.SPEC_INVALID, "spec.destination: write server or name, not both")),
    ],
    ids=["recorded as Unknown", "the controller cannot render either", "not the source"],
)
def test_what_the_controller_does_not_know_either_is_an_error_of_the_app(
    status: dict[str, Any], trouble: Trouble
) -> None:
    assert not_rendered(assessed(application_object(status=status), troubles=(trouble,))) == ""


def test_a_failed_sync_does_not_make_what_was_compared_unknown() -> None:
    status = {**STATUS, "conditions": [{"type": "SyncError", "message": "field is immutable"}]}
    assert not_rendered(assessed(application_object(status=status), troubles=(UNREACHED,)))
