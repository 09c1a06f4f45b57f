"""What `diagnose` says closely: the line of a limit, an affinity as one, both apps of an object, why a pull fails."""

from typing import Any

from syncline.apimachinery.keys import ObjectKey
from syncline.core.diagnose.explain import explain
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model.desired import Desired, DesiredObject, Origin, Positions
from syncline.model.finding import EvidenceKind, Finding
from syncline.model.fleet import Rendered
from tests.support.sick_fleet import Fleet
from tests.unit.diagnose.app_cases import deleting, running

_POD = "spec.template.spec"


def fleet_of(*apps: str) -> Fleet:
    fleet = Fleet()
    for app in apps:
        fleet.app(app)
    fleet.deploy("web", app=apps[0])
    return fleet


def render(fleet: Fleet, app: str, *known: str) -> None:
    """Say that an app has the Deployment on line 1 of its own file, with fields from line 10 on."""
    lines = tuple(range(10, 10 + len(known)))
    origin = Origin(file=f"{app}.yaml", line=1, positions=Positions(known, lines))
    key = ObjectKey("argoproj.io", "Application", "argocd", app)
    item = DesiredObject(fleet.get("Deployment", "web", "shop", "apps"), origin)
    fleet.rendered.append(Rendered(app=key, desired=Desired((item,), source_types=("Directory",))))


def only(fleet: Fleet) -> Finding:
    [cause] = diagnose(fleet.snapshot()).causes
    return cause.finding


def lines(finding: Finding) -> list[str]:
    return [f"{one.place} {one.text}" for one in finding.evidence if one.kind is EvidenceKind.FILE]


def unscheduled(change: dict[str, Any], said: str, *known: str) -> Finding:
    fleet = fleet_of("web")
    for spec in fleet.change("web"):
        spec.update(change)
    fleet.unscheduled("web", said)
    render(fleet, "web", *known)
    return only(fleet)


def test_a_limit_that_nothing_requests_has_its_line() -> None:
    path = f'{_POD}.containers[0].resources.limits["nvidia.com/gpu"]'
    asked = {"limits": {"nvidia.com/gpu": "1"}, "requests": {"nvidia.com/gpu": "1"}}
    fleet = fleet_of("web")
    for spec in fleet.change("web"):
        spec["containers"][0]["resources"] = asked
    fleet.unscheduled("web", "0/3 nodes are available: 3 Insufficient nvidia.com/gpu.")
    # The API server fills in the request; Git has the limit alone.
    written = fleet.get("Deployment", "web", "shop", "apps")
    written["spec"]["template"]["spec"]["containers"][0]["resources"] = {"limits": asked["limits"]}
    render(fleet, "web", path)
    assert lines(only(fleet)) == ["web.yaml:10 nvidia.com/gpu: 1"]


def test_an_affinity_is_not_told_as_a_selector() -> None:
    terms = [{"matchExpressions": [{"key": "disk", "operator": "In", "values": ["nvme"]}]}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    finding = unscheduled(
        {"affinity": {"nodeAffinity": required}},
        "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.",
        f"{_POD}.affinity.nodeAffinity",
    )
    assert lines(finding) == ["web.yaml:10 nodeAffinity disk In nvme"]
    assert finding.fix is not None
    assert finding.fix.text.startswith("decide: change the affinity (disk In nvme), or label a node so")


def test_a_shared_object_has_the_lines_of_both_apps() -> None:
    fleet = fleet_of("one", "two")
    key = ObjectKey("apps", "Deployment", "shop", "web")
    fleet.managed.setdefault("two", []).append(key)
    fleet.differing.add(("two", key))
    fleet.get("Deployment", "web", "shop", "apps")["metadata"].setdefault("annotations", {})[
        "argocd.argoproj.io/tracking-id"
    ] = "one:apps/Deployment:shop/web"
    render(fleet, "one")
    render(fleet, "two")
    assert lines(only(fleet)) == ["one.yaml:1 of one", "two.yaml:1 of two"]


def test_a_registry_is_told_by_why_it_does_not_answer() -> None:
    fleet = fleet_of("web")
    said = (
        'Back-off pulling image "nowhere.example/web:1": ErrImagePull: rpc error: code = Unknown desc = failed to do '
        'request: Head "https://nowhere.example/v2/web/manifests/1": dial tcp: lookup nowhere.example: no such host'
    )
    for spec in fleet.change("web"):
        spec["containers"][0]["image"] = "nowhere.example/web:1"
    fleet.waits("web", "ImagePullBackOff", said)
    expected = "registry nowhere.example does not answer: dial tcp: lookup nowhere.example: no such host"
    assert only(fleet).message == expected


def test_pods_that_keep_apart_are_told_by_their_anti_affinity() -> None:
    finding = unscheduled(
        {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": []}}},
        "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.",
        f"{_POD}.affinity.podAntiAffinity",
    )
    assert lines(finding) == ["web.yaml:10 podAntiAffinity"]
    assert finding.fix is not None
    assert "prefer the anti-affinity" in finding.fix.text


def test_an_object_that_has_just_begun_to_go_is_told_with_what_holds_it() -> None:
    going = deleting("example.io/guard", at="2026-03-01T08:29:59Z")
    [told] = [one.message for one in explain(going.assessment, going.decision).findings if one.code == "LIV-106"]
    assert told.endswith("Pending deletion since 2026-03-01T08:29:59Z, held by finalizer example.io/guard")


def restarted(*, reason: str = "Error", at: str = "2026-03-01T08:25:00Z", count: int = 4, **probes: Any) -> list[str]:
    """Return what is said of a container that is ready and was ended from outside before."""
    ended = {"exitCode": 137, "reason": reason, "finishedAt": at}
    state = {"name": "web", "ready": True, "state": {"running": {}}, "restartCount": count}
    status = {"phase": "Running", "containerStatuses": [{**state, "lastState": {"terminated": ended}}]}
    watched = probes or {"livenessProbe": {"httpGet": {"path": "/helthz", "port": 80}}}
    app = running(status, pod={"containers": [{"name": "web", "image": "shop/web:1", **watched}]})
    return [one.message for one in explain(app.assessment, app.decision).findings if one.code == "WKL-102"]


def test_a_container_between_two_kills_is_told_though_it_is_ready() -> None:
    [told] = restarted()
    assert "container web is ready now, and was killed 4 times" in told
    assert "its livenessProbe (GET /helthz) most likely fails" in told


def test_a_container_that_was_killed_for_another_reason_or_long_ago_is_not() -> None:
    assert restarted(reason="OOMKilled") == []
    assert restarted(at="2026-03-01T07:00:00Z") == []
    assert restarted(count=1) == []
    assert restarted(readinessProbe={"httpGet": {"path": "/", "port": 80}}) == []
