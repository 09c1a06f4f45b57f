"""Kustomizations by the real kubectl: settings written in as `kustomize edit` would, bases, provenance, errors."""

from typing import Any

import pytest

from tests.component.render.rendering import Bench, found, only

DEPLOYMENT = """\
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec:
      replicas: 1
      selector: {matchLabels: {app: web}}
      template:
        metadata: {labels: {app: web}}
        spec:
          containers: [{name: web, image: "app:v1"}]
"""
FILES = {
    "base/kustomization.yaml": "resources: [web.yaml]\n",
    "base/web.yaml": DEPLOYMENT,
    "app/kustomization.yaml": """\
        resources: [../base]
        namePrefix: dev-
        nameSuffix: -one
        namespace: dev
        images: [{name: app, newTag: v5}]
        replicas: [{name: web, count: 5}]
        commonLabels: {team: blue}
        commonAnnotations: {note: old}
        labels: [{pairs: {tier: back}}]
    """,
}


def picked(obj: dict[str, Any], path: str) -> Any:
    value: Any = obj
    for step in path.split("."):
        value = value[int(step)] if isinstance(value, list) else value.get(step)
    return value


IMAGE = "spec.template.spec.containers.0.image"


@pytest.mark.parametrize(
    ("settings", "path", "expected"),
    [
        ({}, "metadata.name", "dev-web-one"),
        ({"namePrefix": "prod-"}, "metadata.name", "prod-web-one"),
        ({"nameSuffix": "-two"}, "metadata.name", "dev-web-two"),
        ({"namespace": "prod"}, "metadata.namespace", "prod"),
        ({}, IMAGE, "app:v5"),
        ({"images": ["app:v2"]}, IMAGE, "app:v2"),
        ({"images": ["app=registry.example/app"]}, IMAGE, "registry.example/app:v1"),
        ({"images": ["app=registry.example:5000/app:v3"]}, IMAGE, "registry.example:5000/app:v3"),
        ({"images": ["app=other:*"]}, IMAGE, "other:v5"),
        ({"images": ["app@sha256:" + "a" * 64]}, IMAGE, "app@sha256:" + "a" * 64),
        ({"images": ["app:$ARGOCD_APP_NAME"]}, IMAGE, "app:shop"),
        ({"images": ["nothing:v9"]}, IMAGE, "app:v5"),
        ({"replicas": [{"name": "web", "count": 3}]}, "spec.replicas", 3),
        ({"replicas": [{"name": "web", "count": "4"}]}, "spec.replicas", 4),
        ({}, "spec.replicas", 5),
        ({"commonLabels": {"a": "$ARGOCD_APP_NAME"}}, "spec.selector.matchLabels.a", "shop"),
        ({"commonLabels": {"team": "red"}, "forceCommonLabels": True}, "spec.selector.matchLabels.team", "red"),
        ({"commonLabels": {"a": "b"}, "labelWithoutSelector": True}, "metadata.labels.a", "b"),
        ({"commonLabels": {"a": "b"}, "labelWithoutSelector": True}, "spec.selector.matchLabels.a", None),
        ({"commonLabels": {"a": "b"}, "labelWithoutSelector": True}, "spec.template.metadata.labels.a", None),
        (
            {"commonLabels": {"a": "b"}, "labelWithoutSelector": True, "labelIncludeTemplates": True},
            "spec.template.metadata.labels.a",
            "b",
        ),
        ({"commonLabels": {"a": "b"}, "labelWithoutSelector": True}, "metadata.labels.tier", "back"),
        ({"commonAnnotations": {"x": "$ARGOCD_APP_NAME"}}, "metadata.annotations.x", "$ARGOCD_APP_NAME"),
        (
            {"commonAnnotations": {"x": "$ARGOCD_APP_NAME"}, "commonAnnotationsEnvsubst": True},
            "metadata.annotations.x",
            "shop",
        ),
        (
            {"commonAnnotations": {"note": "new"}, "forceCommonAnnotations": True},
            "metadata.annotations",
            {"note": "new"},
        ),
        ({}, "metadata.annotations", {"note": "old"}),
        (
            {
                "patches": [
                    {
                        "target": {"kind": "Deployment"},
                        "patch": '[{"op": "add", "path": "/spec/paused", "value": true}]',
                    }
                ]
            },
            "spec.paused",
            True,
        ),
        ({"components": ["../parts/paused"]}, "spec.paused", True),
        ({"components": ["../parts/paused", "../gone"], "ignoreMissingComponents": True}, "spec.paused", True),
    ],
)
async def test_settings_are_written_into_the_kustomization(
    bench: Bench, settings: dict[str, Any], path: str, expected: Any
) -> None:
    parts = {
        "parts/paused/kustomization.yaml": """\
            apiVersion: kustomize.config.k8s.io/v1alpha1
            kind: Component
            patches: [{target: {kind: Deployment}, patch: '[{"op": "add", "path": "/spec/paused", "value": true}]'}]
        """
    }
    desired = await bench.render({**FILES, **parts}, kustomize=settings)
    assert picked(only(desired), path) == expected
    assert desired.source_types == ("Kustomize",)


