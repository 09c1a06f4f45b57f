"""Charts by the real helm: values and their precedence, versions, hooks, CRDs, dependencies, provenance, errors."""

from typing import Any

import pytest

from tests.component.render.rendering import CHART, Bench, found, only

CONFIG_MAP = """\
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: "{{ .Release.Name }}"}
    data: {{ .Values.data | toJson }}
"""


def chart(values: str = "data: {from: chart}\n", **files: str) -> dict[str, str]:
    return {
        "app/Chart.yaml": CHART,
        "app/values.yaml": values,
        "app/templates/c.yaml": CONFIG_MAP,
        "app/one.yaml": "data: {from: one, one: x}\n",
        "app/two.yaml": "data: {from: two, two: x}\n",
        **files,
    }


@pytest.mark.parametrize(
    ("helm", "data"),
    [
        ({}, {"from": "chart"}),
        ({"valueFiles": ["one.yaml"]}, {"from": "one", "one": "x"}),
        ({"valueFiles": ["one.yaml", "two.yaml"]}, {"from": "two", "one": "x", "two": "x"}),
        ({"valueFiles": ["two.yaml", "one.yaml"]}, {"from": "one", "one": "x", "two": "x"}),
        ({"valueFiles": ["one.yaml"], "values": "data: {from: values}"}, {"from": "values", "one": "x"}),
        ({"values": "data: {from: values, v: x}", "valuesObject": {"data": {"from": "object"}}}, {"from": "object"}),
        (
            {"valuesObject": {"data": {"from": "object"}}, "parameters": [{"name": "data.from", "value": "parameter"}]},
            {"from": "parameter"},
        ),
        ({"parameters": [{"name": "data.n", "value": "1"}]}, {"from": "chart", "n": 1}),
        ({"parameters": [{"name": "data.n", "value": "1", "forceString": True}]}, {"from": "chart", "n": "1"}),
        ({"parameters": [{"name": "data.n", "value": "a,b"}]}, {"from": "chart", "n": "a,b"}),
        ({"parameters": [{"name": "data.n", "value": r"a\,b"}]}, {"from": "chart", "n": "a,b"}),
        ({"parameters": [{"name": "data.n", "value": "{a,b}"}]}, {"from": "chart", "n": ["a", "b"]}),
        ({"parameters": [{"name": "data.n", "value": "$ARGOCD_APP_NAME-$$x"}]}, {"from": "chart", "n": "shop-$x"}),
        ({"fileParameters": [{"name": "data.n", "path": "note,a=b.txt"}]}, {"from": "chart", "n": "hello\n"}),
        ({"valueFiles": ["gone.yaml"], "ignoreMissingValueFiles": True}, {"from": "chart"}),
        ({"valueFiles": ["$ARGOCD_APP_NAME.yaml"]}, {"from": "shop"}),
        ({"valueFiles": ["/shared/base.yaml"]}, {"from": "shared"}),
        ({"valueFiles": ["../shared/base.yaml"]}, {"from": "shared"}),
        ({"valueFiles": ["linked.yaml"]}, {"from": "shared"}),
        ({"valueFiles": ["*e.yaml", "t*.yaml"]}, {"from": "two", "one": "x", "two": "x", "a": "1"}),
        ({"valueFiles": ["two.yaml", "{one,two}.yaml"]}, {"from": "one", "one": "x", "two": "x"}),
        ({"valueFiles": ["/**/deep-*.yaml"]}, {"from": "chart", "deep": "b", "a": "1", "b": "1"}),
        ({"valueFiles": ["none-*.yaml"], "ignoreMissingValueFiles": True}, {"from": "chart"}),
    ],
)
async def test_values_have_argo_cds_precedence(bench: Bench, helm: dict[str, Any], data: dict[str, Any]) -> None:
    files = chart() | {
        "app/shop.yaml": "data: {from: shop}\n",
        "app/note,a=b.txt": "hello\n",
        "app/linked.yaml": "-> ../shared/base.yaml",
        "app/somewhere.yaml": "data: {a: '1'}\n",
        "shared/base.yaml": "data: {from: shared}\n",
        "shared/x/deep-a.yaml": "data: {deep: a, a: '1'}\n",
        "shared/x/y/deep-b.yaml": "data: {deep: b, b: '1'}\n",
    }
    if "*e.yaml" in helm.get("valueFiles", ()):
        files["app/somewhere.yaml"] = "data: {a: '1', from: somewhere}\n"
    assert only(await bench.render(files, helm=helm))["data"] == data


