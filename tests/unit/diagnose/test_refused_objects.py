"""What an API server would refuse: the line, the fix, and what only looks like it."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import msgspec
import pytest

from syncline import wiring
from syncline.core.diagnose.engine import run
from syncline.core.diagnose.registry import checks
from syncline.core.diagnose.rules.applications import window_invalid
from syncline.core.diagnose.rules.workloads import pod_security_refused
from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Finding, Severity
from tests.unit.diagnose.repos import app, read
from tests.unit.diagnose.test_repo_rules_near_misses import facts

CODES = ("SRC-009", "SRC-013", "SRC-105", "SRC-106", "WKL-110", "WKL-111", "APP-104")
JUDGE = wiring.judge()
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
  labels: {{{labels}}}
spec:
  {spec}
  containers:
    - name: web
      image: example/web:1
      {container}
"""
NAMESPACE = """\
apiVersion: v1
kind: Namespace
metadata:
  name: shop
  labels: {{pod-security.kubernetes.io/enforce: {level}}}
"""


def pod(*, labels: str = "", spec: str = "dnsPolicy: Default", container: str = "stdin: false") -> str:
    return POD.format(labels=labels, spec=spec, container=container)


def said(*texts: str, folder: Path, options: str = "", **known: Any) -> list[Finding]:
    """Return what these rules find in apps of these texts, which one root leads to."""
    apps = [app(folder, f"app-{number}", text, options=options) for number, text in enumerate(texts)]
    repo = Repo(apps=tuple(apps), judge=JUDGE, clusters=facts(**known) if known else {})
    return [one for one in run(checks(Repo), repo) if one.code in CODES]


def line(finding: Finding) -> int:
    place = finding.evidence[0].place
    assert place is not None
    return place.line


@pytest.mark.parametrize(
    ("text", "code", "at", "fix"),
    [
        (pod(labels='app: web, tier: "front end"'), "SRC-105", 6, "write front-end"),
        (pod(labels="app: _web"), "SRC-105", 6, "write web"),
        (pod().replace("name: web\n  namespace", "name: Web_Front\n  namespace"), "SRC-105", 4, "write web-front"),
        (pod(container="resources: {requests: {memory: 1 GB}}"), "SRC-013", 12, "write 1G"),
        (
            pod(container="resources: {requests: {memory: lots}}"),
            "SRC-013",
            12,
            "decide: write the amount as a quantity, such as 512Mi or 10Gi",
        ),
        (pod(container="volumeMounts: [{name: data, mountPath: /data}]"), "SRC-106", 12, ""),
        (pod(container="ports: [{containerPort: 99999}]"), "SRC-106", 12, ""),
    ],
)
def test_what_would_be_refused_is_found_at_its_line(text: str, code: str, at: int, fix: str, tmp_path: Path) -> None:
    (finding,) = said(text, folder=tmp_path)
    assert (finding.code, line(finding)) == (code, at)
    assert finding.severity is Severity.ERROR
    assert finding.fix is not None
    assert finding.fix.text == (fix or "write a value as the message asks for")


def test_ports_without_names_are_found_where_a_service_has_several(tmp_path: Path) -> None:
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n  selector: {app: web}\n  ports:\n"
    found = said(service + "    - port: 80\n    - port: 443\n", folder=tmp_path)
    assert [(one.code, line(one)) for one in found] == [("SRC-106", 7), ("SRC-106", 8)]
    assert "spec.ports[0].name: Required value" in found[0].message
    assert said(service + "    - port: 80\n", folder=tmp_path) == []


def test_a_field_of_the_wrong_name_is_told_once(tmp_path: Path) -> None:
    (finding,) = said(pod().replace("  containers:", "  contaners:"), folder=tmp_path)
    assert finding.code == "SRC-009"


def test_the_judge_leaves_objects_as_they_are() -> None:
    obj = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "Web"}, "spec": {"contaners": [], "volumes": None}}
    before = copy.deepcopy(obj)
    assert JUDGE(obj)
    assert obj == before


def test_some_fields_of_an_object_that_others_make_are_not_held_against_the_rest(tmp_path: Path) -> None:
    patch = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: coredns, namespace: kube-system}
spec:
  template:
    spec:
      containers: [{name: coredns, resources: {limits: {memory: 1Gi}}}]
"""
    assert said(patch, folder=tmp_path, options="ServerSideApply=true") == []
    assert said(patch, folder=tmp_path) != []


def test_a_hook_with_a_generated_name_has_a_name(tmp_path: Path) -> None:
    job = """\
apiVersion: batch/v1
kind: Job
metadata: {generateName: migrate-, annotations: {argocd.argoproj.io/hook: PreSync}}
spec:
  template:
    spec:
      restartPolicy: Never
      containers: [{name: migrate, image: "example/migrate:1"}]
