"""`syncline sandbox --cluster` and `syncline facts` as a user runs them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from syncline.sandbox.cluster import file as cluster_file
from tests.component.sandbox.conftest import Kubectl

pytestmark = pytest.mark.timeout(180)
SYNCLINE = str(Path(sys.executable).parent / "syncline")
CLUSTER = """
nodes: [{name: dev-1, cpu: 4}]
storageClasses: [{name: fast, default: true}]
operators: [cert-manager]
"""


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[Path]:
    """Run a sandbox and yield its kubeconfig."""
    config = folder / "kubeconfig"
    command = [SYNCLINE, "sandbox", "--write-kubeconfig", str(config), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        while not config.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        try:
            yield config
        finally:
            process.terminate()
            process.communicate(timeout=60)


def test_a_cluster_file_is_served_and_described_again(tmp_path: Path) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text(CLUSTER)
    with running(tmp_path, "--cluster", str(file), "--operators", "sealed-secrets") as config:
        told = subprocess.run(
            [SYNCLINE, "facts", "--kubeconfig", str(config)], capture_output=True, text=True, timeout=90
        )
    assert told.returncode == 0, told.stderr
    assert told.stderr == "context sandbox, read-only · 1 node, 1 storage class, 0 images · Secrets not read\n"
    read = cluster_file.parse(told.stdout, "facts").settings
    assert [(node.name, node.cpu) for node in read.nodes] == [("dev-1", "4")]
    assert [one.name for one in read.operators] == ["cert-manager", "sealed-secrets"]


def test_operators_can_be_added_to_a_cluster_that_was_kept(tmp_path: Path, kubectl: Kubectl) -> None:
    data = ("--data", str(tmp_path / "data"))
    kinds = []
    ports = []
    for operators in ("cert-manager", "cert-manager,longhorn"):
        (tmp_path / "kubeconfig").unlink(missing_ok=True)
        with running(tmp_path, *data, "--operators", operators) as config:
            kinds.append(kubectl.run("--kubeconfig", str(config), "get", "crd", "-o", "name"))
            ports.append((tmp_path / "data" / "port").read_text())
    assert "volumes.longhorn.io" not in kinds[0]
    assert "volumes.longhorn.io" in kinds[1]
    assert "certificates.cert-manager.io" in kinds[1]
    assert ports[0] == ports[1], "the port is kept with the data"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--operators", "cert-manger"], 'syncline: Unknown operator "cert-manger": did you mean cert-manager.\n'),
        (
            ["--cluster", "{file}"],
            'syncline: The cluster file {file} cannot be used: unknown key "nodez": did you mean nodes.\n',
        ),
    ],
)
def test_what_cannot_be_served_is_told_in_a_sentence(tmp_path: Path, arguments: list[str], told: str) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text("nodez: []")
    filled = [one.format(file=file) for one in arguments]
    done = subprocess.run([SYNCLINE, "sandbox", *filled], capture_output=True, text=True, timeout=90, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, told.format(file=file))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            "objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: A_B}}]",
            'syncline: The cluster cannot start with this object: ConfigMap "A_B" is invalid: metadata.name: ',
        ),
        ("nodes: [{name: N_1}]", 'syncline: The cluster cannot start with this object: Node "N_1" is invalid: '),
    ],
)
def test_objects_that_the_api_refuses_are_told_in_a_sentence(tmp_path: Path, content: str, told: str) -> None:
    (tmp_path / "cluster.yaml").write_text(content)
    command = [SYNCLINE, "sandbox", "--cluster", "cluster.yaml"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, cwd=tmp_path)
    assert (done.returncode, done.stderr[: len(told)], done.stderr.count("\n")) == (2, told, 1)


def test_kubeconfigs_from_before_stay_good_with_the_data(tmp_path: Path, kubectl: Kubectl) -> None:
    data = ("--data", str(tmp_path / "data"))
    kept = tmp_path / "kept"
    with running(tmp_path, *data) as config:
        config.rename(kept)
        token = kubectl.run("--kubeconfig", str(kept), "create", "token", "default").strip()
    for name in ("door.json", "port"):
        assert (tmp_path / "data" / name).stat().st_mode & 0o077 == 0, f"{name} is for its owner alone"
    with running(tmp_path, *data):
        known = kubectl.run("--kubeconfig", str(kept), "get", "namespaces", "-o", "name")
        shown = ("-o", "jsonpath={.status.userInfo.username}")
        said = kubectl.run("--kubeconfig", str(kept), "--token", token, "auth", "whoami", *shown)
    assert "namespace/kube-system" in known
    assert said == "system:serviceaccount:default:default"


def test_a_kept_door_that_cannot_be_read_is_made_anew(tmp_path: Path, kubectl: Kubectl) -> None:
    (tmp_path / "data").mkdir(mode=0o700)
    (tmp_path / "data" / "door.json").write_text('["token", "no certificate", "no key"]')
    with running(tmp_path, "--data", str(tmp_path / "data")) as config:
        known = kubectl.run("--kubeconfig", str(config), "get", "namespaces", "-o", "name")
    assert "namespace/kube-system" in known
