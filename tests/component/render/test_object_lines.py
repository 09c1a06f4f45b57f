"""The place of an object is the line of its `kind:` in the file that declares it; lines are counted by hand."""

import pytest

from tests.component.render.rendering import CHART, Bench, found

pytestmark = pytest.mark.anyio

SEVERAL = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: zebra}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: ape
---
# between
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: who}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: what
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: what}
"""


@pytest.mark.parametrize(
    ("kustomization", "prefix"),
    [
        ("resources: [all.yaml]\n", ""),
        ("resources: [all.yaml]\nnamePrefix: dev-\n", "dev-"),
        (
            (
                "resources: [all.yaml]\npatches:\n"
                "- target: {kind: Role}\n"
                '  patch: \'[{"op": "add", "path": "/metadata/annotations", "value": {"a": "b"}}]\'\n'
            ),
            "",
        ),
    ],
    ids=["as they are", "with a prefix", "without notes"],
)
async def test_several_objects_of_one_kind_are_told_apart_by_name(
    bench: Bench, kustomization: str, prefix: str
) -> None:
    desired = await bench.render({"app/kustomization.yaml": kustomization, "app/all.yaml": SEVERAL})
    assert found(desired) == {
        f"ConfigMap/{prefix}zebra": "app/all.yaml:2",
        f"ConfigMap/{prefix}ape": "app/all.yaml:6",
        f"RoleBinding/{prefix}who": "app/all.yaml:12",
        f"Role/{prefix}what": "app/all.yaml:20",
    }


SERVICE = """\
apiVersion: v1
kind: Service
metadata:
  name: web
  labels: {app: web, tier: front}
spec:
  type: ClusterIP
  ports:
    - {name: http, port: 80}
    - {name: admin, port: 81}
"""


async def test_fields_that_a_kustomization_leaves_as_they_are_have_their_lines(bench: Bench) -> None:
    kustomization = """\
resources: [../base]
namePrefix: dev-
patches:
  - target: {kind: Service}
    patch: '[{"op": "replace", "path": "/spec/type", "value": "NodePort"}]'
configMapGenerator: [{name: made, literals: [a=b]}]
"""
    files = {"base/kustomization.yaml": "resources: [service.yaml]\n", "base/service.yaml": SERVICE}
    desired = await bench.render({"app/kustomization.yaml": kustomization, **files})
    by_kind = {item.key.kind: item.origin for item in desired.objects}
    lines = {path: by_kind["Service"].positions.line(path) for path in by_kind["Service"].positions.paths}
    assert {path: lines.get(path, 0) for path in ("metadata.labels.tier", "spec.ports[1].port", "spec.ports")} == {
        "metadata.labels.tier": 5,
        "spec.ports[1].port": 10,
        "spec.ports": 8,
    }
    assert "spec.type" not in lines  # the patch has it
    assert "metadata.name" not in lines  # the prefix is part of it
    assert str(by_kind["Service"].place("spec.type")) == "base/service.yaml:6"
    assert by_kind["ConfigMap"].positions.paths == ()


async def test_objects_of_a_list_have_lines_of_their_own(bench: Bench) -> None:
    listed = """\
        apiVersion: v1
        kind: List
        items:
        - apiVersion: v1
          kind: ConfigMap
          metadata: {name: b}
        - apiVersion: v1
          kind: ConfigMap
          metadata: {name: a}
    """
    desired = await bench.render({"app/kustomization.yaml": "resources: [all.yaml]\n", "app/all.yaml": listed})
    assert found(desired) == {"ConfigMap/b": "app/all.yaml:5", "ConfigMap/a": "app/all.yaml:8"}


async def test_objects_of_one_name_are_told_apart_by_namespace(bench: Bench) -> None:
    both = "".join(
        f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a, namespace: {one}}}\n" for one in ("zoo", "ark")
    )
    desired = await bench.render({"app/kustomization.yaml": "resources: [all.yaml]\n", "app/all.yaml": both})
    places = {item.key.namespace: item.origin.line for item in desired.objects}
    assert places == {"zoo": 3, "ark": 7}


async def test_an_object_renamed_by_a_patch_is_the_one_that_is_left(bench: Bench) -> None:
    operation = '{"op": "replace", "path": "/metadata/name", "value": "bear"}'
    rename = f"- {{target: {{name: ape}}, patch: '[{operation}]'}}"
    files = {"app/kustomization.yaml": f"resources: [all.yaml]\npatches:\n{rename}\n", "app/all.yaml": SEVERAL}
    places = found(await bench.render(files))
    assert places["ConfigMap/bear"] == "app/all.yaml:6"
    assert places["ConfigMap/zebra"] == "app/all.yaml:2"


async def test_a_patch_file_is_no_origin_of_an_object(bench: Bench) -> None:
    files = {
        "app/kustomization.yaml": "resources: [zz.yaml]\npatches: [{path: aa.yaml}]\n",
        "app/zz.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
        "app/aa.yaml": 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, "annotations":\n  {b: c}}\n',
        "app/.note": "",
        "app/other.yaml": "x: metadata/annotations\n",
    }
    assert found(await bench.render(files)) == {"ConfigMap/a": "app/zz.yaml:2"}


TEMPLATE = """\
{{- if .Values.first }}
apiVersion: v1
kind: Service
metadata:
  labels:
    name: {{ .Release.Name }}-worker
  name: {{ .Release.Name }}-first
---
{{- end }}
{{- range $name := list "b" "a" }}
apiVersion: v1
kind: Service
metadata:
  name: "{{ $.Release.Name }}-each-{{ $name }}"
---
{{- end }}
apiVersion: v1
kind: Service
metadata: {name: plain, namespace: x}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: scale
spec:
  scaleTargetRef:
    kind: Deployment
    name: {{ .Release.Name }}-worker
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}-worker
"""


async def test_objects_of_a_template_are_told_apart_by_what_is_plain_in_their_names(bench: Bench) -> None:
    files = {"app/Chart.yaml": CHART, "app/values.yaml": "first: false\n", "app/templates/all.yaml": TEMPLATE}
    assert found(await bench.render(files)) == {
        "Service/shop-each-b": "app/templates/all.yaml:12",
        "Service/shop-each-a": "app/templates/all.yaml:12",
        "Service/plain": "app/templates/all.yaml:18",
        "HorizontalPodAutoscaler/scale": "app/templates/all.yaml:22",
        "Deployment/shop-worker": "app/templates/all.yaml:31",
    }
