"""Repositories and settings that reach for what is not theirs: refused with a reason, and nothing is left behind.

The bench fixture checks after every test that no private folder is left, and that no answer holds a canary.
"""

import itertools
import json
import tarfile
import time
from typing import Any

import pytest

from syncline import processes
from syncline.adapters.render import workspace
from syncline.adapters.render.kustomize.options import BuildOptions
from syncline.adapters.render.means import RenderMeans
from syncline.adapters.render.workspace import Size
from syncline.enclosure import THE_ENCLOSURE
from tests.component.render.rendering import CHART, Bench, chart_archive, only
from tests.support import chart_server

SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"
PLAIN = {"app/Chart.yaml": CHART, "app/templates/a.yaml": SECRET}
TEMPLATED = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {said: {{ %s | quote }}}\n"


def placed(value: Any, bench: Bench) -> Any:
    """Put the path of the canary where CANARY stands."""
    if isinstance(value, dict):
        return {name: placed(item, bench) for name, item in value.items()}
    if isinstance(value, list):
        return [placed(item, bench) for item in value]
    return value.replace("CANARY", str(bench.canary)) if isinstance(value, str) else value


@pytest.mark.parametrize("tool", ["chart", "kustomization", "directory"])
@pytest.mark.parametrize(
    ("links", "words"),
    [
        ({"app/x.yaml": "-> CANARY"}, "out of bounds symlink: app/x.yaml"),
        ({"app/x.yaml": "-> ../../canary.yaml"}, "out of bounds symlink: app/x.yaml"),
        ({"app/x.yaml": "-> y.yaml", "app/y.yaml": "-> ../../canary.yaml"}, "out of bounds symlink: app/"),
        ({"app/x.yaml": "-> y.yaml", "app/y.yaml": "-> x.yaml"}, "symlink loop: app/"),
    ],
)
async def test_links_out_of_the_repository(bench: Bench, tool: str, links: dict[str, str], words: str) -> None:
    start = {
        "chart": PLAIN,
        "kustomization": {"app/kustomization.yaml": "resources: [a.yaml]\n", "app/a.yaml": SECRET},
        "directory": {"app/a.yaml": SECRET},
    }
    started = time.monotonic()
    assert words in await bench.refusal({**start[tool], **placed(links, bench)})
    assert time.monotonic() - started < 45


@pytest.mark.parametrize("link", ["-> ..", "-> .", "-> ../other"])
async def test_links_to_folders_end(bench: Bench, link: str) -> None:
    files = {**PLAIN, "app/files": link, "other/up": "-> ../app"}
    assert "symlink loop: app/files" in await bench.refusal(files)


async def test_a_link_to_a_folder_of_the_same_repository_is_followed(bench: Bench) -> None:
    files = {"app/Chart.yaml": CHART, "app/templates": "-> ../shared", "shared/a.yaml": SECRET}
    assert only(await bench.render(files))["kind"] == "Secret"


