"""What a tool complains of is told with the file and line to change, and with what was probably meant."""

from typing import Any

import pytest

from syncline.adapters.render.found import FoundVersions
from syncline.adapters.render.programs import Programs
from tests.component.render.rendering import CHART, Bench

pytestmark = pytest.mark.anyio

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\n"
KUSTOMIZE = "`kustomize build` failed: "
HELM = "`helm template` failed: "
only_with_helm_3 = pytest.mark.skipif(
    FoundVersions().version(Programs().path("helm"), "helm").startswith("4."), reason="Helm 4 takes it for nothing"
)


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        pytest.param(
            {"app/kustomization.yaml": "resources:\n- web.yaml\n", "app/web.yml": ""},
            f"app/kustomization.yaml:2: {KUSTOMIZE}accumulating resources from 'web.yaml': app/web.yaml: no such file"
            " or directory (did you mean app/web.yml?)",
            id="a resource with another ending",
        ),
        pytest.param(
            {
                "app/kustomization.yaml": "resources:\n- ../base\n",
                "base/kustomization.yaml": "# of all\nresources:\n- gone.yaml\n",
                "other/gone.yaml": "",
            },
            f"base/kustomization.yaml:3: {KUSTOMIZE}accumulating resources from 'gone.yaml': base/gone.yaml: no such"
            " file or directory (the repository has other/gone.yaml)",
            id="a resource of a base",
        ),
        pytest.param(
            {"app/kustomization.yaml": "resources:\n- ../bse\n", "base/kustomization.yaml": ""},
            f"app/kustomization.yaml:2: {KUSTOMIZE}accumulating resources from '../bse': bse: no such file or directory"
            " (did you mean base?)",
            id="a base",
        ),
        pytest.param(
            {
                "app/kustomization.yaml": "resources:\n- a.yaml\npatches:\n- path: patch.yaml\n",
                "app/a.yaml": MAP.format("a"),
                "app/patches.yaml": "",
            },
            f"app/kustomization.yaml:4: {KUSTOMIZE}trouble configuring builtin PatchTransformer: failed to get the"
            " patch file from path(patch.yaml): app/patch.yaml: no such file or directory"
            " (did you mean app/patches.yaml?)",
            id="the file of a patch",
        ),
        pytest.param(
            {
                "app/kustomization.yaml": "resources: [a.yaml]\npatches: [{path: p.yaml}]\n",
                "app/a.yaml": MAP.format("a"),
                "app/p.yaml": MAP.format("b") + "data: {x: y}\n",
            },
            "app/p.yaml:2: ",
            id="a patch of an object that is not there",
        ),
        pytest.param(
            {
                "app/kustomization.yaml": "resources: [a.yaml, b.yaml]\n",
                "app/a.yaml": MAP.format("a"),
                "app/b.yaml": "\n" + MAP.format("a"),
            },
            f"app/b.yaml:3: {KUSTOMIZE}merging resources from 'b.yaml': may not add resource with an already registered"
            " id: ConfigMap.v1.[noGrp]/a.[noNs] (it is in app/a.yaml:2 too)",
            id="an object that is there twice",
        ),
        pytest.param(
            {"app/kustomization.yaml": "resources:\n- a.yaml\n- ./a.yaml\n", "app/a.yaml": MAP.format("a")},
            f"app/kustomization.yaml:3: {KUSTOMIZE}ConfigMap a is there twice (app/a.yaml is listed twice: delete the"
            " line)",
            id="a file that is listed twice",
        ),
        pytest.param(
            {
                "app/kustomization.yaml": "resources:\n- ../part\n",
                "part/kustomization.yaml": "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
                "namePrefix: a-\n",
            },
            f"app/kustomization.yaml:2: {KUSTOMIZE}part is a Component, which is not a resource (list it under"
            " components)",
            id="a component among the resources",
        ),
        pytest.param(
            {
                "app/kustomization.yaml": "resources: [../base]\nconfigMapGenerator:\n- name: setings\n"
                "  behavior: merge\n  literals: [a=b]\n",
                "base/kustomization.yaml": "configMapGenerator: [{name: settings, literals: [a=a]}]\n",
            },
            f"app/kustomization.yaml:3: {KUSTOMIZE}there is no ConfigMap setings to merge into or to replace (did you"
            " mean settings?)",
            id="a generator that changes what is not there",
        ),
        pytest.param(
            {
                "app/kustomization.yaml": "resources: [web.yaml]\nreplicas:\n- name: wbe\n  count: 2\n",
                "app/web.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n",
            },
            f"app/kustomization.yaml:3: {KUSTOMIZE}replicas are set for wbe, and no workload has that name (did you"
            " mean web?)",
            id="replicas of nothing",
        ),
        pytest.param(
            {"app/kustomization.yaml": "namespace: a\npatches:\n- some.yaml\n"},
            f"app/kustomization.yaml:2: {KUSTOMIZE}invalid Kustomization: json: cannot unmarshal string into Go struct"
            " field Kustomization.patches of type types.Patch (an entry of patches has not the form of a Patch)",
            id="a field of another form",
        ),
        pytest.param(
            {
                "app/kustomization.yaml": "generators: [g.yaml]\n",
                "app/g.yaml": "apiVersion: x.example/v1\nkind: Maker\nmetadata: {name: m}\n",
            },
            f"app/g.yaml:2: {KUSTOMIZE}loading generator plugins: failed to load generator: external plugins disabled;"
            " unable to load external plugin 'Maker' (plug-ins that are programs are never run: commit what it",
            id="a plug-in that is a program",
        ),
        pytest.param(
            {
                "app/kustomization.yaml": "resources: [a.yaml]\nsortOptions: {order: odd}\n",
                "app/a.yaml": MAP.format("a"),
            },
            f"app/kustomization.yaml:1: {KUSTOMIZE}",
            id="something else",
        ),
        pytest.param(
            {"app/kustomization.yaml": "namespace: a\nresource:\n- a.yaml\n"},
            f'app/kustomization.yaml:2: {KUSTOMIZE}invalid Kustomization: json: unknown field "resource"'
            " (did you mean resources?)",
            id="a field that kustomize does not know",
        ),
        pytest.param(
            {"app/kustomization.yaml": "resources:\n- a.yaml\n", "app/a.yaml": MAP.format("a") + " data: {}\n"},
            f"app/a.yaml:5:2: {KUSTOMIZE}accumulating resources from 'a.yaml': MalformedYAMLError: did not find",
            id="a resource that is no YAML",
        ),
        pytest.param(
            {"app/kustomization.yaml": "configMapGenerator:\n- name: a\n  files: [b=x.ini]\n"},
            f"app/kustomization.yaml:3: {KUSTOMIZE}loading KV pairs: file sources: [b=x.ini]: app/x.ini: no such file",
            id="the file of a generator",
        ),
        pytest.param(
            {
                "app/kustomization.yaml": "resources: [a.yaml]\npatches:\n- target: {kind: ConfigMap}\n"
                "  patch: |\n    - op: replace\n      path: /data/x\n      value: 1\n",
                "app/a.yaml": MAP.format("a"),
            },
            f"app/kustomization.yaml:4: {KUSTOMIZE}replace operation does not apply: doc is missing path: /data/x:"
            " missing value (op: add creates a missing field)",
            id="a patch of a field that is not there",
        ),
    ],
)
async def test_of_kustomize(bench: Bench, files: dict[str, str], sentence: str) -> None:
    assert (await bench.refusal(files)).startswith(sentence)


