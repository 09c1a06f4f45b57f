"""Services whose pods nobody could make follow from what kept the workload from being made, and are no causes."""

from typing import Any

from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model.desired import Desired, DesiredObject, Origin
from syncline.model.diagnosis import Thing
from syncline.model.fleet import Rendered
from tests.support.sick_fleet import Fleet, made

_APP = ObjectKey("argoproj.io", "Application", "argocd", "web")
_NOT_SERVED = "The Kubernetes API could not find argoproj.io/Rollout for requested resource shop/canary"
_IMMUTABLE = 'Deployment.apps "web" is invalid: spec.selector: Invalid value: field is immutable'


def rollout(**labels: str) -> Object:
    return made(
        "argoproj.io/v1alpha1", "Rollout", "shop", "canary", spec={"template": {"metadata": {"labels": labels}}}
    )


def fleet_with(selector: dict[str, str], wanted: Object, refused: str) -> Fleet:
    """Return a fleet with a Service of these labels, whose app was refused a workload that Git has."""
    fleet = Fleet()
    fleet.app("web")
    fleet.deploy("web", app="web")
    fleet.add(made("v1", "Service", "shop", "canary", spec={"selector": selector, "ports": [{"port": 80}]}), "web")
    desired = Desired((DesiredObject(wanted, Origin(file="web/canary.yaml", line=1)),), source_types=("Directory",))
    fleet.rendered.append(Rendered(app=_APP, desired=desired))
    if refused:
        fleet.failed_sync("web", key_of(wanted), refused)
    return fleet


def causes(fleet: Fleet, about: Thing | None = None) -> list[tuple[str, str]]:
    return [(cause.finding.code, str(cause.thing)) for cause in diagnose(fleet.snapshot(), about).causes]


def changed(**labels: str) -> Object:
    """Return the live Deployment with other labels on its pods, as Git wants them."""
    spec: dict[str, Any] = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}}}
    return made("apps/v1", "Deployment", "shop", "web", spec=spec)


def test_a_service_of_pods_that_cannot_be_made_is_an_effect() -> None:
    fleet = fleet_with({"app": "canary"}, rollout(app="canary"), _NOT_SERVED)
    assert causes(fleet) == [("ORD-001", "kinds argoproj.io")]
    service = Thing(cluster="prod", key=ObjectKey("", "Service", "shop", "canary"))
    assert causes(fleet, service) == [("ORD-001", "kinds argoproj.io")]


def test_a_service_that_would_not_fit_those_pods_either_is_a_cause() -> None:
    found = causes(fleet_with({"app": "canray"}, rollout(app="canary"), _NOT_SERVED))
    assert found == [("ORD-001", "kinds argoproj.io"), ("WKL-006", "Service/canary in shop")]


def test_a_service_that_has_the_new_labels_of_a_refused_change_is_an_effect() -> None:
    found = causes(fleet_with({"app": "front"}, changed(app="front"), _IMMUTABLE))
    assert found == [("OWN-007", "Deployment/web in shop")]


def test_a_service_with_labels_that_the_change_does_not_bring_is_a_cause() -> None:
    found = causes(fleet_with({"app": "frnt"}, changed(app="front"), _IMMUTABLE))
    assert sorted(found) == [("OWN-007", "Deployment/web in shop"), ("WKL-006", "Service/canary in shop")]
