"""The harness itself: a real server answers, users differ, writes are audited."""

import pathlib
import shutil
import subprocess
import sys
import time

import pytest

from tests.real import audit, build, cluster
from tests.real.api import Api

ROOT = pathlib.Path(__file__).parents[2]


def config_map(name: str, **entries: str) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": entries}


def test_the_server_is_the_version_that_go_mod_names(api: Api) -> None:
    assert api.ok("GET", "/version")["gitVersion"] == build.kubernetes_version()


def test_the_server_reports_major_and_minor(api: Api) -> None:
    major, minor = build.kubernetes_version().removeprefix("v").split(".")[:2]
    answer = api.ok("GET", "/version")
    assert (answer["major"], answer["minor"]) == (major, minor)


def test_server_side_apply_records_its_manager(api: Api, namespace: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps/one?fieldManager=harness"
    applied = api.ok("PATCH", path, config_map("one", a="1"), content_type="application/apply-patch+yaml")
    managers = [(entry["manager"], entry["operation"]) for entry in applied["metadata"]["managedFields"]]
    assert managers == [("harness", "Apply")]


def test_the_viewer_may_see_nothing(api: Api, namespace: str) -> None:
    status, answer = api.request("GET", f"/api/v1/namespaces/{namespace}/configmaps", user="viewer")
    assert (status, answer["reason"]) == (403, "Forbidden")


def test_any_other_user_is_impersonated(api: Api) -> None:
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    status, answer = api.request(
        "POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review, user="system:serviceaccount:a:b"
    )
    assert status == 201
    assert answer["status"]["userInfo"]["username"] == "system:serviceaccount:a:b"


def test_a_refusal_comes_back_as_status_and_body(api: Api, namespace: str) -> None:
    status, answer = api.request("GET", f"/api/v1/namespaces/{namespace}/configmaps/absent")
    assert (status, answer["reason"]) == (404, "NotFound")


def test_a_write_is_in_the_audit_log_with_its_body(api: Api, namespace: str, real_cluster: cluster.Cluster) -> None:
    api.ok("POST", f"/api/v1/namespaces/{namespace}/configmaps", config_map("audited", a="1"))
    audit.settle(api, namespace)
    assert audit.writes(real_cluster, namespace) == [("create", "configmaps", "audited")]
    (entry,) = [entry for entry in audit.entries(real_cluster, namespace) if entry["verb"] == "create"][-1:]
    assert (entry["user"]["username"], entry["requestObject"]["data"]) == ("admin", {"a": "1"})


def test_kubectl_works_with_the_kubeconfig(real_cluster: cluster.Cluster, namespace: str) -> None:
    beside = pathlib.Path(sys.executable).parent / "kubectl"
    kubectl = str(beside) if beside.exists() else shutil.which("kubectl")
    assert kubectl, "kubectl is neither in the virtual environment nor on PATH; install it"
    argv = [
        kubectl,
        "--kubeconfig",
        real_cluster.kubeconfig_path,
        "get",
        "namespace",
        namespace,
        "-o",
        "name",
    ]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.returncode) == (f"namespace/{namespace}", 0), done.stderr


def test_without_go_the_build_says_what_to_install_and_fails() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.real.build"], cwd=ROOT, env={"PATH": ""}, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert done.stdout == ""
    assert "install Go 1.26.0 or newer" in done.stderr


def test_a_server_that_does_not_start_is_told_with_its_log_and_leaves_nothing_running(tmp_path: pathlib.Path) -> None:
    broken = tmp_path / "kube-apiserver"
    broken.write_text("#!/bin/sh\necho the flag is unknown\nexit 3\n")
    broken.chmod(0o755)
    binaries = build.Binaries(kube_apiserver=broken, etcd=build.build(say=False).etcd)
    with pytest.raises(cluster.ClusterError, match=r"a program ended while starting[^$]*the flag is unknown"):
        cluster.start(tmp_path / "cluster", binaries)
    running = subprocess.run(["ps", "-A", "-o", "args"], capture_output=True, text=True, check=True).stdout
    assert [line for line in running.splitlines() if str(tmp_path / "cluster") in line] == []


def test_the_cluster_goes_when_its_last_user_is_killed(tmp_path: pathlib.Path) -> None:
    code = (
        "import pathlib, signal, os\nfrom tests.real import sharing\n"
        f"with sharing.joined(pathlib.Path({str(tmp_path)!r})) as found:\n"
        "    print(found.folder, flush=True)\n    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    folder = pathlib.Path(done.stdout.strip())
    deadline = time.monotonic() + 120
    while folder.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not folder.exists(), "the owner did not notice that its last user was killed"