@pytest.mark.parametrize(
    ("helm", "sentence"),
    [
        ({"valueFiles": ["../../canary.yaml"]}, "value file '../../canary.yaml' resolved to outside repository root"),
        ({"valueFiles": ["a/../../../x"]}, "value file 'a/../../../x' resolved to outside repository root"),
        ({"valueFiles": ["../../*.yaml"]}, "value file '../../*.yaml' resolved to outside repository root"),
        ({"valueFiles": ["CANARY"]}, "open "),
        ({"valueFiles": ["file://CANARY"]}, "value file 'file://CANARY' is not read: file addresses are not allowed"),
        ({"valueFiles": ["file:/x"]}, "value file 'file:/x' is not read: file addresses are not allowed"),
        ({"valueFiles": ["http://127.0.0.1:1/x"]}, "value file 'http://127.0.0.1:1/x' is not read: http addresses"),
        ({"valueFiles": ["https://x.example/y"]}, "value file 'https://x.example/y' is not read: https addresses"),
        ({"valueFiles": ["secrets://x.yaml"]}, "value file 'secrets://x.yaml' is not read: secrets addresses"),
        ({"valueFiles": ["$vals/../../x"]}, "value file '$vals/../../x' resolved to outside repository root"),
        ({"valueFiles": ["/**/canary.yaml"]}, "values file glob '/**/canary.yaml' matched no files"),
        ({"valueFiles": [".git/config"]}, "value file '.git/config' names no file"),
        ({"valueFiles": ["linked.yaml"]}, "out of bounds symlink: values/linked.yaml"),
        (
            {"fileParameters": [{"name": "a", "path": "../../canary.yaml"}]},
            "file parameter '../../canary.yaml' resolved to outside repository root",
        ),
        ({"fileParameters": [{"name": "a", "path": "CANARY"}]}, "open "),
        ({"fileParameters": [{"name": "a", "path": "file://CANARY"}]}, "file parameter 'file://CANARY' is not read"),
        ({"releaseName": "--post-renderer=/bin/sh"}, "invalid release name"),
        ({"kubeVersion": "1.30\n--post-renderer"}, "invalid kubeVersion"),
    ],
)
async def test_values_from_outside(bench: Bench, helm: dict[str, Any], sentence: str) -> None:
    files = {**PLAIN, "values/linked.yaml": "-> ../../canary.yaml"}
    if helm.get("valueFiles") == ["linked.yaml"]:
        helm = {"valueFiles": ["../values/linked.yaml"]}
    other = Bench(bench.folder / "other").tree({"a.yaml": "a: b\n"}, "")
    said = await bench.refusal(files, refs={"vals": other}, helm=placed(helm, bench))
    assert said.startswith(placed(sentence, bench))


async def test_the_answer_does_not_tell_whether_a_file_exists(bench: Bench) -> None:
    there = await bench.refusal(PLAIN, helm={"valueFiles": [str(bench.canary)]})
    gone = await bench.refusal(PLAIN, helm={"valueFiles": [str(bench.canary) + "x"]})
    assert there.replace("canary.yaml", "canary.yamlx") == gone


@pytest.mark.parametrize(
    "text", ["; touch CANARY.made", "$(touch CANARY.made)", "`touch CANARY.made`", "a\nb", "--debug"]
)
async def test_a_parameter_is_never_a_command_nor_an_option(bench: Bench, text: str) -> None:
    files = {"app/Chart.yaml": CHART, "app/templates/a.yaml": TEMPLATED % ".Values.a"}
    text = text.replace("CANARY", "x")
    helm = {"parameters": [{"name": "a", "value": text.replace("$", "$$"), "forceString": True}]}
    assert only(await bench.render(files, helm=helm))["stringData"] == {"said": text}


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ('.Files.Get "../../canary.yaml"', ""),
        ('.Files.Get "CANARY"', ""),
        ('(.Files.Glob "../**").AsConfig', ""),
        ('lookup "v1" "Secret" "" "" | toString', "map[]"),
        ('getHostByName "localhost"', ""),
    ],
)
async def test_templates_see_the_chart_alone(bench: Bench, expression: str, said: str) -> None:
    files = {"app/Chart.yaml": CHART, "app/templates/a.yaml": TEMPLATED % placed(expression, bench)}
    assert (only(await bench.render(files))["stringData"]["said"] or "").replace("{}", "") == said


@pytest.mark.parametrize("function", ['env "CANARY"', 'expandenv "$CANARY"'])
async def test_templates_do_not_see_the_environment(bench: Bench, function: str) -> None:
    files = {"app/Chart.yaml": CHART, "app/templates/a.yaml": TEMPLATED % function}
    assert "not defined" in await bench.refusal(files)


BOMBS = {
    "recursion": '{{ define "x" }}{{ include "x" . }}{{ end }}{{ include "x" . }}',
    "text": '{{ repeat 1000000000 "aaaaaaaaaa" }}',
    "range": "{{ range until 1000000000 }}x{{ end }}",
    "time": "{{ range until 100000 }}{{ range until 100000 }}{{ $x := 1 }}{{ end }}{{ end }}",
}


@pytest.mark.parametrize("bomb", BOMBS)
async def test_templates_that_would_never_end_are_ended(bench: Bench, bomb: str) -> None:
    limits = processes.ProcessLimits(seconds=5, output=1_000_000, memory=2_000_000_000)
    started = time.monotonic()
    said = await bench.refusal({"app/Chart.yaml": CHART, "app/templates/x.yaml": BOMBS[bomb]}, limits=limits)
    assert time.monotonic() - started < 45
    assert "failed" in said or "stopped" in said or "memory" in said


