"""Why a field differs: who moved, when, and where it is written."""

import json
from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.apimachinery.paths import MISSING
from syncline.core.compare.compare import compare_object
from syncline.model import names
from syncline.model.comparison import Difference, DifferenceCause
from syncline.model.desired import DesiredObject, Origin
from syncline.model.errors import Place
from syncline.model.reason import Reason
from syncline.model.settings.settings import Settings, TrackingMethod
from tests.support.objects import (
    LATER,
    as_applied,
    config_map,
    context,
    deployment,
    edited,
    obj,
    placed,
    prepared,
)

IMAGE = "spec.template.spec.containers[0].image"
ORIGIN = placed({"spec": 6, "spec.replicas": 7, IMAGE: 15, "spec.template": 8})


def differences(wanted: Object, live: Object, origin: Origin = ORIGIN, **options: Any) -> tuple[Difference, ...]:
    item = prepared(DesiredObject(wanted, origin)).objects[0]
    return compare_object(item, live, context(**options)).differences


def applied(wanted: Object) -> Object:
    return as_applied(prepared(wanted).objects[0].obj)


def with_image(live: Object, image: str) -> Object:
    changed: Object = json.loads(json.dumps(live))
    changed["spec"]["template"]["spec"]["containers"][0]["image"] = image
    return changed


@pytest.mark.parametrize("synced_before", [False, True])
def test_a_field_somebody_else_wrote_names_them_their_time_and_the_line_in_git(synced_before: bool) -> None:
    live = applied(deployment())
    changed = edited(live, with_image(live, "evil:1"))
    assert differences(deployment(), changed, synced_before=synced_before) == (
        Difference(
            path="spec.template.spec.containers[name=web].image",
            cause=DifferenceCause.LIVE,
            desired="shop/web:1",
            live="evil:1",
            manager="kubectl-edit",
            time=LATER,
            place=Place("deploy/web.yaml", 15),
        ),
    )


def test_a_field_we_applied_ourselves_has_changed_in_git() -> None:
    assert differences(deployment(image="shop/web:2"), applied(deployment())) == (
        Difference(
            path="spec.template.spec.containers[name=web].image",
            cause=DifferenceCause.GIT,
            desired="shop/web:2",
            live="shop/web:1",
            place=Place("deploy/web.yaml", 15),
        ),
    )


def test_a_value_that_nobody_wrote_gives_way_to_git() -> None:
    """The default belongs to nobody, although others own fields beside it."""
    live = edited(applied(deployment(replicas=None)), applied(deployment(replicas=None)) | {"data": None})
    found = differences(deployment(replicas=3), live)
    assert [(item.path, item.cause, item.manager, item.place) for item in found] == [
        ("spec.replicas", DifferenceCause.GIT, "", Place("deploy/web.yaml", 7))
    ]


@pytest.mark.parametrize(("synced_before", "cause"), [(False, DifferenceCause.GIT), (True, DifferenceCause.LIVE)])
def test_a_field_that_is_absent_live_is_new_in_git_unless_this_revision_was_synced(
    synced_before: bool, cause: DifferenceCause
) -> None:
    found = differences(config_map(data={"a": "1", "b": "2"}), applied(config_map(data={"a": "1"})), Origin(),
                        synced_before=synced_before)  # fmt: skip
    assert [(item.path, item.cause, item.desired, item.live) for item in found] == [("data.b", cause, "2", MISSING)]


def test_a_field_without_a_line_of_its_own_has_the_line_of_its_parent_else_of_the_document() -> None:
    origin = placed({"data": 4}, line=2)
    (found,) = differences(config_map(data={"a": "1"}), applied(config_map(data={"a": "2"})), origin)
    assert found.place == Place("deploy/web.yaml", 4)
    (found,) = differences(config_map(data={"a": "1"}), applied(config_map(data={"a": "2"})), placed({}, line=2))
    assert found.place == Place("deploy/web.yaml", 2)


def test_a_field_of_string_data_has_the_line_it_is_written_on() -> None:
    wanted = obj("Secret", "keys", stringData={"password": "new"})
    origin = placed({"stringData": 4, "stringData.password": 5})
    (found,) = differences(wanted, applied(obj("Secret", "keys", stringData={"password": "old"})), origin)
    assert (found.path, found.place) == ("data.password", Place("deploy/web.yaml", 5))


@pytest.mark.parametrize(
    "annotations",
    [{}, {"team": "a"}, {names.TRACKING_ID: "other:/ConfigMap:shop/settings"}],
    ids=["no annotations", "others", "of another app"],
)
def test_a_missing_or_foreign_tracking_id_alone_is_a_tracking_difference(annotations: dict[str, str]) -> None:
    live = as_applied(config_map(annotations=annotations) if annotations else config_map(), manager="somebody")
    row = compare_object(prepared(config_map()).objects[0], live, context())
    assert row.reasons == (Reason.TRACKING_DIFFERS,)
    assert [(item.path, item.cause, item.desired) for item in row.differences] == [
        (
            'metadata.annotations["argocd.argoproj.io/tracking-id"]',
            DifferenceCause.TRACKING,
            "shop:/ConfigMap:shop/settings",
        )
    ]


def test_the_instance_label_is_tracking_where_labels_track() -> None:
    settings = Settings(tracking=TrackingMethod.LABEL)
    item = prepared(config_map(), settings=settings).objects[0]
    row = compare_object(item, as_applied(config_map()), context(settings=settings))
    assert [(found.path, found.cause) for found in row.differences] == [
        ('metadata.labels["app.kubernetes.io/instance"]', DifferenceCause.TRACKING)
    ]


def test_a_zero_value_in_git_is_shown_as_git_says_it_although_the_server_would_not_store_it() -> None:
    def named(node: str) -> Object:
        found = deployment()
        found["spec"]["template"]["spec"]["nodeName"] = node
        return found

    live = applied(named(""))
    live["spec"]["template"]["spec"].pop("nodeName")
    changed: Object = json.loads(json.dumps(live))
    changed["spec"]["template"]["spec"]["nodeName"] = "one"
    (found,) = differences(named(""), edited(live, changed))
    assert (found.cause, found.desired, found.live, found.manager) == (DifferenceCause.LIVE, "", "one", "kubectl-edit")


@pytest.mark.parametrize(
    ("last_applied", "cause"),
    [
        ({"colour": "blue"}, DifferenceCause.LIVE),
        ({"colour": "red"}, DifferenceCause.GIT),
        ({}, DifferenceCause.GIT),
        (None, DifferenceCause.GIT),
    ],
)
def test_without_managed_fields_last_applied_says_whether_git_or_the_cluster_moved(
    last_applied: dict[str, str] | None, cause: DifferenceCause
) -> None:
    """Git says blue, live is red; what was applied before tells who changed it."""
    wanted = prepared(config_map()).objects[0].obj
    annotations = dict(wanted["metadata"]["annotations"])
    if last_applied is not None:
        annotations[names.LAST_APPLIED] = json.dumps({**wanted, "data": last_applied})
    live = {**wanted, "metadata": {**wanted["metadata"], "annotations": annotations}, "data": {"colour": "red"}}
    assert [item.cause for item in differences(config_map(), live)] == [cause]
