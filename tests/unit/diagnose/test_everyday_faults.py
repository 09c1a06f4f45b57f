"""Faults of every day on a small fleet: what is said about each, how it is repaired, and what only looks like it."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.core.diagnose.graph.diagnose import diagnose, not_serving
from syncline.model.desired import Desired, DesiredObject, Origin, Positions
from syncline.model.diagnosis import Diagnosis
from syncline.model.finding import EvidenceKind, Finding
from syncline.model.fleet import Rendered
from syncline.model.snapshot import PodLog
from tests.support.sick_fleet import HOURS_AGO, JUST_NOW, NODES, Fleet, condition, made


def fleet_of(*apps: str) -> Fleet:
    fleet = Fleet()
    for app in apps or ("web",):
        fleet.app(app)
        fleet.deploy(app, app=app)
    return fleet


def found(fleet: Fleet) -> Diagnosis:
    return diagnose(fleet.snapshot())


def only(fleet: Fleet) -> Finding:
    (cause,) = found(fleet).causes
    return cause.finding


def fix_of(finding: Finding) -> str:
    assert finding.fix is not None
    return "; ".join([*(str(edit) for edit in finding.fix.edits), finding.fix.command, finding.fix.text]).strip("; ")


def render(fleet: Fleet, app: str, text: str, file: str) -> None:
    """Say that an app delivers one object as it stands in a file."""
    (document,) = yaml.load_documents(text.encode(), source=file)
    places = [(yaml_path(path), position.line) for path, position in document.places()]
    paths, lines = zip(*places, strict=True)
    origin = Origin(file=file, line=1, positions=Positions(paths, lines))
    item = DesiredObject(document.value, origin)
    key = ObjectKey("argoproj.io", "Application", "argocd", app)
    fleet.rendered.append(Rendered(app=key, desired=Desired((item,), source_types=("Directory",))))


def yaml_path(path: tuple[str | int, ...]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).lstrip(".")


# -- Ingresses


def ingress(fleet: Fleet, port: dict[str, Any]) -> Object:
    backend = {"service": {"name": "web", "port": port}}
    spec = {"rules": [{"http": {"paths": [{"path": "/", "backend": backend}]}}]}
    status = {"loadBalancer": {"ingress": [{"ip": "203.0.113.7"}]}}
    return fleet.add(made("networking.k8s.io/v1", "Ingress", "shop", "web", spec=spec, status=status), "web")


def test_the_name_of_a_port_is_corrected_by_a_name() -> None:
    fleet = fleet_of()
    ingress(fleet, {"name": "htp"})
    finding = only(fleet)
    assert "points to port htp of Service web, which has http (80)" in finding.message
    assert fix_of(finding) == ("set spec.rules[0].http.paths[0].backend.service.port.name of Ingress/web to http")


def test_the_number_of_a_port_is_corrected_by_a_number() -> None:
    fleet = fleet_of()
    ingress(fleet, {"number": 8080})
    assert "service.port.number of Ingress/web to 80" in fix_of(only(fleet))


def test_a_service_whose_port_has_no_name_is_led_to_by_number() -> None:
    fleet = fleet_of()
    del fleet.get("Service", "web")["spec"]["ports"][0]["name"]
    ingress(fleet, {"name": "http"})
    assert "use port.number 80 instead of port.name" in fix_of(only(fleet))


@pytest.mark.parametrize("port", [{"name": "http"}, {"number": 80}])
def test_a_port_that_is_there_is_fine(port: dict[str, Any]) -> None:
    fleet = fleet_of()
    ingress(fleet, port)
    assert found(fleet).causes == ()


def test_an_app_that_is_green_and_does_not_serve_is_known_before_anything_is_rendered() -> None:
    fleet = fleet_of("web", "api")
    ingress(fleet, {"name": "htp"})
    assert not_serving(fleet.snapshot()) == {"argocd/web"}
    assert not_serving(fleet_of("web").snapshot()) == frozenset()


# -- Nodes


def asking(cpu: str) -> Fleet:
    """Return a fleet whose first node is tainted, with pods that ask for so much."""
    fleet = fleet_of()
    taint = {"key": "team", "value": "data", "effect": "NoSchedule"}
    fleet.get("Node", NODES[0], "")["spec"]["taints"] = [taint]
    for spec in fleet.change("web"):
        spec["containers"][0]["resources"]["requests"]["cpu"] = cpu
    fleet.unscheduled(
        "web", "0/3 nodes are available: 1 node(s) had untolerated taint {team: data}, 2 Insufficient cpu."
    )
    return fleet


def test_a_toleration_is_not_offered_for_a_node_that_is_too_small_all_the_same() -> None:
    finding = only(asking("70"))
    assert "3 of 3 are too small (cpu 70" in finding.message
    assert "request less cpu" in fix_of(finding)


def test_a_toleration_is_offered_where_the_tainted_node_is_large_enough() -> None:
    fleet = asking("70")
    fleet.get("Node", NODES[0], "")["status"]["allocatable"]["cpu"] = "96"
    assert "tolerate team=data:NoSchedule" in fix_of(only(fleet))


# -- What programs call


def policy(fleet: Fleet, **spec: Any) -> None:
    fleet.add(made("networking.k8s.io/v1", "NetworkPolicy", "shop", "closed", spec=spec))


def test_a_network_policy_that_permits_nothing_is_named() -> None:
    fleet = fleet_of("web", "db")
    policy(fleet, podSelector={"matchLabels": {"app": "db"}}, policyTypes=["Ingress"])
    fleet.crashes("web", "dial tcp db.shop.svc:80: i/o timeout")
    finding = only(fleet)
    assert "NetworkPolicy/closed does not permit that" in finding.message
    assert "let NetworkPolicy/closed in shop permit this call" in fix_of(finding)


@pytest.mark.parametrize(
    "spec",
    [
        {"podSelector": {"matchLabels": {"app": "other"}}, "policyTypes": ["Ingress"]},
        {"podSelector": {}, "ingress": [{}]},
        {"podSelector": {}, "ingress": [{"from": [{"podSelector": {"matchLabels": {"app": "web"}}}]}]},
        {"podSelector": {}, "ingress": [{"from": [{"ipBlock": {"cidr": "10.0.0.0/8"}}]}]},
        {"podSelector": {}, "ingress": [{"ports": [{"port": "http"}]}]},
    ],
    ids=["others", "everybody", "the caller", "addresses", "a port by name"],
)
def test_a_network_policy_that_may_permit_the_call_is_not_blamed(spec: dict[str, Any]) -> None:
    fleet = fleet_of("web", "db")
    policy(fleet, **spec)
    fleet.crashes("web", "dial tcp db.shop.svc:80: i/o timeout")
    finding = only(fleet)
    assert "which looks well, does not answer it" in finding.message
    assert "closed" not in finding.message


def test_of_two_policies_one_that_permits_is_enough() -> None:
    fleet = fleet_of("web", "db")
    policy(fleet, podSelector={}, policyTypes=["Ingress"])
    fleet.add(made("networking.k8s.io/v1", "NetworkPolicy", "shop", "open", spec={"podSelector": {}, "ingress": [{}]}))
    fleet.crashes("web", "dial tcp db.shop.svc:80: i/o timeout")
    assert "which looks well, does not answer it" in only(fleet).message


def test_an_address_that_no_service_has_is_not_called_outside() -> None:
    fleet = fleet_of()
    fleet.crashes("web", "dial tcp 10.96.14.3:5432: i/o timeout")
    message = only(fleet).message
    assert "10.96.14.3:5432, which no Service here has" in message
    assert "outside" not in message


# -- Containers that end


def test_the_log_of_a_pod_beside_it_tells_too() -> None:
    fleet = fleet_of()
    fleet.crashes("web")
    second = fleet.pods("web")[1]
    fleet.logs.append(PodLog(ObjectKey("", "Pod", "shop", second["metadata"]["name"]), "main", ("Error: no price",)))
    assert "Error: no price" in only(fleet).message


def test_a_last_line_that_does_not_tell_is_quoted() -> None:
    fleet = fleet_of()
    fleet.crashes("web", "waiting for vault")
    assert 'the last that it printed: "waiting for vault"' in only(fleet).message


def test_a_log_that_was_not_read_is_said_to_be_that() -> None:
    fleet = fleet_of()
    fleet.crashes("web")
    assert "its log was not read" in only(fleet).message


def never_started(fleet: Fleet, said: str) -> None:
    fleet.crashes("web", code=128, reason="StartError")
    for pod in fleet.pods("web"):
        for status in pod["status"]["containerStatuses"]:
            status["lastState"]["terminated"]["message"] = said


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ('failed to prepare subPath for volumeMount "conf" of container "main"', "correct the subPath"),
        ("failed to create shim task: context deadline exceeded", "was never started, so there is no log"),
    ],
)
def test_nobody_is_sent_to_the_log_of_a_container_that_never_ran(said: str, advice: str) -> None:
    fleet = fleet_of()
    never_started(fleet, said)
    assert advice in fix_of(only(fleet))


# -- Autoscalers and priorities


def scaler(fleet: Fleet, target: str, reason: str, message: str) -> None:
    spec = {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": target}, "maxReplicas": 3}
    status = {"conditions": [condition("ScalingActive", "False", reason, message)]}
    fleet.add(made("autoscaling/v2", "HorizontalPodAutoscaler", "shop", "web", spec=spec, status=status), "web")


def test_an_autoscaler_of_something_misspelled_names_what_is_meant() -> None:
    fleet = fleet_of()
    scaler(fleet, "wbe", "FailedGetScale", 'deployments.apps "wbe" not found')
    assert fix_of(only(fleet)) == "set spec.scaleTargetRef.name of HorizontalPodAutoscaler/web to web"


def test_an_autoscaler_without_requests_names_container_and_field() -> None:
    fleet = fleet_of()
    for spec in fleet.change("web"):
        del spec["containers"][0]["resources"]["requests"]["cpu"]
    said = "failed to get cpu utilization: missing request for cpu in container main of Pod web-5d7f-0"
    scaler(fleet, "web", "FailedGetResourceMetric", said)
    finding = only(fleet)
    assert "container main of Deployment/web has no cpu request" in finding.message
    assert "containers[0].resources.requests.cpu" in fix_of(finding)


def test_an_autoscaler_whose_container_does_ask_is_told_by_its_message() -> None:
    fleet = fleet_of()
    said = "failed to get cpu utilization: missing request for cpu in container main of Pod web-5d7f-0"
    scaler(fleet, "web", "FailedGetResourceMetric", said)
    finding = only(fleet)
    assert "has no cpu request" not in finding.message
    assert said in finding.message


@pytest.mark.parametrize(
    ("known", "fix"),
    [
        ("very-hihg", "set spec.template.spec.priorityClassName of Deployment/web to very-hihg"),
        ("batch", "decide: name a PriorityClass that exists (there: batch), or deliver very-high"),
    ],
)
def test_a_priority_that_does_not_exist_is_named(known: str, fix: str) -> None:
    fleet = fleet_of()
    fleet.add(made("scheduling.k8s.io/v1", "PriorityClass", "", known, value=1))
    for pod in fleet.pods("web"):
        fleet.drop("Pod", pod["metadata"]["name"])
    said = 'pods "web-1" is forbidden: no PriorityClass with name very-high was found'
    status = {"conditions": [condition("ReplicaFailure", "True", "FailedCreate", said)]}
    fleet.get("ReplicaSet", "web-5d7f", "shop", "apps")["status"] = status
    assert fix_of(only(fleet)) == fix


# -- Webhooks


def refused_by_webhook(said: str) -> Fleet:
    fleet = fleet_of("web", "guard")
    hook = {"name": "guard.example.com", "clientConfig": {"service": {"namespace": "shop", "name": "guard"}}}
    fleet.add(made("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "", "guard", webhooks=[hook]))
    words = f'failed calling webhook "guard.example.com": failed to call webhook: {said}'
    fleet.failed_sync("web", ObjectKey("apps", "Deployment", "shop", "web"), words)
    return fleet


def test_an_expired_certificate_of_a_webhook_is_not_taken_for_silence() -> None:
    said = "tls: failed to verify certificate: x509: certificate has expired or is not yet valid"
    finding = only(refused_by_webhook(said))
    assert "shows a certificate that has expired" in finding.message
    assert "renew it" in fix_of(finding)


def test_a_webhook_that_does_not_answer_has_nothing_to_do_with_certificates() -> None:
    finding = only(refused_by_webhook("context deadline exceeded"))
    assert "does not answer" in finding.message
    assert "certificate" not in finding.message + fix_of(finding)


# -- What is being deleted


def leaving(fleet: Fleet, *, definition: bool, since: str = JUST_NOW) -> None:
    crd = fleet.add(made("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "widgets.example.io"))
    widget = fleet.add(made("example.io/v1", "Widget", "shop", "held"), "web")
    widget["metadata"] |= {"deletionTimestamp": since, "finalizers": ["example.io/cleanup"]}
    if definition:
        crd["metadata"]["deletionTimestamp"] = since
    app = fleet.get("Application", "web", "argocd", "argoproj.io")
    app["status"]["sync"]["status"] = "OutOfSync"
    app["status"]["operationState"] |= {"startedAt": since, "finishedAt": since}


def test_a_finalizer_whose_definition_goes_too_is_told_at_once() -> None:
    fleet = fleet_of()
    leaving(fleet, definition=True)
    assert any(cause.finding.code == "LIV-010" for cause in found(fleet).causes)


def test_a_deletion_that_has_just_begun_is_left_time() -> None:
    fleet = fleet_of()
    leaving(fleet, definition=False)
    diagnosis = found(fleet)
    assert all(cause.finding.code != "LIV-010" for cause in diagnosis.causes)
    assert "Widget" not in " ".join(one.message for one in diagnosis.unexplained)


# -- Lines and edits


CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: data
  namespace: shop
spec:
  resources:
    requests:
      storage: 500Mi
"""


