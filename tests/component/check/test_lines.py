"""Lines of what is not written as it is applied: fields of a set's template, and of a chart's templates."""

from __future__ import annotations

import subprocess
from pathlib import Path

import syncline
from tests.component.check.test_check import HERE, app

SET = f"""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: teams, namespace: argocd}}
spec:
  generators:
    - list:
        elements:
          - name: red
          - name: blue
  template:
    metadata:
      name: "{{{{name}}}}"
    spec:
      project: default
      source:
        repoURL: {HERE}
        path: gone/{{{{name}}}}
      destination:
        server: https://kubernetes.default.svc
        namespace: web
"""
TEMPLATE = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: web
          image: {{ .Values.image }}
          env:
            - name: COLOUR
              valueFrom:
                configMapKeyRef: {name: settngs, key: {{ lookup "v1" "Node" "" "a" | default "colour" }}}
"""
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: blue}\n"


def found(folder: Path, files: dict[str, str]) -> dict[str, list[str]]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for arguments in (["init", "-q"], ["remote", "add", "origin", HERE]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    result: dict[str, list[str]] = {}
    for one in syncline.check(folder).findings:
        result.setdefault(one.code, []).append(str(one.evidence[0].place))
    return result


def test_a_generated_application_has_the_lines_of_its_template(tmp_path: Path) -> None:
    assert found(tmp_path, {"set.yaml": SET})["APP-003"] == ["set.yaml:17", "set.yaml:17"]


def test_an_object_of_a_chart_has_the_lines_of_its_template(tmp_path: Path) -> None:
    files = {
        "app.json": app("shop", "chart"),
        "chart/Chart.yaml": "{apiVersion: v2, name: shop, version: 1.0.0}\n",
        "chart/values.yaml": "image: example/web:1\n",
        "chart/templates/web.yaml": TEMPLATE,
        "chart/templates/settings.yaml": CONFIG,
    }
    lines = found(tmp_path, files)
    assert lines["SEC-004"] == ["chart/templates/web.yaml:16"]
    assert lines["SRC-003"] == ["chart/templates/web.yaml:16"]
