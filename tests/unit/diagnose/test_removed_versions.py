"""Objects of a version that Kubernetes has removed: diagnose says what why and check say, and installs nothing."""

import pytest

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model.diagnosis import RootCause
from tests.support.sick_fleet import Fleet

REFUSED = "The Kubernetes API could not find {group}/{kind} for requested resource shop/web"


def causes(group: str, kind: str, version: str) -> tuple[RootCause, ...]:
    """Return the causes of an app whose sync could not apply an object of a version."""
    fleet = Fleet()
    fleet.app("web")
    fleet.deploy("web", app="web")
    fleet.failed_sync("web", ObjectKey(group, kind, "shop", "web"), REFUSED.format(group=group, kind=kind))
    status = fleet.get("Application", "web", "argocd", "argoproj.io")["status"]
    status["operationState"]["syncResult"]["resources"][-1]["version"] = version
    return diagnose(fleet.snapshot()).causes


@pytest.mark.parametrize(
    ("group", "kind", "since"),
    [("networking.k8s.io", "Ingress", "1.22"), ("policy", "PodDisruptionBudget", "1.25")],
)
def test_a_removed_version_is_to_be_written_anew(group: str, kind: str, since: str) -> None:
    (cause,) = causes(group, kind, "v1beta1")
    assert (cause.finding.code, str(cause.thing)) == ("SRC-011", f"{kind}/web in shop")
    assert f"Kubernetes {since} removed it, and {group}/v1 replaces it" in cause.finding.message
    assert cause.finding.fix is not None
    assert f"{group}/v1" in cause.finding.fix.text


@pytest.mark.parametrize("group", ["mesh.example.com", "networking.k8s.io"])
def test_a_kind_that_never_was_there_is_to_be_installed(group: str) -> None:
    (cause,) = causes(group, "Gate", "v1beta1")
    assert cause.finding.code == "ORD-001"