def test_a_claim_that_shrinks_is_set_back_to_what_is_live() -> None:
    fleet = fleet_of()
    live = made("v1", "PersistentVolumeClaim", "shop", "data", spec={"resources": {"requests": {"storage": "1Gi"}}})
    live["status"] = {"phase": "Bound"}
    fleet.add(live, "web")
    said = "spec.resources.requests.storage: Forbidden: field can not be less than status.capacity"
    fleet.failed_sync("web", ObjectKey("", "PersistentVolumeClaim", "shop", "data"), said)
    render(fleet, "web", CLAIM, "apps/web/data.yaml")
    assert fix_of(only(fleet)).startswith("apps/web/data.yaml:9: 500Mi → 1Gi")


NODE_PORT = """\
apiVersion: v1
kind: Service
metadata:
  name: second
  namespace: shop
spec:
  type: NodePort
  ports:
    - port: 80
      nodePort: 31999
"""


@pytest.mark.parametrize(("port", "told"), [(31999, True), (31998, False)])
def test_who_has_a_node_port_is_told(port: int, told: bool) -> None:
    fleet = fleet_of()
    fleet.get("Service", "web")["spec"]["ports"][0]["nodePort"] = port
    said = "spec.ports[0].nodePort: Invalid value: 31999: provided port is already allocated"
    fleet.failed_sync("web", ObjectKey("", "Service", "shop", "second"), said)
    render(fleet, "web", NODE_PORT, "apps/web/second.yaml")
    fix = fix_of(only(fleet))
    assert "another spec.ports[0].nodePort" in fix
    assert ("Service/web in shop has 31999" in fix) is told


