"""A field that a chart makes is told by the layer and line that set it, and by what that hides."""

from __future__ import annotations

import pytest

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.core.provenance.chart_values import shown_values, value_behind
from syncline.model.desired import Desired, DesiredObject, Origin, ValuesLayer
from syncline.model.errors import Place
from syncline.model.finding import EvidenceKind, Finding
from syncline.model.fleet import Rendered
from syncline.model.layers import ChartValue, Layers
from tests.support.sick_fleet import NODES, Fleet

_APP = ObjectKey("argoproj.io", "Application", "argocd", "web")
OWN = """\
image:
  repository: registry.example.com/web
  tag: "1.4"
nodeSelector:
  disk: ssd
resources:
  requests:
    cpu: 100m
password: hunter2
"""


def layers(stronger: str) -> tuple[ValuesLayer, ...]:
    own = ValuesLayer(name="chart/values.yaml", text=OWN.encode(), own=True)
    return own, ValuesLayer(name="values/dev.yaml", text=stronger.encode())


def fleet_with(stronger: str) -> Fleet:
    """Return a fleet of one app whose chart has its own values and those of an environment."""
    fleet = Fleet()
    fleet.app("web")
    fleet.deploy("web", app="web")
    fleet.get("Node", NODES[0], "")["metadata"]["labels"] = {"disk": "ssd"}
    return fleet


def rendered(fleet: Fleet, stronger: str) -> tuple[ChartValue, ...]:
    item = DesiredObject(
        fleet.get("Deployment", "web", "shop", "apps"), Origin(file="chart/templates/web.yaml", line=1)
    )
    desired = Desired((item,), source_types=("Helm",))
    values = tuple(shown_values([layers(stronger)], desired))
    fleet.rendered.append(Rendered(app=_APP, desired=desired, layers=Layers(values=values)))
    return values


def only(fleet: Fleet) -> Finding:
    (cause,) = diagnose(fleet.snapshot()).causes
    return cause.finding


def lines(finding: Finding) -> list[str]:
    return [f"{one.place} {one.text}" for one in finding.evidence if one.kind is EvidenceKind.FILE]


def edits(finding: Finding) -> list[str]:
    return [str(edit) for edit in finding.fix.edits] if finding.fix is not None else []


def selecting(disk: str, stronger: str) -> Fleet:
    fleet = fleet_with(stronger)
    for spec in fleet.change("web"):
        spec["nodeSelector"] = {"disk": disk}
    fleet.unscheduled("web", "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.")
    rendered(fleet, stronger)
    return fleet


def test_a_selector_is_told_by_the_layer_that_set_it_and_by_the_one_it_hides() -> None:
    finding = only(selecting("sdd", "nodeSelector:\n  disk: sdd\n"))
    assert lines(finding) == ["values/dev.yaml:2 nodeSelector.disk: sdd, hides chart/values.yaml:5 (ssd)"]
    assert edits(finding) == ["values/dev.yaml:2: sdd → ssd"]


def test_a_selector_that_two_values_may_have_made_is_told_by_the_template() -> None:
    finding = only(selecting("sdd", "nodeSelector:\n  disk: sdd\nworker:\n  disk: sdd\n"))
    assert [line.partition(":")[0] for line in lines(finding)] == ["chart/templates/web.yaml"]
    assert edits(finding) == []


def test_a_request_is_told_by_its_layer() -> None:
    stronger = 'resources:\n  requests:\n    cpu: "300"\n'
    fleet = fleet_with(stronger)
    for spec in fleet.change("web"):
        spec["containers"][0]["resources"]["requests"]["cpu"] = "300"
    fleet.unscheduled("web", "0/3 nodes are available: 3 Insufficient cpu.")
    rendered(fleet, stronger)
    assert lines(only(fleet)) == ["values/dev.yaml:3 resources.requests.cpu: 300, hides chart/values.yaml:8 (100m)"]


def image_of(tag: str, stronger: str) -> Finding:
    fleet = fleet_with(stronger)
    for spec in fleet.change("web"):
        spec["containers"][0]["image"] = f"registry.example.com/web:{tag}"
    fleet.waits("web", "ImagePullBackOff", f"rpc error: registry.example.com/web:{tag}: not found")
    rendered(fleet, stronger)
    return only(fleet)


def test_an_image_is_told_by_the_layer_of_its_tag() -> None:
    assert lines(image_of("1.5", 'image:\n  tag: "1.5"\n')) == [
        "values/dev.yaml:2 image.tag: 1.5, hides chart/values.yaml:3 (1.4)"
    ]


def test_a_tag_that_another_image_has_too_is_not_taken_for_this_one() -> None:
    found = lines(image_of("1.5", 'image:\n  tag: "1.5"\nsidecar:\n  tag: "1.5"\n'))
    assert [line.partition(":")[0] for line in found] == ["chart/templates/web.yaml"]


@pytest.mark.parametrize("stronger", ["", "extra:\n  password: hunter3\n"])
def test_no_value_is_kept_that_pods_do_not_show(stronger: str) -> None:
    values = rendered(fleet_with(stronger), stronger)
    assert "hunter" not in repr(values)
    assert ("resources", "requests", "cpu") in {one.path for one in values}


def test_a_value_that_a_template_alone_decides_is_told_by_the_template() -> None:
    fleet = fleet_with("")
    deployed: Object = fleet.get("Deployment", "web", "shop", "apps")
    deployed["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]["memory"] = "77Mi"
    fleet.crashes("web", code=137, reason="OOMKilled")
    rendered(fleet, "")
    assert [line.partition(":")[0] for line in lines(only(fleet))] == ["chart/templates/web.yaml"]


def test_of_two_values_the_one_that_the_line_of_the_template_names_is_taken() -> None:
    web = ChartValue(path=("web", "replicas"), place=Place("v.yaml", 2), value="0", named_at=(Place("t/web.yaml", 6),))
    worker = ChartValue(
        path=("worker", "replicas"), place=Place("v.yaml", 4), value="0", named_at=(Place("t/worker.yaml", 6),)
    )
    assert value_behind([web, worker], "spec.replicas", 0, Place("t/worker.yaml", 6)) is worker
    assert value_behind([web, worker], "spec.replicas", 0, Place("t/other.yaml", 6)) is None
    assert value_behind([web, worker], "spec.replicas", 0, None, "shop-worker") is worker
    assert value_behind([web, worker], "spec.replicas", 0, None, "shop-workers") is None


def test_a_secret_shows_no_value() -> None:
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}, "stringData": {"password": "hunter2"}}
    desired = Desired((DesiredObject(secret, Origin(file="t.yaml", line=1)),), source_types=("Helm",))
    assert list(shown_values([layers("")], desired)) == []
