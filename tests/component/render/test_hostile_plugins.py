"""Plug-ins of kustomizations that become something else when they are built, and addresses that kustomize would fetch.

Each is refused by the checks alone, and again where programs are shut in.
"""

import asyncio
import json
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from syncline.adapters.render.kustomize.options import BuildOptions
from syncline.adapters.render.means import RenderMeans
from syncline.apimachinery import yaml
from syncline.enclosure import THE_ENCLOSURE
from tests.component.render.rendering import CHART, Bench
from tests.support import chart_server

KUBECTL = str(pathlib.Path(sys.executable).with_name("kubectl"))
INFLATES = "apiVersion: builtin\nkind: HelmChartInflationGenerator\nmetadata: {name: x}\nname: web\nreleaseName: r\n"
GENERATES = "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: x}\nname: x\nfiles: [k=a.txt]\n"
OPTION = "--post-renderer=/bin/sh"


def patch(kind: str, path: str, value: str) -> str:
    """Return a patch of plug-in settings, as part of a kustomization."""
    operations = json.dumps([{"op": "replace", "path": path, "value": value}])
    return f"patches: [{{patch: '{operations}', target: {{kind: {kind}}}}}]\n"


OPTION_PATCH = patch("HelmChartInflationGenerator", "/releaseName", OPTION)
FILES_PATCH = patch("ConfigMapGenerator", "/files/0", "k=WANTED")
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
WITH_CHARTS = {
    "app/a.txt": "a\n",
    "app/a.yaml": MAP,
    "app/charts/web/Chart.yaml": CHART,
    "app/charts/web/values.yaml": "a: 1\n",
    "app/charts/web/templates/a.yaml": MAP,
}
OPTION_SAID = "would be an option of helm"
OUTSIDE_SAID = "resolved to outside repository root"


@pytest.fixture(params=["shut in", "checks alone"], autouse=True)
def enclosure(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "checks alone":
        monkeypatch.setattr(THE_ENCLOSURE, "_refusal", "a test says so")


@pytest.fixture
def server(tmp_path: pathlib.Path) -> Iterator[chart_server.Server]:
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "x").write_text(MAP.replace("name: a", "name: canary-of-the-server"))
    with chart_server.serve(folder) as found:
        yield found


def placed(files: dict[str, str], wanted: str) -> dict[str, str]:
    return {name.replace("WANTED", wanted): text.replace("WANTED", wanted) for name, text in files.items()}


def allowed(restrictor: str = "LoadRestrictionsNone") -> RenderMeans:
    return RenderMeans(build_options=BuildOptions(helm=True, restrictor=restrictor))


TURNED_INTO_OPTIONS: dict[str, dict[str, str]] = {
    "patched in its folder": {
        "app/kustomization.yaml": "generators: [gen]\n",
        "app/gen/kustomization.yaml": "resources: [inflates.yaml]\n" + OPTION_PATCH,
        "app/gen/inflates.yaml": INFLATES,
    },
    "patched in a folder of another spelling": {
        "app/kustomization.yaml": "GENERATORS: ['./gen/']\n",
        "app/gen/kustomization.yml": "Resources: [inflates.yaml]\n" + OPTION_PATCH,
        "app/gen/inflates.yaml": INFLATES,
    },
    "patched in the folder of a folder": {
        "app/kustomization.yaml": "generators: [gen]\n",
        "app/gen/kustomization.yaml": "generators: [inner]\n",
        "app/gen/inner/kustomization.yaml": "resources: [inflates.yaml]\n" + OPTION_PATCH,
        "app/gen/inner/inflates.yaml": INFLATES,
    },
    "made by a chart": {
        "app/kustomization.yaml": "generators: [gen]\n",
        "app/gen/kustomization.yaml": "helmCharts: [{name: maker, releaseName: r}]\n",
        "app/gen/charts/maker/Chart.yaml": CHART.replace("web", "maker"),
        "app/gen/charts/maker/values.yaml": "",
        "app/gen/charts/maker/templates/x.yaml": INFLATES.replace(": r\n", ": '{{ \"--\" }}post-renderer=/bin/sh'\n"),
    },
    "changed by a component": {
        "app/kustomization.yaml": "generators: [gen]\n",
        "app/gen/kustomization.yaml": "resources: [inflates.yaml]\ncomponents: [part]\n",
        "app/gen/inflates.yaml": INFLATES,
        "app/gen/part/kustomization.yaml": "kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\n"
        + OPTION_PATCH,
    },
    "in the folder of a base": {
        "app/kustomization.yaml": "resources: [../base]\n",
        "base/kustomization.yaml": "generators: [gen]\n",
        "base/gen/kustomization.yaml": "resources: [inflates.yaml]\n" + OPTION_PATCH,
        "base/gen/inflates.yaml": INFLATES,
        "base/charts/web/Chart.yaml": CHART,
    },
    "in a list": {
        "app/kustomization.yaml": "generators: [list.yaml]\n",
        "app/list.yaml": "apiVersion: v1\nkind: List\nitems:\n- "
        + INFLATES.replace(": r\n", f": {OPTION}\n").replace("\n", "\n  "),
    },
    "in one line": {
        "app/kustomization.yaml": "generators: ['{apiVersion: builtin, kind: HelmChartInflationGenerator,"
        f" metadata: {{name: x}}, name: web, releaseName: {OPTION}}}']\n",
    },
    "in a folder whose name ends in a space": {
        "app/kustomization.yaml": "resources: ['sub ']\n",
        "app/sub/kustomization.yaml": "resources: []\n",
        "app/sub /kustomization.yaml": "generators: [inflates.yaml]\n",
        "app/sub /inflates.yaml": INFLATES.replace(": r\n", f": {OPTION}\n"),
        "app/sub /charts/web/Chart.yaml": CHART,
    },
    "among transformers": {
        "app/kustomization.yaml": "resources: [a.yaml]\ntransformers: [gen]\n",
        "app/gen/kustomization.yaml": "resources: [inflates.yaml]\n" + OPTION_PATCH,
        "app/gen/inflates.yaml": INFLATES,
    },
}


