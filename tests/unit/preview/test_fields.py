"""Fields that differ: which line changes them, which of them are noise, and what is never shown."""

from __future__ import annotations

import pytest

from syncline.apimachinery.paths import FieldPath
from syncline.core.preview.lines import Search, changed_lines
from syncline.model.errors import Place
from syncline.model.preview import ObjectAction
from tests.support.previews import app, objects, previewed

WORKLOAD = """
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, labels: {{helm.sh/chart: web-{chart}}}}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}, annotations: {{checksum/config: "{sum}"}}}}
    spec: {{containers: [{{name: web, image: "registry.example/web:{tag}"}}]}}
"""


def workload(tag: str = "1", chart: str = "1.0.0", sum_: str = "aa") -> list[dict[str, object]]:
    return objects(WORKLOAD.format(tag=tag, chart=chart, sum=sum_))


def test_checksums_and_versions_of_charts_are_labelled_as_noise() -> None:
    (one,) = previewed([app("a", workload())], [app("a", workload("2", "1.0.1", "bb"))]).apps
    noise = {edit.path: edit.noise for edit in one.objects[0].fields}
    assert noise == {
        "spec.template.spec.containers[name=web].image": "",
        'metadata.labels["helm.sh/chart"]': "version of the chart",
        'spec.template.metadata.annotations["checksum/config"]': "checksum of something else that changes",
    }


def test_certificates_that_a_chart_makes_are_noise_only_where_its_render_plays_dice() -> None:
    hook = "{{apiVersion: v1, kind: Secret, metadata: {{name: cert}}, data: {{tls.crt: {}}}}}"
    before, after = objects(hook.format("YQ==")), objects(hook.format("Yg=="))
    for steady, words in ((True, ""), (False, "generated at every render")):
        (one,) = previewed([app("a", before, steady=steady)], [app("a", after, steady=steady)]).apps
        assert [edit.noise for edit in one.objects[0].fields] == [words]


def test_values_of_secrets_are_masked() -> None:
    text = "{{apiVersion: v1, kind: Secret, metadata: {{name: s}}, stringData: {{password: {}}}}}"
    found = previewed([app("a", objects(text.format("hunter2")))], [app("a", objects(text.format("hunter3")))])
    assert found.apps[0].objects[0].fields[0].path == "data.password"
    shown = str(found)
    assert not any(secret in shown for secret in ("hunter2", "hunter3", "aHVudGVyMg==", "aHVudGVyMw=="))


def test_a_name_with_another_hash_of_its_content_is_a_rename() -> None:
    text = "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: env-{}}}, data: {{x: '{}'}}}}"
    before, after = objects(text.format("5m8kf2c8ht", 1)), objects(text.format("9h2bgk4t7d", 2))
    (one,) = previewed([app("a", before)], [app("a", after)]).apps[0].objects
    assert one.action is ObjectAction.RENAME
    assert one.was is not None
    assert (one.was.name, [edit.path for edit in one.fields]) == ("env-5m8kf2c8ht", ["data.x"])


def test_two_objects_of_one_kind_with_other_stems_are_not_a_rename() -> None:
    text = "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {}}}, data: {{x: '{}'}}}}"
    found = previewed([app("a", objects(text.format("one", 1)))], [app("a", objects(text.format("two", 2)))])
    assert {one.action for one in found.apps[0].objects} == {ObjectAction.CREATE, ObjectAction.DELETE}


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        pytest.param("spec.replicas", 2, 3, Place("values.yaml", 2), id="the value itself"),
        pytest.param("spec.image", "r/web:1.8", "r/web:1.9", Place("values.yaml", 3), id="a part of the value"),
        pytest.param("spec.host", "a.example", "b.example", Place("other.yaml", 1), id="in another file"),
        pytest.param("spec.gone", "old", None, Place("values.yaml", 4), id="a line that is gone"),
        pytest.param("spec.unrelated", "x", "y", None, id="several files and no line says it"),
    ],
)
def test_the_line_that_makes_a_field_differ_is_found(
    path: str, before: object, after: object, expected: Place | None
) -> None:
    lines = changed_lines(
        {
            "values.yaml": (b"# one\nreplicas: 2\ntag: '1.8'\ngone: old\n", b"# one\nreplicas: 3\ntag: '1.9'\n"),
            "other.yaml": (b"host: a.example\n", b"host: b.example\n"),
        }
    )
    search = Search(lines, ("other.yaml", "values.yaml"))
    assert search.place(FieldPath.parse(path), before, after, None) == expected


@pytest.mark.parametrize(
    ("line", "path", "before", "after", "found"),
    [
        ('image: {repository: example/web, tag: "1.1"}', "spec.image", "example/web:1.0", "example/web:1.1", True),
        ("hosts: [a.example, b.example]", "spec.host", "c.example", "b.example", True),
        ("limits: {cpu: 1, memory: 2Gi}", "spec.memory", "1Gi", "2Gi", True),
        ('image: {tag: "1.1"}', "spec.image", "example/db:7", "example/db:8", False),
    ],
)
def test_a_value_inside_of_braces_is_found(line: str, path: str, before: str, after: str, *, found: bool) -> None:
    lines = changed_lines({"values.yaml": (b"a: b\n", f"a: b\n{line}\nc: d\n".encode())})
    place = Search(lines, ("values.yaml",)).place(FieldPath.parse(path), before, after, None)
    assert (place == Place("values.yaml", 2)) is found
