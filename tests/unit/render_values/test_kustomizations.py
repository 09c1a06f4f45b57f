"""Which patch or setting of which kustomization touches a field, told from the texts."""

import pytest

from syncline.apimachinery.paths import FieldPath
from syncline.core.provenance import kustomizations
from syncline.core.provenance.read_files import ReadFiles
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
        "metadata": {
            "name": "prod-web",
            "namespace": "shop",
            "labels": {"tier": "front"},
            "annotations": {"team": "red"},
        },
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
        (SETTINGS, "data.a", ["generator base/kustomization.yaml:6"]),
    ],
)
def test_the_cause_is_named_with_its_line(item: DesiredObject, path: str, expected: list[str]) -> None:
    found = kustomizations.causes("over", ReadFiles(FILES), item, FieldPath.parse(path))
    assert [f"{cause.kind} {cause.place}" for cause in found] == expected


def test_kustomizations_that_go_round_in_circles_end() -> None:
    files = {"a/kustomization.yaml": b"resources: [../b]\n", "b/kustomization.yaml": b"resources: [../a]\n"}
    assert kustomizations.causes("a", ReadFiles(files), DEPLOYMENT, FieldPath.parse("spec.replicas")) == ()


GENERATED = {
    "over/kustomization.yaml": b"""\
resources: [../base]
configMapGenerator:
- name: settings
  behavior: merge
  literals:
  - level=debug
""",
    "base/kustomization.yaml": b"""\
configMapGenerator:
- name: settings
  literals:
  - host=db
  - level=info
  envs: [ports.env]
  files: [motd.txt, banner=texts/banner.txt]
""",
    "base/ports.env": b"# of the program\nhttp=80\n  grpc=90\n",
    "base/motd.txt": b"hello\n",
    "base/texts/banner.txt": b"hi\n",
}


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("host", ["base/kustomization.yaml:4"]),
        ("level", ["over/kustomization.yaml:6", "base/kustomization.yaml:5"]),
        ("grpc", ["base/ports.env:3"]),
        ("motd.txt", ["base/motd.txt:1"]),
        ("banner", ["base/texts/banner.txt:1"]),
        ("banner.txt", ["base/kustomization.yaml:2"]),
    ],
)
def test_a_key_of_a_generated_object_has_the_line_of_its_literal_or_file(key: str, expected: list[str]) -> None:
    data = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings-5m"}, "data": {key: "x"}}
    found = kustomizations.causes("over", ReadFiles(GENERATED), DesiredObject(data), FieldPath(("data", key)))
    assert [str(cause.place) for cause in found] == expected


def declared(kind: str, name: str, file: str, line: int = 2, /, **fields: object) -> DesiredObject:
    return DesiredObject(
        {"apiVersion": "v1", "kind": kind, "metadata": {"name": name}, **fields}, Origin(file=file, line=line)
    )


def blamed(files: dict[str, bytes], item: DesiredObject, path: str) -> list[str]:
    found = kustomizations.causes("over", ReadFiles(files), item, FieldPath.parse(path))
    return [f"{cause.kind} {cause.place}" for cause in found]


WEB = b"apiVersion: v1\nkind: Web\nmetadata: {name: web}\nspec: {host: x}\n"
REPLACED = b"""\
resources: [web.yaml]
replacements:
- source: {kind: Cluster, name: c, fieldPath: spec.domain}
  targets:
  - select: {kind: Web, name: web}
    fieldPaths:
    - spec.hosts.[name=main].host
    - spec.hosts.*.zone
    - metadata.annotations.[a.b/c]
    - spec.ports.1
  - select: {kind: Web}
    reject: [{name: web}]
    fieldPaths: [spec.other]
- path: more.yaml
"""
MORE = b"""\
source: {kind: Cluster, name: c}
targets:
- select: {kind: Web}
  fieldPaths:
  - spec.whole
"""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("spec.hosts[name=main].host", ["replacement over/kustomization.yaml:7"]),
        ("spec.hosts[1].host", ["replacement over/kustomization.yaml:7"]),
        ("spec.hosts[0].host", []),
        ("spec.hosts[0].zone", ["replacement over/kustomization.yaml:8"]),
        ('metadata.annotations["a.b/c"]', ["replacement over/kustomization.yaml:9"]),
        ("spec.ports[1]", ["replacement over/kustomization.yaml:10"]),
        ("spec.ports[0]", []),
        ("spec.other", []),
        ("spec.whole.part", ["replacement over/more.yaml:5"]),
    ],
)
def test_a_field_that_a_replacement_sets_names_the_entry_that_does(path: str, expected: list[str]) -> None:
    files = {"over/kustomization.yaml": REPLACED, "over/more.yaml": MORE, "over/web.yaml": WEB}
    hosts = [{"name": "side", "host": "s", "zone": "z"}, {"name": "main", "host": "m", "zone": "z"}]
    spec = {"hosts": hosts, "ports": [1, 2], "other": 1, "whole": {"part": 1}}
    item = declared("Web", "web", "over/web.yaml", spec=spec)
    item.obj["metadata"]["annotations"] = {"a.b/c": "d"}
    assert blamed(files, item, path) == expected


