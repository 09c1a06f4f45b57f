"""Renders that are kept on disk: found by what went into them, by any process, and never trusted when broken."""

from typing import Any

import msgspec
import pytest

from syncline.adapters.render import workspace
from syncline.adapters.render.helm.cluster_reads import cluster_reads
from syncline.adapters.render.means import RenderMeans
from syncline.adapters.render.remote import RemoteSources
from syncline.adapters.render.renderer import ToolRenderer
from syncline.adapters.store import FileStore
from syncline.controller.sources.render_stores import StoredRenders
from syncline.controller.sources.renders import Look, RenderCache
from syncline.model.desired import ClusterReads, Desired, Fetched
from syncline.model.errors import RenderError
from syncline.model.settings.parts import SourceSettings
from syncline.model.settings.settings import Settings
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree
from tests.component.render.rendering import CHART, Bench, chart_archive
from tests.support.fake_source import MemorySource
from tests.unit.render_directory.folders import request_for

pytestmark = pytest.mark.anyio

MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {x: '{{ .Values.x }}'}\n"
FILES: dict[str, str | None] = {
    "app/Chart.yaml": CHART,
    "app/templates/web.yaml": MAP,
    "app/values.yaml": "x: 1\n",
    "beside/README": "x",
}


class Counted(ToolRenderer):
    """A renderer that counts what it really does."""

    def __init__(self, means: RenderMeans | None = None) -> None:
        super().__init__(means=means)
        self.count = 0

    async def render(self, request: RenderRequest, tree: Tree, refs: Any = None) -> Desired:
        self.count += 1
        return await super().render(request, tree, refs)


class Shelf:
    """One folder on disk, used by one new process after the other."""

    def __init__(self, bench: Bench, *, max_bytes: int = 0, means: RenderMeans | None = None) -> None:
        self.bench = bench
        self.folder = bench.folder / "other"
        self.inner = Counted(means)
        self.max_bytes = max_bytes

    async def render(
        self, files: dict[str, str | None], request: dict[str, Any] | None = None, **source: Any
    ) -> Desired:
        store = FileStore(str(self.folder), max_bytes=self.max_bytes)
        asked = msgspec.structs.replace(request_for(**source), **(request or {}))
        return await RenderCache(self.inner, lasting=StoredRenders(store)).render(Look(asked, self.bench.tree(files)))


@pytest.fixture
def shelf(bench: Bench) -> Shelf:
    return Shelf(bench)


@pytest.mark.parametrize(
    ("files", "source", "request_", "renders"),
    [
        ({}, {}, {}, 1),
        ({"beside/README": "y"}, {}, {}, 1),
        ({"app/values.yaml": "x: 2\n"}, {}, {}, 2),
        ({"app/templates/new.yaml": ""}, {}, {}, 2),
        ({}, {"helm": {"releaseName": "other"}}, {}, 2),
        ({}, {}, {"namespace": "other"}, 2),
    ],
)
async def test_a_commit_that_touches_nothing_that_was_read_costs_no_render(
    shelf: Shelf, files: dict[str, str | None], source: dict[str, Any], request_: dict[str, Any], renders: int
) -> None:
    first = await shelf.render(FILES)
    second = await shelf.render({**FILES, **files}, request_, **source)
    assert shelf.inner.count == renders
    if renders == 1:
        assert [item.obj for item in second.objects] == [item.obj for item in first.objects]
        assert second.revisions != first.revisions
        assert {item.origin.revision for item in second.objects} == set(second.revisions)


ASKS = "{{ .Capabilities.APIVersions.Has `a/v1` }}"
BELOW = {"app/charts/sub/Chart.yaml": CHART.replace("web", "sub")}