async def test_too_much_output_is_refused(bench: Bench) -> None:
    text = 'apiVersion: v1\nkind: Secret\nmetadata: {name: a}\nstringData: {x: {{ repeat 200000 "x" }}}\n'
    limits = processes.ProcessLimits(seconds=20, output=100_000)
    said = await bench.refusal({"app/Chart.yaml": CHART, "app/templates/a.yaml": text}, limits=limits)
    assert said == "helm printed more than 100000 bytes and was stopped (what it renders is too large)"


@pytest.mark.parametrize(("size", "words"), [(Size(files=3), "more than 3 files"), (Size(bytes=2_000_000), "than 2M")])
async def test_a_folder_that_is_too_large_is_refused(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, size: Size, words: str
) -> None:
    monkeypatch.setattr(workspace, "Size", lambda: size)
    files = {**PLAIN, **{f"app/files/{number}": "x" * 500_000 for number in range(6)}}
    assert words in await bench.refusal(files)


def pack_subchart(bench: Bench, name: str, settings: dict[str, Any]) -> None:
    (bench.repository.folder / "app/charts").mkdir(parents=True)
    (bench.repository.folder / "app/charts/sub-1.0.0.tgz").write_bytes(
        chart_archive(name, SECRET, **placed(settings, bench))
    )


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("/escape.yaml", {}),
        ("sub/templates/x.yaml", {"type": tarfile.SYMTYPE, "linkname": "CANARY"}),
        ("sub/templates/x.yaml", {"type": tarfile.SYMTYPE, "linkname": "../../../../../../canary.yaml"}),
        ("sub/templates/x.yaml", {"type": tarfile.LNKTYPE, "linkname": "CANARY"}),
        ("sub/templates", {"type": tarfile.SYMTYPE, "linkname": "/"}),
        ("sub/templates/x.yaml", {"type": tarfile.CHRTYPE}),
    ],
)
async def test_packed_subcharts_bring_nothing_in(bench: Bench, name: str, settings: dict[str, Any]) -> None:
    pack_subchart(bench, name, settings)
    desired = await bench.render(PLAIN)
    assert [item.origin.file for item in desired.objects] == ["app/templates/a.yaml"]


@pytest.mark.parametrize(
    ("name", "settings", "words"),
    [
        ("sub/../../escape.yaml", {}, "chart illegally references parent directory"),
        (
            "sub/templates/x.yaml",
            {"type": tarfile.SYMTYPE, "linkname": "CANARY", "size": 40},
            "error unpacking subchart",
        ),
        ("sub/templates/x.yaml", {"type": tarfile.CHRTYPE, "size": 40}, "error unpacking subchart"),
    ],
)
async def test_packed_subcharts_take_nothing_out(bench: Bench, name: str, settings: dict[str, Any], words: str) -> None:
    pack_subchart(bench, name, settings)
    assert words in await bench.refusal(PLAIN)


def chart_that_depends_on(other: str) -> dict[str, str]:
    """Return a chart that misses one chart of its repository and has another one, named elsewhere, in charts/."""
    declared = {"a": "file://../a", "b": other}
    entries = [{"name": name, "version": "1.0.0", "repository": repository} for name, repository in declared.items()]
    return {
        "app/Chart.yaml": f"{CHART}dependencies: {json.dumps(entries)}\n",
        "app/charts/b/Chart.yaml": "apiVersion: v2\nname: b\nversion: 1.0.0\n",
        "app/charts/b/templates/x.yaml": SECRET.replace("name: a", "name: vendored"),
        "a/Chart.yaml": "apiVersion: v2\nname: a\nversion: 1.0.0\n",
        "a/templates/x.yaml": SECRET.replace("name: a", "name: local"),
    }