@pytest.mark.parametrize(
    ("helm", "expected"),
    [
        ({}, "shop store v1.37.1 true"),
        ({"releaseName": "r", "namespace": "n", "kubeVersion": "1.30.2", "apiVersions": ["a/v1"]}, "r n v1.30.2 false"),
    ],
)
async def test_release_and_capabilities(bench: Bench, helm: dict[str, Any], expected: str) -> None:
    template = """\
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: x}
        data: {said: '{{ .Release.Name }} {{ .Release.Namespace }} {{ .Capabilities.KubeVersion }} {{
          .Capabilities.APIVersions.Has "example.org/v1/Widget" }}'}
    """
    request = {"kube_version": "v1.37.1", "api_versions": ("example.org/v1", "example.org/v1/Widget")}
    desired = await bench.render(
        {"app/Chart.yaml": CHART, "app/templates/c.yaml": template}, request=request, helm=helm
    )
    assert only(desired)["data"]["said"] == expected


WHOLE = {
    "app/Chart.yaml": CHART,
    "app/crds/widgets.yaml": """\
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: widgets.example.org}
    """,
    "app/templates/both.yaml": """\
        {{- /* two of a kind */}}
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: a}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: b}
    """,
    "app/templates/hook.yaml": """\
        apiVersion: batch/v1
        kind: Job
        metadata: {name: migrate, annotations: {helm.sh/hook: pre-install, helm.sh/hook-weight: "2"}}
    """,
    "app/templates/test.yaml": """\
        apiVersion: v1
        kind: Pod
        metadata: {name: probe, annotations: {helm.sh/hook: test}}
    """,
    "app/charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 0.1.0\n",
    "app/charts/sub/templates/s.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: sub}\n",
}
EVERYTHING = {
    "CustomResourceDefinition/widgets.example.org": "app/crds/widgets.yaml:2",
    "ConfigMap/a": "app/templates/both.yaml:3",
    "ConfigMap/b": "app/templates/both.yaml:7",
    "Job/migrate": "app/templates/hook.yaml:2",
    "Pod/probe": "app/templates/test.yaml:2",
    "Secret/sub": "app/charts/sub/templates/s.yaml:2",
}


@pytest.mark.parametrize(
    ("helm", "without"),
    [
        ({}, set()),
        ({"skipCrds": True}, {"CustomResourceDefinition/widgets.example.org"}),
        ({"skipTests": True}, {"Pod/probe"}),
    ],
)
async def test_every_object_knows_its_template(bench: Bench, helm: dict[str, Any], without: set[str]) -> None:
    desired = await bench.render(WHOLE, helm=helm)
    assert found(desired) == {name: place for name, place in EVERYTHING.items() if name not in without}
    assert desired.source_types == ("Helm",)
    assert {item.origin.repo_url for item in desired.objects} == {"https://git.example/shop.git"}


async def test_hooks_keep_their_annotations(bench: Bench) -> None:
    desired = await bench.render(WHOLE)
    (job,) = [item.obj for item in desired.objects if item.obj["kind"] == "Job"]
    assert job["metadata"]["annotations"] == {"helm.sh/hook": "pre-install", "helm.sh/hook-weight": "2"}


async def test_a_schema_is_held_to_unless_it_is_skipped(bench: Bench) -> None:
    schema = '{"properties": {"data": {"properties": {"from": {"type": "integer"}}}}}'
    files = chart(**{"app/values.schema.json": schema})
    assert "data.from" in await bench.refusal(files)
    assert only(await bench.render(files, helm={"skipSchemaValidation": True}))["data"] == {"from": "chart"}


async def test_a_dependency_of_the_same_repository_is_packed(bench: Bench) -> None:
    dependency = "dependencies: [{name: lib, version: 0.1.0, repository: 'file://../lib'}]\n"
    files = {
        "app/Chart.yaml": CHART + dependency,
        "lib/Chart.yaml": "apiVersion: v2\nname: lib\nversion: 0.1.0\n",
        "lib/templates/l.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: lib}\n",
    }
    desired = await bench.render(files)
    assert [item.key.name for item in desired.objects] == ["lib"]
    assert {entry.path for entry in desired.inputs} == {"app", "lib"}


async def test_a_dependency_from_elsewhere_is_named(bench: Bench) -> None:
    dependency = "dependencies: [{name: redis, version: 1.0.0, repository: 'https://charts.example'}]\n"
    assert await bench.refusal({"app/Chart.yaml": CHART + dependency, "app/templates/x.yaml": ""}) == (
        "app/Chart.yaml:4: chart dependencies are missing: redis 1.0.0 from https://charts.example: charts are not"
        " fetched here (commit them to charts/ with `helm dependency build`, or permit their repository in the project)"
    )


