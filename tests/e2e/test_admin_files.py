"""Drift that teams met, told from files: a Route's host, gateways an operator changes, a key that Git has no more."""

import json
import pathlib

import pytest

from tests.e2e.program import Machine

ROUTE = """\
apiVersion: route.openshift.io/v1
kind: Route
metadata: {name: minio}
spec:
  host: ""
  to: {kind: Service, name: minio}
"""
LIVE_ROUTE = """\
apiVersion: route.openshift.io/v1
kind: Route
metadata:
  name: minio
  namespace: storage
  annotations:
    argocd.argoproj.io/tracking-id: minio:route.openshift.io/Route:storage/minio
    openshift.io/host.generated: "true"
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"route.openshift.io/v1","kind":"Route","metadata":{"name":"minio"},
       "spec":{"host":"","to":{"kind":"Service","name":"minio"}}}
spec:
  host: minio-storage.apps.example.com
  to: {kind: Service, name: minio, weight: 100}
  wildcardPolicy: None
status: {ingress: [{host: minio-storage.apps.example.com}]}
"""
APP = """\
# storage for models
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: minio
  namespace: argocd
spec:
  project: default
  source: {repoURL: "https://git.example.com/models.git", path: minio}
  destination: {server: "https://kubernetes.default.svc", namespace: storage}
"""


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    for name, text in {"desired": ROUTE, "live": LIVE_ROUTE, "app": APP}.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path


def files(folder: pathlib.Path) -> list[str | pathlib.Path]:
    return ["--desired", folder / "desired.yaml", "--live", folder / "live.yaml", "--app", folder / "app.yaml"]


def test_the_host_of_a_route_is_told_as_changed_live_and_one_rule_silences_it(
    machine: Machine, folder: pathlib.Path
) -> None:
    told = machine.syncline("admin", "diff", *files(folder), "--write-ignore")
    assert told.code == 1
    assert told.out.splitlines()[:3] == [
        "spec.host  (changed live)",
        f'  Git:  ""  ({folder}/desired.yaml:5)',
        '  live: "minio-storage.apps.example.com"',
    ]
    written = (folder / "app.yaml").read_text()
    assert written.startswith("# storage for models\n")
    assert "- /spec/host" in written
    assert machine.syncline("admin", "diff", *files(folder)).code == 0


def test_a_difference_is_accepted_with_a_reason_until_a_day(machine: Machine, folder: pathlib.Path) -> None:
    machine.syncline("admin", "diff", *files(folder), "--accept", "OpenShift chooses it", "--until", "2027-06-30")
    before = machine.syncline("admin", "diff", *files(folder), "--as-of", "2027-06-30T12:00:00Z")
    after = machine.syncline("admin", "diff", *files(folder), "--as-of", "2027-07-01T00:00:00Z")
    assert (before.code, after.code) == (0, 1)
    assert "accepted until 2027-06-30: spec.host (OpenShift chooses it)" in before.out


GATEWAY = """\
apiVersion: networking.istio.io/v1
kind: Gateway
metadata: {{name: ingress, namespace: knative-serving{owners}}}
spec:
  selector: {{knative: ingressgateway}}
  servers:
  - {{port: {{number: 443, name: https, protocol: HTTPS}}, hosts: ["{host}"]}}
"""
OPERATOR = """, managedFields: [{manager: opendatahub-operator, operation: Update,
  apiVersion: networking.istio.io/v1, time: "2026-03-02T08:00:00Z", fieldsType: FieldsV1,
  fieldsV1: {"f:spec": {"f:servers": {}}}}]"""


def test_a_gateway_that_an_operator_changes_names_it_and_its_time(machine: Machine, tmp_path: pathlib.Path) -> None:
    (tmp_path / "desired.yaml").write_text(GATEWAY.format(owners="", host="*"))
    (tmp_path / "live.yaml").write_text(GATEWAY.format(owners=OPERATOR, host="*.apps.example.com"))
    told = machine.syncline(
        "admin", "diff", "--desired", tmp_path / "desired.yaml", "--live", tmp_path / "live.yaml", "-o", "json"
    )
    (one,) = json.loads(told.out)["differences"]
    assert one == {
        "path": "spec.servers[0].hosts[0]",
        "desired": "*",
        "live": "*.apps.example.com",
        "cause": "changed live",
        "manager": "opendatahub-operator",
        "time": "2026-03-02T08:00:00Z",
    }


MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: presets, namespace: a{more}}}\ndata: {data}\n"


def test_a_key_that_git_has_no_more_is_found(machine: Machine, tmp_path: pathlib.Path) -> None:
    applied = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"presets"},"data":{"a":"1","b":"2"}}'
    more = f", annotations: {{kubectl.kubernetes.io/last-applied-configuration: '{applied}'}}"
    (tmp_path / "desired.yaml").write_text(MAP.format(more="", data='{a: "1"}'))
    (tmp_path / "live.yaml").write_text(MAP.format(more=more, data='{a: "1", b: "2"}'))
    told = machine.syncline("admin", "diff", "--desired", tmp_path / "desired.yaml", "--live", tmp_path / "live.yaml")
    assert (told.code, told.out.splitlines()[0]) == (1, "data.b  (removed from Git)")


def test_a_setting_that_nobody_reads_is_found_in_chart_values(machine: Machine, tmp_path: pathlib.Path) -> None:
    (tmp_path / "values.yaml").write_text('configs:\n  cm:\n    resource.server-side-diff: "true"\n')
    told = machine.syncline("admin", "settings", "validate", tmp_path / "values.yaml")
    assert told.code == 1
    assert "controller.diff.server.side" in told.out
