"""The merge of values is held against what a real chart sees; unsteady charts and pinned tools are told."""

from typing import Any

import pytest

from syncline.adapters.render.programs import Programs
from syncline.adapters.render.renderer import ToolRenderer
from syncline.core.provenance import blame, values
from tests.component.render.rendering import CHART, Bench, chart_archive, only
from tests.unit.render_directory.folders import request_for

pytestmark = pytest.mark.anyio

FILES = {
    "app/Chart.yaml": CHART + "dependencies: [{name: db, version: 1.0.0, alias: store}]\n",
    "app/values.yaml": """\
        replicas: 1
        image: {name: web, tag: "1"}
        tolerations: []
        store: {size: 2}
        big: 1000000
        drop: {me: 1}
        nothing: null
        global: {zone: a}
    """,
    "app/charts/db/Chart.yaml": "apiVersion: v2\nname: db\nversion: 1.0.0\n",
    "app/charts/db/values.yaml": "size: 1\nclass: slow\n",
    "app/charts/db/templates/x.yaml": '{{ fail "a template that must not be asked" }}',
    "app/templates/_helpers.tpl": '{{ define "x" }}{{ end }}',
    "app/templates/web.yaml": """\
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web}
        spec:
          replicas: {{ .Values.replicas }}
          image: {{ .Values.image.name }}:{{ .Values.image.tag }}
          tolerations: {{ toJson .Values.tolerations }}
    """,
    "globals.yaml": "tolerations:\n- {key: env}\nimage: {tag: '2'}\n",
    "app/agents.yaml": "tolerations: []\ndrop: null\n",
}


@pytest.mark.parametrize(
    "helm",
    [
        {},
        {"valueFiles": ["/globals.yaml"]},
        {"valueFiles": ["/globals.yaml", "agents.yaml"]},
        {"valueFiles": ["agents.yaml", "/globals.yaml"], "values": "image: {tag: '9'}\nstore: {class: null}\n"},
        {"valuesObject": {"replicas": 5, "store": {"size": 3}, "image": {"name": None}}, "values": "replicas: 6"},
        {
            "parameters": [
                {"name": "image.tag", "value": "7", "forceString": True},
                {"name": "tolerations[0].key", "value": "x"},
                {"name": "list", "value": "{a,b}"},
                {"name": r"node\.name", "value": "true"},
                {"name": "replicas", "value": "null"},
            ]
        },
        {"fileParameters": [{"name": "image.tag", "path": "agents.yaml"}]},
    ],
)
async def test_the_merge_is_what_the_chart_sees(bench: Bench, helm: dict[str, Any]) -> None:
    request = request_for(helm=helm)
    chart = await ToolRenderer().chart_values(request, bench.tree(FILES))
    assert chart is not None
    merged = values.merge(chart.layers)
    assert merged.problems == ()
    assert merged.disagreements(chart.seen) == ()
    assert chart.seen["store"]["size"] in (2, 3)


async def test_a_change_of_a_value_moves_the_fields_it_makes(bench: Bench) -> None:
    files = {**FILES, "app/charts/db/templates/x.yaml": ""}
    tree = bench.tree(files)
    request = request_for(
        helm={
            "valueFiles": ["/globals.yaml", "agents.yaml"],
            "parameters": [{"name": "image.tag", "value": "7", "forceString": True}],
        }
    )
    renderer = ToolRenderer()
    before = await renderer.render(request, tree)
    chart = await renderer.chart_values(request, tree)
    assert chart is not None
    merged = values.merge(chart.layers)
    moved = {}
    for name in (("tolerations",), ("image", "tag"), ("store", "class")):
        (leaf,) = merged.find(name)
        after = await renderer.with_values(request, tree, blame.trial(leaf))
        moved[leaf.name] = [(move.path, move.after) for move in blame.moves(before, after)]
    assert moved == {
        "tolerations": [("spec.tolerations", [{"key": "env"}])],
        "image.tag": [("spec.image", "web:7-tried-by-syncline")],
        "store.class": [],
    }


