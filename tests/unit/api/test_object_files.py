"""Objects out of files: documents, lists and standard input, with the place of each."""

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from syncline.api import object_files
from syncline.apimachinery import yaml
from syncline.model.errors import InvalidSpec
from syncline.model.settings.resources import ResourceOverride
from syncline.model.settings.settings import Compat

TWO = """# first
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data:
  colour: blue
---
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Secret
  metadata: {name: b}
- apiVersion: v1
  kind: PodList
  items:
  - metadata: {name: c}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "objects.yaml"
    path.write_text(TWO)
    return path


def test_documents_and_lists_in_lists_give_their_objects_and_empty_documents_none(file: Path) -> None:
    found = [(obj["apiVersion"], obj["kind"], obj["metadata"]["name"]) for obj in object_files.objects(file)]
    assert found == [("v1", "ConfigMap", "a"), ("v1", "Secret", "b"), ("v1", "Pod", "c")]


def test_lines_of_fields_are_there_where_they_are_asked_for(file: Path) -> None:
    plain, precise = object_files.located(file)[0].origin, object_files.located(file, with_fields=True)[0].origin
    assert (str(plain.place("data.colour")), str(precise.place("data.colour"))) == (f"{file}:2", f"{file}:6")
    second = object_files.located(file, with_fields=True)[1].origin
    assert (second.place("metadata.name").line, second.place().line) == (14, 12)


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Input:
        buffer = io.BytesIO(TWO.encode())

    monkeypatch.setattr(sys, "stdin", Input)
    assert len(object_files.objects("-")) == 3


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: 1\n", "FILE:1: this is not a Kubernetes object (it has no kind)"),
        ("kind: A\n", "FILE:1: this is not a Kubernetes object (it has no apiVersion)"),
        ("kind: A\napiVersion: [v1]\n", "FILE:1: this is not a Kubernetes object (its apiVersion is not a string)"),
        ("kind: A\napiVersion: v1\nmetadata: [x]\n",
         "FILE:1: this is not a Kubernetes object (metadata must be a map)"),
        ("kind: A\napiVersion: v1\nmetadata: {labels: x}\n",
         "FILE:1: this is not a Kubernetes object (metadata.labels must be a map)"),
        ("kind: A\napiVersion: v1\nmetadata: {managedFields: [1]}\n",
         "FILE:1: this is not a Kubernetes object (metadata.managedFields must be a list of maps)"),
        ("kind: A\napiVersion: v1\nmetadata: {finalizers: 5}\n",
         "FILE:1: this is not a Kubernetes object (metadata.finalizers must be a list of strings)"),
        ("- 1\n", "FILE:1: this is not a Kubernetes object (it is not a map)"),
        ("kind: List\napiVersion: v1\nitems:\n- kind: A\n  apiVersion: v1\n- x\n",
         "FILE:6: this is not a Kubernetes object (it is not a map)"),
    ],
)  # fmt: skip
def test_what_is_no_object_is_told_with_its_line(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text)
    with pytest.raises(InvalidSpec) as caught:
        object_files.objects(path)
    assert str(caught.value) == sentence.replace("FILE", str(path))


def test_a_file_that_is_no_yaml_is_told_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("a: [")
    with pytest.raises(InvalidSpec, match=r"x\.yaml.*cannot be read as YAML or JSON"):
        object_files.objects(path)


@pytest.mark.parametrize("count", [0, 2])
def test_one_object_of_a_kind_has_to_be_the_only_one(tmp_path: Path, count: int) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("---\n".join(["apiVersion: v1\nkind: ConfigMap\n"] * count))
    with pytest.raises(InvalidSpec, match=f"holds {count} ConfigMaps: give a file with exactly one"):
        object_files.one(path, "ConfigMap")


@pytest.mark.parametrize(
    ("said", "given", "expected"),
    [
        ("argocd", None, Compat.ARGOCD),
        ("argocd", "syncline", Compat.SYNCLINE),
        ("nonsense", None, Compat.SYNCLINE),
        (None, "argocd", Compat.ARGOCD),
        (None, None, Compat.SYNCLINE),
    ],
)
def test_compat_is_what_was_given_else_what_the_settings_say(
    tmp_path: Path, said: str | None, given: str | None, expected: Compat
) -> None:
    path = tmp_path / "cm.yaml"
    path.write_text(
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: argocd-cm}}\ndata: {{syncline.compat: {said}}}\n"
    )
    found = object_files.kinds_settings(path, given, print) if said else object_files.settings(None, given, print)
    assert found.compat is expected


CHECK = "return {status = 'Healthy'}"


@pytest.mark.parametrize(
    "written",
    [
        {"apiVersion": "v1", "kind": "ConfigMap", "data": {"resource.customizations.health.example.com_Widget": CHECK}},
        {
            "apiVersion": "argoproj.io/v1beta1",
            "kind": "ArgoCD",
            "metadata": {"name": "gitops"},
            "spec": {"resourceHealthChecks": [{"group": "example.com", "kind": "Widget", "check": CHECK}]},
        },
        {"configs": {"cm": {"resource.customizations.health.example.com_Widget": CHECK}}},
    ],
    ids=["ConfigMap", "ArgoCD resource", "chart values"],
)
def test_settings_about_kinds_come_from_a_config_map_the_argo_cd_resource_or_chart_values(
    tmp_path: Path, written: dict[str, Any]
) -> None:
    path = tmp_path / "settings.yaml"
    path.write_text(yaml.dump(written))
    assert object_files.kinds_settings(path, None, print).overrides == (
        ResourceOverride(pattern="example.com/Widget", health_lua=CHECK),
    )


@pytest.mark.parametrize(
    "text", ["kind: List\napiVersion: v1\nitems: null\n", "kind: PodList\napiVersion: v1\nitems:\n"]
)
def test_a_list_without_items_is_empty(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text)
    assert object_files.objects(path) == []
