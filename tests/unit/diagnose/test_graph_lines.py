"""The lines that causes of Applications lead to: those that messages name, and those of fields that others wrote."""

import pytest

from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model.desired import Desired, DesiredObject, Origin, Positions
from syncline.model.finding import EvidenceKind, Finding
from syncline.model.fleet import Rendered
from tests.support.sick_fleet import HOURS_AGO, Fleet, made

_APP = ObjectKey("argoproj.io", "Application", "argocd", "web")
_REVISION = "1f0c2ab"


def fleet_of_one() -> Fleet:
    fleet = Fleet()
    fleet.app("web")
    fleet.deploy("web", app="web")
    return fleet


def only_cause(fleet: Fleet) -> Finding:
    (cause,) = diagnose(fleet.snapshot()).causes
    return cause.finding


def files(finding: Finding) -> list[tuple[str, str]]:
    return [(str(one.place), one.text) for one in finding.evidence if one.kind is EvidenceKind.FILE]


@pytest.mark.parametrize(
    ("message", "places"),
    [
        (
            "apps/web/kustomization.yaml:3: `kustomize build` failed: a.yaml: no such file or directory",
            ["apps/web/kustomization.yaml:3"],
        ),
        (
            "Namespace for a /v1, Kind=ConfigMap is missing. (base/kustomization.yaml:4: set it)",
            ["base/kustomization.yaml:4"],
        ),
        ("app path does not exist: apps/web", []),
        ("failed to fetch: dial tcp 10.0.0.1:8081: connect: connection refused", []),
    ],
)  # fmt: skip
def test_a_line_that_a_condition_names_is_evidence(message: str, places: list[str]) -> None:
    fleet = fleet_of_one()
    fleet.compare_error("web", message)
    assert [place for place, _text in files(only_cause(fleet))] == places


def drifted(value: str, manager: str) -> Fleet:
    """Return a fleet in which a field that Git sets is another since the last sync."""
    fleet = fleet_of_one()
    live = made("v1", "ConfigMap", "shop", "routes", data={"host": value, "path": "/"})
    owns = {"manager": manager, "time": HOURS_AGO, "fieldsV1": {"f:data": {"f:host": {}}}}
    live["metadata"]["managedFields"] = [owns]
    fleet.add(live, "web")
    status = fleet.get("Application", "web", "argocd", "argoproj.io")["status"]
    status["sync"] = {"status": "OutOfSync", "revision": _REVISION}
    status["operationState"] = {"phase": "Succeeded", "syncResult": {"revision": _REVISION}}
    desired: Object = made("v1", "ConfigMap", "shop", "routes", data={"host": "", "path": "/"})
    item = DesiredObject(desired, Origin(file="web/routes.yaml", line=7))
    fleet.rendered.append(Rendered(app=_APP, desired=Desired((item,), source_types=("Kustomize",))))
    return fleet


def out_of_sync(fleet: Fleet) -> Finding:
    snapshot = fleet.snapshot()
    app = next(obj for obj in snapshot.clusters[0].objects if key_of(obj) == _APP)
    for row in app["status"]["resources"]:
        row["status"] = "OutOfSync" if row["kind"] == "ConfigMap" else "Synced"
    (cause,) = diagnose(snapshot).causes
    return cause.finding


def test_fields_that_somebody_else_wrote_are_told_with_writer_and_line() -> None:
    found = out_of_sync(drifted("web.example.com", "router"))
    assert found.code == "LIV-101"
    assert "(data.host)" in found.message
    assert files(found) == [("web/routes.yaml:7", "data.host, written by router")]


@pytest.mark.parametrize(("value", "manager"), [("", "router"), ("web.example.com", "argocd-controller")])
def test_a_field_that_is_as_in_git_or_our_own_is_not_told_as_written_by_others(value: str, manager: str) -> None:
    found = out_of_sync(drifted(value, manager))
    assert "data.host" not in found.message
    assert [text for _place, text in files(found)] == [""]


