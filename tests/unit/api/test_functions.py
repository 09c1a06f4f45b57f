"""The public functions on objects: what comes back, that it is frozen, and that loops that run do not matter."""

import asyncio
import dataclasses
import pathlib
from typing import Any

import pytest

import syncline


def config_map(colour: str, **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "web", "namespace": "shop", **metadata},
        "data": {"colour": colour},
    }


def application(**spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "web", "namespace": "argocd"},
        "spec": {
            "project": "default",
            "source": {"repoURL": "https://git.example/shop.git", "path": "."},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": "shop"},
            **spec,
        },
    }


TRACKED = {"annotations": {"argocd.argoproj.io/tracking-id": "web:/ConfigMap:shop/web"}}


def test_equal_objects_do_not_differ() -> None:
    found = syncline.diff(config_map("blue"), config_map("blue"))
    assert (found.modified, [row.verdict for row in found.rows]) == (False, ["Synced"])


def test_a_field_that_differs_has_path_and_both_values() -> None:
    (row,) = syncline.diff(config_map("blue"), config_map("red")).rows
    assert [(one.path, one.desired, one.live) for one in row.differences] == [("data.colour", "blue", "red")]


def test_ignore_rules_of_the_application_count() -> None:
    rule = {"group": "", "kind": "ConfigMap", "jsonPointers": ["/data/colour"]}
    found = syncline.diff(config_map("blue"), config_map("red", **TRACKED), app=application(ignoreDifferences=[rule]))
    assert not found.modified


def test_an_extra_live_object_of_the_app_is_out_of_sync_and_one_of_nobody_is_not_listed() -> None:
    desired = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    others = [config_map("red", **TRACKED), {**config_map("red"), "metadata": {"name": "other", "namespace": "shop"}}]
    rows = syncline.diff([desired], others, app=application()).rows
    assert [(row.key.short, row.requires_pruning) for row in rows] == [
        ("ConfigMap/web", True),
        ("Namespace/shop", False),
    ]


def test_an_ignore_rule_is_made_on_request_and_silences_what_differs() -> None:
    found = syncline.diff(config_map("blue"), config_map("red"))
    (proposal,) = found.ignore_rules().values()
    assert proposal.entry is not None
    assert proposal.entry.json_pointers == ("/data/colour",)


def test_values_of_secrets_are_masked_in_differences_and_sides() -> None:
    secret: dict[str, Any] = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s", "namespace": "shop"}}
    found = syncline.diff({**secret, "stringData": {"p": "hunter2"}}, {**secret, "data": {"p": "c2VzYW1l"}})
    shown = repr(found.rows) + repr([found.sides(row) for row in found.rows]) + repr(found)
    assert found.modified
    assert [word for word in ("hunter2", "aHVudGVyMg==", "sesame", "c2VzYW1l") if word in shown] == []


def test_an_object_that_is_desired_twice_is_noted() -> None:
    found = syncline.diff([config_map("blue"), config_map("red")], [])
    assert found.notes == ("/ConfigMap:shop/web is desired twice; the last one is used",)


def test_one_object_is_not_compared_with_another_one() -> None:
    other = {**config_map("red"), "metadata": {"name": "other", "namespace": "shop"}}
    with pytest.raises(syncline.InvalidSpec, match="two different objects"):
        syncline.diff(config_map("blue"), other)


def test_health_of_a_kind_without_a_check_has_no_status() -> None:
    (row,) = syncline.health(config_map("blue"))
    assert (row.key.name, row.status, row.message) == ("web", None, "")


def test_health_names_status_reason_and_field() -> None:
    spec = {"storageClassName": "none"}
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "c", "namespace": "shop"},
        "spec": spec,
        "status": {"phase": "Lost"},
    }
    (row,) = syncline.health([claim])
    assert (row.status, row.evidence) == ("Degraded", "status.phase")


def test_a_plan_is_in_order_of_waves_and_prunes_only_where_the_app_says_so() -> None:
    late = config_map("blue", annotations={"argocd.argoproj.io/sync-wave": "2"})
    early = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}}
    gone = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "gone",
            "namespace": "shop",
            "annotations": {"argocd.argoproj.io/tracking-id": "web:/ConfigMap:shop/gone"},
        },
    }
    pruning = application(syncPolicy={"automated": {"prune": True}})
    tasks = syncline.plan(pruning, [late, early], [gone]).tasks
    assert [(task.wave, task.action, task.key.name) for task in tasks] == [
        (0, "prune", "gone"),
        (0, "apply", "s"),
        (2, "apply", "web"),
    ]
    assert [task.action for task in syncline.plan(None, [late, early], [gone]).tasks] == ["apply", "apply"]


def test_a_hook_that_never_runs_is_noted() -> None:
    hook = config_map("blue", annotations={"argocd.argoproj.io/hook": "Never"})
    (note,) = syncline.plan(None, [hook]).notes
    assert "ConfigMap/web is never applied: Never names no sync phase" in note


def test_a_folder_renders_to_objects_with_file_and_line(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/b.yaml").write_text("# b\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: b\n")
    flat, deep = syncline.render(tmp_path), syncline.render(str(tmp_path), recurse=True)
    assert [str(item.origin.place()) for item in flat.objects] == ["a.yaml:1"]
    assert [str(item.origin.place("metadata.name")) for item in deep.objects] == ["a.yaml:4", "sub/b.yaml:5"]


def test_a_file_that_is_no_yaml_is_a_render_error_with_its_place(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: [\n")
    with pytest.raises(syncline.RenderError, match=r"a\.yaml:"):
        syncline.render(tmp_path)


def test_a_path_that_is_no_folder_is_told(tmp_path: pathlib.Path) -> None:
    (tmp_path / "web").mkdir()
    with pytest.raises(syncline.NeedsUser, match="did you mean"):
        syncline.render(tmp_path / "wb")


def test_the_functions_work_inside_of_a_running_loop(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n")

    async def inside() -> int:
        return len(syncline.render(tmp_path).objects)

    assert asyncio.run(inside()) == 1


def test_results_are_frozen() -> None:
    found = syncline.diff(config_map("blue"), config_map("red"))
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.single = False  # type: ignore[misc]
    with pytest.raises(AttributeError):
        found.rows[0].message = ""  # type: ignore[misc]


def test_a_change_that_the_crd_forbids_is_listed_as_refused() -> None:
    rule = {"rule": "self == oldSelf", "message": "size is fixed"}
    schema = {"type": "object", "properties": {"size": {"type": "integer", "x-kubernetes-validations": [rule]}}}
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.io"},
        "spec": {
            "group": "example.io",
            "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets"},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": schema}}},
                }
            ],
        },
    }
    widget: dict[str, Any] = {
        "apiVersion": "example.io/v1",
        "kind": "Widget",
        "metadata": {"name": "w", "namespace": "a"},
    }
    found = syncline.diff({**widget, "spec": {"size": 2}}, {**widget, "spec": {"size": 1}}, crds=crd)
    ((text,),) = found.refused.values()
    assert "spec.size" in text
    assert "size is fixed" in text