async def test_what_yaml_1_1_takes_for_a_boolean_is_read_as_kustomize_reads_it(bench: Bench) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: y}\n"
    desired = await bench.render({"app/kustomization.yaml": "resources: [a.yaml]\n", "app/a.yaml": text})
    assert only(desired)["metadata"]["namespace"] == "y"
    files = {"app/kustomization.yaml": "namespace: y\nresources: [a.yaml]\n", "app/a.yaml": text}
    assert "cannot unmarshal bool into Go struct field Kustomization.namespace" in await bench.refusal(files)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (
            {"commonLabels": {"team": "red"}},
            "app/kustomization.yaml: label team already in kustomization file (set kustomize.forceCommonLabels",
        ),
        (
            {"commonAnnotations": {"note": "x"}},
            (
                "app/kustomization.yaml: annotation note already in kustomization file"
                " (set kustomize.forceCommonAnnotations"
            ),
        ),
        ({"images": ["app"]}, "app/kustomization.yaml: kustomize.images: 'app' is not an image override"),
        (
            {"replicas": [{"name": "web", "count": "half"}]},
            "app/kustomization.yaml: kustomize.replicas: the count of web",
        ),
        (
            {"components": ["../gone"]},
            "app/kustomization.yaml: spec.source.kustomize.components: component '../gone' does not exist (remove it",
        ),
        (
            {"commonLabels": {"a": "b"}, "labelIncludeTemplates": True},
            "app/kustomization.yaml: kustomize.labelIncludeTemplates needs labelWithoutSelector",
        ),
        ({"patches": [{"patch": "- op: x"}]}, "app: `kustomize build` failed: "),
        (
            {"replicas": [{"name": "else", "count": 3}]},
            "app: `kustomize build` failed: replicas are set for else, and no workload has that name",
        ),
    ],
)
async def test_settings_that_cannot_be_written_are_refused(
    bench: Bench, settings: dict[str, Any], sentence: str
) -> None:
    assert (await bench.refusal(FILES, kustomize=settings)).startswith(sentence)


async def test_every_object_knows_the_file_it_comes_from(bench: Bench) -> None:
    files = {
        "base/kustomization.yaml": "resources: [web.yaml]\nconfigMapGenerator: [{name: c, literals: [a=b]}]\n",
        "base/web.yaml": "# a comment\n" + "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n",
        "app/kustomization.yml": "resources: [../base, own.yaml]\ngeneratorOptions: {disableNameSuffixHash: true}\n",
        "app/own.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: own}\n",
    }
    desired = await bench.render(files)
    places = {name.partition("-")[0]: place for name, place in found(desired).items()}
    assert places == {
        "Deployment/web": "base/web.yaml:3",
        "ConfigMap/c": "base/kustomization.yaml",
        "Secret/own": "app/own.yaml:2",
    }
    assert all("annotations" not in item.obj["metadata"] for item in desired.objects)
    assert {entry.path for entry in desired.inputs} == {"app", "base"}


async def test_origins_that_the_user_asked_for_stay(bench: Bench) -> None:
    files = {
        "app/kustomization.yaml": "resources: [own.yaml]\nbuildMetadata: [originAnnotations]\n",
        "app/own.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: own}\n",
    }
    annotations = only(await bench.render(files))["metadata"]["annotations"]
    assert annotations == {"config.kubernetes.io/origin": "path: own.yaml\n"}


@pytest.mark.parametrize(
    ("kustomization", "sentence"),
    [
        ("resources: [gone.yaml]\n", "app/kustomization.yaml:1: `kustomize build` failed: "),
        ("resources: [\n", "app/kustomization.yaml:2:1: invalid Kustomization: "),
        (
            "resources: [a.yaml]\nnonsense: 1\n",
            'app/kustomization.yaml:2: `kustomize build` failed: invalid Kustomization: json: unknown field "nonsense"',
        ),
        ("resources: [../app2]\n", "app/kustomization.yaml:1: `kustomize build` failed: "),
    ],
)
async def test_errors_are_one_sentence(bench: Bench, kustomization: str, sentence: str) -> None:
    files = {
        "app/kustomization.yaml": kustomization,
        "app/a.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n",
    }
    said = await bench.refusal(files)
    assert said.startswith(sentence)
    assert len(said) < 600


async def test_a_kustomization_wins_over_a_chart_and_a_block_over_both(bench: Bench) -> None:
    files = {
        "app/kustomization.yaml": "resources: [a.yaml]\n",
        "app/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
        "app/a.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n",
        "app/templates/b.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: b}\n",
    }
    assert only(await bench.render(files))["metadata"]["name"] == "a"
    assert only(await bench.render(files, helm={"releaseName": "web"}))["metadata"]["name"] == "b"


async def test_files_in_the_folder_override_the_source(bench: Bench) -> None:
    files = {
        **FILES,
        "app/.argocd-source.yaml": "kustomize: {namePrefix: one-, images: ['app:v7']}\nrepoURL: https://evil.example\n",
        "app/.argocd-source-shop.yaml": "kustomize: {namePrefix: two-}\npath: ../..\n",
        "app/.argocd-source-other.yaml": "kustomize: {namePrefix: three-}\n",
    }
    obj = only(await bench.render(files, kustomize={"nameSuffix": "-x"}))
    assert (obj["metadata"]["name"], picked(obj, IMAGE)) == ("two-web-x", "app:v7")


@pytest.mark.parametrize("text", ["", "# nothing\n", "{}\n", "kind: Kustomization\n", "resources:\n"])
async def test_an_empty_kustomization_is_refused_in_kustomizes_words(bench: Bench, text: str) -> None:
    assert (
        await bench.refusal({"app/kustomization.yaml": text})
        == "app/kustomization.yaml:1: kustomization.yaml is empty (add resources to it)"
    )


async def test_a_kustomization_without_resources_makes_no_objects_and_says_so(bench: Bench) -> None:
    desired = await bench.render({"app/kustomization.yaml": "resources: []\n"})
    assert desired.manifest_warnings == ("app makes no objects: Kustomize printed none",)
