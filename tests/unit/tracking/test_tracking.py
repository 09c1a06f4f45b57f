"""Which live object belongs to which Application."""

import pytest

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.compare import tracking
from syncline.model import names
from syncline.model.application import Condition
from syncline.model.settings.settings import Settings, TrackingMethod
from tests.support.objects import config_map, crd, obj, typed_application

BOTH = TrackingMethod.ANNOTATION_AND_LABEL
LABEL = TrackingMethod.LABEL


@pytest.mark.parametrize(("namespace", "instance"), [("", "shop"), ("argocd", "shop"), ("team-a", "team-a_shop")])
def test_the_instance_is_the_app_name_with_its_namespace_outside_the_control_plane(
    namespace: str, instance: str
) -> None:
    assert tracking.instance_name(namespace, "shop", Settings()) == instance


@pytest.mark.parametrize(
    ("value", "identity"),
    [
        (config_map(), "shop:/ConfigMap:shop/settings"),
        (obj("Deployment", "web", api="apps/v1"), "shop:apps/Deployment:shop/web"),
        (obj("Namespace", "prod"), "shop:/Namespace:default-ns/prod"),
    ],
)
def test_the_annotation_names_instance_and_object_and_for_cluster_scoped_ones_the_destination_namespace(
    value: Object, identity: str
) -> None:
    marked = tracking.with_tracking(value, "shop", "default-ns", Settings())
    assert marked["metadata"]["annotations"] == {names.TRACKING_ID: identity}
    assert "labels" not in marked["metadata"]
    assert tracking.owner_of(marked, Settings()) == "shop"


@pytest.mark.parametrize("method", list(TrackingMethod))
def test_crds_are_never_marked(method: TrackingMethod) -> None:
    assert tracking.with_tracking(crd(), "shop", "shop", Settings(tracking=method)) == crd()


@pytest.mark.parametrize(
    ("instance", "label"),
    [("shop", "shop"), ("a" * 70, "a" * 63), ("a" * 60 + "-._-bcd", "a" * 60), ("team_shop", "team_shop")],
)
def test_beside_an_annotation_the_label_is_cut_to_63_and_ends_with_a_letter_or_digit(instance: str, label: str) -> None:
    marked = tracking.with_tracking(config_map(), instance, "shop", Settings(tracking=BOTH))
    assert marked["metadata"]["labels"] == {names.INSTANCE_LABEL: label}
    assert marked["metadata"]["annotations"] == {names.TRACKING_ID: f"{instance}:/ConfigMap:shop/settings"}


def test_label_tracking_sets_only_the_label_and_does_not_cut_it() -> None:
    settings = Settings(tracking=LABEL, instance_label="example.com/app")
    marked = tracking.with_tracking(config_map(), "a" * 70, "shop", settings)
    assert marked["metadata"].get("annotations") is None
    assert marked["metadata"]["labels"] == {"example.com/app": "a" * 70}
    assert tracking.owner_of(marked, settings) == "a" * 70


def test_beside_an_annotation_the_label_does_not_say_whose_an_object_is() -> None:
    assert tracking.owner_of(config_map(labels={names.INSTANCE_LABEL: "shop"}), Settings(tracking=BOTH)) == ""


@pytest.mark.parametrize("method", list(TrackingMethod))
def test_with_an_installation_id_objects_without_the_same_id_belong_to_nobody(method: TrackingMethod) -> None:
    mine, theirs = Settings(tracking=method, installation_id="eu"), Settings(tracking=method, installation_id="us")
    marked = tracking.with_tracking(config_map(), "shop", "shop", mine)
    assert marked["metadata"]["annotations"][names.INSTALLATION_ID] == "eu"
    assert tracking.owner_of(marked, mine) == "shop"
    assert tracking.owner_of(marked, theirs) == ""
    assert (
        tracking.owner_of(tracking.with_tracking(config_map(), "shop", "shop", Settings(tracking=method)), mine) == ""
    )


@pytest.mark.parametrize(
    ("identity", "owner"),
    [
        ("shop:/ConfigMap:shop/settings", "shop"),
        ("shop:/ConfigMap:shop/other", ""),
        ("shop:/ConfigMap:elsewhere/settings", ""),
        ("shop:/Secret:shop/settings", ""),
        ("shop:apps/ConfigMap:shop/settings", ""),
        ("nonsense", ""),
        ("", ""),
        (":/ConfigMap:shop/settings", ""),
    ],
)
def test_an_id_counts_only_on_the_object_it_names(identity: str, owner: str) -> None:
    assert tracking.owner_of(config_map(annotations={names.TRACKING_ID: identity}), Settings()) == owner


def test_a_cluster_scoped_object_is_its_own_whatever_namespace_its_id_carries() -> None:
    value = obj("Namespace", "prod", annotations={names.TRACKING_ID: "shop:/Namespace:anything/prod"})
    assert tracking.owner_of(value, Settings()) == "shop"


def test_an_id_is_read_back_as_instance_and_key() -> None:
    key = ObjectKey("apps", "Deployment", "shop", "web")
    assert tracking.parse_tracking_id(tracking.tracking_id("team_shop", key)) == ("team_shop", key)


def test_a_live_object_of_another_app_is_shared_and_named_with_both_apps() -> None:
    live = [
        config_map(annotations={names.TRACKING_ID: "team-a_other:/ConfigMap:shop/settings"}),
        config_map("mine", annotations={names.TRACKING_ID: "shop:/ConfigMap:shop/mine"}),
        config_map("free"),
    ]
    assert tracking.shared(typed_application(), live, Settings()) == (
        Condition("SharedResourceWarning", "ConfigMap/settings is part of applications argocd/shop and team-a/other"),
    )


def test_with_an_installation_id_foreign_objects_are_not_shared() -> None:
    foreign = config_map(annotations={names.TRACKING_ID: "other:/ConfigMap:shop/settings"})
    assert tracking.shared(typed_application(), [foreign], Settings(installation_id="eu")) == ()
