"""`syncline admin plan`: what a sync would do, from files."""

import json
import pathlib
from typing import Any

import pytest
from click.testing import CliRunner, Result

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object
from syncline.cli.admin.plan import plan
from syncline.model.errors import NeedsUser
from tests.support.objects import application_object, config_map, crd, hook, obj, secret, tracked, with_wave


@pytest.fixture
def run(tmp_path: pathlib.Path) -> Any:
    def run(
        *wanted: Object, live: tuple[Object, ...] = (), app: Object | None = None, arguments: tuple[str, ...] = ()
    ) -> Result:
        command = [str(written(tmp_path / "wanted.yaml", *wanted)), *arguments]
        if live:
            command += ["--live", str(written(tmp_path / "live.yaml", *live))]
        if app is not None:
            command += ["--app", str(written(tmp_path / "app.yaml", app))]
        return CliRunner().invoke(plan, command, standalone_mode=False)

    return run


def written(path: pathlib.Path, *objects: Object) -> pathlib.Path:
    path.write_text(yaml.dump_all(objects), encoding="utf-8")
    return path


def tasks(found: Result) -> list[dict[str, Any]]:
    assert found.exception is None, found.exception
    rows: list[dict[str, Any]] = json.loads(found.stdout)["tasks"]
    return rows


def test_the_json_lists_tasks_in_order_of_execution(run: Any) -> None:
    wanted = (with_wave(config_map("late"), 3), hook("check", "PostSync", policy="HookSucceeded,HookFailed"), secret())
    assert tasks(run(*wanted, arguments=("-o", "json"))) == [
        {"key": "/Secret:shop/keys", "phase": "Sync", "wave": 0, "action": "apply", "hookDeletePolicy": "",
         "reason": "InOrder"},
        {"key": "/ConfigMap:shop/late", "phase": "Sync", "wave": 3, "action": "apply", "hookDeletePolicy": "",
         "reason": "InOrder"},
        {"key": "batch/Job:shop/check", "phase": "PostSync", "wave": 0, "action": "hook",
         "hookDeletePolicy": "HookSucceeded,HookFailed", "reason": "InOrder"},
    ]  # fmt: skip


def test_objects_without_a_namespace_go_to_the_destination_and_custom_kinds_are_scoped_by_their_crd(run: Any) -> None:
    wanted = (config_map(namespace=""), crd(scope="Cluster"), obj("Widget", "one", api="example.com/v1", namespace=""))
    assert [row["key"] for row in tasks(run(*wanted, arguments=("-o", "json")))] == [
        "/ConfigMap:default/settings",
        "apiextensions.k8s.io/CustomResourceDefinition:/widgets.example.com",
        "example.com/Widget:/one",
    ]


@pytest.mark.parametrize(
    ("policy", "reason"),
    [({}, "PruneNotRequested"), ({"syncPolicy": {"automated": {"prune": True}}}, "InOrder")],
)
def test_extra_objects_of_the_app_are_pruned_as_its_policy_says(run: Any, policy: Object, reason: str) -> None:
    app = application_object(**policy)
    live = (tracked(config_map("gone")), config_map("free"))
    rows = tasks(run(config_map(), live=live, app=app, arguments=("-o", "json")))
    assert [(row["key"], row["action"], row["reason"]) for row in rows] == [
        ("/ConfigMap:shop/gone", "prune", reason),
        ("/ConfigMap:shop/settings", "apply", "InOrder"),
    ]


def test_the_operation_of_the_application_counts(run: Any) -> None:
    resource = {"kind": "ConfigMap", "name": "one"}
    app = application_object(operation={"sync": {"resources": [resource]}})
    rows = tasks(run(config_map("one"), config_map("two"), app=app, arguments=("-o", "json")))
    assert [row["key"] for row in rows] == ["/ConfigMap:shop/one"]


def test_the_profile_decides_whose_order_it_is(run: Any) -> None:
    wanted = (with_wave(obj("Namespace", "default"), 3), with_wave(obj("ClusterRole", "reader",
              api="rbac.authorization.k8s.io/v1"), -5))  # fmt: skip
    ours = tasks(run(*wanted, arguments=("-o", "json")))
    theirs = tasks(run(*wanted, arguments=("-o", "json", "--profile", "argocd")))
    assert [row["wave"] for row in ours] == [-5, 3]
    assert next((row["key"], row["wave"], row["reason"]) for row in theirs) == (
        "/Namespace:/default",
        -5,
        "PulledForward",
    )


