"""The helm of the wheel and the one that is built render the same, apart from what is documented.

Runs where `make helm` has built one; CI always has. What differs is documented in docs/guide/rendering.md: how `toToml`
writes large numbers, and a parameter whose bracket is not closed.
"""

from __future__ import annotations

import difflib
import json
from pathlib import Path
from typing import Any

import pytest

from syncline.adapters.render.programs import Programs
from syncline.model.errors import RenderError
from tests.component.render.rendering import CHART, Bench
from tools import build_helm

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not build_helm.folder().is_dir(), reason="no helm was built here: make helm"),
]
ROOT = Path(__file__).parents[3]
CHARTS = {
    "shop": ROOT / "src/syncline/cli/example/apps/shop",
    "service": ROOT / "tests/fixtures/seeds/ameide/fixed/sources/charts/apps/service",
    "vault-secret-store": ROOT / "tests/fixtures/seeds/ameide/fixed/sources/charts/foundation/vault-secret-store",
    "hub": ROOT / "tests/fixtures/seeds/self-healing/fixed/charts/hub",
}
VALUES = """
    image: {repository: example/web, tag: "1.0"}
    empty: {}
    nothing: null
    numbers: {int: 10, big: 12345678901, float: 1.5, exponent: 1e6, text: "08"}
    list: [a, {b: c}, [1, 2]]
    multi: |
      one
        two
    sub: {name: from-parent}
    template: "{{ .Release.Name }}-{{ .Values.image.tag }}"
"""
FUNCTIONS = """
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: functions
      labels: {{- include "web.labels" . | nindent 4 }}
    data:
      release: {{ .Release.Name }}/{{ .Release.Namespace }}/{{ .Release.Service }}/{{ .Release.IsInstall }}
      chart: {{ .Chart.Name }}-{{ .Chart.Version }}-{{ .Chart.AppVersion }}
      kube: {{ .Capabilities.KubeVersion }} {{ .Capabilities.KubeVersion.Major }}.{{ .Capabilities.KubeVersion.Minor }}
      has: {{ .Capabilities.APIVersions.Has "apps/v1" }} {{ .Capabilities.APIVersions.Has "gone.example/v1" | quote }}
      tpl: {{ tpl .Values.template . }}
      file: {{ .Files.Get "files/a.txt" | quote }}
      glob: {{ range $path, $_ := .Files.Glob "files/*" }}{{ $path }} {{ end }}
      config: {{ (.Files.Glob "files/*").AsConfig | quote }}
      lookup: {{ lookup "v1" "Secret" "x" "y" | toJson | quote }}
      yaml: |
        {{- toYaml .Values.list | nindent 8 }}
      json: {{ toJson .Values.numbers | quote }}
      toml: {{ toToml .Values.image | quote }}
      fromYaml: {{ (fromYaml "a: {b: 1e3}").a | toJson | quote }}
      fromJson: {{ (fromJson "{\\"a\\": 12345678901}").a | quote }}
      missing: {{ .Values.absent | default "none" }}
      dig: {{ dig "a" "b" "x" .Values.empty }}
      merge: {{ merge (dict "a" 1) (dict "a" 2 "b" 3) | toJson | quote }}
      semver: {{ semverCompare ">=1.21-0" .Capabilities.KubeVersion.Version | quote }}
      sha: {{ "x" | sha256sum }}
      regex: {{ regexReplaceAll "a(x*)b" "-ab-axxb-" "${1}W" }}
      list: {{ .Values.list | first }} {{ len .Values.list }}
      until: {{ range until 3 }}{{ . }}{{ end }}
      quote: {{ quote .Values.numbers.big }}
      squote: {{ squote .Values.numbers.float }}
      multi: {{ .Values.multi | quote }}
      date: {{ "2030-01-02" | toDate "2006-01-02" | date "02.01.2006" }}
      subchart: {{ .Subcharts.sub.Values.name }}
"""
RICH: dict[str, str | None] = {
    "app/Chart.yaml": CHART + "appVersion: '7'\ndependencies:\n- {name: sub, version: 1.0.0}\n",
    "app/values.yaml": VALUES,
    "app/values.schema.json": '{"type": "object", "properties": {"image": {"type": "object"}}}',
    "app/files/a.txt": "one\ntwo\n",
    "app/files/b.txt": "b",
    "app/crds/gauges.yaml": """
        apiVersion: apiextensions.k8s.io/v1
        kind: CustomResourceDefinition
        metadata: {name: gauges.example.com}
        spec: {group: example.com}
    """,
    "app/templates/_helpers.tpl": '{{ define "web.labels" }}app: {{ .Chart.Name }}\nhelm: "yes"{{ end }}',
    "app/templates/functions.yaml": FUNCTIONS,
    "app/templates/hook.yaml": """
        apiVersion: batch/v1
        kind: Job
        metadata:
          name: hook
          annotations: {helm.sh/hook: "pre-install,post-upgrade", helm.sh/hook-weight: "5"}
    """,
    "app/templates/several.yaml": "# a comment\n---\n{{ range $i := until 2 }}\n---\napiVersion: v1\nkind: ConfigMap\n"
    "metadata: {name: several-{{ $i }}}\n{{ end }}\n",
    "app/templates/NOTES.txt": "hello {{ .Release.Name }}",
    "app/templates/tests/try.yaml": "apiVersion: v1\nkind: Pod\n"
    "metadata: {name: try, annotations: {helm.sh/hook: test}}",
    "app/charts/sub/Chart.yaml": "apiVersion: v2\nname: sub\nversion: 1.0.0\n",
    "app/charts/sub/values.yaml": "name: own\nother: kept\n",
    "app/charts/sub/templates/sub.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: sub}\n"
    "data: {name: '{{ .Values.name }}', other: '{{ .Values.other }}', all: '{{ toJson .Values.global }}'}",
}
BROKEN = {
    "a value that nobody sets": "a: {{ .Values.foo.bar }}",
    "an include that fails deep down": 'a: {{ include "outer" . }}{{ define "outer" }}{{ include "inner" . }}{{ end }}'
    '{{ define "inner" }}{{ .Values.x.y.z }}{{ end }}',
    "a template that is not there": 'a: {{ include "gone" . }}',
    "a required value": 'a: {{ required "say it" .Values.gone }}',
    "a failure of its own": 'a: {{ fail "no: way" }}',
    "an unknown function": "a: {{ nofunc }}",
    "a template that does not end": "a: {{ if true }}",
    "yaml that is broken": "a: b: c",
    "a wrong argument": 'a: {{ "x" | nindent "a" }}',
    "an error inside of tpl": 'a: {{ tpl "{{ .Values.q.r }}" . }}',
    "an index of nothing": "a: {{ index .Values.list 3 }}",
}