SELECTED = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: NAME
  namespace: shop
spec:
  template:
    spec:
      nodeSelector:
        disk: sdd
"""


def test_a_cause_that_several_places_show_names_the_lines_of_all() -> None:
    fleet = fleet_of("web", "api")
    fleet.get("Node", NODES[0], "")["metadata"]["labels"] = {"disk": "ssd"}
    for app in ("web", "api"):
        for spec in fleet.change(app):
            spec["nodeSelector"] = {"disk": "sdd"}
        fleet.unscheduled(app, "0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.")
        render(fleet, app, SELECTED.replace("NAME", app), f"apps/{app}/web.yaml")
    finding = only(fleet)
    places = [str(one.place) for one in finding.evidence if one.kind is EvidenceKind.FILE]
    assert places == ["apps/api/web.yaml:10", "apps/web/web.yaml:10"]
    assert finding.fix is not None
    assert [str(edit) for edit in finding.fix.edits] == [
        "apps/api/web.yaml:10: sdd → ssd",
        "apps/web/web.yaml:10: sdd → ssd",
    ]


def test_no_line_shows_a_whole_map() -> None:
    fleet = fleet_of()
    said = 'pods "web-1" is forbidden: something that no rule knows'
    for pod in fleet.pods("web"):
        fleet.drop("Pod", pod["metadata"]["name"])
    status = {"conditions": [condition("ReplicaFailure", "True", "FailedCreate", said, HOURS_AGO)]}
    fleet.get("ReplicaSet", "web-5d7f", "shop", "apps")["status"] = status
    render(fleet, "web", SELECTED.replace("NAME", "web"), "apps/web/web.yaml")
    assert not any("{" in one.text for one in only(fleet).evidence if one.kind is EvidenceKind.FILE)
