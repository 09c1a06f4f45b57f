"""A repository of 200 mixed apps for `bench.render.mixed`: 120 charts, 60 kustomizations, 20 plain folders."""

from __future__ import annotations

import pathlib
import subprocess
from dataclasses import dataclass

from syncline.model.sources.source import ApplicationSource
from syncline.ports.render import RenderRequest

_CHART = "apiVersion: v2\nname: web\nversion: 1.0.0\n"
_VALUES = """\
image: {repository: example/web, tag: "1"}
replicas: 2
port: 8080
resources: {limits: {cpu: 500m, memory: 256Mi}}
env: [{name: A, value: b}, {name: C, value: d}]
tolerations: []
"""
_TEMPLATES = {
    "deployment": """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}, labels: {app: web}}
spec:
  replicas: {{ .Values.replicas }}
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec:
      containers:
      - name: web
        image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
        ports: [{containerPort: {{ .Values.port }}}]
        env: {{ toJson .Values.env }}
        resources: {{ toJson .Values.resources }}
""",
    "service": """\
apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}}
spec: {ports: [{port: {{ .Values.port }}}], selector: {app: {{ .Release.Name }}}}
""",
    "configmap": """\
apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data: {values: {{ toJson .Values | quote }}}
""",
    "account": "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: {{ .Release.Name }}}\n",
}
_BASE = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: nginx}]}
---
apiVersion: v1
kind: Service
metadata: {name: web}
spec: {ports: [{port: 80}], selector: {app: web}}
"""
_OVERLAY = """\
resources: [../../bases/%d]
namePrefix: app-%d-
images: [{name: nginx, newTag: "%d"}]
patches: [{path: patch.yaml}]
configMapGenerator: [{name: settings, literals: [a=b]}]
"""
_PATCH = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: %d}\n"
_PLAIN = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain-%d}\ndata: {a: b}\n"


@dataclass(frozen=True, slots=True)
class App:
    """One app: its folder, and the tool call that makes its objects; none for plain files."""

    name: str
    path: str
    command: tuple[str, ...] = ()

    def request(self, repo_url: str, name: str = "") -> RenderRequest:
        """Return the request to render it."""
        source = ApplicationSource(repo_url, path=self.path)
        return RenderRequest(app_name=name or self.name, namespace="shop", project="default", source=source)


def make(folder: pathlib.Path) -> tuple[list[App], str]:
    """Write and commit the repository; return its apps and the commit."""
    apps = [_chart(folder, number) for number in range(120)]
    for number in range(6):
        _write(folder / f"bases/{number}/kustomization.yaml", "resources: [web.yaml]\n")
        _write(folder / f"bases/{number}/web.yaml", _BASE)
    apps += [_overlay(folder, number) for number in range(60)]
    apps += [_plain(folder, number) for number in range(20)]
    return apps, commit(folder)


def commit(folder: pathlib.Path) -> str:
    """Commit everything; return the commit."""
    who = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
    for arguments in (("init", "-q"), ("add", "-A"), (*who, "commit", "-qm", "apps")):
        subprocess.run(["git", "-C", str(folder), *arguments], check=True)
    printed = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    )
    return printed.stdout.strip()


def _chart(folder: pathlib.Path, number: int) -> App:
    path = f"charts/{number}"
    _write(folder / path / "Chart.yaml", _CHART)
    _write(folder / path / "values.yaml", _VALUES.replace('"1"', f'"{number}"'))
    for name, text in _TEMPLATES.items():
        _write(folder / path / f"templates/{name}.yaml", text)
    name = f"chart-{number}"
    return App(name, path, ("helm", "template", "--namespace=shop", "--include-crds", "--", name, "."))


def _overlay(folder: pathlib.Path, number: int) -> App:
    path = f"overlays/{number}"
    _write(folder / path / "kustomization.yaml", _OVERLAY % (number % 6, number, number))
    _write(folder / path / "patch.yaml", _PATCH % number)
    return App(f"overlay-{number}", path, ("kubectl", "kustomize", "--", "."))


def _plain(folder: pathlib.Path, number: int) -> App:
    path = f"plain/{number}"
    for file in range(5):
        _write(folder / path / f"{file}.yaml", _PLAIN % file)
    return App(f"plain-{number}", path)


def _write(path: pathlib.Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