@pytest.mark.parametrize("enclosed", [True, False])
async def test_a_dependency_in_charts_is_not_fetched_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, enclosed: bool
) -> None:
    if not enclosed:
        monkeypatch.setattr(THE_ENCLOSURE, "_refusal", "a test says so")
    folder = bench.folder / "other"
    folder.mkdir()
    chart_server.package(folder, "b", "1.0.0", {"templates/x.yaml": SECRET.replace("name: a", "name: canary")})
    chart_server.index(folder)
    with chart_server.serve(folder) as server:
        desired = await bench.render(chart_that_depends_on(server.url))
    assert sorted(item.key.name for item in desired.objects) == ["local", "vendored"]
    assert server.requests == []


async def test_a_dependency_in_charts_is_not_taken_from_the_disk(bench: Bench) -> None:
    said = await bench.refusal(chart_that_depends_on(f"file://{bench.folder}/other"))
    assert "chart dependency 'b' resolved to outside repository root" in said


async def test_helm_builds_nothing_that_the_lock_file_alone_names(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(THE_ENCLOSURE, "_refusal", "a test says so")
    files = {
        **chart_that_depends_on("file://../a"),
        "app/Chart.yaml": f"{CHART}dependencies: [{{name: a, version: 1.0.0, repository: 'file://../a'}}]\n",
        "app/Chart.lock": f"dependencies: [{{name: x, version: 1.0.0, repository: 'file://{bench.folder}/other'}}]\n",
    }
    assert "chart dependency 'x' resolved to outside repository root" in await bench.refusal(files)


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("file://../../other", "chart dependency 'lib' resolved to outside repository root"),
        ("file:///etc", "chart dependency 'lib' resolved to outside repository root"),
        ("file://../gone", "chart dependency 'lib': gone: app path does not exist"),
        ("oci://x.example/charts", "missing: lib 1.0.0 from oci://x.example/charts: charts are not fetched here"),
    ],
)
async def test_dependencies_from_outside(bench: Bench, reference: str, words: str) -> None:
    dependency = f"dependencies: [{{name: lib, version: 1.0.0, repository: '{reference}'}}]\n"
    assert words in await bench.refusal({**PLAIN, "app/Chart.yaml": CHART + dependency})


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ('{"$ref": "file://CANARY"}', "this schema refers to a file outside the chart"),
        ('{"$\\u0072ef": "FILE://CANARY"}', "this schema refers to a file outside the chart"),
        ('{"a": [{"$id": "file://CANARY"}]}', "this schema refers to a file outside the chart"),
        ('{"$ref": "http://127.0.0.1:1/x"}', "this schema refers to 'http://127.0.0.1:1/x', which is not fetched"),
        ('{"$ref": "canary.yaml"}', "this schema refers to 'canary.yaml', which is not fetched"),
        ('{"$ref": ', "this schema is not JSON"),
    ],
)
@pytest.mark.parametrize("where", ["app", "subchart", "packed"])
async def test_a_schema_does_not_read_the_disk(bench: Bench, schema: str, words: str, where: str) -> None:
    schema = placed(schema, bench)
    files = {"app": {"app/values.schema.json": schema}, "subchart": {"app/charts/sub/values.schema.json": schema}}
    if where == "packed":
        (bench.repository.folder / "app/charts").mkdir(parents=True)
        (bench.repository.folder / "app/charts/sub.tgz").write_bytes(chart_archive("sub/values.schema.json", schema))
    assert words in await bench.refusal({**PLAIN, **files.get(where, {})})


