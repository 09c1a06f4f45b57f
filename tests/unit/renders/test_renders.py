"""When a render is used again: as long as what it has read, and what it depends on besides, is the same.

The rules are those of the cache; they hold for what is kept in memory and for what outlives the process alike.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from syncline.controller.sources import renders
from syncline.controller.sources.render_stores import MemoryRenders, StoredRenders
from syncline.controller.sources.renders import Look, RenderCache, combined
from syncline.model.desired import Desired, DesiredObject, Fetched, Input, Origin
from syncline.model.settings.settings import Settings
from syncline.model.sources.source import ApplicationSource
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree
from tests.support.fake_source import MemoryTree
from tests.support.stores import MemoryStore

pytestmark = pytest.mark.anyio

FILES = {"app/a": "1", "base/b": "2", "else/c": "3"}
REFERENCE = {"values.yaml": "4"}
MEMORY, LASTING = "in memory", "beyond the process"


def request(**changes: Any) -> RenderRequest:
    source = ApplicationSource(repo_url="https://git.example/shop.git", path="app")
    made = RenderRequest(app_name="shop", namespace="shop", project="default", source=source, kube_version="1")
    return msgspec.structs.replace(made, **changes)


def tree(files: dict[str, str], sha: str = "sha") -> MemoryTree:
    return MemoryTree(sha, files)


class Renders:
    """A renderer that makes one and the same thing, and counts how often."""

    def __init__(self, made: Desired) -> None:
        self.made = made
        self.count = 0
        self.fingerprint = "tools"
        self.current = True

    async def render(self, request: RenderRequest, tree: Tree, refs: Mapping[str, Tree] | None = None) -> Desired:
        self.count += 1
        return msgspec.structs.replace(self.made, revisions=(tree.revision,))

    async def is_current(self, request: RenderRequest, desired: Desired) -> bool:
        return self.current

    def adjust(self, settings: Settings) -> None:
        raise AssertionError("nobody has other settings here")


class Kept:
    """A cache with one store, and what stands behind it."""

    def __init__(self, made: Desired, where: str = MEMORY, **rest: Any) -> None:
        self.renderer = Renders(made)
        memory = MemoryRenders() if where == MEMORY else None
        lasting = StoredRenders(MemoryStore()) if where == LASTING else None
        self.cache = RenderCache(self.renderer, memory=memory, lasting=lasting, **rest)

    async def used(self, first: Look, second: Look) -> bool:
        """Whether the second look uses what the first one made."""
        await self.cache.render(first)
        await self.cache.render(second)
        return self.renderer.count == 1


def made(tool: str = "Helm", **rest: Any) -> Desired:
    at = tree(FILES)
    inputs = (
        Input("app", at.digest_of("app")),
        Input("base/b", at.digest_of("base/b")),
        Input("gone", ""),
        Input("values.yaml", tree(REFERENCE).digest_of("values.yaml"), "vals"),
    )
    return Desired((), source_types=(tool,), inputs=inputs, **rest)


LENT = {"vals": tree(REFERENCE)}
LOOK = Look(request(), tree(FILES), LENT)
both = pytest.mark.parametrize("where", [MEMORY, LASTING])


@both
@pytest.mark.parametrize(
    ("files", "reference", "used"),
    [
        ({}, {}, True),
        ({"else/c": "x"}, {}, True),
        ({"new": "x"}, {"new": "x"}, True),
        ({"app/a": "x"}, {}, False),
        ({"app/new": "x"}, {}, False),
        ({"base/b": "x"}, {}, False),
        ({"gone": "x"}, {}, False),
        ({}, {"values.yaml": "x"}, False),
    ],
)
async def test_a_commit_that_touches_no_input_costs_no_render(
    files: dict[str, str], reference: dict[str, str], used: bool, where: str
) -> None:
    second = Look(request(), tree(FILES | files, "new"), {"vals": tree(REFERENCE | reference)})
    assert await Kept(made(), where).used(LOOK, second) is used


@both
@pytest.mark.parametrize(
    ("changes", "tool", "used"),
    [
        ({"app_name": "other"}, "Helm", False),
        ({"namespace": "other"}, "Helm", False),
        ({"kube_version": "2"}, "Helm", False),
        ({"api_versions": ("a/v1",)}, "Kustomize", False),
        ({"kube_version": "2", "api_versions": ("a/v1",)}, "Directory", True),
        ({"fresh": True}, "Helm", False),
    ],
)
async def test_other_settings_and_clusters_and_hard_refreshes_need_another_render(
    changes: dict[str, Any], tool: str, used: bool, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renders, "_QUICK", -1)
    second = Look(request(**changes), tree(FILES), LENT)
    assert await Kept(made(tool), where).used(LOOK, second) is used


@both
async def test_other_programs_need_another_render(where: str) -> None:
    kept = Kept(made(), where)
    await kept.cache.render(LOOK)
    kept.renderer.fingerprint = "newer tools"
    await kept.cache.render(LOOK)
    assert kept.renderer.count == 2


@both
async def test_a_source_that_is_no_longer_lent_needs_another_render(where: str) -> None:
    assert not await Kept(made(), where).used(LOOK, Look(request(), tree(FILES)))


@both
async def test_going_back_and_forth_between_three_commits_finds_all_of_them(where: str) -> None:
    kept = Kept(made(), where)
    commits = [tree(FILES | {"app/a": text}) for text in "xyz"]
    for commit in (*commits, *commits):
        kept.renderer.made = Desired((), source_types=("Helm",), inputs=(Input("app", commit.digest_of("app")),))
        await kept.cache.render(Look(request(), commit))
    assert kept.renderer.count == 3


async def test_a_small_plain_folder_is_read_from_git_as_quickly_as_from_disk_so_it_is_not_kept_there() -> None:
    assert await Kept(made("Directory"), MEMORY).used(LOOK, LOOK)
    assert not await Kept(made("Directory"), LASTING).used(LOOK, LOOK)


async def test_what_comes_out_differently_each_time_is_remembered_but_does_not_outlive_the_process() -> None:
    assert await Kept(made(steady=False), MEMORY).used(LOOK, LOOK)
    assert not await Kept(made(steady=False), LASTING).used(LOOK, LOOK)


@both
async def test_a_render_that_does_not_say_what_it_read_is_made_anew(where: str) -> None:
    assert not await Kept(Desired((), source_types=("Helm",)), where).used(LOOK, LOOK)


FETCHED = (Fetched("https://git.example/base", "main", "a"),)


@pytest.mark.parametrize("moved", [True, False])
async def test_a_branch_by_which_more_was_fetched_is_asked_of_those_who_poll_it_or_of_its_server(moved: bool) -> None:
    polled = Kept(made(fetched=FETCHED), MEMORY, moved=lambda fetched, project: moved and fetched == FETCHED)
    assert await polled.used(LOOK, LOOK) is not moved
    asked = Kept(made(fetched=FETCHED), LASTING)
    asked.renderer.current = not moved
    assert await asked.used(LOOK, LOOK) is not moved


async def test_a_successor_finds_what_lasts_and_then_remembers_it() -> None:
    lasting = StoredRenders(MemoryStore())
    renderer = Renders(made())
    await RenderCache(renderer, memory=MemoryRenders(), lasting=lasting).render(LOOK)
    successor = RenderCache(renderer, memory=MemoryRenders(), lasting=lasting)
    found = await successor.render(LOOK)
    assert await successor.render(LOOK) is found
    assert renderer.count == 1


@both
@pytest.mark.parametrize(
    ("paths", "files", "used"),
    [
        (("/app",), {"base/b": "x"}, True),
        ((".",), {"base/b": "x"}, True),
        ((".",), {"app/a": "x"}, False),
        (("../base",), {"base/b": "x"}, False),
        (("../base",), {"app/a": "x"}, True),
        (("/app", "/base"), {"base/b": "x"}, False),
        (("/**/b",), {"base/b": "x"}, False),
        (("/*/b",), {"base/b": "x"}, False),
        (("*.yaml",), {"base/b": "x"}, True),
        (("*",), {"app/a": "x"}, False),
        (("/gone",), {"base/b": "x"}, True),
        ((), {"base/b": "x"}, False),
    ],
)
async def test_where_an_application_names_paths_only_those_count(
    paths: tuple[str, ...], files: dict[str, str], used: bool, where: str
) -> None:
    before = tree(FILES)
    inputs = (Input("app", before.digest_of("app")), Input("base", before.digest_of("base")))
    kept = Kept(Desired((), source_types=("Helm",), inputs=inputs), where)
    second = Look(request(), tree(FILES | files), LENT, paths)
    assert await kept.used(Look(request(), before, LENT, paths), second) is used


@both
async def test_paths_count_in_sources_that_lend_files_too(where: str) -> None:
    inputs = (Input("values.yaml", tree(REFERENCE).digest_of("values.yaml"), "vals"),)
    kept = Kept(Desired((), source_types=("Helm",), inputs=inputs), where)
    changed = {"vals": tree({"values.yaml": "x"})}
    first = Look(request(), tree(FILES), LENT, ("/values.yaml",))
    assert not await kept.used(first, Look(request(), tree(FILES), changed, ("/values.yaml",)))
    kept = Kept(Desired((), source_types=("Helm",), inputs=inputs), where)
    assert not await kept.used(first, Look(request(), tree(FILES), changed, ("/other",)))


def test_several_sources_make_one_desired_state_in_their_order() -> None:
    def part(name: str, tool: str) -> Desired:
        obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
        item = DesiredObject(obj, Origin(file=name))
        return Desired(
            (item,), (name,), (tool,), files=(name,), warnings=(f"w{name}",), digest=name, steady=name == "a"
        )

    whole = combined([part("a", "Helm"), part("b", "Directory")], ("1", "2"))
    assert [item.key.name for item in whole.objects] == ["a", "b"]
    assert (whole.revisions, whole.source_types, whole.files) == (("1", "2"), ("Helm", "Directory"), ("a", "b"))
    assert (whole.warnings, whole.steady) == (("wa", "wb"), False)
    assert whole.digest != combined([part("b", "Helm"), part("a", "Helm")], ("1", "2")).digest
    assert combined([part("a", "Helm")], ("a",)) == part("a", "Helm")


@both
async def test_objects_of_a_render_that_is_used_again_name_the_commit_that_is_shown(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(renders, "_QUICK", 0)
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    item = DesiredObject(obj, Origin("https://git.example/a", "old", "app/a", 3))
    before, after = tree(FILES, "old"), tree(FILES | {"beside": "new"}, "new")
    kept = Kept(Desired((item,), ("old",), ("Directory",), inputs=(Input("app", before.digest_of("app")),)), where)
    first = await kept.cache.render(Look(request(), before))
    found = await kept.cache.render(Look(request(), after))
    assert found.objects == (DesiredObject(obj, Origin("https://git.example/a", "new", "app/a", 3)),)
    assert found.revisions == ("new",)
    several = combined([found, first], ("x", "y"))
    assert [one.origin.revision for one in several.objects] == ["x", "y"]


async def test_a_render_of_a_newer_commit_is_told_apart_only_once() -> None:
    kept = Kept(made())
    await kept.cache.render(Look(request(), tree(FILES, "old"), LENT))
    found = await kept.cache.render(Look(request(), tree(FILES, "new"), LENT))
    assert await kept.cache.render(Look(request(), tree(FILES, "new"), LENT)) is found
