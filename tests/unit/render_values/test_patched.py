"""Fields that a kustomization sets are told by the line that says their value; others are left to the base."""

from syncline.core.provenance.patched import patched_fields
from syncline.core.provenance.read_files import ReadFiles
from syncline.core.provenance.set_by import Field, set_by
from syncline.model.desired import DesiredObject, Origin, Positions
from syncline.model.layers import Layers, PatchedField
from syncline.model.sources.source import KustomizeSource

BASE = b"""\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1
  template:
    spec:
      containers:
        - name: web
          image: example/web:1
"""


def web(image: str = "example/web:1", replicas: int = 1, known: tuple[str, ...] = ()) -> DesiredObject:
    container = {"name": "web", "image": image}
    spec = {"replicas": replicas, "template": {"spec": {"containers": [container]}}}
    obj = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
    lines = {"spec.replicas": 6, "spec.template.spec.containers[0].name": 10}
    lines |= {"spec.template.spec.containers[0].image": 11}
    kept = Positions(known, tuple(lines[path] for path in known))
    return DesiredObject(obj, Origin(file="base/web.yaml", line=2, positions=kept))


NAME, IMAGE = "spec.template.spec.containers[0].name", "spec.template.spec.containers[0].image"


def told(
    kustomization: str, item: DesiredObject, settings: KustomizeSource | None = None, **beside: str
) -> list[PatchedField]:
    files = {
        "base/kustomization.yaml": b"resources: [web.yaml]\n",
        "base/web.yaml": BASE,
        "prod/kustomization.yaml": f"resources: [../base]\n{kustomization}".encode(),
        **{f"prod/{name}.yaml": text.encode() for name, text in beside.items()},
    }
    return list(patched_fields("prod", ReadFiles(files), [item], settings))


def places(found: list[PatchedField]) -> list[str]:
    return [f"{one.path} {one.place} {one.value} {one.hides} {one.hidden}" for one in found]


def test_a_tag_is_told_by_its_own_line_of_the_entry() -> None:
    found = told("images:\n- name: example/web\n  newTag: two\n", web("example/web:two", known=("spec.replicas", NAME)))
    assert places(found) == [f"{IMAGE} prod/kustomization.yaml:4 two base/web.yaml:11 example/web:1"]


def test_a_count_is_told_by_its_own_line_of_the_entry() -> None:
    found = told("replicas:\n- name: web\n  count: 10\n", web(replicas=10, known=(NAME, IMAGE)))
    assert places(found) == ["spec.replicas prod/kustomization.yaml:4 10 base/web.yaml:6 1"]


def test_an_entry_for_another_object_sets_nothing() -> None:
    assert told("replicas:\n- name: worker\n  count: 10\n", web(known=("spec.replicas", NAME, IMAGE))) == []


def test_a_patch_that_says_the_same_as_the_base_is_what_has_to_change() -> None:
    patch = "- op: replace\n  path: /spec/replicas\n  value: 1\n"
    entry = "patches:\n- path: one.yaml\n  target: {kind: Deployment}\n"
    found = told(entry, web(known=("spec.replicas", NAME, IMAGE)), one=patch)
    assert places(found) == ["spec.replicas prod/one.yaml:3 1 base/web.yaml:6 1"]


def test_a_value_that_stands_on_no_line_gets_a_place_and_no_edit() -> None:
    # The image of the base and the tag of the entry make it together: neither line says all of it.
    item = web("mirror/web:1", known=("spec.replicas", NAME))
    [found] = told("images:\n- name: example/web\n  newName: mirror/web\n", item)
    by = set_by(Field(item.key, item.obj, item.origin, IMAGE, Layers(patched=(found,)), ("Kustomize",)))
    assert by is not None
    assert str(by.place) == "prod/kustomization.yaml:3"
    assert by.edit("mirror/web:1", "mirror/web:2") is None


def test_a_setting_of_the_application_is_named_without_a_line() -> None:
    settings = KustomizeSource(images=("example/web:two",))
    item = web("example/web:two", known=("spec.replicas", NAME))
    [found] = told("", item, settings)
    assert (str(found.place), found.value) == ("spec.source.kustomize.images", "")