@pytest.mark.parametrize(
    ("files", "source", "version", "kinds"),
    [
        pytest.param({}, {}, 1, 1, id="nothing"),
        pytest.param({"app/templates/web.yaml": MAP.replace("{{ .Values.x }}", ASKS)}, {}, 2, 2, id="a template"),
        pytest.param({"app/Chart.yaml": f"{CHART}kubeVersion: '>=1.20-0'\n"}, {}, 2, 1, id="its description"),
        pytest.param({**BELOW, "app/charts/sub/templates/web.yaml": f"# {ASKS}"}, {}, 2, 2, id="a subchart"),
        pytest.param({"app/templates/web.yaml": MAP.replace(".Values.x", "tpl .Values.x .")},
                     {"helm": {"values": f"x: '{ASKS}'"}}, 2, 2, id="values that are a template"),
        pytest.param({"app/templates/web.yaml": MAP.replace(".Values.x", "tpl .Values.x .")},
                     {"helm": {"parameters": [{"name": "x", "value": f"is {ASKS}"}]}}, 2, 2, id="a parameter"),
        pytest.param({"app/templates/web.yaml": MAP.replace("'{{ .Values.x }}'", "{{ toYaml . | quote }}")},
                     {}, 2, 2, id="everything"),
    ],
)  # fmt: skip
async def test_what_a_cluster_can_do_counts_as_far_as_a_chart_reads_it(
    bench: Bench, files: dict[str, str | None], source: dict[str, Any], version: int, kinds: int
) -> None:
    for changed, renders in (({"kube_version": "v1.30.0"}, version), ({"api_versions": ("a/v1",)}, kinds)):
        shelf = Shelf(bench)
        shelf.folder = bench.folder / "other" / next(iter(changed))
        first = {"kube_version": "v1.29.0", "api_versions": ()}
        await shelf.render({**FILES, **files}, first, **source)
        await shelf.render({**FILES, **files}, {**first, **changed}, **source)
        assert shelf.inner.count == renders


async def test_a_packed_subchart_is_looked_into() -> None:
    async with workspace.opened() as space:
        space.put_content("app/charts/sub.tgz", chart_archive("sub/templates/web.yaml", ASKS))
        assert cluster_reads(space, "app", (), b"") is ClusterReads.ALL


async def test_a_hard_refresh_uses_nothing_that_was_kept_and_leaves_what_it_made(shelf: Shelf) -> None:
    for fresh in (False, True, False):
        await shelf.render(FILES, {"fresh": fresh})
    assert shelf.inner.count == 2


async def test_going_back_and_forth_finds_both(shelf: Shelf) -> None:
    other = {**FILES, "app/values.yaml": "x: 2\n"}
    for files in (FILES, other, FILES, other):
        await shelf.render(files)
    assert shelf.inner.count == 2


@pytest.mark.parametrize("damage", ["cut", "other", "gone", "empty"])
async def test_what_is_broken_on_disk_is_made_anew(shelf: Shelf, damage: str) -> None:
    first = await shelf.render(FILES)
    (file,) = [path for path in shelf.folder.rglob("*") if path.is_file()]
    content = file.read_bytes()
    file.write_bytes({"cut": content[:-20], "other": b"x" * 200, "empty": b"", "gone": content}[damage])
    if damage == "gone":
        file.unlink()
    assert (await shelf.render(FILES)).digest == first.digest
    assert shelf.inner.count == 2
    await shelf.render(FILES)
    assert shelf.inner.count == 2


async def test_a_disk_that_takes_nothing_costs_time_and_nothing_else(shelf: Shelf) -> None:
    shelf.folder.write_text("a file where the folder should be")
    await shelf.render(FILES)
    await shelf.render(FILES)
    assert shelf.inner.count == 2


async def test_what_comes_out_differently_each_time_is_not_kept(shelf: Shelf) -> None:
    files = {**FILES, "app/templates/web.yaml": MAP.replace(".Values.x", "randAlphaNum 9")}
    await shelf.render(files)
    await shelf.render(files)
    assert shelf.inner.count == 2


async def test_what_was_not_used_for_long_goes_when_there_is_too_much(bench: Bench) -> None:
    store = FileStore(str(bench.folder / "other"), max_bytes=20_000)
    for number in range(200):
        await store.put(f"key {number}", b"x" * 1000)
    sizes = [path.stat().st_size for path in (bench.folder / "other").rglob("*") if path.is_file()]
    # A look at the whole folder is taken every so many writes, so it may grow over its limit by that many.
    assert sum(sizes) < 20_000 + 66 * 1032
    assert await store.get("key 199") == b"x" * 1000


