"""The chart under the real helm: it makes the same objects as `syncline install`, and refuses unknown values."""

import pathlib
from typing import Any

import pytest

from syncline.apimachinery import pod_security
from syncline.apimachinery.keys import Object
from syncline.core.install.objects import installation
from syncline.core.install.options import InstallOptions, Mode
from syncline.core.rights.delivery import Profile
from tests.support import chart_runs
from tools.build_manifests import CHART, default_image

HELMS = chart_runs.helms()
IMAGE = default_image()
# What only one of the two writes: who manages an object, and which chart it came from.
OF_WRITERS = {"app.kubernetes.io/managed-by", "helm.sh/chart"}
CHOICES: dict[str, tuple[dict[str, Any], InstallOptions]] = {
    "defaults": ({}, InstallOptions(image=IMAGE)),
    "diagnose": ({"mode": "diagnose"}, InstallOptions(image=IMAGE, mode=Mode.DIAGNOSE)),
    "insecure": (
        {"server": {"insecure": True, "replicas": 1}, "controller": {"replicas": 3}},
        InstallOptions(image=IMAGE, insecure=True, server_replicas=1, controller_replicas=3),
    ),
    "no isolation": ({"renders": {"requireIsolation": False}}, InstallOptions(image=IMAGE, require_isolation=False)),
    "namespaces": (
        {"delivery": {"profile": "namespaces", "namespaces": ["shop", "payments"]}},
        InstallOptions(image=IMAGE, profile=Profile.NAMESPACES, targets=("shop", "payments")),
    ),
    "impersonation": (
        {"delivery": {"profile": "impersonation", "impersonate": ["shop:deployer", "shop:other", "all:*"]}},
        InstallOptions(
            image=IMAGE, profile=Profile.IMPERSONATION, impersonated=("shop:deployer", "shop:other", "all:*")
        ),
    ),
    "impersonation in namespaces": (
        {"delivery": {"profile": "impersonation", "namespaces": ["shop"], "impersonate": ["shop:deployer"]}},
        InstallOptions(image=IMAGE, profile=Profile.IMPERSONATION, targets=("shop",), impersonated=("shop:deployer",)),
    ),
    "Applications in named namespaces": (
        {"applicationNamespaces": ["team-b", "team-a", "argocd"]},
        InstallOptions(image=IMAGE, application_namespaces=("team-b", "team-a", "argocd")),
    ),
    "Applications anywhere": (
        {"applicationNamespaces": ["team-*"]},
        InstallOptions(image=IMAGE, application_namespaces=("team-*",)),
    ),
}


def normal(obj: Object) -> Object:
    metadata = obj["metadata"]
    labels = {name: text for name, text in metadata.get("labels", {}).items() if name not in OF_WRITERS}
    return {**obj, "metadata": {**metadata, "labels": labels}}


def by_name(objects: list[Object]) -> dict[tuple[str, str, str], Object]:
    named = {
        (obj["kind"], obj["metadata"].get("namespace", ""), obj["metadata"]["name"]): normal(obj) for obj in objects
    }
    assert len(named) == len(objects), "no object is there twice"
    return named


@pytest.mark.parametrize("helm", HELMS)
@pytest.mark.parametrize("choice", CHOICES)
def test_chart_and_install_command_make_equal_objects(helm: str, choice: str, tmp_path: pathlib.Path) -> None:
    values, options = CHOICES[choice]
    rendered = by_name(chart_runs.objects(chart_runs.template(helm, values, tmp_path)))
    expected = by_name(installation(options))
    assert sorted(rendered) == sorted(expected)
    for key, obj in expected.items():
        assert rendered[key] == obj, key


@pytest.mark.parametrize("helm", HELMS)
def test_lint_accepts_the_chart(helm: str) -> None:
    result = chart_runs.run(helm, "lint", "--strict", str(CHART))
    assert result.returncode == 0, result.stdout