def test_the_text_counts_first_and_groups_by_phase_and_wave(run: Any) -> None:
    gone = tracked(config_map("gone"))
    found = run(config_map(), hook(), live=(gone,), app=application_object())
    assert found.stdout == (
        "1 to apply, 1 hook, 0 to prune, 1 to keep\n"
        "\n"
        "PreSync, wave 0\n"
        "  hook  batch/Job:shop/migrate  (BeforeHookCreation)\n"
        "\n"
        "Sync, wave 0\n"
        "  keep  /ConfigMap:shop/gone  (The sync was requested without pruning)\n"
        "  apply /ConfigMap:shop/settings\n"
    )


def test_what_cannot_be_done_is_told_and_the_exit_code_says_so(run: Any) -> None:
    found = run(obj("ConfigMap", "", generateName="run-"))
    assert found.return_value == 1
    assert "Cannot be synced:\n  cannot use generateName with apply" in found.stdout


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        (
            hook("typo", "PreSinc"),
            "FILE:1: Job/typo is never applied: PreSinc names no sync phase",
        ),
        (
            obj("Pod", "try", annotations={"helm.sh/hook": "test"}),
            "FILE:1: Pod/try is never applied: test names no sync phase",
        ),
    ],
)
def test_a_hook_that_no_phase_runs_is_told(run: Any, tmp_path: pathlib.Path, wanted: Object, sentence: str) -> None:
    found = run(wanted)
    assert found.stderr == sentence.replace("FILE", str(tmp_path / "wanted.yaml")) + "\n"
    assert found.stdout == "0 to apply, 0 hooks, 0 to prune\n"


def test_an_object_that_is_desired_twice_is_told(run: Any) -> None:
    found = run(config_map("a", data={"n": "1"}), config_map("a", data={"n": "2"}))
    assert found.stderr == "Resource /ConfigMap/shop/a appeared 2 times among application resources.\n"


def test_an_object_without_a_name_is_told_and_the_others_are_planned(run: Any, tmp_path: pathlib.Path) -> None:
    found = run({"apiVersion": "v1", "kind": "ConfigMap"}, config_map("a"))
    assert found.return_value == 1
    assert f"Cannot be synced:\n  {tmp_path / 'wanted.yaml'}:1: metadata.name is missing" in found.stdout
    assert "apply /ConfigMap:shop/a" in found.stdout


def test_a_dash_is_standard_input() -> None:
    found = CliRunner().invoke(plan, ["-"], input=yaml.dump(config_map("a")), standalone_mode=False)
    assert "apply /ConfigMap:shop/a" in found.stdout


def test_a_list_is_unpacked(run: Any) -> None:
    listed = {"apiVersion": "v1", "kind": "List", "items": [config_map("a"), config_map("b")]}
    assert [row["key"] for row in tasks(run(listed, arguments=("-o", "json")))] == [
        "/ConfigMap:shop/a",
        "/ConfigMap:shop/b",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [("a: 1\n", "it has no kind"), ("a: [1\n", "cannot be read"), ("- 1\n", "it is not a map")],
)
def test_a_file_that_holds_something_else_is_said_with_its_line(tmp_path: pathlib.Path, text: str, words: str) -> None:
    path = tmp_path / "wanted.yaml"
    path.write_text(text, encoding="utf-8")
    found = CliRunner().invoke(plan, [str(path)], standalone_mode=False)
    assert isinstance(found.exception, NeedsUser)
    assert words in str(found.exception)
    assert str(path) in str(found.exception)


def test_an_application_file_has_to_hold_one(run: Any) -> None:
    found = run(config_map(), app=config_map("no-app"))
    assert isinstance(found.exception, NeedsUser)
    assert "holds 0 Applications" in str(found.exception)


def test_a_claim_to_be_pruned_is_asked_about_last_and_the_text_says_why(run: Any) -> None:
    claim = tracked(obj("PersistentVolumeClaim", "data"))
    app = application_object(syncPolicy={"automated": {"prune": True}})
    found = run(with_wave(config_map(), 2), live=(claim,), app=app)
    assert found.stdout == (
        "1 to apply, 0 hooks, 1 to prune\n"
        "\n"
        "Sync, wave 2\n"
        "  apply /ConfigMap:shop/settings\n"
        "\n"
        "Sync, wave 3\n"
        "  prune /PersistentVolumeClaim:shop/data  (Deleting these objects must be confirmed first;"
        " deleting a PersistentVolumeClaim may delete data or other objects with it)\n"
    )


@pytest.mark.parametrize("profile", ["syncline", "argocd"])
def test_an_object_without_a_namespace_is_told_with_its_line_under_both_profiles(run: Any, profile: str) -> None:
    app = application_object(destination={"name": "in-cluster"})
    found = run(config_map("default-install-config", namespace=""), app=app, arguments=("--profile", profile))
    assert found.return_value == 1
    assert "Namespace for default-install-config /v1, Kind=ConfigMap is missing." in found.stdout