async def test_processes_that_write_at_once_leave_whole_entries(bench: Bench) -> None:
    import asyncio

    folder = str(bench.folder / "other")
    stores = [FileStore(folder) for _ in range(8)]
    await asyncio.gather(*[store.put("key", bytes([index]) * 100_000) for index, store in enumerate(stores)])
    found = await stores[0].get("key")
    assert found is not None
    assert len(set(found)) == 1
    assert len(found) == 100_000


async def test_a_render_that_fetched_something_at_a_branch_is_used_until_the_branch_moved(bench: Bench) -> None:
    bases = MemorySource()
    first = bases.commit({"kustomization.yaml": "resources: [web.yaml]\n", "web.yaml": MAP})
    files: dict[str, str | None] = {"app/kustomization.yaml": "resources: ['https://git.example/bases?ref=main']\n"}
    shelf = Shelf(bench, means=RenderMeans(remote=RemoteSources(source=bases)))
    permitted = {"source_repos": ("*",)}
    made = await shelf.render(files, permitted)
    assert made.fetched == (Fetched("https://git.example/bases", "main", first),)
    await shelf.render(files, permitted)
    assert shelf.inner.count == 1
    second = bases.commit({"kustomization.yaml": "resources: [web.yaml]\n", "web.yaml": MAP.replace("web", "new")})
    made = await shelf.render(files, permitted)
    assert shelf.inner.count == 2
    assert [item.key.name for item in made.objects] == ["new"]
    assert made.fetched == (Fetched("https://git.example/bases", "main", second),)
    bases.delete_branch("main")
    with pytest.raises(RenderError, match=r"remote base .*[?]ref=main is not fetched"):
        await shelf.render(files, permitted)


FAILING: dict[str, str | None] = {"app/kustomization.yaml": "resources: [gone.yaml]\n", "app/web.yaml": MAP}


@pytest.mark.parametrize(
    ("files", "request_", "renders"),
    [
        ({}, {}, 1),
        ({}, {"fresh": True}, 2),
        ({}, {"kube_version": "1.30"}, 2),
        ({"app/kustomization.yaml": "resources: [lost.yaml]\n"}, {}, 2),
        ({"beside": "x"}, {}, 2),
    ],
)
async def test_what_fails_is_not_tried_again_at_the_same_commit(
    shelf: Shelf, files: dict[str, str | None], request_: dict[str, Any], renders: int
) -> None:
    with pytest.raises(RenderError) as first:
        await shelf.render(FAILING)
    with pytest.raises(RenderError) as second:
        await shelf.render({**FAILING, **files}, request_)
    assert shelf.inner.count == renders
    if not files:
        said = [(error.value.place, error.value.hint, error.value.missing) for error in (first, second)]
        assert (str(first.value), said[0]) == (str(second.value), said[1])


async def test_a_program_that_was_stopped_is_tried_again(shelf: Shelf) -> None:
    shelf.inner.adjust(Settings(sources=SourceSettings(exec_timeout=0.001)))
    for _ in range(2):
        with pytest.raises(RenderError, match="gave no answer within"):
            await shelf.render(FILES)
    assert shelf.inner.count == 2
    shelf.inner.adjust(Settings())
    await shelf.render(FILES)


@pytest.mark.parametrize("partial", [False, True], ids=["to sync from", "to look at"])
async def test_what_a_silent_server_left_out_or_failed_is_used_until_the_server_answers(
    bench: Bench, *, partial: bool
) -> None:
    bases = MemorySource()
    files: dict[str, str | None] = {
        "app/kustomization.yaml": "resources: [web.yaml, 'https://git.example/bases?ref=main']\n",
        "app/web.yaml": MAP,
    }
    shelf = Shelf(bench, means=RenderMeans(remote=RemoteSources(source=bases)))
    request = {"source_repos": ("*",), "partial": partial}
    bases.silent = True
    for _ in range(2):
        if partial:
            assert [item.key.name for item in (await shelf.render(files, request)).objects] == ["web"]
        else:
            with pytest.raises(RenderError, match="is not fetched: failed to list refs"):
                await shelf.render(files, request)
    assert shelf.inner.count == 1
    bases.silent = False
    bases.commit({"kustomization.yaml": "resources: [api.yaml]\n", "api.yaml": MAP.replace("web", "api")})
    assert sorted(item.key.name for item in (await shelf.render(files, request)).objects) == ["api", "web"]
