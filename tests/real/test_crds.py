"""The generated CRDs, judged by a real API server: accepted, structural, complete, and listed as with Argo CD."""

import pathlib
import shutil
import subprocess
import sys
import time
from typing import Any

import pytest

from syncline.model import crds
from tests.real import cluster
from tests.real.api import Api
from tests.support import schema_check
from tests.unit.crds import rich, rich_set

pytestmark = pytest.mark.real

Json = dict[str, Any]
WAIT = 120.0

KINDS = [
    pytest.param("applications", rich.application(), crds.application_crd(), id="Application"),
    pytest.param("appprojects", rich.appproject(), crds.appproject_crd(), id="AppProject"),
    pytest.param("applicationsets", rich_set.applicationset(), crds.applicationset_crd(), id="ApplicationSet"),
]


@pytest.fixture(scope="module")
def installed(api: Api) -> dict[str, Json]:
    """The three CRDs as the server has them once they are established, by plural."""
    for crd in crds.all_crds():
        # Applied and not created, because other tests of the same run may have been first.
        api.ok("PATCH", f"{_path(crd)}?fieldManager=syncline&force=true", crd, "application/apply-patch+yaml")
    return {crd["spec"]["names"]["plural"]: _established(api, crd) for crd in crds.all_crds()}


def _path(crd: Json) -> str:
    return f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{crd['metadata']['name']}"


def _established(api: Api, crd: Json) -> Json:
    plural = crd["spec"]["names"]["plural"]
    deadline = time.monotonic() + WAIT
    while True:
        live = api.ok("GET", _path(crd))
        status, _ = api.request("GET", f"/apis/argoproj.io/v1alpha1/{plural}")
        if _conditions(live).get("Established") == "True" and status == 200:
            return live
        assert time.monotonic() < deadline, live.get("status")
        time.sleep(0.1)


def _conditions(crd: Json) -> dict[str, str]:
    return {one["type"]: one["status"] for one in (crd.get("status") or {}).get("conditions") or ()}


def _create(api: Api, namespace: str, plural: str, obj: Json) -> Json:
    """Create an object and, where status is an endpoint of its own, write its status; return what was stored."""
    path = f"/apis/argoproj.io/v1alpha1/namespaces/{namespace}/{plural}"
    api.ok("POST", path, obj)
    one = f"{path}/{obj['metadata']['name']}"
    if plural == "applicationsets":
        api.ok("PATCH", f"{one}/status", {"status": obj["status"]}, "application/merge-patch+json")
    return api.ok("GET", one)


def _lost(written: Any, stored: Any, path: str) -> list[str]:
    """The paths of fields that were written and are not there, or are there with another value."""
    if isinstance(written, dict) and isinstance(stored, dict):
        lost = [f"{path}.{name}" for name in written if name not in stored]
        for name in written.keys() & stored.keys():
            lost += _lost(written[name], stored[name], f"{path}.{name}")
        return lost
    if isinstance(written, list) and isinstance(stored, list) and len(written) == len(stored):
        pairs = zip(written, stored, strict=True)
        return [lost for at, (a, b) in enumerate(pairs) for lost in _lost(a, b, f"{path}[{at}]")]
    return [] if written == stored else [path]


@pytest.mark.parametrize("plural", ["applications", "appprojects", "applicationsets"])
def test_the_server_establishes_the_crd_and_finds_its_schema_structural(
    installed: dict[str, Json], plural: str
) -> None:
    assert _conditions(installed[plural]) == {"NamesAccepted": "True", "Established": "True"}


@pytest.mark.parametrize(("plural", "obj", "_crd"), KINDS)
def test_every_field_comes_back_unpruned(
    api: Api, namespace: str, installed: dict[str, Json], plural: str, obj: Json, _crd: Json
) -> None:
    stored = _create(api, namespace, plural, obj)
    written = {name: obj[name] for name in ("spec", "operation", "status") if name in obj}
    assert _lost(written, stored, "") == []


@pytest.mark.parametrize(("plural", "obj", "crd"), KINDS)
def test_exactly_the_fields_that_the_check_calls_unknown_are_pruned(
    api: Api, namespace: str, installed: dict[str, Json], plural: str, obj: Json, crd: Json
) -> None:
    extra = {**obj, "extra": 1, "spec": {**obj["spec"], "extra": {"deep": 1}}}
    extra["status"] = {**obj["status"], "extra": [1]}
    stored = _create(api, namespace, plural, extra)
    written = {name: extra[name] for name in ("spec", "operation", "status", "extra") if name in extra}
    lost = {path.removeprefix(".") for path in _lost(written, stored, "")}
    assert lost == {"extra", "spec.extra", "status.extra"}
    assert lost == set(schema_check.unknown_fields(extra, crd))


