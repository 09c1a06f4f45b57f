"""Lines of fields in templates: told where they are certain, and not where they only look like it."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.adapters.render.template_fields import fields
from syncline.apimachinery import yaml

TEMPLATE = """\
{{- if .Values.web }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  annotations:
    argocd.argoproj.io/sync-wave: "1"
spec:
  {{- if .Values.replicas }}
  replicas: {{ .Values.replicas }}
  {{- end }}
  selector:
    matchLabels: {app: web}
  template:
    spec:
      containers:
      - name: web   # the server
        image: {{ .Values.image }}
        args:
          - |
            name: not a field
      - name: side
        image: example/side:1
      volumes:
        {{- toYaml .Values.volumes | nindent 8 }}
        - name: data
{{- end }}
---
kind: Service
apiVersion: v1
metadata: {name: web}
"""
OBJECT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  annotations: {argocd.argoproj.io/sync-wave: "1"}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    spec:
      containers:
      - {name: web, image: "example/web:1", args: ["name: not a field"]}
      - {name: side, image: "example/side:1"}
      volumes: [{name: first}, {name: data}]
"""


def line(path: str, text: str = TEMPLATE, obj: Any = None) -> int:
    found = fields(text, 3, obj or yaml.load(OBJECT.encode()))
    return dict(zip(found.paths, found.lines, strict=True)).get(path, 0)


@pytest.mark.parametrize(
    ("path", "wanted"),
    [
        ("metadata.name", 5),
        ('metadata.annotations["argocd.argoproj.io/sync-wave"]', 7),
        ("spec.replicas", 10),
        ("spec.template.spec.containers[0].image", 18),
        ("spec.template.spec.containers[1]", 22),
        ("spec.template.spec.containers[1].image", 23),
        ("spec.template.spec.volumes", 24),
    ],
)
def test_a_field_has_the_line_that_makes_it(path: str, wanted: int) -> None:
    assert line(path) == wanted


def test_entries_of_a_list_that_values_add_to_have_none() -> None:
    assert line("spec.template.spec.volumes[0].name") == 0
    assert line("spec.template.spec.volumes[1].name") == 0


def test_a_field_that_stands_twice_has_none() -> None:
    twice = TEMPLATE.replace("  {{- end }}\n  selector", "  {{- else }}\n  replicas: 2\n  {{- end }}\n  selector")
    assert twice != TEMPLATE
    assert line("spec.replicas", twice) == 0


def test_a_field_with_another_value_has_none() -> None:
    other = yaml.load(OBJECT.replace("example/side:1", "example/side:2").encode())
    assert line("spec.template.spec.containers[1].image", obj=other) == 0
    assert line("spec.template.spec.containers[1].name", obj=other) == 22


def test_a_document_that_may_make_several_objects_tells_nothing() -> None:
    several = TEMPLATE.replace("kind: Deployment\n", "kind: Deployment\nkind: StatefulSet\n")
    assert fields(several, 3, yaml.load(OBJECT.encode())).paths == ()
