"""Flags that scripts for `argocd` use, through the program, on a running installation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from syncline.apimachinery import yaml
from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(120)


def created(installation: Installation, name: str, *more: str) -> None:
    answer = installation.run(
        *("app", "create", name, "--repo", str(installation.repository), "--path", "web", "--dest-namespace", name),
        *("--dest-server", "https://kubernetes.default.svc", "--sync-option", "CreateNamespace=true", *more),
    )
    assert answer.code == 0, answer.errors


def stored(installation: Installation, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(installation.run("app", "get", name, "-o", "json").output)
    return found


def test_output_of_a_sync_is_nothing_but_the_application(installation: Installation) -> None:
    created(installation, "quiet")
    answer = installation.run("app", "sync", "quiet", "--prune=true", "--timeout", "60", "-o", "json")
    assert answer.code == 0, answer.errors
    assert json.loads(answer.output)["status"]["operationState"]["operation"]["sync"]["prune"] is True
    assert "Sync wave 0" in answer.errors
    answer = installation.run("app", "wait", "quiet", "--timeout", "60", "-o", "yaml")
    assert yaml.load(answer.output.encode())["metadata"]["name"] == "quiet"


def test_a_preview_asks_before_it_syncs(installation: Installation) -> None:
    created(installation, "preview")
    answer = installation.run("app", "sync", "preview", "--preview-changes")
    assert answer.code == 2
    assert "===== apps/Deployment preview/web ======" in answer.output
    assert answer.errors.splitlines()[-1] == "syncline: nothing was synced (answer yes, or pass --yes)"
    assert "operation" not in stored(installation, "preview")
    answer = installation.run("app", "sync", "preview", "--preview-changes", "--assumeYes", "--timeout", "60")
    assert answer.code == 0, answer.errors
    assert installation.run("app", "wait", "preview", "--timeout", "60").code == 0
    answer = installation.run("app", "sync", "preview", "--preview-changes")
    assert (answer.code, answer.output) == (0, "")
    assert answer.errors.splitlines()[-1] == "preview: nothing differs, nothing to sync"


def test_an_application_printed_from_the_cluster_can_be_created_anew(
    installation: Installation, tmp_path: Path
) -> None:
    created(installation, "first")
    more = ("--repo", str(installation.repository), "--path", "web", "--source-name", "more")
    assert installation.run("app", "add-source", "first", *more).code == 0
    file = tmp_path / "second.yaml"
    file.write_text(installation.run("app", "get", "first", "-o", "yaml").output)
    answer = installation.run("app", "create", "second", "-f", str(file))
    assert (answer.code, answer.output) == (0, "application 'second' created\n"), answer.errors
    assert stored(installation, "second")["spec"] == stored(installation, "first")["spec"]
    assert installation.run("app", "set", "second", "--source-name", "more", "--revision", "main").code == 0
    sources = stored(installation, "second")["spec"]["sources"]
    assert [(one.get("name"), one.get("targetRevision")) for one in sources] == [(None, None), ("more", "main")]
    answer = installation.run("app", "set", "second", "--source-name", "other", "--revision", "main")
    assert (answer.code, answer.errors.splitlines()[-1]) == (2, "syncline: no source named other (known: more)")


def test_what_cannot_work_is_refused_unless_nobody_wants_to_know(installation: Installation) -> None:
    destination = ("--dest-server", "https://kubernetes.default.svc", "--dest-namespace", "odd")
    flags = ("app", "create", "odd", "--repo", "https://git.example/x", *destination)
    answer = installation.run(*flags)
    assert (answer.code, "has neither path nor chart" in answer.errors) == (2, True)
    assert installation.run(*flags, "--validate=false").code == 0


def test_live_manifests_are_printed_as_they_are(installation: Installation) -> None:
    created(installation, "alive")
    assert installation.run("app", "sync", "alive", "--timeout", "60").code == 0
    answer = installation.run("app", "manifests", "alive", "--source", "live", "-o", "json")
    objects = {obj["kind"]: obj for obj in json.loads(answer.output)}
    assert sorted(objects) == ["ConfigMap", "Deployment"]
    assert "uid" in objects["ConfigMap"]["metadata"]
    assert "managedFields" not in objects["ConfigMap"]["metadata"]


def test_files_at_hand_are_found_by_the_root_of_their_repository(installation: Installation) -> None:
    created(installation, "rooted")
    root = str(installation.repository)
    answer = installation.run("app", "diff", "rooted", "--local", "web", "--local-repo-root", root)
    assert (answer.code, answer.output.count("missing live, Git has it")) == (1, 2), answer.errors
    answer = installation.run("app", "diff", "rooted", "--local", "web", "--local-repo-root", f"{root}/web")
    assert (answer.code, answer.errors.splitlines()[-1]) == (
        2,
        f"syncline: {root}/web has no folder web, which the source names",
    )
    answer = installation.run("app", "diff", "rooted", "--local-repo-root", root)
    assert (answer.code, "--local-repo-root needs --local" in answer.errors) == (2, True)


def test_an_application_that_is_left_alone_says_why(installation: Installation) -> None:
    created(installation, "drifting", "--sync-policy", "automated")
    assert installation.run("app", "wait", "drifting", "--timeout", "60").code == 0
    patch = ("--type=merge", "-p", '{"data":{"colour":"red"}}')
    installation.kubectl("patch", "configmap", "settings", "-n", "drifting", *patch)
    assert installation.run("app", "get", "drifting", "--refresh").code == 0
    lines = installation.run("app", "get", "drifting").output.splitlines()
    (line,) = [line for line in lines if line.startswith("Not Syncing:")]
    assert line.startswith("Not Syncing:        This revision was already synced and self-heal is off. (")


def test_all_namespaces_of_an_installation_are_listed_unless_one_is_named(installation: Installation) -> None:
    created(installation, "central")
    installation.kubectl("create", "namespace", "team")
    installation.kubectl("create", "namespace", "strangers")
    for namespace in ("team", "strangers"):
        assert installation.run("proj", "add-source-namespace", "default", namespace).code == 0
    parameters = ("--from-literal=application.namespaces=team",)
    installation.kubectl("create", "configmap", "argocd-cmd-params-cm", "-n", "argocd", *parameters)
    try:
        for namespace in ("team", "strangers"):
            created(installation, "local", "-N", namespace)
        listed = installation.run("app", "list", "-o", "name").output.splitlines()
        assert "argocd/central" in listed
        assert [name for name in listed if not name.startswith("argocd/")] == ["team/local"]
        assert installation.run("app", "list", "-N", "strangers", "-o", "name").output == "strangers/local\n"
        everywhere = installation.run("app", "list", "-A", "-o", "name").output.splitlines()
        assert {"team/local", "strangers/local", "argocd/central"} <= set(everywhere)
    finally:
        installation.kubectl("delete", "configmap", "argocd-cmd-params-cm", "-n", "argocd")