def test_an_object_renamed_by_a_patch_is_still_the_one_that_patches_name() -> None:
    kustomization = b"""\
resources: [web.yaml]
patches:
- target: {kind: Web, name: web}
  options: {allowNameChange: true}
  path: rename.yaml
- target: {kind: Web, name: web}
  patch: '[{"op": "replace", "path": "/spec/host", "value": "y"}]'
- target: {kind: Web, name: we}
  patch: '[{"op": "replace", "path": "/spec/host", "value": "z"}]'
"""
    rename = b"apiVersion: v1\nkind: Web\nmetadata:\n  name: shop\n"
    files = {"over/kustomization.yaml": kustomization, "over/rename.yaml": rename, "over/web.yaml": WEB}
    item = declared("Web", "shop", "over/web.yaml", spec={"host": "y"})
    assert blamed(files, item, "metadata.name") == ["patch over/rename.yaml:4"]
    assert blamed(files, item, "spec.host") == ["patch over/kustomization.yaml:6"]


def test_a_patch_for_another_object_whose_name_is_part_of_this_one_is_no_cause() -> None:
    kustomization = b"resources: [web.yaml]\npatches: [{path: p.yaml}]\n"
    patch = b"apiVersion: v1\nkind: Web\nmetadata: {name: web}\nspec: {host: other}\n"
    admin = WEB.replace(b"name: web", b"name: web-admin")
    files = {"over/kustomization.yaml": kustomization, "over/p.yaml": patch, "over/web.yaml": admin}
    item = declared("Web", "web-admin", "over/web.yaml", spec={"host": "x"})
    assert blamed(files, item, "spec.host") == []


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("metadata.labels.team", ["commonLabels over/kustomization.yaml:3", "commonLabels a/kustomization.yaml:2"]),
        ("spec.selector.team", ["commonLabels over/kustomization.yaml:3", "commonLabels a/kustomization.yaml:2"]),
        ("metadata.labels.tier", ["labels over/kustomization.yaml:6"]),
        ("spec.selector.tier", []),
        ("metadata.labels.side", []),
        ("spec.data.labels", []),
    ],
)
def test_labels_are_blamed_on_the_kustomizations_that_the_object_has_passed(path: str, expected: list[str]) -> None:
    files = {
        "over/kustomization.yaml": b"""\
resources: [../a, ../b]
commonLabels:
  team: red
labels:
- pairs:
    tier: front
""",
        "a/kustomization.yaml": b"commonLabels:\n  team: red\nresources: [web.yaml]\n",
        "b/kustomization.yaml": b"commonLabels: {team: red, side: b}\nresources: [else.yaml]\n",
        "a/web.yaml": WEB,
        "b/else.yaml": WEB.replace(b"web", b"else"),
    }
    labels = {"team": "red", "tier": "front"}
    spec = {"selector": {**labels}, "data": {"labels": "red"}}
    item = declared("Web", "web", "a/web.yaml", spec=spec)
    item.obj["metadata"]["labels"] = {**labels, "side": "b"}
    assert blamed(files, item, path) == expected


def test_a_component_counts_for_what_the_kustomization_around_it_has() -> None:
    files = {
        "over/kustomization.yaml": b"resources: [../a]\ncomponents: [../c]\n",
        "a/kustomization.yaml": b"resources: [web.yaml]\n",
        "a/web.yaml": WEB,
        "c/kustomization.yaml": b"kind: Component\nnamePrefix: c-\n",
    }
    assert blamed(files, declared("Web", "c-web", "a/web.yaml"), "metadata.name") == [
        "namePrefix c/kustomization.yaml:2"
    ]


def test_an_item_is_found_by_its_name_where_a_patch_lists_others_first() -> None:
    patch = b"""\
apiVersion: v1
kind: Web
metadata: {name: web}
spec:
  containers:
  - name: side
    image: s
  - name: main
    image: m
"""
    kustomization = b"resources: [web.yaml]\npatches: [{path: p.yaml}]\n"
    files = {"over/kustomization.yaml": kustomization, "over/p.yaml": patch, "over/web.yaml": WEB}
    containers = [{"name": "main", "image": "m"}, {"name": "side", "image": "s"}]
    item = declared("Web", "web", "over/web.yaml", spec={"containers": containers})
    assert blamed(files, item, "spec.containers[0].image") == ["patch over/p.yaml:9"]
