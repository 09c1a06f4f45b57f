"""`syncline up` delivers a Helm chart and a Kustomize overlay with the real tools."""

import pathlib

import pytest

from tests.e2e.program import Machine

FILES = {
    "chart/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
    "chart/values.yaml": "colour: grey\n",
    "chart/templates/settings.yaml": """\
apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}-settings"}
data:
  colour: {{ required "colour is not set" .Values.colour | quote }}
  kube: {{ .Capabilities.KubeVersion.Version | quote }}
""",
    "envs/prod.yaml": "colour: blue\n",
    "envs/broken.yaml": "colour: null\n",
    "base/kustomization.yaml": "resources: [settings.yaml]\n",
    "base/settings.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: green}\n",
    "overlay/kustomization.yaml": "resources: [../base]\nnamePrefix: dev-\n",
}
APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}}}
spec:
  project: default
  source: {{repoURL: {repository}, targetRevision: main, {source}}}
  destination: {{server: "https://kubernetes.default.svc", namespace: {name}}}
  syncPolicy:
    automated: {{prune: true, selfHeal: true}}
    syncOptions: [CreateNamespace=true]
"""


@pytest.fixture
def repository(machine: Machine, tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "repos/shop"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.invalid")
    for arguments in (["init", "-q", "-b", "main"], ["add", "."], [*identity, "commit", "-q", "-m", "shop"]):
        assert machine.run("git", "-C", folder, *arguments).code == 0
    return folder


def write(folder: pathlib.Path, name: str, repository: pathlib.Path, source: str) -> pathlib.Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.yaml").write_text(APPLICATION.format(name=name, repository=repository, source=source))
    return folder


def test_a_chart_and_an_overlay_are_delivered(
    machine: Machine, tmp_path: pathlib.Path, repository: pathlib.Path
) -> None:
    apps = write(tmp_path / "apps", "shop", repository, "path: chart, helm: {valueFiles: [../envs/prod.yaml]}")
    write(apps, "stall", repository, "path: overlay, kustomize: {namePrefix: prod-}")
    with machine.running(
        "up", "--apps", apps, "--local-repos", tmp_path / "repos", "--data", tmp_path / "data"
    ) as running:
        running.says("✔ Synced, Healthy")
        running.says("✔ Synced, Healthy")
        kubeconfig = tmp_path / "data/kubeconfig"
        colours = [
            machine.kubectl(kubeconfig, "get", "configmap", name, "-n", namespace, "-o", "jsonpath={.data.colour}").out
            for namespace, name in (("shop", "shop-settings"), ("stall", "prod-settings"))
        ]
        server = machine.kubectl(kubeconfig, "version", "-o", "json").out
        kube = machine.kubectl(
            kubeconfig, "get", "configmap", "shop-settings", "-n", "shop", "-o", "jsonpath={.data.kube}"
        ).out
        assert colours == ["blue", "green"]
        assert kube.startswith("v1.")
        assert f'"gitVersion": "{kube}"' in server
        assert (running.interrupt(), running.err) == (130, "")


def test_a_template_that_fails_is_told_with_its_place(
    machine: Machine, tmp_path: pathlib.Path, repository: pathlib.Path
) -> None:
    apps = write(tmp_path / "apps", "shop", repository, "path: chart, helm: {valueFiles: [../envs/broken.yaml]}")
    with machine.running(
        "up", "--apps", apps, "--local-repos", tmp_path / "repos", "--data", tmp_path / "data"
    ) as running:
        running.says(r"shop +✖ .*chart/templates/settings\.yaml:5:\d+.*colour is not set.*\n")
        assert (running.interrupt(), running.err) == (130, "")