@pytest.mark.parametrize(
    ("kustomization", "sentence"),
    [
        ("resources: [../../canary.yaml]", "app/kustomization.yaml:1: '../../canary.yaml' resolved to outside"),
        ("RESOURCES: [../../canary.yaml]", "app/kustomization.yaml:1: '../../canary.yaml' resolved to outside"),
        ("re\u017fources: [../../canary.yaml]", "app/kustomization.yaml:1: '../../canary.yaml' resolved to outside"),
        ("Components: ['http://127.0.0.1:1/x']", "app/kustomization.yaml:1: remote base http://127.0.0.1:1/x is not"),
        ("patches: [{PATH: ../../canary.yaml}]", "app/kustomization.yaml:1: '../../canary.yaml' resolved to outside"),
        ("namePrefix: a-\nNAMEPREFIX: b-", "app/kustomization.yaml: invalid Kustomization: namePrefix occurs"),
        ("resources: [CANARY]", "app/kustomization.yaml:1: 'CANARY' resolved to outside repository root"),
        ("resources: [../..]", "app/kustomization.yaml:1: '../..' resolved to outside repository root"),
        ("components: [../../x]", "app/kustomization.yaml:1: '../../x' resolved to outside repository root"),
        ("patches: [{path: ../../canary.yaml}]", "app/kustomization.yaml:1: '../../canary.yaml' resolved to outside"),
        ("configurations: [../../canary.yaml]", "app/kustomization.yaml:1: '../../canary.yaml' resolved to outside"),
        ("openapi: {path: ../../canary.yaml}", "app/kustomization.yaml:1: '../../canary.yaml' resolved to outside"),
        ("crds: [CANARY]", "app/kustomization.yaml:1: 'CANARY' resolved to outside repository root"),
        ("transformers: [../../canary.yaml]", "app/kustomization.yaml:1: '../../canary.yaml' resolved to outside"),
        ("replacements: [{path: ../../canary.yaml}]", "app/kustomization.yaml:1: '../../canary.yaml' resolved to"),
        ("configMapGenerator: [{name: c, files: [CANARY]}]", "app/kustomization.yaml:1: 'CANARY' resolved to outside"),
        ("secretGenerator: [{name: c, files: [k=CANARY]}]", "app/kustomization.yaml:1: 'CANARY' resolved to outside"),
        ("configMapGenerator: [{name: c, envs: [../../canary.yaml]}]", "app/kustomization.yaml:1: '../../canary.yaml'"),
        (
            "resources: [a.yaml, ../beside.yaml]",
            (
                "app/kustomization.yaml:1: `kustomize build` failed: accumulating resources from '../beside.yaml':"
                " security; file 'beside.yaml' is not in or below 'app' (kustomize reads only files of its own folder"
            ),
        ),
        (
            "resources: [https://evil.example/x?ref=y]",
            "app/kustomization.yaml:1: remote base https://evil.example/x?ref=y",
        ),
        (
            "resources: [http://127.0.0.1:1/x.yaml]",
            "app/kustomization.yaml:1: remote base http://127.0.0.1:1/x.yaml is",
        ),
        ("resources: [github.com/a/b//c]", "app/kustomization.yaml:1: remote base github.com/a/b//c is not fetched"),
        (
            "resources: ['git::https://evil.example/x']",
            "app/kustomization.yaml:1: remote base git::https://evil.example/x",
        ),
        ("resources: ['git@evil.example:a/b']", "app/kustomization.yaml:1: remote base git@evil.example:a/b is not"),
        ("components: ['ssh://evil.example/x']", "app/kustomization.yaml:1: remote base ssh://evil.example/x is not"),
        ("resources: [../loop]", "app/kustomization.yaml:1: `kustomize build` failed: "),
        (
            "helmCharts: [{name: x, repo: 'https://evil.example'}]",
            "app/kustomization.yaml:1: `kustomize build` failed: charts in a",
        ),
        ("generators: [exec.yaml]", "app/exec.yaml:2: `kustomize build` failed: "),
    ],
)
async def test_kustomizations_that_reach_out(bench: Bench, kustomization: str, sentence: str) -> None:
    files = {
        "app/kustomization.yaml": placed(kustomization, bench) + "\n",
        "app/a.yaml": SECRET,
        "beside.yaml": SECRET,
        "loop/kustomization.yaml": "resources: [../app]\n",
        "app/exec.yaml": """\
            apiVersion: example.org/v1
            kind: Thing
            metadata: {name: x, annotations: {config.kubernetes.io/function: "exec: {path: ./run.sh}"}}
        """,
        "app/run.sh": "#!/bin/sh\ntouch made\n",
    }
    said = await bench.refusal(files)
    assert said.startswith(placed(sentence, bench))
    assert not (bench.repository.folder / "app/made").exists()


async def test_all_remote_bases_are_named_at_once(bench: Bench) -> None:
    files = {
        "app/kustomization.yaml": "resources: [../base, 'https://one.example/x']\n",
        "base/kustomization.yaml": "resources: ['https://two.example/y']\n",
    }
    said = await bench.refusal(files)
    assert "remote bases are not fetched: https://one.example/x (" in said
    assert "; https://two.example/y (" in said