@pytest.mark.parametrize("case", TURNED_INTO_OPTIONS)
async def test_settings_that_become_options_of_helm_are_not_run(bench: Bench, case: str) -> None:
    files = {**WITH_CHARTS, **TURNED_INTO_OPTIONS[case]}
    said = await bench.refusal(files, means=allowed())
    assert OPTION_SAID in said
    assert OPTION in said


async def test_the_entry_of_a_folder_is_named_with_its_line(bench: Bench) -> None:
    files = {
        **WITH_CHARTS,
        **TURNED_INTO_OPTIONS["patched in its folder"],
        "app/kustomization.yaml": "namePrefix: a-\ngenerators:\n- gen\n",
    }
    said = await bench.refusal(files, means=allowed())
    assert said.startswith(f"app/kustomization.yaml:3: '{OPTION}' in the settings of a chart {OPTION_SAID}")


async def test_the_settings_in_a_file_are_named_with_their_line(bench: Bench) -> None:
    files = {"app/kustomization.yaml": "generators: [g.yaml]\n", "app/g.yaml": GENERATES.replace("a.txt", "/etc/x")}
    assert (await bench.refusal(files)).startswith(f"app/g.yaml:5: '/etc/x' {OUTSIDE_SAID}")


TURNED_TO_FILES: dict[str, dict[str, str]] = {
    "patched in its folder": {
        "app/kustomization.yaml": "generators: [gen]\n",
        "app/gen/kustomization.yaml": "resources: [g.yaml]\n" + FILES_PATCH,
        "app/gen/g.yaml": GENERATES,
    },
    "patched in the folder of a folder": {
        "app/kustomization.yaml": "resources: [a.yaml]\ntransformers: [gen]\n",
        "app/gen/kustomization.yaml": "generators: [inner]\n",
        "app/gen/inner/kustomization.yaml": "resources: [g.yaml]\n" + FILES_PATCH,
        "app/gen/inner/g.yaml": GENERATES,
    },
    "in a file": {
        "app/kustomization.yaml": "generators: [g.yaml]\n",
        "app/g.yaml": GENERATES.replace("a.txt", "WANTED"),
    },
    "patches of a transformer": {
        "app/kustomization.yaml": "resources: [a.yaml]\ntransformers: [t.yaml]\n",
        "app/t.yaml": "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: x}\npath: WANTED\n",
    },
    "strategic patches of a transformer": {
        "app/kustomization.yaml": "resources: [a.yaml]\ntransformers: [t.yaml]\n",
        "app/t.yaml": (
            "apiVersion: builtin\nkind: PatchStrategicMergeTransformer\nmetadata: {name: x}\npaths: [WANTED]\n"
        ),
    },
    "operations of a transformer": {
        "app/kustomization.yaml": "resources: [a.yaml]\ntransformers: [t.yaml]\n",
        "app/t.yaml": (
            "apiVersion: builtin\nkind: PatchJson6902Transformer\nmetadata: {name: x}\npath: WANTED\n"
            "target: {kind: ConfigMap, version: v1, name: a}\n"
        ),
    },
    "replacements of a transformer": {
        "app/kustomization.yaml": "resources: [a.yaml]\ntransformers: [t.yaml]\n",
        "app/t.yaml": (
            "apiVersion: builtin\nkind: ReplacementTransformer\nmetadata: {name: x}\nreplacements: [{path: WANTED}]\n"
        ),
    },
    "values of a chart": {
        "app/kustomization.yaml": "generators: [i.yaml]\n",
        "app/i.yaml": INFLATES + "valuesFile: WANTED\n",
    },
    "more values of a chart": {
        "app/kustomization.yaml": "generators: [i.yaml]\n",
        "app/i.yaml": INFLATES + "additionalValuesFiles: [WANTED]\n",
    },
}


