"""`cluster add` through the program, from one sandbox to another, and a delivery there by name."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from syncline import wiring
from syncline.apimachinery import yaml
from syncline.apimachinery.keys import GroupKind
from syncline.controller.app_key import AppKey
from syncline.verbs.applications import read_application
from syncline.verbs.blocking import chains
from tests.support import manifests
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(120)


@pytest.fixture(scope="module")
def far(installation: Installation, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A second sandbox in a process of its own, as the context `far` of the installation's kubeconfig."""
    config = tmp_path_factory.mktemp("far") / "kubeconfig"
    program = str(Path(sys.executable).with_name("syncline"))
    with subprocess.Popen([program, "sandbox", "--write-kubeconfig", str(config)], stdout=subprocess.PIPE) as process:
        deadline = time.monotonic() + 60
        while not config.exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        try:
            _add_context(installation.kubeconfig, config)
            yield "far"
        finally:
            process.terminate()
            process.communicate(timeout=30)


def _read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.load(path.read_bytes())
    return found


def _add_context(home: Path, other: Path) -> None:
    kept, added = _read(home), _read(other)
    for part in ("clusters", "users", "contexts"):
        (one,) = added[part]
        kept[part] = [*kept[part], {**one, "name": "far"}]
    kept["contexts"][-1]["context"] = {"cluster": "far", "user": "far"}
    home.write_text(yaml.dump(kept))


def test_an_application_is_delivered_to_an_added_cluster_by_its_name(installation: Installation, far: str) -> None:
    answer = installation.run("cluster", "add", far, "--yes", "--upsert")
    assert answer.code == 0, answer.errors
    listed = installation.run("cluster", "list").output.splitlines()
    assert [(line.split()[1], line.split()[3]) for line in listed[1:]] == [
        ("in-cluster", "Successful"),
        ("far", "Successful"),
    ]
    answer = installation.run(
        *("app", "create", "away", "--repo", str(installation.repository), "--path", "web", "--dest-name", "far"),
        *("--dest-namespace", "away", "--sync-option", "CreateNamespace=true", "--sync-policy", "automated"),
    )
    assert answer.code == 0, answer.errors
    answer = installation.run("app", "wait", "away", "--timeout", "90")
    assert answer.code == 0, answer.output + answer.errors
    found = json.loads(
        installation.kubectl("--context", far, "get", "configmap", "settings", "-n", "away", "-o", "json")
    )
    assert found["data"] == {"colour": "blue"}
    assert installation.kubectl("get", "namespaces", "away", "--ignore-not-found") == ""


def test_the_cluster_is_reached_as_the_account_that_was_made_there(installation: Installation, far: str) -> None:
    installation.run("cluster", "add", far, "--yes", "--upsert")
    label = "argocd.argoproj.io/secret-type=cluster"
    (kept,) = json.loads(installation.kubectl("get", "secrets", "-n", "argocd", "-l", label, "-o", "json"))["items"]
    values = {name: base64.b64decode(text).decode() for name, text in kept["data"].items()}
    token = json.loads(values["config"])["bearerToken"]
    reached = ("--kubeconfig", "", "--server", values["server"], "--token", token, "--insecure-skip-tls-verify")
    told = json.loads(installation.kubectl(*reached, "auth", "whoami", "-o", "json"))
    account = told["status"]["userInfo"]
    assert account.pop("uid")
    assert account == {
        "username": "system:serviceaccount:kube-system:argocd-manager",
        "groups": ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"],
    }


def test_the_chain_of_a_sync_leads_to_the_pod_on_the_cluster_it_goes_to(installation: Installation, far: str) -> None:
    installation.run("cluster", "add", far, "--yes", "--upsert")
    installation.write("lonely/api.yaml", manifests.WITHOUT_LOGIN)
    installation.commit("an api without its login")
    answer = installation.run(
        *("app", "create", "lonely", "--repo", str(installation.repository), "--path", "lonely", "--dest-name", "far"),
        *("--dest-namespace", "lonely", "--sync-option", "CreateNamespace=true", "--sync-policy", "automated"),
    )
    assert answer.code == 0, answer.errors
    words = asyncio.run(_chain(installation))
    assert re.fullmatch(
        r"Deployment/api → ReplicaSet/api-\w+ → Pod/api-\w+-\w+ → container api: CreateContainerConfigError: "
        r'secret "login" not found',
        words,
    ), words


async def _chain(installation: Installation) -> str:
    async with (
        wiring.connected(kubeconfig=str(installation.kubeconfig)) as (cluster, _),
        chains(cluster, "argocd", wiring.connector) as found,
    ):
        app = (await read_application(cluster, AppKey("argocd", "lonely"))).obj
        words, deadline = "", time.monotonic() + 60
        while not words and time.monotonic() < deadline:
            words = await found.words(app, GroupKind("apps", "Deployment"), "lonely", "api")
        return words