def test_a_refused_change_leads_to_the_line_of_the_object_with_the_field_by_name() -> None:
    fleet = fleet_of_one()
    key = ObjectKey("apps", "Deployment", "shop", "web")
    desired = made("apps/v1", "Deployment", "shop", "web", spec={"selector": {"matchLabels": {"app": "other"}}})
    item = DesiredObject(desired, Origin(file="web/web.yaml", line=2))
    fleet.rendered.append(Rendered(app=_APP, desired=Desired((item,), source_types=("Kustomize",))))
    fleet.failed_sync(
        "web", key, 'Deployment.apps "web" is invalid: spec.selector: Invalid value: {}: field is immutable'
    )
    found = only_cause(fleet)
    assert (found.code, files(found)) == ("OWN-007", [("web/web.yaml:2", "spec.selector")])


def written(fleet: Fleet, obj: Object, lines: dict[str, int]) -> None:
    """Let Git have an object, with the lines of its fields."""
    item = DesiredObject(
        obj, Origin(file="web/a.yaml", line=1, positions=Positions(tuple(lines), tuple(lines.values())))
    )
    fleet.rendered.append(Rendered(app=_APP, desired=Desired((item,), source_types=("Directory",))))


def test_a_name_with_dots_stays_whole() -> None:
    fleet = fleet_of_one()
    quota = fleet.add(made("v1", "ResourceQuota", "shop", "small", spec={"hard": {"requests.cpu": "1"}}))
    written(fleet, quota, {"spec": 3, 'spec.hard["requests.cpu"]': 4})
    said = (
        'pods "web" is forbidden: exceeded quota: small, requested: requests.cpu=2, used: requests.cpu=0, '
        "limited: requests.cpu=1"
    )
    fleet.failed_sync("web", ObjectKey("", "Pod", "shop", "web"), said)
    assert ("web/a.yaml:4", "requests.cpu: 1") in files(only_cause(fleet))


@pytest.mark.parametrize(("name", "place"), [("main", "web/a.yaml:17"), ("side", "web/a.yaml:12")])
def test_an_entry_of_a_list_is_found_by_its_name(name: str, place: str) -> None:
    fleet = fleet_of_one()
    containers = [{"name": "side"}, {"name": "main", "imagePullPolcy": "Always"}]
    deployment = made("apps/v1", "Deployment", "shop", "web", spec={"template": {"spec": {"containers": containers}}})
    here = "spec.template.spec.containers"
    written(fleet, deployment, {here: 11, f"{here}[0]": 12, f"{here}[1]": 14, f"{here}[1].imagePullPolcy": 17})
    said = f'.{here}[name="{name}"].imagePullPolcy: field not declared in schema'
    fleet.failed_sync("web", key_of(deployment), said)
    assert [where for where, _text in files(only_cause(fleet))] == [place]


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("apps/wbe: app path does not exist", ("root.yaml:8", "path: apps/wbe")),
        ("unable to resolve 'mian' to a commit SHA", ("root.yaml:9", "targetRevision: mian")),
    ],
)
def test_the_field_is_the_one_that_the_words_are_about(message: str, line: tuple[str, str]) -> None:
    fleet = fleet_of_one()
    fleet.compare_error("web", message)
    source = {"path": "apps/wbe", "targetRevision": "mian"}
    app = made("argoproj.io/v1alpha1", "Application", "argocd", "web", spec={"source": source})
    positions = Positions(("spec.source.path", "spec.source.targetRevision"), (8, 9))
    item = DesiredObject(app, Origin(file="root.yaml", line=1, positions=positions))
    fleet.app("root")
    root = ObjectKey("argoproj.io", "Application", "argocd", "root")
    fleet.rendered.append(Rendered(app=root, desired=Desired((item,), source_types=("Directory",))))
    assert files(only_cause(fleet)) == [line]