def files_of(folder: Path) -> dict[str, str | None]:
    found = {file.relative_to(folder) for file in folder.rglob("*") if file.is_file() and file.suffix != ".png"}
    return {f"app/{path}": (folder / path).read_text() for path in sorted(found)}


async def both(bench: Bench, monkeypatch: pytest.MonkeyPatch, files: dict[str, str | None], **source: Any) -> list[Any]:
    """Return what comes of a chart, or the sentence that refuses it, with the wheel's helm and with the built one."""
    results: list[Any] = []
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    wheel = await Programs().version("helm")
    for path in ("/usr/bin:/bin", f"{build_helm.folder()}:/usr/bin:/bin"):
        monkeypatch.setenv("PATH", path)
        expected = wheel if "/helm/" not in path else build_helm.version().removeprefix("v")
        assert await Programs().version("helm") == expected
        try:
            made = await bench.render(files, request={"kube_version": "1.31"}, **source)
        except RenderError as error:
            results.append(str(error))
        else:
            results.append([(item.obj, str(item.origin.place())) for item in made.objects])
    return results


@pytest.mark.parametrize("chart", CHARTS)
async def test_our_charts_are_rendered_alike(bench: Bench, monkeypatch: pytest.MonkeyPatch, chart: str) -> None:
    wheel, built = await both(bench, monkeypatch, files_of(CHARTS[chart]))
    assert wheel == built
    assert wheel, "something was rendered, or refused with a sentence"


async def test_a_chart_of_everything_is_rendered_alike(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = [{"name": "image.tag", "value": "2.0"}, {"name": "numbers.int", "value": "08", "forceString": True}]
    source = {"helm": {"parameters": parameters, "valuesObject": {"extra": {"on": True}}}}
    wheel, built = await both(bench, monkeypatch, RICH, **source)
    before, after = (json.dumps(one, indent=1, sort_keys=True).splitlines() for one in (wheel, built))
    assert list(difflib.unified_diff(before, after, "wheel", "built", lineterm="", n=0)) == []
    assert isinstance(wheel, list), wheel
    assert {obj["metadata"]["name"] for obj, _ in wheel} >= {"functions", "gauges.example.com", "hook", "several-1"}


@pytest.mark.parametrize("template", BROKEN)
async def test_a_chart_that_fails_is_refused_in_the_same_sentence(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, template: str
) -> None:
    files: dict[str, str | None] = {"app/Chart.yaml": CHART, "app/templates/x.yaml": BROKEN[template]}
    wheel, built = await both(bench, monkeypatch, files)
    assert isinstance(wheel, str)
    assert wheel == built


async def test_the_documented_differences_are_those_that_there_are(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {toml: {{ toToml .Values | quote }}}\n"
    files: dict[str, str | None] = {
        "app/Chart.yaml": CHART,
        "app/values.yaml": "big: 12345678901",
        "app/templates/a.yaml": text,
    }
    wheel, built = await both(bench, monkeypatch, files)
    assert [made[0][0]["data"]["toml"] for made in (wheel, built)] == [
        "big = 12345678901.0\n",
        "big = 1.2345678901e+10\n",
    ]
    odd = {"helm": {"parameters": [{"name": "a[b", "value": "1"}]}}
    wheel, built = await both(bench, monkeypatch, files, **odd)
    assert "failed parsing --set data" in wheel
    assert len(built) == 1
