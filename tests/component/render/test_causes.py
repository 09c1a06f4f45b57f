"""Every cause for which a desired state cannot be had, as the Application's condition tells it.

Argo CD's words come first, since people search for them; then repository, revision, place and what to do.
"""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from syncline import processes
from syncline.adapters.git.source import GitSource
from syncline.adapters.render.means import RenderMeans
from syncline.adapters.render.programs import LIMITS, Programs
from syncline.adapters.render.renderer import ToolRenderer
from syncline.controller.app_key import AppKey
from syncline.controller.sources.capabilities import Capabilities
from syncline.controller.sources.desired import DesiredSources
from syncline.core.sources import sources_of
from syncline.model import application
from syncline.model.errors import SourceError, SynclineError
from syncline.ports.source import ChartRequest, Tree
from tests.component.render.rendering import Bench
from tests.support.fake_source import Open
from tests.support.world import SandboxBed

pytestmark = pytest.mark.anyio

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
CHART = {"app/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n", "app/templates/a.yaml": MAP}
SECOND = "failed to generate manifest for source 1 of 1: "


class NoCharts(Open):
    """A Helm repository that has no chart of any name."""

    async def resolve(self, request: ChartRequest) -> str:
        raise SourceError(f"chart {request.chart} version {request.version} not found in {request.repo_url} repository")

    async def tree(self, request: ChartRequest) -> Tree:
        raise AssertionError("nothing was resolved")


async def told(
    bench: Bench, files: Mapping[str, str], spec: Mapping[str, Any], renderer: ToolRenderer | None = None
) -> str:
    """Commit files and return what the condition of an Application of them says after its prefix."""
    sha = bench.repository.commit(dict(files))
    source = GitSource(str(bench.folder / "other"), local_folders=[str(bench.folder)])
    bed = SandboxBed(source=source)
    controller = bed.controller()
    world = controller._world
    world.charts = NoCharts()
    world.renderer = renderer or ToolRenderer()
    sources = DesiredSources(world, lambda _key: None)
    destination = {"server": "https://kubernetes.default.svc", "namespace": "web"}
    app = application.parse({"metadata": {"name": "shop"}, "spec": {"destination": destination, **spec}})
    try:
        wanted = sources_of(app)
        newest = await sources.newest(AppKey("argocd", "shop"), wanted, project="default")
        with pytest.raises(SynclineError) as caught:
            await sources.render(app, wanted, newest, Capabilities())
        error: SynclineError = caught.value
    except SynclineError as early:
        error = early
    finally:
        await sources.stop()
    sentence = str(error)
    assert "\n" not in sentence
    assert "canary-of" not in sentence
    return sentence.replace(str(bench.repository.folder), "REPO").replace(sha[:7], "SHA")


def one(bench: Bench, **fields: Any) -> dict[str, Any]:
    return {"source": {"repoURL": str(bench.repository.folder), "path": "app", **fields}}


Spec = Callable[[Bench], dict[str, Any]]


