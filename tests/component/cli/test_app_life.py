"""An Application from `app create` to `app delete`, through the program, on a running installation."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

from tests.support.installation import Installation

pytestmark = pytest.mark.timeout(120)


def created(installation: Installation, name: str, *more: str) -> None:
    arguments = ["--repo", str(installation.repository), "--path", "web", "--dest-namespace", name, *more]
    answer = installation.run(
        "app",
        "create",
        name,
        "--dest-server",
        "https://kubernetes.default.svc",
        "--sync-option",
        "CreateNamespace=true",
        "--set-finalizer",
        *arguments,
    )
    assert answer.code == 0, answer.errors
    assert answer.output == f"application '{name}' created\n"


def stored(installation: Installation, name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(installation.run("app", "get", name, "-o", "json").output)
    return found


def test_an_application_is_created_synced_and_waited_for(installation: Installation) -> None:
    created(installation, "life")
    answer = installation.run("app", "sync", "life", "--timeout", "60")
    assert answer.code == 0, answer.output + answer.errors
    assert "Succeeded: successfully synced" in answer.output
    answer = installation.run("app", "wait", "life", "--timeout", "60")
    assert answer.code == 0, answer.errors
    assert json.loads(installation.kubectl("get", "configmap", "settings", "-n", "life", "-o", "json"))["data"] == {
        "colour": "blue"
    }


def test_the_tree_shows_what_objects_own_down_to_the_pod(installation: Installation) -> None:
    created(installation, "drawn", "--sync-policy", "automated")
    assert installation.run("app", "wait", "drawn", "--timeout", "60").code == 0
    lines = installation.run("app", "get", "drawn", "-o", "tree").output.splitlines()
    kinds = [
        line.split("/")[0]
        for line in lines
        if "/" in line and not line.startswith(("Name", "- Repo", "Server", "KIND"))
    ]
    assert kinds == ["ConfigMap", "Deployment", "└─ReplicaSet", "  └─Pod"]


def test_a_difference_is_shown_by_field_path_with_its_writer(installation: Installation) -> None:
    created(installation, "differs")
    assert installation.run("app", "sync", "differs", "--timeout", "60").code == 0
    assert installation.run("app", "diff", "differs").code == 0
    installation.kubectl(
        "patch", "configmap", "settings", "-n", "differs", "--type=merge", "-p", '{"data":{"colour":"red"}}'
    )
    answer = installation.run("app", "diff", "differs", "--write-ignore")
    assert answer.code == 1
    assert "===== /ConfigMap differs/settings ======" in answer.output
    assert "data.colour  (changed live by kubectl-patch" in answer.output
    assert 'Git:  "blue"  (web/settings.yaml:7)' in answer.output
    assert 'live: "red"' in answer.output
    assert "/data/colour" in answer.output
    differences = json.loads(installation.run("app", "diff", "differs", "-o", "json").output)["objects"]
    assert [(one["kind"], [item["path"] for item in one["differences"]]) for one in differences] == [
        ("ConfigMap", ["data.colour"])
    ]
    assert installation.run("app", "diff", "differs", "--no-exit-code").code == 0
    assert installation.run("app", "diff", "differs", "--diff-exit-code", "7").code == 7


def test_files_at_hand_are_compared_before_they_are_committed(installation: Installation) -> None:
    created(installation, "athand")
    assert installation.run("app", "sync", "athand", "--timeout", "60").code == 0
    file = installation.repository / "web/settings.yaml"
    committed = file.read_text()
    try:
        file.write_text(committed.replace("colour: blue", "colour: white"))
        answer = installation.run("app", "diff", "athand", "--local", str(installation.repository / "web"))
        assert answer.code == 1, answer.errors
        assert 'Git:  "white"' in answer.output
        assert installation.run("app", "diff", "athand").code == 0
    finally:
        file.write_text(committed)
    answer = installation.run("app", "diff", "athand", "--local", str(installation.repository / "nothing"))
    assert answer.code == 2
    assert "is not a folder" in answer.errors


def test_files_at_hand_are_synced_where_nothing_undoes_it(installation: Installation) -> None:
    created(installation, "byhand")
    file = installation.repository / "web/settings.yaml"
    committed = file.read_text()
    try:
        file.write_text(committed + "  size: large\n")
        folder = str(installation.repository / "web")
        answer = installation.run("app", "sync", "byhand", "--local", folder, "--timeout", "60")
        assert answer.code == 0, answer.output + answer.errors
    finally:
        file.write_text(committed)
    data = json.loads(installation.kubectl("get", "configmap", "settings", "-n", "byhand", "-o", "json"))["data"]
    assert data["size"] == "large"
    assert installation.run("app", "wait", "byhand", "--operation", "--timeout", "60").code == 0
    assert installation.run("app", "diff", "byhand").code == 1
    assert installation.run("app", "set", "byhand", "--sync-policy", "automated").code == 0
    answer = installation.run("app", "sync", "byhand", "--local", folder)
    assert answer.code == 2
    assert "it would revert them immediately" in answer.errors


def test_only_the_named_objects_are_synced(installation: Installation) -> None:
    created(installation, "partly")
    assert installation.run("app", "sync", "partly", "--resource", ":ConfigMap:settings", "--timeout", "60").code == 0
    assert installation.kubectl("get", "deployments", "-n", "partly", "-o", "name") == ""
    assert installation.run("app", "sync", "partly", "--label", "part=settings", "--timeout", "60").code == 0
    answer = installation.run("app", "sync", "partly", "--label", "part=nothing")
    assert (answer.code, answer.errors) == (2, "syncline: no object of partly has the label part=nothing\n")


def test_history_counts_syncs_and_rollback_returns_to_one(installation: Installation) -> None:
    blue = (installation.repository / "web/settings.yaml").read_text()
    installation.write("past/settings.yaml", blue)
    installation.commit("blue")
    created(installation, "past", "--path", "past")
    assert installation.run("app", "sync", "past", "--timeout", "60").code == 0
    first = stored(installation, "past")["status"]["history"][0]["revision"]
    installation.write("past/settings.yaml", blue.replace("blue", "green"))
    installation.commit("green")
    assert installation.run("app", "get", "past", "--hard-refresh").code == 0
    assert installation.run("app", "sync", "past", "--timeout", "60").code == 0
    assert installation.run("app", "history", "past", "-o", "id").output == "0\n1\n"
    answer = installation.run("app", "rollback", "past", "0", "--timeout", "60")
    assert answer.code == 0, answer.output + answer.errors
    entry = stored(installation, "past")["status"]["history"][-1]
    assert (entry["id"], entry["revision"]) == (2, first)
    data = json.loads(installation.kubectl("get", "configmap", "settings", "-n", "past", "-o", "json"))["data"]
    assert data == {"colour": "blue"}


def test_history_shows_the_tag_that_was_asked_for_beside_its_commit(installation: Installation) -> None:
    commit = installation.commit("to be released")
    installation.tag("v1.2.3")
    created(installation, "tagged")
    assert installation.run("app", "sync", "tagged", "--revision", "v1.2.3", "--timeout", "60").code == 0
    assert installation.run("app", "sync", "tagged", "--revision", commit, "--timeout", "60").code == 0
    rows = installation.run("app", "history", "tagged").output.splitlines()[1:]
    assert [f"v1.2.3 ({commit[:7]})" in row for row in rows] == [True, False]
    assert installation.run("app", "rollback", "tagged", "0", "--timeout", "60").code == 0


def test_a_missing_object_is_shown_whole_as_additions_without_secrets(installation: Installation) -> None:
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {password: not-to-be-told}\n"
    installation.write("unseen/secret.yaml", secret)
    installation.write("unseen/settings.yaml", (installation.repository / "web/settings.yaml").read_text())
    sha = installation.commit("unseen")
    created(installation, "unseen", "--path", "unseen", "--revision", sha)
    answer = installation.run("app", "diff", "unseen")
    assert answer.code == 1
    lines = answer.output.splitlines()
    at = lines.index("===== /ConfigMap unseen/settings ======")
    assert lines[at + 1].startswith("missing live, Git has it (unseen/settings.yaml:")
    assert {"+ kind: ConfigMap", "+   name: settings", "+   colour: blue"} <= set(lines[at + 2 :])
    assert "+ kind: Secret" in lines
    assert "not-to-be-told" not in answer.output
    assert "bm90LXRvLWJlLXRvbGQ=" not in answer.output


def test_rollback_is_refused_while_automatic_sync_would_undo_it(installation: Installation) -> None:
    created(installation, "auto", "--sync-policy", "automated")
    assert installation.run("app", "wait", "auto", "--timeout", "60").code == 0
    answer = installation.run("app", "rollback", "auto", "0")
    assert answer.code == 2
    assert "rollback cannot be initiated when auto-sync is enabled" in answer.errors


def test_settings_are_set_and_taken_away_again(installation: Installation) -> None:
    created(installation, "changed")
    assert (
        installation.run("app", "set", "changed", "-p", "a=1", "--values", "v.yaml").output
        == "application 'changed' updated\n"
    )
    assert stored(installation, "changed")["spec"]["source"]["helm"] == {
        "parameters": [{"name": "a", "value": "1"}],
        "valueFiles": ["v.yaml"],
    }
    assert installation.run("app", "set", "changed", "-p", "a=1").output == "application 'changed' unchanged\n"
    assert installation.run("app", "unset", "changed", "-p", "a", "--values", "v.yaml").code == 0
    assert "helm" not in stored(installation, "changed")["spec"]["source"]


def test_sources_are_added_and_removed(installation: Installation) -> None:
    created(installation, "several")
    assert (
        installation.run(
            "app",
            "add-source",
            "several",
            "--repo",
            str(installation.repository),
            "--path",
            "more",
            "--source-name",
            "more",
        ).code
        == 0
    )
    assert [one["path"] for one in stored(installation, "several")["spec"]["sources"]] == ["web", "more"]
    assert installation.run("app", "set", "several", "--source-position", "2", "--revision", "v1").code == 0
    assert stored(installation, "several")["spec"]["sources"][1]["targetRevision"] == "v1"
    answer = installation.run("app", "set", "several", "--revision", "v1")
    assert answer.code == 2
    assert "choose one with --source-position 1…2" in answer.errors
    assert installation.run("app", "remove-source", "several", "--source-name", "more").code == 0
    assert [one["path"] for one in stored(installation, "several")["spec"]["sources"]] == ["web"]


def test_patches_change_the_spec_and_cannot_rename(installation: Installation) -> None:
    created(installation, "patched")
    merge = '{"spec": {"source": {"path": "other"}}}'
    assert installation.run("app", "patch", "patched", "--type", "merge", "--patch", merge).code == 0
    assert stored(installation, "patched")["spec"]["source"]["path"] == "other"
    operations = '[{"op": "replace", "path": "/spec/source/path", "value": "web"}]'
    assert installation.run("app", "patch", "patched", "--patch", operations).code == 0
    assert stored(installation, "patched")["spec"]["source"]["path"] == "web"
    answer = installation.run("app", "patch", "patched", "--type", "merge", "--patch", '{"metadata": {"name": "x"}}')
    assert (answer.code, answer.errors.splitlines()[-1]) == (2, "syncline: a patch cannot rename an Application")


def test_live_objects_are_listed_shown_patched_and_deleted(installation: Installation) -> None:
    created(installation, "objects")
    assert installation.run("app", "sync", "objects", "--timeout", "60").code == 0
    assert installation.run("app", "wait", "objects", "--timeout", "60").code == 0
    installation.kubectl("create", "configmap", "stray", "-n", "objects")
    lines = installation.run("app", "resources", "objects").output.splitlines()
    assert [line.split()[-1] for line in lines if "stray" in line] == ["Yes"]
    assert [line.split()[0] for line in lines if line.endswith("No")] == ["ConfigMap", "apps"]
    drawn = installation.run("app", "resources", "objects", "-o", "tree").output.splitlines()
    assert [line.split()[-4] for line in drawn if line.endswith("No")] == [
        "ConfigMap",
        "Deployment",
        "└─ReplicaSet",
        "└─Pod",
    ]
    shown = json.loads(
        installation.run(
            "app", "get-resource", "objects", "--kind", "ConfigMap", "--resource-name", "settings", "-o", "json"
        ).output
    )
    assert (shown["kind"], shown["metadata"]["name"]) == ("ConfigMap", "settings")
    named = ("--kind", "ConfigMap", "--resource-name", "settings")
    wide = installation.run("app", "get-resource", "objects", *named, "--filter-fields", "data.colour,metadata.name")
    assert [line.split()[0] for line in wide.output.splitlines()] == ["FIELD", "data.colour", "metadata.name"]
    patch = '{"metadata": {"labels": {"by": "hand"}}}'
    assert (
        installation.run(
            "app", "patch-resource", "objects", "--kind", "ConfigMap", "--resource-name", "settings", "--patch", patch
        ).code
        == 0
    )
    assert "by=hand" in installation.kubectl("get", "configmap", "settings", "-n", "objects", "--show-labels")
    answer = installation.run(
        "app", "delete-resource", "objects", "--kind", "ConfigMap", "--resource-name", "stray", "--yes"
    )
    assert answer.code == 2, "an object of nobody must not be deleted"
    assert (
        installation.run(
            "app", "delete-resource", "objects", "--kind", "ConfigMap", "--resource-name", "settings", "--yes"
        ).code
        == 0
    )
    assert "settings" not in installation.kubectl("get", "configmap", "-n", "objects", "-o", "name")


def test_actions_are_listed_and_run(installation: Installation) -> None:
    created(installation, "acting")
    assert installation.run("app", "sync", "acting", "--timeout", "60").code == 0
    listed = installation.run("app", "actions", "list", "acting", "--kind", "Deployment", "-o", "json").output
    offers = {one["action"]: one["disabled"] for one in json.loads(listed)}
    assert offers == {"pause": False, "restart": False, "resume": True, "scale": False}
    answer = installation.run("app", "actions", "run", "acting", "restart", "--kind", "Deployment")
    assert (answer.code, answer.output) == (0, "restart: patch Deployment/web\n")
    template = json.loads(installation.kubectl("get", "deployment", "web", "-n", "acting", "-o", "json"))
    assert "kubectl.kubernetes.io/restartedAt" in template["spec"]["template"]["metadata"]["annotations"]
    answer = installation.run("app", "actions", "run", "acting", "resume", "--kind", "Deployment")
    assert answer.code == 2
    assert "does not offer resume now" in answer.errors


def test_deletion_asks_and_takes_the_objects_along(installation: Installation) -> None:
    created(installation, "ending")
    assert installation.run("app", "sync", "ending", "--timeout", "60").code == 0
    answer = installation.run("app", "delete", "ending")
    assert (answer.code, answer.errors.splitlines()[-1]) == (
        2,
        "syncline: nothing was deleted (answer yes, or pass --yes)",
    )
    assert installation.run("app", "delete", "ending", "--yes", "--wait", "--timeout", "60").code == 0
    assert "settings" not in installation.kubectl("get", "configmap", "-n", "ending", "-o", "name")


def test_deletion_without_cascade_keeps_the_objects(installation: Installation) -> None:
    created(installation, "leaving")
    assert installation.run("app", "sync", "leaving", "--timeout", "60").code == 0
    assert installation.run("app", "delete", "leaving", "--no-cascade", "--yes", "--wait", "--timeout", "60").code == 0
    assert "configmap/settings" in installation.kubectl("get", "configmap", "-n", "leaving", "-o", "name")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("app", "get", "nothing"), "Application nothing not found in namespace argocd"),
        (("app", "create", "x"), "the source has no repository (set --repo URL)"),
        (("app", "set", "x"), "nothing to change"),
        (("app", "history", "nothing"), "not found"),
    ],
)
def test_bad_input_is_one_sentence(installation: Installation, arguments: tuple[str, ...], sentence: str) -> None:
    answer = installation.run(*arguments)
    assert answer.code == 2
    last = answer.errors.splitlines()[-1]
    assert last.startswith("syncline: ")
    assert sentence in last


def test_what_is_not_under_way_cannot_be_ended(installation: Installation) -> None:
    created(installation, "resting")
    answer = installation.run("app", "terminate-op", "resting")
    assert (answer.code, "has no operation in progress" in answer.errors.splitlines()[-1]) == (2, True)


def test_a_sync_of_nothing_is_told_with_the_usage(installation: Installation) -> None:
    answer = installation.run("app", "sync")
    assert answer.code == 2
    assert answer.errors.splitlines()[-1] == "Error: name the Applications, or use --selector or --project"


def test_a_field_that_applications_do_not_have_is_told_with_its_line_and_left_out(
    installation: Installation, tmp_path: pathlib.Path
) -> None:
    created(installation, "spelled")
    app = stored(installation, "spelled")
    file = tmp_path / "app.yaml"
    spec = {**app["spec"], "sourc": {}}
    file.write_text(f"apiVersion: {app['apiVersion']}\nkind: Application\nmetadata: {{name: typo}}\nspec: {spec}\n")
    answer = installation.run("app", "create", "-f", str(file))
    assert answer.code == 0
    assert f"warning: {file}:4: " in answer.errors
    assert "sourc" in answer.errors
    assert "did you mean" in answer.errors
    assert "sourc" not in stored(installation, "typo")["spec"]