async def test_value_files_of_another_source(bench: Bench) -> None:
    other = Bench(bench.folder / "other").tree({"envs/prod.yaml": "data: {from: other}\n"}, "")
    desired = await bench.render(chart(), refs={"vals": other}, helm={"valueFiles": ["$vals/envs/prod.yaml"]})
    assert only(desired)["data"] == {"from": "other"}
    assert [(entry.ref, entry.path) for entry in desired.inputs] == [("", "app"), ("vals", "envs/prod.yaml")]
    globbed = await bench.render(chart(), refs={"vals": other}, helm={"valueFiles": ["$vals/envs/*.yaml"]})
    assert only(globbed)["data"] == {"from": "other"}


@pytest.mark.parametrize(
    ("template", "sentence"),
    [
        (
            "a: b\nc: {{ .Values.image.tag }}\n",
            (
                "app/templates/x.yaml:2:13: `helm template` failed:"
                " nil pointer evaluating interface {}.tag at <.Values.image.tag>"
            ),
        ),
        (
            '{{ required "set a host" .Values.host }}\n',
            "app/templates/x.yaml:1:3: `helm template` failed: set a host",
        ),
        ("x: {{ .Values.a }\n", 'app/templates/x.yaml:1: `helm template` failed: unexpected "}" in operand'),
        (
            "a: b\n  c: d\n",
            (
                "app/templates/x.yaml: `helm template` failed: the rendered YAML is broken:"
                " yaml: line 2: mapping values are not allowed in this context"
            ),
        ),
    ],
)
async def test_errors_name_the_template_and_the_cause(bench: Bench, template: str, sentence: str) -> None:
    assert (await bench.refusal({"app/Chart.yaml": CHART, "app/templates/x.yaml": template})).startswith(sentence)


async def test_what_a_template_prints_and_is_no_object_is_told_and_the_rest_is_there(bench: Bench) -> None:
    files = {"app/templates/x.yaml": "kind: X\nmetadata: {name: a}\n", "app/templates/y.yaml": CONFIG_MAP}
    desired = await bench.render({"app/Chart.yaml": CHART, **files})
    assert len(desired.objects) == 2
    assert desired.warnings == ("app/templates/x.yaml:1: this is not a Kubernetes object: it has no apiVersion",)


@pytest.mark.parametrize(
    ("helm", "sentence"),
    [
        ({"valueFiles": ["gone.yaml"]}, "open app/gone.yaml: no such file in the repository (named as 'gone.yaml'; "),
        (
            {"valueFiles": ["x-*.yaml"]},
            "values file glob 'x-*.yaml' matched no files (no such file in app/; skip it with ignoreMissingValueFiles",
        ),
        (
            {"valueFiles": ["$vals/x.yaml"]},
            "value file '$vals/x.yaml' refers to a source, but no source has ref: vals (sources with a ref: none)",
        ),
        (
            {"values": "a: [b"},
            "spec.source.helm.values:2:1: `helm template` failed: failed to parse the values of the Application: ",
        ),
        ({"releaseName": "-x"}, "invalid release name '-x'"),
        ({"releaseName": "{{ .x }}"}, "invalid release name '{{ .x }}'"),
        ({"kubeVersion": "new"}, "app: `helm template` failed: invalid kube version 'new'"),
    ],
)
async def test_settings_that_make_no_sense_are_told(bench: Bench, helm: dict[str, Any], sentence: str) -> None:
    assert (await bench.refusal(chart(), helm=helm)).startswith(sentence)


async def test_of_a_key_that_a_template_gives_twice_the_last_one_counts(bench: Bench) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: one\n  a: two\n"
    desired = await bench.render({"app/Chart.yaml": CHART, "app/templates/a.yaml": text})
    assert only(desired)["data"] == {"a": "two"}
    assert desired.manifest_warnings == (
        'app/templates/a.yaml: key "a" is given twice in an object made here; the last one counts',
    )


@pytest.mark.parametrize(
    ("version", "seen"),
    [
        ("1.30.11+IKS", "v1.30.11+IKS"),
        ("v1.29.3-gke.100", "v1.29.3-gke.100"),
        ("1.31+", "v1.31.0"),
        ("v1.31.2+", "v1.31.2"),
        ("1.30.1_IKS", "v1.30.1"),
        ("v1.28.2-eks-a5565ad", "v1.28.2-eks-a5565ad"),
        ("1.27", "v1.27.0"),
    ],
)
async def test_versions_of_providers_are_handed_to_helm_as_it_takes_them(bench: Bench, version: str, seen: str) -> None:
    text = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {v: '{{ .Capabilities.KubeVersion.Version }}'}\n"
    )
    files = {"app/Chart.yaml": CHART, "app/templates/a.yaml": text}
    assert only(await bench.render(files, request={"kube_version": version}))["data"] == {"v": seen}