@pytest.mark.parametrize(
    ("files", "spec", "words"),
    [
        pytest.param(
            CHART,
            lambda bench: one(bench, helm={"valueFiles": ["$values/x.yaml"]}),
            [SECOND, "value file '$values/x.yaml' refers to a source, but no source has ref: values", "REPO at SHA"],
            id="a ref that no source has",
        ),
        pytest.param(
            {"app/a.yaml": MAP},
            lambda bench: one(bench, targetRevision="nope"),
            ["unable to resolve 'nope' to a commit SHA", "REPO"],
            id="a revision that is not there",
        ),
        pytest.param(
            {"apps/a.yaml": MAP},
            one,
            [SECOND, "app: app path does not exist", "nearest existing path: apps", "REPO at SHA"],
            id="a path that is not there",
        ),
        pytest.param(
            {"app/a.yaml": MAP},
            lambda bench: {"source": {"repoURL": "https://charts.example", "chart": "redis", "targetRevision": "1.x"}},
            ["chart redis version 1.x not found in https://charts.example repository"],
            id="a chart that is not there",
        ),
        pytest.param(
            {**CHART, "app/templates/a.yaml": MAP + "data: {x: {{ .Values.image.tag | quote }}}\n"},
            one,
            [
                SECOND,
                "app/templates/a.yaml:4:",
                "`helm template` failed: ",
                "nil pointer evaluating",
                "at <.Values.image",
            ],
            id="a template that fails",
        ),
        pytest.param(
            {**CHART, "app/templates/a.yaml": '{{ fail "set image.tag" }}'},
            one,
            [SECOND, "app/templates/a.yaml:1:", "set image.tag", "REPO at SHA"],
            id="a chart that refuses",
        ),
        pytest.param(
            {**CHART, "app/values.yaml": "a: [\n"},
            one,
            [SECOND, "`helm template` failed: ", "values.yaml"],
            id="values that are no YAML",
        ),
        pytest.param(
            {"app/kustomization.yaml": "resources: [gone.yaml]\n"},
            one,
            [SECOND, "`kustomize build` failed: ", "gone.yaml", "REPO at SHA"],
            id="a kustomization that fails",
        ),
        pytest.param(
            CHART,
            lambda bench: one(bench, helm={"valueFiles": ["env/*.yaml"]}),
            [
                SECOND,
                "values file glob 'env/*.yaml' matched no files",
                "no folder app/env; skip it with ignoreMissingValueFiles",
            ],
            id="a glob that matches nothing",
        ),
        pytest.param(
            CHART,
            lambda bench: one(bench, helm={"valueFiles": ["prod.yaml"]}),
            [SECOND, "open app/prod.yaml: no such file in the repository", "REPO at SHA"],
            id="a value file that is not there",
        ),
        pytest.param(
            {"app/a.yaml": "-> ../../canary.yaml"},
            one,
            [SECOND, "app/a.yaml: out of bounds symlink: app/a.yaml", "REPO at SHA"],
            id="a link that leads out",
        ),
        pytest.param(
            {"app/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\n"},
            one,
            [SECOND, 'app/a.yaml:4:1: Failed to unmarshal "a.yaml": ', "REPO at SHA"],
            id="a manifest that cannot be read",
        ),
        pytest.param(
            {"app/a.jsonnet": "{a: x}"},
            one,
            [SECOND, "app/a.jsonnet:1:5: ", 'Failed to evaluate jsonnet "a.jsonnet"', "Unknown variable: x"],
            id="Jsonnet that fails",
        ),
        pytest.param(
            {"app/a.yaml": MAP},
            lambda bench: one(bench, plugin={"name": "paint"}),
            [SECOND, "app: plugin with name paint not found", "known plugins: none", "REPO at SHA"],
            id="a plugin that nobody installed",
        ),
        pytest.param(
            {"app/a.yaml": MAP},
            lambda bench: one(bench, helm={"releaseName": "web"}, kustomize={"namePrefix": "web-"}),
            [SECOND, "multiple application sources defined: Helm, Kustomize", "keep one of them"],
            id="two tools at once",
        ),
        pytest.param(
            {
                **CHART,
                "app/Chart.yaml": CHART["app/Chart.yaml"] + "dependencies: [{name: db, version: 1, repository: x}]\n",
            },
            one,
            [SECOND, "app/Chart.yaml:4: chart dependencies are missing: db 1 from x", "commit them to charts/"],
            id="a dependency that is missing",
        ),
        pytest.param(
            {"app/a.yaml": MAP},
            lambda bench: {
                "sourceHydrator": {
                    "drySource": {"repoURL": "x", "targetRevision": "main", "path": "app"},
                    "syncSource": {"targetBranch": "env/dev", "path": "app"},
                }
            },
            ["spec.sourceHydrator is not supported", "set spec.source to the branch env/dev and the path app"],
            id="a hydrated app",
        ),
        pytest.param(
            {"app/a.yaml": MAP, "two/b.yaml": "apiVersion: v1\nkind: X\nmetadata: {]\n"},
            lambda bench: {
                "sources": [
                    {"repoURL": str(bench.repository.folder), "path": "app"},
                    {"repoURL": str(bench.repository.folder), "path": "two"},
                ]
            },
            ["failed to generate manifest for source 2 of 2: two/b.yaml:3:12: Failed to unmarshal"],
            id="the second of two sources",
        ),
    ],
)
async def test_a_cause_is_told_with_repository_revision_and_place(
    bench: Bench, files: dict[str, str], spec: Spec, words: list[str]
) -> None:
    sentence = await told(bench, files, spec(bench))
    assert [word for word in words if word not in sentence] == [], sentence


@pytest.mark.parametrize(
    ("files", "renderer", "words"),
    [
        pytest.param(
            {**CHART, "app/templates/a.yaml": "{{ range until 100000000 }}{{ end }}"},
            lambda: ToolRenderer(Programs(limits=processes.ProcessLimits(seconds=0.5, memory=LIMITS.memory))),
            ["helm gave no answer within 0.5 seconds and was stopped"],
            id="a tool that takes too long",
        ),
        pytest.param(
            {"app/a.yaml": MAP + "#" * 2_000},
            lambda: ToolRenderer(means=RenderMeans(max_bytes=1_000)),
            ["exceeded max combined manifest file size: "],
            id="manifests that are too large",
        ),
    ],
)
async def test_a_limit_that_was_hit_is_told(
    bench: Bench, files: dict[str, str], renderer: Callable[[], ToolRenderer], words: list[str]
) -> None:
    sentence = await told(bench, files, one(bench), renderer())
    assert [word for word in [SECOND, *words] if word not in sentence] == [], sentence