@pytest.mark.parametrize("case", TURNED_TO_FILES)
async def test_settings_that_name_files_of_this_machine_are_not_run(bench: Bench, case: str) -> None:
    files = {**WITH_CHARTS, **placed(TURNED_TO_FILES[case], str(bench.canary))}
    assert OUTSIDE_SAID in await bench.refusal(files, means=allowed())


FETCHING: dict[str, dict[str, str]] = {
    **TURNED_TO_FILES,
    "files of a generator": {"app/kustomization.yaml": "configMapGenerator: [{name: c, files: ['k=WANTED']}]\n"},
    "variables of a generator": {"app/kustomization.yaml": "secretGenerator: [{name: c, envs: ['WANTED']}]\n"},
    "patches": {"app/kustomization.yaml": "resources: [a.yaml]\npatches: [{path: 'WANTED'}]\n"},
    "strategic patches": {"app/kustomization.yaml": "resources: [a.yaml]\npatchesStrategicMerge: ['WANTED']\n"},
    "replacements": {"app/kustomization.yaml": "resources: [a.yaml]\nreplacements: [{path: 'WANTED'}]\n"},
    "a schema": {"app/kustomization.yaml": "resources: [a.yaml]\nopenapi: {path: 'WANTED'}\n"},
    "definitions": {"app/kustomization.yaml": "resources: [a.yaml]\ncrds: ['WANTED']\n"},
    "configurations": {"app/kustomization.yaml": "resources: [a.yaml]\nconfigurations: ['WANTED']\n"},
    "resources": {"app/kustomization.yaml": "resources: ['WANTED']\n"},
    "resources in capitals": {
        "app/kustomization.yaml": "resources: [../base]\n",
        "base/kustomization.yaml": "RESOURCES: ['WANTED']\n",
    },
    "generators": {"app/kustomization.yaml": "generators: ['WANTED']\n"},
    "transformers": {"app/kustomization.yaml": "resources: [a.yaml]\ntransformers: ['WANTED']\n"},
    "validators": {"app/kustomization.yaml": "resources: [a.yaml]\nvalidators: ['WANTED']\n"},
    "values of a chart in the kustomization": {
        "app/kustomization.yaml": "helmCharts: [{name: web, releaseName: r, valuesFile: 'WANTED'}]\n",
    },
    "more values of a chart in the kustomization": {
        "app/kustomization.yaml": "helmCharts: [{name: web, releaseName: r, additionalValuesFiles: ['WANTED']}]\n",
    },
    "the repository of a chart": {
        "app/kustomization.yaml": "helmCharts: [{name: far, releaseName: r, version: 1.0.0, repo: 'WANTED'}]\n",
    },
    "the repository of a chart of a generator": {
        "app/kustomization.yaml": "generators: [i.yaml]\n",
        "app/i.yaml": INFLATES.replace("web", "far") + "repo: WANTED\nversion: 1.0.0\n",
    },
    "the schema of a chart": {
        "app/kustomization.yaml": "helmCharts: [{name: web, releaseName: r}]\n",
        "app/charts/web/values.schema.json": '{"$ref": "WANTED"}',
    },
}


LEFT_OUT = ("resources", "resources in capitals", "generators", "transformers", "validators")


