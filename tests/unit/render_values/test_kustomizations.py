"""Which patch or setting of which kustomization touches a field, told from the texts."""

import pytest

from syncline.apimachinery.paths import FieldPath
from syncline.core.provenance import kustomizations
from syncline.model.desired import DesiredObject, Origin

FILES = {
    "over/kustomization.yaml": b"""\
resources: [../base]
namePrefix: prod-
namespace: shop
images:
- name: other
  newTag: "1"
- name: nginx
  newTag: "2"
replicas: [{name: web, count: 3}]
commonAnnotations:
  team: red
labels:
- pairs: {tier: front}
patches:
- path: paused.yaml
- target: {kind: Deployment}
  patch: |
    - op: replace
      path: /spec/strategy
      value: {type: Recreate}
- target: {kind: Service}
  patch: |
    - op: replace
      path: /spec/paused
      value: false
""",
    "over/paused.yaml": b"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  paused: true\n",
    "base/kustomization.yaml": b"""\
resources: [web.yaml]
patchesStrategicMerge:
- limits.yaml
configMapGenerator:
- name: settings
  literals: [a=b]
""",
    "base/limits.yaml": b"""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      containers:
      - name: web
        resources: {limits: {cpu: 1}}
""",
    "base/web.yaml": b"",
}
DEPLOYMENT = DesiredObject(
    {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "prod-web", "namespace": "shop"},
        "spec": {"template": {"spec": {"containers": [{"name": "web", "image": "nginx:2"}]}}},
    },
    Origin(file="base/web.yaml"),
)
SETTINGS = DesiredObject(
    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "prod-settings-abc"}, "data": {"a": "b"}}, Origin()
)


@pytest.mark.parametrize(
    ("item", "path", "expected"),
    [
        (DEPLOYMENT, "spec.template.spec.containers[name=web].image", ["images over/kustomization.yaml:7"]),
        (DEPLOYMENT, "spec.replicas", ["replicas over/kustomization.yaml:9"]),
        (DEPLOYMENT, "metadata.name", ["namePrefix over/kustomization.yaml:2"]),
        (DEPLOYMENT, "metadata.namespace", ["namespace over/kustomization.yaml:3"]),
        (DEPLOYMENT, "metadata.annotations.team", ["commonAnnotations over/kustomization.yaml:11"]),
        (DEPLOYMENT, "metadata.labels.tier", ["labels over/kustomization.yaml:13"]),
        (DEPLOYMENT, "spec.paused", ["patch over/paused.yaml:5"]),
        (DEPLOYMENT, "spec.strategy.type", ["patch over/kustomization.yaml:16"]),
        (
            DEPLOYMENT,
            "spec.template.spec.containers[name=web].resources.limits.cpu",
            ["patch base/limits.yaml:9"],
        ),
        (DEPLOYMENT, "spec.minReadySeconds", []),
        (SETTINGS, "data.a", ["generator base/kustomization.yaml:5"]),
    ],
)
def test_the_cause_is_named_with_its_line(item: DesiredObject, path: str, expected: list[str]) -> None:
    found = kustomizations.causes("over", FILES, item, FieldPath.parse(path))
    assert [f"{cause.kind} {cause.place}" for cause in found] == expected


def test_kustomizations_that_go_round_in_circles_end() -> None:
    files = {"a/kustomization.yaml": b"resources: [../b]\n", "b/kustomization.yaml": b"resources: [../a]\n"}
    assert kustomizations.causes("a", files, DEPLOYMENT, FieldPath.parse("spec.replicas")) == ()
