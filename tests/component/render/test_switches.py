"""What the operator's settings change: tools that are off, kustomize's options, pins in a file."""

import pathlib

import pytest

from syncline.adapters.render import pins
from syncline.adapters.render.kustomize import options as build_options
from syncline.adapters.render.kustomize.options import BuildOptions
from syncline.adapters.render.means import RenderMeans
from syncline.adapters.render.programs import Programs
from syncline.adapters.render.renderer import ToolRenderer
from syncline.adapters.render.tools import Tool
from syncline.model.errors import InvalidSpec
from syncline.model.settings.parts import SourceSettings, ToolSettings
from syncline.model.settings.settings import Settings
from syncline.model.sources.source import ApplicationSource
from syncline.ports.render import RenderRequest
from tests.component.render.rendering import CHART, Bench

pytestmark = pytest.mark.anyio

REQUEST = RenderRequest(
    app_name="shop", namespace="shop", project="default", source=ApplicationSource("https://git.example/a", path="app")
)
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {}}}\n"


@pytest.mark.parametrize(
    ("means", "names"),
    [
        (RenderMeans(), {"k"}),
        (RenderMeans(off=frozenset({Tool.KUSTOMIZE})), {"k", "plain", "scripted"}),
        (RenderMeans(off=frozenset({Tool.KUSTOMIZE}), jsonnet=False), {"k", "plain"}),
    ],
)
async def test_a_tool_that_is_off_leaves_plain_files(bench: Bench, means: RenderMeans, names: set[str]) -> None:
    files = {
        "app/kustomization.yaml": "resources: [k.yaml]\n",
        "app/k.yaml": MAP.format("k"),
        "app/plain.yaml": MAP.format("plain"),
        "app/s.jsonnet": "{apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'scripted'}}",
    }
    desired = await bench.render(files, means=means)
    assert {item.key.name for item in desired.objects} == names


async def test_charts_inside_of_kustomize_are_for_operators_who_allow_them(bench: Bench) -> None:
    files = {
        "app/kustomization.yaml": "helmCharts: [{name: web, releaseName: r}]\n",
        "app/charts/web/Chart.yaml": CHART,
        "app/charts/web/values.yaml": "",
        "app/charts/web/templates/a.yaml": (
            "apiVersion: v1\nkind: ConfigMap\n"
            "metadata: {name: '{{ .Release.Name }}-{{ .Capabilities.KubeVersion.Minor }}'}\n"
        ),
    }
    assert "must specify --enable-helm" in await bench.refusal(files)
    desired = await bench.render(
        files, means=RenderMeans(build_options=BuildOptions(helm=True)), request={"kube_version": "v1.29.0"}
    )
    assert [item.key.name for item in desired.objects] == ["r-29"]


async def test_options_that_are_never_used_are_told(bench: Bench) -> None:
    options = build_options.parse("--enable-exec --load-restrictor LoadRestrictionsNone")
    files = {
        "app/kustomization.yaml": "resources: [../beside.yaml]\n",
        "beside.yaml": MAP.format("beside"),
    }
    desired = await bench.render(files, means=RenderMeans(build_options=options))
    assert [item.key.name for item in desired.objects] == ["beside"]
    assert desired.warnings == ("kustomize.buildOptions: --enable-exec is ignored: it is not allowed",)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", BuildOptions()),
        ("--enable-helm", BuildOptions(helm=True)),
        ("--enable-helm=true --load-restrictor=LoadRestrictionsNone", BuildOptions(True, "LoadRestrictionsNone")),
        ("--load_restrictor LoadRestrictionsNone", BuildOptions(restrictor="LoadRestrictionsNone")),
        ("--load-restrictor ../../x", BuildOptions(refused=("--load-restrictor=../../x",))),
        ("--load-restrictor", BuildOptions(refused=("--load-restrictor=",))),
        ("--helm-command=./evil.sh", BuildOptions(refused=("--helm-command=./evil.sh",))),
        ("--enable-alpha-plugins --network", BuildOptions(refused=("--enable-alpha-plugins", "--network"))),
        ("'", BuildOptions(refused=("'",))),
    ],
)
def test_only_options_that_read_the_repository_are_taken_over(text: str, options: BuildOptions) -> None:
    assert build_options.parse(text) == options


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (None, {}),
        ("", {}),
        ('[tools]\nhelm = "4.2"\nkustomize = "5.8"\n', {"helm": "4.2", "kustomize": "5.8"}),
        ("[other]\nx = 1\n", {}),
    ],
)
def test_pins_stand_in_a_file(tmp_path: pathlib.Path, text: str | None, found: dict[str, str]) -> None:
    if text is not None:
        (tmp_path / "syncline.toml").write_text(text)
    assert pins.read(tmp_path / "syncline.toml") == found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[tools", "syncline.toml: this file cannot be read as TOML"),
        ("[tools]\nhelm = 4.2\n", "syncline.toml: [tools] must map names to versions"),
        ('[tools]\nhelmm = "4"\n', "syncline.toml: unknown tool in [tools]: helmm (known: helm, kubectl, kustomize)"),
    ],
)
def test_a_file_of_pins_that_makes_no_sense_is_told(tmp_path: pathlib.Path, text: str, words: str) -> None:
    (tmp_path / "syncline.toml").write_text(text)
    with pytest.raises(InvalidSpec) as caught:
        pins.read(tmp_path / "syncline.toml")
    assert str(caught.value).startswith(words)


