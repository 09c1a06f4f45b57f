"""When an Application is looked at again and how thoroughly: what asks the source, what renders, what does neither."""

import itertools
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from syncline.model import names
from syncline.model.desired import Desired
from syncline.model.settings.settings import Settings
from syncline.ports.render import RenderRequest
from syncline.ports.source import RevisionRequest, Tree
from tests.support import manifests, stories
from tests.support.fake_source import MemorySource
from tests.support.loops.simulated import run_simulated
from tests.support.manifests import files
from tests.support.played import (
    annotate,
    app_with,
    conditions,
    config,
    namespace,
    state,
    sync,
    until_condition,
)
from tests.support.world import API, SETTINGS, SandboxBed


class Asked(MemorySource):
    """Notes when revisions are asked for."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self.times: list[float] = []
        self._now = now

    async def resolve(self, request: RevisionRequest) -> str:
        self.times.append(self._now())
        return await super().resolve(request)


class Rendered:
    """Counts renders."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.count = 0

    @property
    def fingerprint(self) -> str:
        return str(self._inner.fingerprint)

    async def is_current(self, request: RenderRequest, desired: Desired) -> bool:
        return bool(await self._inner.is_current(request, desired))

    def adjust(self, settings: Settings) -> None:
        self._inner.adjust(settings)

    async def render(self, request: RenderRequest, tree: Tree, refs: Any = None) -> Desired:
        self.count += 1
        rendered: Desired = await self._inner.render(request, tree, refs)
        return rendered