@pytest.mark.parametrize(
    ("expression", "warnings"),
    [
        ("fixed", ()),
        (
            "{{ randAlphaNum 20 }}",
            ("ConfigMap/web differs with every render: data.x (randAlphaNum at app/templates/web.yaml:5)"),
        ),
        ("{{ now | unixEpoch }}{{ uuidv4 }}", "ConfigMap/web differs with every render: data.x"),
        ("{{ len (randAlphaNum 20) }}", ()),
        (
            '{{ len (lookup "v1" "Secret" "" "") }}',
            "lookup at app/templates/web.yaml:5: finds nothing here, because no cluster is queried",
        ),
    ],
)
async def test_a_chart_that_comes_out_differently_is_told(bench: Bench, expression: str, warnings: Any) -> None:
    template = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web}}\ndata:\n  x: '{expression}'\n"
    desired = await bench.render({"app/Chart.yaml": CHART, "app/templates/web.yaml": template})
    if not warnings:
        assert (desired.warnings, desired.steady) == ((), True)
    else:
        assert desired.warnings[0].startswith(warnings)
        assert desired.steady is ("lookup" in expression)
    assert only(desired)["kind"] == "ConfigMap"


@pytest.mark.parametrize("where", ["packed", "values", "layer"])
async def test_chance_is_found_wherever_a_chart_may_keep_it(bench: Bench, where: str) -> None:
    template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata:\n  x: '%s'\n"
    files = {"app/Chart.yaml": CHART, "app/templates/web.yaml": template % "{{ tpl .Values.x . }}"}
    chance = "x: '{{ randAlphaNum 20 }}'\n"
    helm: dict[str, Any] = {}
    if where == "packed":
        files["app/templates/web.yaml"] = ""
        (bench.repository.folder / "app/charts").mkdir(parents=True)
        packed = chart_archive("sub/templates/web.yaml", template % "{{ randAlphaNum 20 }}")
        (bench.repository.folder / "app/charts/sub-1.0.0.tgz").write_bytes(packed)
    elif where == "values":
        files["app/values.yaml"] = chance
    else:
        helm = {"values": chance}
    desired = await bench.render(files, helm=helm)
    place = {"packed": "app/charts/sub-1.0.0.tgz/templates/web.yaml:5", "values": "app/values.yaml:1"}
    at = place.get(where, "spec.source.helm.values:1")
    assert desired.warnings == (f"ConfigMap/web differs with every render: data.x (randAlphaNum at {at})",)
    assert not desired.steady


async def test_a_tool_of_another_version_than_pinned_is_used_and_told(bench: Bench) -> None:
    files = {"app/Chart.yaml": CHART, "app/templates/x.yaml": ""}
    version = await Programs().version("helm")
    desired = await bench.render(files, pins={"helm": "99.1"})
    assert desired.warnings == (f"helm {version} is in use, but 99.1 is pinned in [tools]",)
    assert (await bench.render(files, pins={"helm": version})).warnings == ()
    assert (await bench.render(files, pins={"helm": version.rpartition(".")[0]})).warnings == ()
    kustomize = {"app/kustomization.yaml": "resources: []\nconfigMapGenerator: [{name: a}]\n", "app/Chart.yaml": None}
    said = (await bench.render(kustomize, pins={"kustomize": "1.0", "helm": "99.1"})).warnings
    assert said == (f"kustomize {await Programs().version('kustomize')} is in use, but 1.0 is pinned in [tools]",)


async def test_an_object_that_is_there_twice_does_not_differ_with_every_render(bench: Bench) -> None:
    twice = "".join(
        f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: web}}\ndata: {{x: {number}}}\n" for number in "12"
    )
    chance = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\ndata: {x: {{ randAlphaNum 9 }}}\n"
    desired = await bench.render({"app/Chart.yaml": CHART, "app/templates/web.yaml": twice + chance})
    named = [warning.partition(" ")[0] for warning in desired.warnings if "differs with every render" in warning]
    assert named == ["ConfigMap/other"]