async def test_a_renderer_goes_on_under_other_settings(bench: Bench) -> None:
    tree = bench.tree({"app/kustomization.yaml": "resources: [k.yaml]\n", "app/k.yaml": MAP.format("k")})
    renderer = ToolRenderer()
    first = renderer.fingerprint
    assert [*(await renderer.render(REQUEST, tree)).source_types] == ["Kustomize"]
    renderer.adjust(
        Settings(tools=ToolSettings(kustomize=False), sources=SourceSettings(exec_timeout=7.0, parallelism=1))
    )
    assert [*(await renderer.render(REQUEST, tree)).source_types] == ["Directory"]
    assert renderer.fingerprint != first
    renderer.adjust(Settings(sources=SourceSettings(max_directory_bytes=10)))
    assert [*(await renderer.render(REQUEST, tree)).source_types] == ["Kustomize"]
    renderer.adjust(Settings())
    assert renderer.fingerprint == first


async def test_pins_are_read_again_when_their_file_changes(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "syncline.toml"
    programs = Programs(pins=pins.PinFile(file))
    version = await programs.version("helm")
    plain = programs.fingerprint
    assert await programs.pin_warnings("helm") == ()
    file.write_text('[tools]\nhelm = "99.1"\n')
    said = f"helm {version} is in use, but 99.1 is pinned in [tools]"
    assert await programs.pin_warnings("helm") == (said,)
    assert programs.fingerprint == f"{plain} helm=99.1"
    file.write_text("[tools\n")
    found = await programs.pin_warnings("helm")
    assert found[0] == said
    assert found[1].startswith("syncline.toml: this file cannot be read as TOML")
    assert found[1].endswith("; the previous pins are used")
    file.unlink()
    assert await programs.pin_warnings("helm") == ()
    assert programs.fingerprint == plain


async def test_a_version_of_helm_that_argo_cd_refuses_is_refused(bench: Bench) -> None:
    files = {"app/Chart.yaml": CHART, "app/templates/x.yaml": ""}
    assert (await bench.render(files, helm={"version": "v3"})).warnings == ()
    refusal = await bench.refusal(files, helm={"version": "v2"})
    assert refusal.startswith("app: helm chart version 'v2' is not supported")


async def test_another_version_of_kustomize_is_told(bench: Bench) -> None:
    files = {"app/kustomization.yaml": "resources: [k.yaml]\n", "app/k.yaml": MAP.format("k")}
    version = await Programs().version("kustomize")
    assert (await bench.render(files, kustomize={"version": f"v{version}"})).warnings == ()
    said = f"spec.source.kustomize.version v3.9 is ignored: the installed kustomize {version} is used"
    assert (await bench.render(files, kustomize={"version": "v3.9"})).warnings == (said,)