def with_committed(files: dict[str, str], address: str) -> dict[str, str]:
    """Add files of the same name: that does not make an address a file for kustomize."""
    return {**files, **{f"{folder}/http:/{address.removeprefix('http://')}": MAP for folder in ("app", "base")}}


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize("case", FETCHING)
async def test_kustomize_fetches_nothing_on_its_own(
    bench: Bench, server: chart_server.Server, case: str, partial: bool
) -> None:
    files = {**WITH_CHARTS, **placed(FETCHING[case], f"{server.url}/x")}
    for given in (files, with_committed(files, f"{server.url}/x")):
        if partial and case in LEFT_OUT:
            desired = await bench.render(given, means=allowed(), request={"partial": True})
            assert any("is skipped" in warning for warning in desired.warnings)
        else:
            said = await bench.refusal(given, means=allowed(), request={"partial": partial})
            assert re.search("(is|are) not fetched|, which is not fetched", said)
    assert server.requests == []


@pytest.mark.parametrize("committed", [False, True])
@pytest.mark.parametrize("settings", [{"patches": [{"path": "WANTED"}]}, {"components": ["WANTED"]}])
async def test_the_settings_of_an_application_fetch_nothing(
    bench: Bench, server: chart_server.Server, settings: dict[str, Any], committed: bool
) -> None:
    address = f"{server.url}/x"
    files = {"app/kustomization.yaml": "resources: [a.yaml]\n", "app/a.yaml": MAP}
    if committed:
        files = with_committed(files, address)
    given = json.loads(json.dumps(settings).replace("WANTED", address))
    assert "is not fetched" in await bench.refusal(files, kustomize=given)
    assert server.requests == []


async def test_plugins_that_stand_on_themselves_are_refused(bench: Bench) -> None:
    files = {
        **WITH_CHARTS,
        "app/kustomization.yaml": "generators: [evil.yaml]\ntransformers: [../other]\n",
        "app/evil.yaml": GENERATES,
        "other/kustomization.yaml": "resources: [../app]\n",
    }
    assert "stand on itself" in await bench.refusal(files, means=allowed())


HONEST: dict[str, dict[str, str]] = {
    "a folder with a patch": {
        "app/kustomization.yaml": "generators: [gen]\n",
        "app/gen/kustomization.yaml": "resources: [g.yaml]\n" + FILES_PATCH.replace("WANTED", "b.txt"),
        "app/gen/g.yaml": GENERATES,
        "app/b.txt": "b\n",
    },
    "a file, a text and a folder of transformers": {
        "app/kustomization.yaml": "resources: [a.yaml]\ntransformers:\n- t.yaml\n- folder\n- |\n"
        "  apiVersion: builtin\n  kind: PrefixTransformer\n  metadata: {name: p}\n  prefix: one-\n"
        "  fieldSpecs: [{path: metadata/name}]\n",
        "app/t.yaml": "apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: x}\npath: patch.yaml\n",
        "app/patch.yaml": MAP + "data: {k: v}\n",
        "app/folder/kustomization.yaml": "resources: [l.yaml]\n",
        "app/folder/l.yaml": "apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: l}\nlabels: {a: b}\n"
        "fieldSpecs: [{path: metadata/labels, create: true}]\n",
    },
    "a generator in a folder of generators": {
        "app/kustomization.yaml": "generators: [gen]\n",
        "app/gen/kustomization.yaml": "generators: [g.yaml]\nresources: [../../shared]\n",
        "app/gen/g.yaml": INFLATES,
        "app/gen/charts/web/Chart.yaml": CHART,
        "app/gen/charts/web/values.yaml": "",
        "app/gen/charts/web/templates/x.yaml": GENERATES,
        "shared/kustomization.yaml": "resources: [g.yaml]\n",
        "shared/g.yaml": GENERATES.replace("x}\nname: x", "y}\nname: y"),
    },
}


def built(folder: pathlib.Path) -> list[Any]:
    """Return what kustomize itself makes of a checkout."""
    command = [KUBECTL, "kustomize", "--enable-helm", f"--helm-command={chart_server.HELM}", str(folder)]
    printed = subprocess.run(command, capture_output=True, check=True).stdout
    return [document.value for document in yaml.load_documents(printed)]


@pytest.mark.parametrize("case", HONEST)
async def test_honest_plugins_make_what_kustomize_makes(bench: Bench, case: str) -> None:
    files = {**WITH_CHARTS, **HONEST[case]}
    desired = await bench.render(files, means=allowed(""))
    wanted = await asyncio.to_thread(built, bench.repository.folder / "app")
    assert sorted((item.obj for item in desired.objects), key=str) == sorted(wanted, key=str)
    assert not any("syncline-plugin" in item.origin.file for item in desired.objects)
