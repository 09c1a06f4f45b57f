"""The chain from what a sync waits for down to the container that holds it up, while `app sync` follows."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from syncline import wiring
from syncline.apimachinery.keys import GroupKind
from syncline.controller.app_key import AppKey
from syncline.ports.kube import ApiResource, Cluster, Discovery, Listed
from syncline.verbs.applications import read_application
from syncline.verbs.blocking import chains
from tests.support import manifests
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(180)
LATER = """\
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: later
  annotations: {argocd.argoproj.io/sync-wave: "1"}
"""
CHILD = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: child, namespace: argocd}}
spec:
  project: default
  source: {{repoURL: {repository}, path: stuck, targetRevision: HEAD}}
  destination: {{server: https://kubernetes.default.svc, namespace: child}}
  syncPolicy: {{automated: {{}}, syncOptions: [CreateNamespace=true]}}
"""
CHAIN = r"Deployment/api → ReplicaSet/api-\w+ → Pod/api-\w+-\w+ → container api: CreateContainerConfigError: "


class Recorder:
    """A cluster that remembers what was listed, and by which selector."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self.lists: list[tuple[str, str, str]] = []

    async def discover(self) -> Discovery:
        return await self._cluster.discover()

    async def get(self, resource: ApiResource, namespace: str, name: str) -> dict[str, Any] | None:
        return await self._cluster.get(resource, namespace, name)

    async def list(self, resource: ApiResource, *, namespace: str = "", label_selector: str = "") -> Listed:
        self.lists.append((resource.gvk.kind, namespace, label_selector))
        return await self._cluster.list(resource, namespace=namespace, label_selector=label_selector)


@pytest.fixture(scope="module")
def stuck(installation: Installation) -> Iterator[Installation]:
    installation.write("stuck/api.yaml", manifests.WITHOUT_LOGIN + LATER)
    installation.write("parent/child.yaml", CHILD.format(repository=installation.repository))
    installation.commit("an api without its login")
    yield installation
    for app in ("stuck", "parent", "child"):
        installation.run("app", "terminate-op", app)


def created(installation: Installation, name: str) -> None:
    answer = installation.run(
        "app", "create", name, "--repo", str(installation.repository), "--path", name, "--dest-namespace", name,
        "--dest-server", "https://kubernetes.default.svc", "--sync-option", "CreateNamespace=true",
    )  # fmt: skip
    assert answer.code == 0, answer.errors


def started(installation: Installation, *arguments: str) -> subprocess.Popen[str]:
    program = str(Path(sys.executable).with_name("syncline"))
    command = [program, *arguments, "--kubeconfig", str(installation.kubeconfig)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def test_a_sync_shows_the_chain_to_the_container_and_goes_on_once_the_cause_is_gone(stuck: Installation) -> None:
    created(stuck, "stuck")
    with started(stuck, "app", "sync", "stuck", "--timeout", "120") as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if re.search(rf"^\+[0-9.]+s {CHAIN}secret \"login\" not found$", line.rstrip()):
                stuck.kubectl("create", "secret", "generic", "login", "-n", "stuck")
                break
        else:
            pytest.fail("".join(lines))
        rest, _ = process.communicate(timeout=120)
    assert process.returncode == 0, rest
    assert "Phase:              Succeeded" in rest


def test_an_application_leads_to_what_it_delivers_and_only_selected_objects_are_listed(stuck: Installation) -> None:
    created(stuck, "parent")
    assert stuck.run("app", "sync", "parent", "--async").code == 0

    async def follow() -> tuple[str, Recorder]:
        async with wiring.connected(kubeconfig=str(stuck.kubeconfig)) as (cluster, _):
            recorder = Recorder(cluster)
            async with chains(cast("Cluster", recorder), "argocd", wiring.connector) as found:
                parent = (await read_application(cluster, AppKey("argocd", "parent"))).obj
                words, deadline = "", time.monotonic() + 60
                while not words and time.monotonic() < deadline:
                    words = await found.words(parent, GroupKind("argoproj.io", "Application"), "argocd", "child")
            return words, recorder

    words, recorder = asyncio.run(follow())
    assert re.fullmatch(rf"Application/child → {CHAIN}secret \"login\" not found", words), words
    assert set(recorder.lists) == {("ReplicaSet", "child", "app=api"), ("Pod", "child", "app=api")}


def test_what_cannot_be_read_gives_no_words(stuck: Installation) -> None:
    elsewhere = {
        "metadata": {"name": "x", "namespace": "argocd"},
        "spec": {"destination": {"server": "https://nowhere.example", "namespace": "x"}, "project": "default"},
    }

    async def words() -> str:
        async with (
            wiring.connected(kubeconfig=str(stuck.kubeconfig)) as (cluster, _),
            chains(cluster, "argocd", wiring.connector) as found,
        ):
            return await found.words(elsewhere, GroupKind("apps", "Deployment"), "x", "web")

    assert asyncio.run(words()) == ""
