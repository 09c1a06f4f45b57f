"""Chart dependencies and remote bases: fetched by our own readers where the project permits, else named."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from syncline.adapters.render import remote
from syncline.adapters.render.means import RenderMeans
from syncline.adapters.render.remote import Base, RemoteSources
from syncline.adapters.render.remote_files import RemoteFiles
from syncline.model.errors import SourceError
from syncline.model.sources.source import ApplicationSource
from syncline.ports.render import RenderRequest
from syncline.ports.source import ChartRequest, CommitNote, RevisionRequest, Tree
from tests.component.render.rendering import CHART, Bench, found, only
from tests.support import chart_server, this_machine
from tests.support.fake_source import MemoryTree

pytestmark = pytest.mark.anyio

CHARTS = "https://charts.example/stable"
REDIS = {
    "Chart.yaml": "apiVersion: v2\nname: redis\nversion: 1.2.3\n",
    "values.yaml": "size: 1\n",
    "templates/redis.yaml": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: redis}\ndata: {size: '{{ .Values.size }}'}\n"
    ),
}
BASES = {
    "web/kustomization.yaml": "resources: [web.yaml, ../shared]\n",
    "web/web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n",
    "shared/kustomization.yaml": "resources: [shared.yaml]\n",
    "shared/shared.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shared}\n",
}


class Charts:
    """A Helm repository in memory with one chart."""

    def __init__(self) -> None:
        self.asked: list[ChartRequest] = []

    async def resolve(self, request: ChartRequest) -> str:
        self.asked.append(request)
        if request.chart != "redis":
            raise SourceError(f"chart {request.chart} is not in {request.repo_url}")
        return "1.2.3"

    async def tree(self, request: ChartRequest) -> Tree:
        assert request.version == "1.2.3"
        return MemoryTree("1.2.3", REDIS)


class Git:
    """Repositories in memory by address."""

    def __init__(self, repositories: Mapping[str, Mapping[str, str]]) -> None:
        self._repositories = repositories

    async def resolve(self, request: RevisionRequest) -> str:
        if request.repo_url not in self._repositories:
            raise SourceError(f"{request.repo_url} cannot be reached")
        return "a" * 40

    async def tree(
        self, repo_url: str, sha: str, path: str, *, project: str = "", permitted: Sequence[str] = ("*",)
    ) -> Tree:
        return MemoryTree(sha, self._repositories[repo_url]).below(path)

    async def describe(self, repo_url: str, sha: str) -> CommitNote | None:
        return None


def chart(*dependencies: str, lock: str = "") -> dict[str, str]:
    files = {
        "app/Chart.yaml": CHART + "dependencies:\n" + "".join(f"- {{{entry}}}\n" for entry in dependencies),
        "app/values.yaml": "redis: {size: 5}\n",
        "app/templates/own.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n",
    }
    return {**files, "app/Chart.lock": lock} if lock else files


async def test_a_dependency_is_fetched_in_the_locked_version_with_the_charts_values(bench: Bench) -> None:
    charts = Charts()
    lock = f"dependencies: [{{name: redis, repository: {CHARTS}, version: 1.2.3}}]\n"
    desired = await bench.render(
        chart(f"name: redis, version: ^1.0.0, repository: '{CHARTS}'", lock=lock),
        means=RenderMeans(remote=RemoteSources(charts)),
        request={"source_repos": ("https://charts.example/*",)},
    )
    assert charts.asked == [ChartRequest(CHARTS, "redis", "1.2.3", "default")]
    data = {item.key.name: item.obj.get("data") for item in desired.objects}
    assert data == {"own": None, "redis": {"size": "5"}}
    assert found(desired)["ConfigMap/redis"] == "app/charts/redis/templates/redis.yaml"


async def test_dependencies_of_the_repository_and_of_elsewhere_go_together(bench: Bench) -> None:
    files = chart(
        f"name: redis, version: ^1.0.0, repository: '{CHARTS}'",
        "name: lib, version: 1.0.0, repository: 'file://../lib'",
    )
    files |= {
        "lib/Chart.yaml": "apiVersion: v2\nname: lib\nversion: 1.0.0\n",
        "lib/templates/lib.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: lib}\n",
    }
    desired = await bench.render(
        files, means=RenderMeans(remote=RemoteSources(Charts())), request={"source_repos": ("*",)}
    )
    assert {item.key.name for item in desired.objects} == {"own", "redis", "lib"}
    assert "lib" in {entry.path for entry in desired.inputs}


@pytest.mark.parametrize(
    ("dependency", "permitted", "words"),
    [
        (f"name: redis, version: 1, repository: '{CHARTS}'", (), "is not permitted in project 'default'"),
        (f"name: redis, version: 1, repository: '{CHARTS}'", ("https://other.example/*",), "is not permitted"),
        (f"name: redis, version: 1, repository: '{CHARTS}'", ("*", f"!{CHARTS}"), "is not permitted"),
        (f"name: mysql, version: 1, repository: '{CHARTS}'", ("*",), f"chart mysql is not in {CHARTS}"),
        ("name: redis, version: 1, repository: '@stable'", ("*",), "it has no repository URL"),
        ("name: redis, version: 1", ("*",), "chart dependencies are missing: redis 1"),
        ("name: ../../x, version: 1, repository: 'https://charts.example'", ("*",), "../../x"),
    ],
)
async def test_a_dependency_that_cannot_be_had_is_named(
    bench: Bench, dependency: str, permitted: tuple[str, ...], words: str
) -> None:
    sentence = await bench.refusal(
        chart(dependency), means=RenderMeans(remote=RemoteSources(Charts())), request={"source_repos": permitted}
    )
    assert re.match(r"app/Chart.yaml:\d+: ", sentence)
    assert words in sentence


async def test_a_chart_of_a_helm_repository_is_rendered_from_its_own_root(bench: Bench) -> None:
    tree = MemoryTree("1.2.3", REDIS)
    from syncline.adapters.render.renderer import ToolRenderer
    from tests.unit.render_directory.folders import request_for

    request = request_for(chart="redis", path="", helm={"parameters": [{"name": "size", "value": "8"}]})
    desired = await ToolRenderer().render(request, tree)
    assert only(desired)["data"] == {"size": "8"}
    assert (desired.revisions, desired.source_types) == (("1.2.3",), ("Helm",))
    assert found(desired) == {"ConfigMap/redis": "templates/redis.yaml:2"}


async def test_a_remote_base_is_fetched_with_all_it_stands_on(bench: Bench) -> None:
    repositories = {
        "https://github.com/team/bases": {
            **BASES,
            "web/kustomization.yaml": "resources: [web.yaml, ../shared, 'https://git.example/deep.git//x?ref=v2']\n",
        },
        "https://git.example/deep.git": {
            "x/kustomization.yaml": "resources: [deep.yaml]\n",
            "x/deep.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: deep}\n",
        },
    }
    files = {
        "app/kustomization.yaml": "resources: [own.yaml, 'github.com/team/bases/web?ref=v1']\nnamePrefix: a-\n",
        "app/own.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n",
    }
    desired = await bench.render(
        files, means=RenderMeans(remote=RemoteSources(source=Git(repositories))), request={"source_repos": ("*",)}
    )
    assert found(desired) == {
        "ConfigMap/a-own": "app/own.yaml:2",
        "ConfigMap/a-web": "https://github.com/team/bases//web/web.yaml?ref=v1:2",
        "ConfigMap/a-shared": "https://github.com/team/bases//shared/shared.yaml?ref=v1:2",
        "ConfigMap/a-deep": "https://git.example/deep.git//x/deep.yaml?ref=v2:2",
    }


@pytest.mark.parametrize(
    ("base", "sentence"),
    [
        (
            "namePrefix: a-\nresources:\n- gone.yaml\n",
            (
                "https://github.com/team/bases//web/kustomization.yaml?ref=v1:3: `kustomize build` failed: accumulating"
                " resources from 'gone.yaml': https://github.com/team/bases//web/gone.yaml: no such file or directory"
            ),
        ),
        (
            "resources:\n- https://gone.example/x\n",
            (
                "https://github.com/team/bases//web/kustomization.yaml?ref=v1:2: remote base https://gone.example/x is"
                " not fetched: https://gone.example/x cannot be reached"
            ),
        ),
    ],
)
async def test_what_is_wrong_in_a_remote_base_names_its_address(bench: Bench, base: str, sentence: str) -> None:
    source = Git({"https://github.com/team/bases": {"web/kustomization.yaml": base}})
    files = {"app/kustomization.yaml": "resources: ['github.com/team/bases/web?ref=v1']\n"}
    means = RenderMeans(remote=RemoteSources(source=source))
    assert (await bench.refusal(files, means=means, request={"source_repos": ("*",)})).startswith(sentence)


@pytest.mark.parametrize(
    ("reference", "permitted", "words"),
    [
        ("https://git.example/x.git//web", (), "repository https://git.example/x.git is not permitted"),
        ("https://git.example/x.git//web", ("*",), "https://git.example/x.git cannot be reached"),
        ("https://git.example/raw/web.yaml", ("*",), "single files of other servers are not fetched here"),
    ],
)
async def test_a_remote_base_that_is_not_fetched_is_named_or_left_out_for_those_who_look(
    bench: Bench, reference: str, permitted: tuple[str, ...], words: str
) -> None:
    files = {
        "app/kustomization.yaml": "resources: [own.yaml, ../base]\n",
        "app/own.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n",
        "base/kustomization.yaml": f"resources: [more.yaml, '{reference}']\n",
        "base/more.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\n",
    }
    settings: dict[str, Any] = {"means": RenderMeans(remote=RemoteSources(source=Git({})))}
    sentence = await bench.refusal(files, **settings, request={"source_repos": permitted})
    assert sentence.startswith(f"base/kustomization.yaml:1: remote base {reference} is not fetched: ")
    assert words in sentence
    desired = await bench.render(files, **settings, request={"source_repos": permitted, "partial": True})
    assert {item.key.name for item in desired.objects} == {"own", "more"}
    assert desired.warnings[0].startswith(f"base/kustomization.yaml:1: remote base {reference} is skipped: ")


@pytest.mark.parametrize(
    ("reference", "base"),
    [
        ("github.com/a/b//c?ref=v1", Base("https://github.com/a/b", "c", "v1")),
        ("github.com/a/b/c/d?ref=v1", Base("https://github.com/a/b", "c/d", "v1")),
        ("https://github.com/a/b", Base("https://github.com/a/b", "", "")),
        ("https://git.example/a/b.git/c?ref=main", Base("https://git.example/a/b.git", "c", "main")),
        ("git::https://git.example/a//c", Base("https://git.example/a", "c", "")),
        ("git@git.example:a/b.git//c?ref=x", Base("git@git.example:a/b.git", "c", "x")),
        ("ssh://git@git.example/a/b//c", Base("ssh://git@git.example/a/b", "c", "")),
        ("https://git.example/x.yaml", None),
        ("file:///etc//x", None),
        ("ext::sh -c x", None),
    ],
)
def test_the_address_of_a_remote_base_is_taken_apart(reference: str, base: Base | None) -> None:
    assert remote.parse_base(reference) == base


async def test_a_single_file_of_a_server_is_a_resource_like_any_other(bench: Bench) -> None:
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: far}\n"
    folder = bench.folder / "other"
    folder.mkdir()
    (folder / "far.yaml").write_text(config)
    with chart_server.serve(folder) as server:
        url = f"{server.url}/far.yaml"
        files = {"app/kustomization.yaml": f"namePrefix: a-\nresources:\n- {url}\n"}
        means = RenderMeans(remote=RemoteSources(files=RemoteFiles(reach=this_machine.REACH)))
        desired = await bench.render(files, means=means, request={"source_repos": ("*",)})
        assert found(desired) == {"ConfigMap/a-far": f"{url}:2"}
        assert [one.repo_url for one in desired.fetched] == [url]
        asked = RenderRequest(
            app_name="a", namespace="b", project="default", source=ApplicationSource("x"), source_repos=("*",)
        )
        assert await means.remote.is_current(asked, desired.fetched)
        (folder / "far.yaml").write_text(config.replace("far", "near"))
        assert not await means.remote.is_current(asked, desired.fetched)
        refused = await bench.refusal(files, means=means, request={"source_repos": ("https://git.example/*",)})
        assert f"{url} is not permitted in project 'default'" in refused


async def test_a_base_that_was_left_out_is_named_as_the_reason_of_what_fails_after_it(bench: Bench) -> None:
    patch = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: far}\ndata: {a: b}\n"
    files = {
        "app/kustomization.yaml": "resources: ['https://git.example/x.git//web']\npatches: [{path: p.yaml}]\n",
        "app/p.yaml": patch,
    }
    means = RenderMeans(remote=RemoteSources(source=Git({})))
    sentence = await bench.refusal(files, means=means, request={"source_repos": ("*",), "partial": True})
    assert "no resource matches strategic merge patch" in sentence or "no matches for Id" in sentence
    assert (
        "this may be the reason: app/kustomization.yaml:1: remote base https://git.example/x.git//web is skipped"
        in sentence
    )