class CountingBed(SandboxBed):
    """A bed that counts what is asked of the repository and what is rendered."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(0, settings=msgspec.structs.replace(SETTINGS, **settings))
        self.asked = Asked(self.clock.monotonic)
        self.source = self._source = self.asked
        self.rendered = Rendered(self.renderer)
        self.renderer = self.rendered


def tell(story: Callable[[Any], Awaitable[None]], **settings: Any) -> None:
    async def main() -> None:
        await stories.play(CountingBed(**{"refresh_interval": 10_000.0, **settings}), story)

    run_simulated(main, seed=0)


async def delivered(bed: CountingBed, **policy: Any) -> None:
    await namespace(bed)
    bed.source.commit(files(a=config("one"), b=manifests.deployment()))
    await bed.apply(app_with(bed, **policy))
    await sync(bed)
    await bed.until_status("Synced", "Healthy")
    await bed.clock.sleep(5)


def test_a_sync_that_somebody_asks_for_delivers_what_the_source_has_now() -> None:
    async def story(bed: CountingBed) -> None:
        await delivered(bed)
        sha = bed.source.commit(files(a=config("one", colour="red"), b=manifests.deployment()))
        found = await sync(bed)
        assert found["syncResult"]["revision"] == sha
        assert (await bed.must_get("ConfigMap", "one", "v1"))["data"] == {"colour": "red"}

    tell(story)


@pytest.mark.parametrize(("word", "renders"), [("normal", 0), ("hard", 1), ("nonsense", 0)])
def test_a_refresh_asks_the_source_and_a_hard_one_renders_anew(word: str, renders: int) -> None:
    async def story(bed: CountingBed) -> None:
        await delivered(bed)
        asked, rendered = len(bed.asked.times), bed.rendered.count
        await annotate(bed, **{names.REFRESH: word, names.REFRESH_TIMESTAMP: "2030-01-01T00:00:00Z"})

        async def answered() -> bool:
            return names.REFRESH not in ((await bed.app())["metadata"].get("annotations") or {})

        await bed.until(answered, "the request is answered")
        assert names.REFRESH_TIMESTAMP not in ((await bed.app())["metadata"].get("annotations") or {})
        assert (len(bed.asked.times) - asked, bed.rendered.count - rendered) == (1, renders)

    tell(story)


def test_a_refresh_that_is_asked_for_while_another_is_under_way_is_not_lost() -> None:
    async def story(bed: CountingBed) -> None:
        await delivered(bed)
        bed.source.slow["apps/web"] = lambda: bed.clock.sleep(3)
        await annotate(bed, **{names.REFRESH: "hard", names.REFRESH_TIMESTAMP: "2030-01-01T00:00:00Z"})
        await bed.clock.sleep(1)
        sha = bed.source.commit(files(a=config("one"), b=manifests.deployment(replicas=2)))
        await annotate(bed, **{names.REFRESH: "normal", names.REFRESH_TIMESTAMP: "2030-01-01T00:00:01Z"})

        async def seen() -> bool:
            return bool((await bed.app_status())["sync"]["revision"] == sha)

        await bed.until(seen, "the second request is answered, too")
        assert not (await bed.app())["metadata"].get("annotations")

    tell(story)


def test_a_change_in_the_cluster_asks_no_source_and_renders_nothing() -> None:
    async def story(bed: CountingBed) -> None:
        await delivered(bed)
        asked, rendered = len(bed.asked.times), bed.rendered.count
        bed.source.commit(files(a=config("one", colour="red"), b=manifests.deployment()))
        await bed.patch("ConfigMap", "one", {"data": {"colour": "green"}}, "v1")
        await bed.until_status("OutOfSync", "Healthy")
        await bed.patch("Deployment", "web", {"metadata": {"labels": {"touched": "yes"}}})
        listed = await bed.user.list(await bed.resource("v1", "Pod"), namespace=bed.target)
        await bed.delete("Pod", listed.items[0]["metadata"]["name"], "v1")
        await bed.clock.sleep(30)
        assert (len(bed.asked.times), bed.rendered.count) == (asked, rendered)

    tell(story)


@pytest.mark.parametrize(
    "change",
    [
        {"spec": {"source": {"targetRevision": "release"}}},
        {"spec": {"source": {"directory": {"recurse": True}}}},
        {"spec": {"destination": {"namespace": "elsewhere"}}},
        {"spec": {"ignoreDifferences": [{"kind": "ConfigMap", "jsonPointers": ["/data"]}]}},
    ],
    ids=["revision", "how to render", "destination", "ignored differences"],
)
def test_a_changed_spec_is_compared_at_once(change: dict[str, Any]) -> None:
    async def story(bed: CountingBed) -> None:
        bed.source.commit(files(a=config("one", colour="red")), branch="release")
        await delivered(bed)
        await bed.patch("Application", "web", change, API, bed.control)
        wanted = (await bed.app())["spec"]

        async def compared() -> bool:
            found = (await bed.app_status())["sync"]["comparedTo"]
            return all(found.get(name) == wanted.get(name) for name in ("source", "destination", "ignoreDifferences"))

        await bed.until(compared, "the spec is what was compared")

    tell(story)


def test_the_source_is_asked_again_at_the_interval_and_a_little_later_by_chance() -> None:
    async def story(bed: CountingBed) -> None:
        await delivered(bed)
        bed.asked.times.clear()
        await bed.clock.sleep(2000)
        waits = [after - before for before, after in itertools.pairwise(bed.asked.times)]
        assert len(waits) >= 14
        assert all(100 <= wait <= 130 for wait in waits), waits
        assert len({round(wait, 3) for wait in waits}) > 5, "not always the same"

    tell(story, refresh_interval=100.0, refresh_jitter=30.0)


def test_with_an_interval_of_zero_the_source_is_asked_only_when_somebody_wants_it() -> None:
    async def story(bed: CountingBed) -> None:
        await delivered(bed)
        bed.asked.times.clear()
        await bed.clock.sleep(5_000)
        assert bed.asked.times == []

    tell(story, refresh_interval=0.0)


@pytest.mark.parametrize(("word", "skipped"), [("True", True), ("yes", False)])
def test_an_app_is_left_alone_where_the_annotation_says_yes_as_go_reads_it(word: str, skipped: bool) -> None:
    async def story(bed: CountingBed) -> None:
        await namespace(bed)
        bed.source.commit(files(a=config("one")))
        app = app_with(bed, automated={})
        app["metadata"]["annotations"] = {names.SKIP_RECONCILE: word}
        await bed.apply(app)
        await bed.clock.sleep(30)
        assert bool(await bed.app_status()) is not skipped
        assert (bed.writes == []) is skipped

    tell(story)


PATHS = names.MANIFEST_GENERATE_PATHS


@pytest.mark.parametrize(("path", "synced"), [("docs/readme", False), ("apps/web/b.yaml", True), ("lib/x.yaml", True)])
def test_a_commit_without_changes_below_the_paths_that_count_is_no_new_attempt(path: str, synced: bool) -> None:
    async def story(bed: CountingBed) -> None:
        await namespace(bed)
        before = files(a=config("one"))
        bed.source.commit(before)
        app = app_with(bed, automated={})
        app["metadata"]["annotations"] = {PATHS: ".;/lib"}
        await bed.apply(app)
        await bed.until_delivered()
        first = await state(bed)
        await bed.patch("ConfigMap", "one", {"data": {"colour": "red"}}, "v1")
        await bed.until_status("OutOfSync", "Healthy")
        sha = bed.source.commit({**before, path: config("two")})

        async def seen() -> bool:
            return bool((await bed.app_status())["sync"]["revision"] == sha)

        await bed.until(seen, "the commit is seen")
        await bed.clock.sleep(20)
        assert ((await state(bed))["startedAt"] != first["startedAt"]) is synced
        assert (await bed.must_get("ConfigMap", "one", "v1"))["data"] == {"colour": "blue" if synced else "red"}

    tell(story, refresh_interval=5.0)


def test_a_failed_attempt_counts_for_commits_without_changes_below_the_paths_too() -> None:
    async def story(bed: CountingBed) -> None:
        await namespace(bed)
        before = files(a=config("one"), b=manifests.hook("bad", "PreSync", image="example/job:bad"))
        bed.source.commit(before)
        app = app_with(bed, automated={})
        app["metadata"]["annotations"] = {PATHS: "/apps/web"}
        await bed.apply(app)
        await until_condition(bed, "SyncError")
        failed = await state(bed)
        sha = bed.source.commit({**before, "docs/readme": "hello"})
        await bed.clock.sleep(20)
        assert await conditions(bed) == [("SyncError", f"Failed last sync attempt to [{sha}]: {failed['message']}")]
        assert (await state(bed))["startedAt"] == failed["startedAt"]

    tell(story, refresh_interval=5.0)