@pytest.mark.parametrize("helm", HELMS)
@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"replica": 2}, "replica"),
        ({"controller": {"replicaCount": 2}}, "replicaCount"),
        ({"server": {"insecure": "yes"}}, "insecure"),
        ({"mode": "read"}, "mode"),
        ({"image": {"digest": "latest"}}, "digest"),
        ({"delivery": {"profile": "namespaces"}}, "namespaces"),
        ({"delivery": {"profile": "impersonation"}}, "impersonate"),
        ({"delivery": {"namespaces": ["shop"]}}, "namespaces"),
        ({"delivery": {"profile": "impersonation", "impersonate": ["deployer"]}}, "impersonate"),
        ({"ingress": {"enabled": True}}, "hosts"),
        ({"httpRoute": {"enabled": True}}, "parentRefs"),
        ({"podSecurity": {"seccompProfile": {"type": "Unconfined"}}}, "seccompProfile"),
        (
            {"diagnose": {"extraRules": [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}]}},
            "extraRules",
        ),
    ],
)
def test_values_that_are_not_known_are_refused(
    helm: str, values: dict[str, Any], words: str, tmp_path: pathlib.Path
) -> None:
    result = chart_runs.try_template(helm, values, tmp_path)
    assert result.returncode != 0
    assert words in result.stderr


@pytest.mark.parametrize("helm", HELMS)
def test_every_optional_part_is_rendered(helm: str, tmp_path: pathlib.Path) -> None:
    values = {
        "networkPolicy": {"enabled": True, "serverFrom": [{"namespaceSelector": {}}]},
        "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
        "ingress": {"enabled": True, "hosts": ["syncline.example.com"], "className": "nginx"},
        "httpRoute": {"enabled": True, "parentRefs": [{"name": "gateway"}], "hostnames": ["syncline.example.com"]},
        "cache": {"sizeLimit": "5Gi"},
        "imagePullSecrets": [{"name": "registry"}],
        "image": {"repository": "registry.example.com/syncline", "digest": "sha256:" + "a" * 64},
        "podSecurity": {"hostUsers": False},
        "podDisruptionBudget": {"enabled": False},
        "controller": {"env": [{"name": "A", "value": "b"}], "tolerations": [{"operator": "Exists"}]},
    }
    rendered = by_name(chart_runs.objects(chart_runs.template(helm, values, tmp_path)))
    kinds = {kind for kind, _, _ in rendered}
    assert {"NetworkPolicy", "ServiceMonitor", "Ingress", "HTTPRoute"} <= kinds
    assert "PodDisruptionBudget" not in kinds
    pod = rendered["Deployment", "argocd", "syncline-controller"]["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == f"registry.example.com/syncline@sha256:{'a' * 64}"
    assert pod["volumes"][0]["emptyDir"] == {"sizeLimit": "5Gi"}
    assert pod["hostUsers"] is False
    policy = rendered["NetworkPolicy", "argocd", "syncline-server"]["spec"]["ingress"][0]
    assert policy == {"ports": [{"port": "api", "protocol": "TCP"}], "from": [{"namespaceSelector": {}}]}
    assert "from" not in rendered["NetworkPolicy", "argocd", "syncline-controller"]["spec"]["ingress"][0]


@pytest.mark.parametrize("helm", HELMS)
@pytest.mark.parametrize("mode", list(Mode))
def test_release_contains_nothing_that_argo_cd_owns(helm: str, mode: Mode, tmp_path: pathlib.Path) -> None:
    rendered = chart_runs.objects(chart_runs.template(helm, {"mode": str(mode)}, tmp_path))
    kinds = {obj["kind"] for obj in rendered}
    assert not kinds & {"CustomResourceDefinition", "Namespace", "Application", "ApplicationSet", "AppProject"}
    assert [obj["metadata"]["name"] for obj in rendered if obj["metadata"]["name"].startswith("argocd")] == []


@pytest.mark.parametrize("mode", list(Mode))
def test_pods_meet_the_restricted_level(mode: Mode) -> None:
    made = installation(InstallOptions(image=IMAGE, mode=mode))
    pods = [obj["spec"]["template"]["spec"] for obj in made if obj["kind"] == "Deployment"]
    assert pods
    assert [pod_security.violations(pod, "restricted") for pod in pods] == [[] for _ in pods]