TEMPLATE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata:\n  tag: "
FILES = {
    "app/Chart.yaml": CHART,
    "app/values.yaml": "image: {tag: '1'}\nport: 80\n",
    "app/templates/web.yaml": TEMPLATE + "{{ .Values.image.tag | quote }}\n",
}


@pytest.mark.parametrize(
    ("files", "helm", "sentence"),
    [
        pytest.param(
            {"app/templates/web.yaml": TEMPLATE + "{{ .Values.img.tag | quote }}\n"},
            {},
            f"app/templates/web.yaml:5:17: {HELM}nil pointer evaluating interface {{}}.tag at <.Values.img.tag>"
            " (no values set img; did you mean image?)",
            id="a value that nobody sets",
        ),
        pytest.param(
            {"app/templates/web.yaml": TEMPLATE + '{{ include "web.labels" . }}\n'},
            {},
            f'app/templates/web.yaml:5:10: {HELM}error calling include: template: no template "web.labels"',
            id="a template that is not there",
        ),
        pytest.param(
            {"app/templates/web.yaml": TEMPLATE + "{{ .Values.port }}\n   x: 1\n"},
            {},
            f"app/templates/web.yaml: {HELM}the rendered YAML is broken: ",
            id="broken YAML",
        ),
        pytest.param(
            {"app/values.yaml": "image:\n  tag: 1\n port: 2\n"},
            {},
            f"app/values.yaml:3:2: {HELM}cannot load values.yaml: did not find expected key",
            id="values of the chart that are no YAML",
        ),
        pytest.param(
            {"app/Chart.yaml": CHART + "kubeVersion: '>=9'\n"},
            {},
            f"app/Chart.yaml:4: {HELM}chart requires kubeVersion: >=9 which is incompatible with Kubernetes ",
            id="a chart for another Kubernetes",
        ),
        pytest.param(
            {"app/Chart.yaml": CHART.replace("1.0.0", "new")},
            {},
            f"app/Chart.yaml:3: {HELM}validation: chart.metadata.version",
            id="a version that is none",
        ),
        pytest.param(
            {"app/v.yaml": "a: [1\nb: 2\n"},
            {"valueFiles": ["v.yaml"]},
            f"app/v.yaml:2:2: {HELM}failed to parse v.yaml: did not find expected",
            id="a value file that is no YAML",
        ),
        pytest.param(
            {"app/values.schema.json": '{"type": "object", "properties": {"port": {"type": "string"}}}'},
            {},
            "app/values.yaml:2: ",
            id="a value of the wrong type",
        ),
        pytest.param(
            {},
            {"parameters": [{"name": "port", "value": "1"}, {"name": "image[tag", "value": "1"}]},
            f"app: {HELM}failed parsing --set data: error parsing index: EOF"
            " (in spec.source.helm.parameters: image[tag)",
            id="a parameter that cannot be read",
            marks=only_with_helm_3,
        ),
        pytest.param(
            {},
            {"parameters": [{"name": "image[tag]", "value": "1"}]},
            f"app: {HELM}failed parsing --set data: error parsing index: "
            'strconv.Atoi: parsing "tag": invalid syntax (in spec.source.helm.parameters: image[tag])',
            id="a parameter whose index is not a number",
        ),
        pytest.param(
            {},
            {"valueFiles": ["vales.yaml"]},
            "open app/vales.yaml: no such file in the repository"
            " (named as 'vales.yaml'; did you mean app/values.yaml?)",
            id="a value file that is not there",
        ),
    ],
)
async def test_of_helm(bench: Bench, files: dict[str, str], helm: dict[str, Any], sentence: str) -> None:
    said = await bench.refusal({**FILES, **files}, helm=helm)
    assert said.startswith(sentence)
    if "schema" in sentence:
        assert said.endswith("(port is set at app/values.yaml:2)")