@pytest.mark.parametrize(
    ("kustomize", "sentence"),
    [
        (
            {"components": ["../../x"]},
            "app/kustomization.yaml: spec.source.kustomize.components: component '../../x' resolved to outside",
        ),
        (
            {"components": ["https://evil.example/x"]},
            "app/kustomization.yaml: spec.source.kustomize.components: remote component https://evil.example/x",
        ),
        (
            {"patches": [{"path": "../../canary.yaml"}]},
            "app/kustomization.yaml: spec.source.kustomize.patches: patch '../../canary.yaml' resolved to outside",
        ),
    ],
)
async def test_kustomize_settings_that_reach_out(bench: Bench, kustomize: dict[str, Any], sentence: str) -> None:
    files = {"app/kustomization.yaml": "resources: [a.yaml]\n", "app/a.yaml": SECRET}
    assert (await bench.refusal(files, kustomize=kustomize)).startswith(sentence)


@pytest.mark.parametrize(
    "text",
    [
        (
            "a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
            "c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]\n"
            "e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]\nf: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e]\n"
            "resources: [*f, *f, *f, *f]\n"
        ),
        "resources: " + "[" * 3000,
        "resources: [a]\nresources: [b]\n",
        "!!python/object:os.system x\n",
    ],
)
async def test_kustomizations_that_are_bombs(bench: Bench, text: str) -> None:
    started = time.monotonic()
    assert (await bench.refusal({"app/kustomization.yaml": text})).startswith("app/kustomization.yaml:")
    assert time.monotonic() - started < 45


async def test_a_template_that_opens_actions_for_ever_is_searched_quickly(bench: Bench) -> None:
    files = {"app/Chart.yaml": CHART, "app/templates/x.yaml": "{{" * 400_000 + " now"}
    started = time.monotonic()
    await bench.refusal(files)
    assert time.monotonic() - started < 45


CHART_IN_KUSTOMIZE = {
    "app/charts/web/Chart.yaml": CHART,
    "app/charts/web/values.yaml": "a: 1\n",
    "app/charts/web/templates/a.yaml": TEMPLATED % "toJson .Values",
}
INFLATES = "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: x}\nname: web\n"
GENERATES = "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: x}\nname: x\nfiles: [k=CANARY]\n"
OUTSIDE = "resolved to outside repository root"
OPTION = "would be an option of helm"


@pytest.mark.parametrize("restrictor", ["", "LoadRestrictionsNone"])
@pytest.mark.parametrize(
    ("kustomization", "words"),
    [
        ("helmCharts: [{name: web, releaseName: r, valuesFile: CANARY}]", OUTSIDE),
        ("helmCharts: [{name: web, releaseName: r, valuesFile: ../../canary.yaml}]", OUTSIDE),
        ("HelmCharts: [{name: web, releaseName: r, AdditionalValuesFiles: [CANARY]}]", OUTSIDE),
        ("helmGlobals: {chartHome: /etc}\nhelmCharts: [{name: web, releaseName: r}]", OUTSIDE),
        ("helmCharts: [{name: ../../../etc, releaseName: r}]", OUTSIDE),
        ("helmCharts: [{name: web, releaseName: '--post-renderer=/bin/sh'}]", OPTION),
        ("helmCharts: [{name: '--post-renderer=/bin/sh', releaseName: r}]", OPTION),
        ("helmCharts: [{name: web, releaseName: r, apiVersions: [a, '--post-renderer=/bin/sh']}]", OPTION),
        ("helmCharts: [{name: far, releaseName: r, repo: 'http://169.254.169.254/x'}]", "no network here"),
        ("generators: [inflates.yaml]", OUTSIDE),
        ("generators: [option.yaml]", OPTION),
        ("generators: [generates.yaml]", OUTSIDE),
        ("generators: [../beside]", OUTSIDE),
        ("generators:\n- |\n  " + GENERATES.replace("\n", "\n  "), OUTSIDE),
        ("resources: [a.yaml]\ntransformers: [patches.yaml]", OUTSIDE),
        ("resources: [a.yaml]\nvalidators: [functions.yaml]", "external plugins disabled"),
    ],
)
async def test_an_operator_who_allows_charts_in_kustomizations_allows_nothing_else(
    bench: Bench, kustomization: str, words: str, restrictor: str
) -> None:
    files = {
        **CHART_IN_KUSTOMIZE,
        "app/a.yaml": SECRET,
        "app/kustomization.yaml": kustomization + "\n",
        "app/inflates.yaml": INFLATES + "releaseName: r\nvaluesFile: CANARY\n",
        "app/option.yaml": INFLATES + "releaseName: --post-renderer=/bin/sh\n",
        "app/generates.yaml": GENERATES,
        "app/patches.yaml": "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: x}\npath: CANARY\n",
        "app/functions.yaml": (
            "apiVersion: a.example/v1\nkind: Foo\nmetadata:\n  name: x\n"
            "  annotations: {config.kubernetes.io/function: 'container: {image: x}'}\n"
        ),
        "beside/kustomization.yaml": "resources: [generates.yaml]\n",
        "beside/generates.yaml": GENERATES,
    }
    means = RenderMeans(build_options=BuildOptions(helm=True, restrictor=restrictor))
    assert words in await bench.refusal(placed(files, bench), means=means)