"""
    assert said(job, folder=tmp_path) == []


SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: 3scale}\nspec: {ports: [{port: 80}], selector: {a: b}}\n"


@pytest.mark.parametrize(
    ("known", "severity"),
    [({}, Severity.WARNING), ({"version": "v1.35.2"}, Severity.ERROR), ({"version": "v1.36.0"}, None)],
)
def test_a_service_that_begins_with_a_digit_is_refused_before_1_36(
    known: dict[str, str], severity: Severity | None, tmp_path: Path
) -> None:
    assert [one.severity for one in said(SERVICE, folder=tmp_path, **known)] == ([severity] if severity else [])


SAFE = (
    "securityContext: {runAsNonRoot: true, allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}, "
    "seccompProfile: {type: RuntimeDefault}}"
)


@pytest.mark.parametrize(
    ("level", "text", "refused"),
    [
        ("restricted", pod(), True),
        ("restricted", pod(container=SAFE), False),
        ("baseline", pod(), False),
        ("baseline", pod(spec="hostPID: true"), True),
        ("privileged", pod(spec="hostPID: true"), False),
        ("strict", pod(spec="hostPID: true"), False),  # not a level: the API server refuses the namespace instead
    ],
)
def test_pods_are_held_against_what_their_namespace_enforces(
    level: str, text: str, refused: bool, tmp_path: Path
) -> None:
    found = said(NAMESPACE.format(level=level), text, folder=tmp_path)
    assert [one.code for one in found if one.code == "WKL-111"] == (["WKL-111"] if refused else [])


def test_a_level_that_permits_the_pods_is_offered(tmp_path: Path) -> None:
    (finding,) = said(NAMESPACE.format(level="restricted"), pod(container=SAFE, spec="hostPID: true"), folder=tmp_path)
    assert finding.message == (
        "Pod/web of argocd/app-1: namespace shop enforces restricted, which forbids host namespaces"
    )
    assert finding.fix is not None
    assert finding.fix.text == "hostPID=true; or let the namespace enforce privileged"


def test_where_something_fills_in_security_contexts_only_the_baseline_counts(tmp_path: Path) -> None:
    policy = "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: secure}\nspec: {}\n"
    namespace = NAMESPACE.format(level="restricted")
    assert said(namespace, pod(), policy, folder=tmp_path) == []
    assert [one.code for one in said(namespace, pod(spec="hostPID: true"), policy, folder=tmp_path)] == ["WKL-111"]


def test_a_namespace_of_another_root_may_be_another_one(tmp_path: Path) -> None:
    one, other = app(tmp_path, "a", NAMESPACE.format(level="restricted")), app(tmp_path, "b", pod())
    apart = (msgspec.structs.replace(one, roots=("dev",)), msgspec.structs.replace(other, roots=("prod",)))
    together = (msgspec.structs.replace(one, roots=("dev",)), msgspec.structs.replace(other, roots=("dev",)))
    rule = [check for check in checks(Repo) if check.rule is pod_security_refused.RULE]
    assert run(rule, Repo(apps=apart)) == ()
    assert len(run(rule, Repo(apps=together))) == 1


def test_the_labels_that_an_application_gives_its_namespace_count(tmp_path: Path) -> None:
    one = app(tmp_path, "web", pod(), options="CreateNamespace=true")
    spec = {**one.manifest.obj["spec"]}
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    spec["syncPolicy"] = {**spec["syncPolicy"], "managedNamespaceMetadata": {"labels": labels}}
    manifest = msgspec.structs.replace(one.manifest, obj={**one.manifest.obj, "spec": spec})
    repo = Repo(apps=(msgspec.structs.replace(one, manifest=manifest),))
    rule = [check for check in checks(Repo) if check.rule is pod_security_refused.RULE]
    assert len(run(rule, repo)) == 1


@pytest.mark.parametrize(
    ("window", "at"),
    [
        ("{kind: deny, schedule: '0 25 * * *', duration: 1h}", True),
        ("{kind: deny, schedule: '0 0 * * 7', duration: 1h}", True),
        ("{kind: deny, schedule: '0 0 * *', duration: 1h}", True),
        ("{kind: deny, schedule: '0 0 * * *', duration: 1hour}", True),
        ("{kind: forbid, schedule: '0 0 * * *', duration: 1h}", True),
        ("{kind: allow, schedule: '0 0 * * mon-fri', duration: 1h30m, timeZone: Europe/Berlin}", False),
    ],
)
def test_windows_that_cannot_be_read_are_found(window: str, at: bool, tmp_path: Path) -> None:
    head = "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: shop, namespace: argocd}\n"
    items = read(tmp_path, "p.yaml", f"{head}spec:\n  syncWindows:\n    - {window}\n")
    rule = [check for check in checks(Repo) if check.rule is window_invalid.RULE]
    found = run(rule, Repo(projects=tuple(items)))
    assert [line(one) for one in found] == ([6] if at else [])
