"""Objects of the wrong shape in a repository: each gets its sentence, and none stops the others."""

import asyncio
import subprocess
from pathlib import Path

import pytest

from syncline.api.applications import RenderFlags
from syncline.api.check import Checked, checked

HERE = "https://git.example/team/odd"
APP = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd{more}}}
spec:
  project: default
  source: {{repoURL: https://git.example/team/odd, path: p}}
  destination: {{server: https://kubernetes.default.svc, namespace: default}}
"""
CUSTOM = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: q.x.io}}
spec: {{group: x.io, names: {{kind: Q, plural: q}}, versions: [3, {{name: v1, schema: {schema}}}]}}
---
apiVersion: x.io/v1
kind: Q
metadata: {{name: q}}
spec: {{a: 1}}
"""


def looked_at(root: Path, files: dict[str, str]) -> Checked:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for words in (["init", "-q"], ["remote", "add", "origin", HERE]):
        subprocess.run(["git", *words], cwd=root, check=True)
    return asyncio.run(checked(root, RenderFlags(local=True)))


def test_an_application_with_odd_metadata_is_named_and_the_next_one_in_its_file_is_rendered(tmp_path: Path) -> None:
    odd, good = APP.format(name="odd", more=", finalizers: [3]"), APP.format(name="good", more="")
    config = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n"
    found = looked_at(tmp_path, {"apps.yaml": f"{odd}---\n{good}", "p/a.yaml": config})
    assert (found.apps, found.rendered) == (2, 1)
    told = [one.message for one in found.findings if "odd" in one.subject]
    assert any("metadata.finalizers[0] must be a text" in text for text in told), told


def test_a_set_whose_template_is_no_map_is_one_finding(tmp_path: Path) -> None:
    text = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: s, namespace: argocd}
spec: {generators: [{list: {elements: [{a: b}]}}, {git: {files: [3]}}], template: {spec: 4}}
"""
    found = looked_at(tmp_path, {"set.yaml": text})
    assert found.sets == 1
    assert any("ApplicationSet s cannot be read" in one.message for one in found.findings), found.findings


@pytest.mark.parametrize(
    "schema", ["4", "{openAPIV3Schema: [1]}", "{openAPIV3Schema: {properties: 3}}", "{openAPIV3Schema: {items: 3}}"]
)
def test_objects_of_a_definition_without_a_schema_that_can_be_read_are_not_validated(
    tmp_path: Path, schema: str
) -> None:
    files = {"app.yaml": APP.format(name="good", more=""), "p/q.yaml": CUSTOM.format(schema=schema)}
    found = looked_at(tmp_path, files)
    assert found.not_validated == 1, found.not_validated_kinds
    assert not any("could not be checked" in one.message for one in found.findings), found.findings