@pytest.mark.parametrize(
    ("files", "helm"),
    [
        ({"app/v.yaml": "BOMB"}, {"valueFiles": ["v.yaml"]}),
        ({"app/values.yaml": "BOMB"}, {}),
        ({}, {"values": "BOMB"}),
    ],
)
async def test_values_that_are_bombs_are_told_with_their_place(
    bench: Bench, files: dict[str, str], helm: dict[str, Any]
) -> None:
    names = "abcdefghi"
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n"
    for before, name in itertools.pairwise(names):
        bomb += f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n"
    placed_files = {**PLAIN, **{name: text.replace("BOMB", bomb) for name, text in files.items()}}
    placed_helm = {name: bomb if value == "BOMB" else value for name, value in helm.items()}
    said = await bench.refusal(placed_files, helm=placed_helm)
    assert "aliases expand to more than" in said
    assert said.split(":")[0] in ("app/v.yaml", "app/values.yaml", "spec.source.helm.values")


LOGIN = "https://ada:canary-of-ada@evil.example"


@pytest.mark.parametrize(
    ("files", "source"),
    [
        ({"app/kustomization.yaml": f"resources: ['{LOGIN}/x?ref=y']\n"}, {}),
        ({"app/kustomization.yaml": f"resources: ['{LOGIN}/x?ref=y', '{LOGIN}/z?ref=y']\n"}, {}),
        ({"app/kustomization.yaml": "resources: []\n"}, {"kustomize": {"components": [f"{LOGIN}/x"]}}),
        (
            {
                **PLAIN,
                "app/Chart.yaml": f"{CHART}dependencies: [{{name: x, version: 1.0.0, repository: '{LOGIN}/charts'}}]\n",
            },
            {},
        ),
        (PLAIN, {"helm": {"valueFiles": [f"{LOGIN}/values.yaml"]}}),
        ({**PLAIN, "app/templates/a.yaml": f'{{{{ fail "{LOGIN}/x" }}}}'}, {}),
    ],
)
async def test_a_login_in_an_address_is_not_repeated(
    bench: Bench, files: dict[str, str], source: dict[str, Any]
) -> None:
    said = await bench.refusal(files, **source)
    assert "https://evil.example/" in said


async def test_a_login_in_the_address_of_a_base_that_is_left_out_is_not_repeated(bench: Bench) -> None:
    files = {"app/kustomization.yaml": f"resources: [a.yaml, '{LOGIN}/x?ref=y']\n", "app/a.yaml": SECRET}
    desired = await bench.render(files, request={"partial": True})
    assert [warning.partition("//")[2].partition("?")[0] for warning in desired.warnings] == ["evil.example/x"]


async def test_a_link_that_leads_to_nothing_is_left_out_with_a_warning(bench: Bench) -> None:
    good = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: good\n"
    desired = await bench.render({"app/a.yaml": good, "app/gone.yaml": "-> nowhere.yaml"})
    assert [item.key.name for item in desired.objects] == ["good"]
    assert desired.warnings == ("app/gone.yaml is left out: invalid symlink: target doesn't exist",)