def test_status_is_patched_on_the_object_itself_for_applications_alone(
    api: Api, namespace: str, installed: dict[str, Json]
) -> None:
    base = f"/apis/argoproj.io/v1alpha1/namespaces/{namespace}"
    for plural, obj in (("applications", rich.application()), ("applicationsets", rich_set.applicationset())):
        api.ok("POST", f"{base}/{plural}", {name: member for name, member in obj.items() if name != "status"})
    patch = {"status": {"health": {"status": "Healthy"}}}
    kind = "application/merge-patch+json"
    application = api.ok("PATCH", f"{base}/applications/shop", patch, kind)
    application_set = api.ok("PATCH", f"{base}/applicationsets/shops", patch, kind)
    status, _ = api.request("PATCH", f"{base}/applications/shop/status", patch, kind)
    assert (application.get("status"), application_set.get("status"), status) == (patch["status"], None, 404)


@pytest.mark.parametrize(
    ("plural", "kind", "spec", "fields"),
    [
        ("applications", "Application", {"project": "default"}, ["spec.destination"]),
        ("applications", "Application", {"destination": {}}, ["spec.project"]),
        ("applications", "Application", None, ["spec"]),
        ("appprojects", "AppProject", None, ["spec"]),
        ("applicationsets", "ApplicationSet", {}, ["spec.generators", "spec.template"]),
        (
            "applications",
            "Application",
            {"project": "default", "destination": {}, "source": {"path": "a"}},
            ["spec.source.repoURL"],
        ),
    ],
)
def test_a_missing_field_is_refused_by_name(
    api: Api, namespace: str, installed: dict[str, Json], plural: str, kind: str, spec: Json | None, fields: list[str]
) -> None:
    obj = {"apiVersion": "argoproj.io/v1alpha1", "kind": kind, "metadata": {"name": "lacking"}}
    body = obj if spec is None else {**obj, "spec": spec}
    status, answer = api.request("POST", f"/apis/argoproj.io/v1alpha1/namespaces/{namespace}/{plural}", body)
    causes = [(cause["reason"], cause["field"]) for cause in answer["details"]["causes"]]
    assert (status, sorted(causes)) == (422, [("FieldValueRequired", field) for field in fields])


def _kubectl(real_cluster: cluster.Cluster, folder: pathlib.Path, *arguments: str) -> list[list[str]]:
    beside = pathlib.Path(sys.executable).parent / "kubectl"
    kubectl = str(beside) if beside.exists() else shutil.which("kubectl")
    assert kubectl, "kubectl is neither in the virtual environment nor on PATH; install it"
    argv = [kubectl, "--kubeconfig", real_cluster.kubeconfig_path, "--cache-dir", str(folder), *arguments]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    # Columns are set apart by three spaces; their titles hold single ones.
    return [[cell.strip() for cell in line.split("   ") if cell.strip()] for line in done.stdout.splitlines()]


@pytest.mark.parametrize("word", ["applications", "application", "app", "apps"])
def test_kubectl_lists_applications_as_with_argo_cd(
    api: Api,
    namespace: str,
    installed: dict[str, Json],
    real_cluster: cluster.Cluster,
    tmp_path: pathlib.Path,
    word: str,
) -> None:
    _create(api, namespace, "applications", rich.application())
    assert _kubectl(real_cluster, tmp_path, "get", word, "-n", namespace) == [
        ["NAME", "SYNC STATUS", "HEALTH STATUS"],
        ["shop", "OutOfSync", "Degraded"],
    ]


def test_kubectl_shows_revision_and_project_when_asked_for_more(
    api: Api, namespace: str, installed: dict[str, Json], real_cluster: cluster.Cluster, tmp_path: pathlib.Path
) -> None:
    _create(api, namespace, "applications", rich.application())
    assert _kubectl(real_cluster, tmp_path, "get", "app", "-n", namespace, "-o", "wide") == [
        ["NAME", "SYNC STATUS", "HEALTH STATUS", "REVISION", "PROJECT"],
        ["shop", "OutOfSync", "Degraded", "abc", "shop"],
    ]
