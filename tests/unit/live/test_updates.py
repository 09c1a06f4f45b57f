"""Which updates of live objects wake an app: all but those of fields that do not count, on objects that are tracked."""

import msgspec
import pytest

from syncline.apimachinery.keys import Object
from syncline.controller.live.updates import matters
from syncline.model import names
from syncline.model.settings.resources import IgnoredFields, ResourceOverride
from syncline.model.settings.settings import Settings
from tests.support.objects import SETTINGS, config_map, deployment, obj

STATUS = ResourceOverride(
    pattern="*/*", ignore_resource_updates=IgnoredFields(json_pointers=("/status", "/metadata/annotations/beat"))
)
IGNORING = msgspec.structs.replace(SETTINGS, overrides=(STATUS,))
ANNOTATED = {names.IGNORE_RESOURCE_UPDATES: "true"}
WEB = deployment(ready=1)


def beat(value: Object, at: str = "1") -> Object:
    metadata = value["metadata"]
    return {**value, "metadata": {**metadata, "annotations": {**(metadata.get("annotations") or {}), "beat": at}}}


@pytest.mark.parametrize(
    ("before", "after", "settings", "tracked", "expected"),
    [
        pytest.param(WEB, beat(WEB), SETTINGS, True, True, id="nothing is ignored"),
        pytest.param(beat(WEB), beat(WEB, "2"), IGNORING, True, False, id="an ignored field"),
        pytest.param(beat(WEB), beat(deployment(replicas=2, ready=2), "2"), IGNORING, True, True, id="another field"),
        pytest.param(WEB, deployment(ready=0), IGNORING, True, True, id="an ignored field that makes it unhealthy"),
        pytest.param(beat(WEB), beat(WEB, "2"), IGNORING, False, True, id="an object that nobody tracks"),
        pytest.param(
            beat(deployment(ready=1, annotations=ANNOTATED)),
            beat(deployment(ready=1, annotations=ANNOTATED), "2"),
            IGNORING,
            False,
            False,
            id="an object that nobody tracks, annotated",
        ),
        pytest.param(
            beat(WEB),
            beat(WEB, "2"),
            msgspec.structs.replace(IGNORING, ignore_resource_updates=False),
            True,
            True,
            id="ignoring is switched off",
        ),
        pytest.param(obj("Endpoints", "a"), obj("Endpoints", "a", subsets=[]), SETTINGS, False, False, id="Endpoints"),
        pytest.param(
            obj("Application", "a", api="argoproj.io/v1alpha1", status={}),
            obj("Application", "a", api="argoproj.io/v1alpha1", status={"x": 1}),
            IGNORING,
            True,
            True,
            id="an Application",
        ),
    ],
)
def test_an_update_matters_unless_only_ignored_fields_of_a_tracked_object_changed(
    before: Object, after: Object, settings: Settings, tracked: bool, expected: bool
) -> None:
    assert matters(lambda: before, after, settings, tracked=tracked) is expected


def test_what_was_before_is_not_even_asked_for_where_everything_counts() -> None:
    def asked() -> Object:
        raise AssertionError("nobody needs it")

    assert matters(asked, config_map(), SETTINGS, tracked=True) is True
