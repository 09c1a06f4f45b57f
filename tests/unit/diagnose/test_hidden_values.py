"""An empty value that hides the tolerations of an environment: one cause for all environments, with the lines."""

from typing import Any

import pytest

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model.desired import Desired, DesiredObject, Origin
from syncline.model.diagnosis import Diagnosis
from syncline.model.errors import Place
from syncline.model.fleet import Rendered
from syncline.model.layers import HiddenValue, Layers
from tests.support.sick_fleet import NODES, Fleet

ENVIRONMENTS = ("dev", "staging", "prod")
COMPONENTS = ("cart", "mail")
REFUSED = "0/3 nodes are available: 3 node(s) had untolerated taint."


def tolerating(value: str) -> list[dict[str, Any]]:
    return [{"key": "env", "value": value, "effect": "NoSchedule"}]


def fleet_of(*environments: str) -> Fleet:
    """Return a fleet with a tainted node for each environment, and pods in each that tolerate nothing."""
    fleet = Fleet()
    for node, environment in zip(NODES, ENVIRONMENTS, strict=True):
        fleet.get("Node", node, "")["spec"]["taints"] = tolerating(environment)
    for environment in environments:
        for component in COMPONENTS:
            fleet.app(f"{environment}-{component}")
            fleet.deploy(component, app=f"{environment}-{component}", namespace=environment)
            fleet.unscheduled(component, REFUSED, environment)
    return fleet


def render(fleet: Fleet, environment: str, component: str, *hidden: HiddenValue) -> None:
    item = fleet.get("Deployment", component, environment, "apps")
    origin = Origin(repo_url="https://git.example.com/deploy.git", file="chart/templates/web.yaml", line=1)
    app = ObjectKey("argoproj.io", "Application", "argocd", f"{environment}-{component}")
    desired = Desired((DesiredObject(item, origin),), source_types=("Helm",))
    fleet.rendered.append(Rendered(app=app, desired=desired, layers=Layers(hidden=hidden)))


def value(
    component: str, environment: str, hidden: Any = None, path: tuple[str, ...] = ("tolerations",)
) -> HiddenValue:
    return HiddenValue(
        path=path,
        place=Place(f"values/shared/{component}.yaml", 14),
        empty="tolerations: []",
        hides=Place(f"values/{environment}/globals.yaml", 9),
        hidden=tolerating(environment) if hidden is None else hidden,
    )


def codes(found: Diagnosis) -> list[str]:
    return [cause.finding.code for cause in found.causes]


def test_one_line_for_each_component_is_one_cause_over_all_environments() -> None:
    fleet = fleet_of(*ENVIRONMENTS)
    for environment in ENVIRONMENTS:
        for component in COMPONENTS:
            render(fleet, environment, component, value(component, environment))
    found = diagnose(fleet.snapshot())
    assert codes(found) == ["SRC-004"]
    [cause] = found.causes
    assert len(cause.affected) == 6
    assert "tolerations: [] in 2 values files" in cause.finding.message
    assert "6 Deployments" in cause.finding.message
    assert cause.finding.fix is not None
    assert [str(edit) for edit in cause.finding.fix.edits] == [
        "values/shared/cart.yaml:14: delete tolerations: []",
        "values/shared/mail.yaml:14: delete tolerations: []",
    ]
    assert found.repairs[-1].good_after == found.total


def test_one_file_alone_is_named_by_its_line() -> None:
    fleet = fleet_of("dev")
    for component in COMPONENTS:
        render(fleet, "dev", component, *([value("cart", "dev")] if component == "cart" else []))
    found = diagnose(fleet.snapshot())
    assert sorted(codes(found)) == ["SRC-004", "WKL-001"]
    by_code = {cause.finding.code: cause for cause in found.causes}
    assert str(by_code["SRC-004"].thing) == "values values/shared/cart.yaml:14"
    assert by_code["SRC-004"].affected == ("argocd/dev-cart",)
    assert by_code["WKL-001"].affected == ("argocd/dev-mail",)


@pytest.mark.parametrize("hidden", [tolerating("test"), [], ["env"]], ids=["other taint", "nothing", "no form"])
def test_a_value_that_would_not_help_is_not_to_blame(hidden: list[Any]) -> None:
    fleet = fleet_of("dev")
    for component in COMPONENTS:
        render(fleet, "dev", component, value(component, "dev", hidden))
    assert codes(diagnose(fleet.snapshot())) == ["WKL-001"]


def test_of_two_values_that_would_help_the_one_named_like_the_workload_is_to_blame() -> None:
    fleet = fleet_of("dev")
    both = [value(one, "dev", path=(one, "tolerations")) for one in COMPONENTS]
    for component in COMPONENTS:
        render(fleet, "dev", component, *both)
    found = diagnose(fleet.snapshot())
    assert codes(found) == ["SRC-004"]
    assert found.causes[0].finding.fix is not None
    assert len(found.causes[0].finding.fix.edits) == 2


def test_of_two_values_that_would_help_and_are_named_otherwise_none_is_to_blame() -> None:
    fleet = fleet_of("dev")
    both = [value(one, "dev", path=(one, "tolerations")) for one in ("server", "worker")]
    for component in COMPONENTS:
        render(fleet, "dev", component, *both)
    assert codes(diagnose(fleet.snapshot())) == ["WKL-001"]
