"""Applications of several sources: one renders with the value files of another, revisions and history are lists."""

from typing import Any

import pytest

from syncline.ports.source import ChartRequest
from tests.support import manifests
from tests.support.fake_source import MemoryTree, Open
from tests.support.loops.hybrid import run_hybrid
from tests.support.loops.simulated import run_simulated
from tests.support.stories import AUTO
from tests.support.world import SandboxBed

REPO = "https://git.example/shop.git"
TEMPLATE = manifests.deployment().replace("replicas: 1", "replicas: {{ .Values.replicas }}")
CHART = {
    "chart/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    "chart/values.yaml": "replicas: 1\n",
    "chart/templates/web.yaml": TEMPLATE,
}
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {}\ndata:\n  from: {}\n"


def source(branch: str, **fields: Any) -> dict[str, Any]:
    return {"repoURL": REPO, "targetRevision": branch, **fields}


class Story:
    """A started bed with one Application of several sources."""

    def __init__(self, *sources: dict[str, Any]) -> None:
        self.bed = SandboxBed()
        self.sources = list(sources)
        self.charts: Charts | None = None

    async def deliver(self) -> dict[str, Any]:
        """Start a controller, apply the Application and wait until it is delivered; return its status."""
        await self.bed.start()
        self.controller = self.bed.controller()
        self.controller._world.charts = self.charts
        await self.controller.start()
        app = self.bed.application(automated=AUTO)
        del app["spec"]["source"]
        app["spec"]["sources"] = self.sources
        await self.bed.apply(app)
        await self.bed.until_delivered()
        return await self.bed.app_status()

    async def until_revisions(self, *revisions: str) -> dict[str, Any]:
        async def seen() -> bool:
            return bool((await self.bed.app_status())["sync"].get("revisions") == list(revisions))

        await self.bed.until(seen, "the revisions were seen")
        await self.bed.until_delivered()
        return await self.bed.app_status()

    async def end(self) -> None:
        assert not self.bed.failures
        assert not self.bed.violations
        await self.controller.stop()
        await self.bed.stop()


def test_a_chart_with_the_value_files_of_another_source_is_delivered() -> None:
    async def main() -> None:
        story = Story(
            source("charts", path="chart", helm={"valueFiles": ["$values/prod/web.yaml"]}),
            source("values", ref="values"),
        )
        chart = story.bed.source.commit(CHART, "charts")
        first = story.bed.source.commit({"prod/web.yaml": "replicas: 2\n"}, "values")
        status = await story.deliver()
        assert status["sync"]["revisions"] == [chart, first]
        assert "revision" not in status["sync"]
        assert status["sync"]["comparedTo"]["sources"] == story.sources
        assert status["sourceTypes"] == ["Helm", ""]
        assert (await story.bed.must_get("Deployment", "web"))["spec"]["replicas"] == 2

        second = story.bed.source.commit({"prod/web.yaml": "replicas: 3\n"}, "values")
        status = await story.until_revisions(chart, second)
        assert (await story.bed.must_get("Deployment", "web"))["spec"]["replicas"] == 3
        assert [entry["revisions"] for entry in status["history"]] == [[chart, first], [chart, second]]
        assert [entry["sources"] for entry in status["history"]] == [story.sources, story.sources]
        assert status["operationState"]["syncResult"]["revisions"] == [chart, second]
        await story.end()

    run_hybrid(main())


@pytest.mark.parametrize("seed", range(3))
def test_of_an_object_in_two_sources_the_last_one_wins_and_a_warning_says_so(seed: int) -> None:
    async def main() -> None:
        story = Story(source("one", path="one"), source("two", path="two"))
        shared = CONFIG_MAP.format("shared", "{}")
        one = story.bed.source.commit(
            {"one/a.yaml": shared.format("one"), "one/b.yaml": CONFIG_MAP.format("b", "one")}, "one"
        )
        two = story.bed.source.commit({"two/a.yaml": shared.format("two")}, "two")
        status = await story.deliver()
        assert status["sync"]["revisions"] == [one, two]
        assert (await story.bed.must_get("ConfigMap", "shared", "v1"))["data"] == {"from": "two"}
        assert (await story.bed.must_get("ConfigMap", "b", "v1"))["data"] == {"from": "one"}
        (condition,) = status["conditions"]
        assert condition["type"] == "RepeatedResourceWarning"
        assert condition["message"] == "Resource /ConfigMap/web/shared appeared 2 times among application resources."
        await story.end()

    run_simulated(main, seed=seed)


def test_a_sync_names_a_revision_for_each_source() -> None:
    async def main() -> None:
        story = Story(source("one", path="one"), source("two", path="two"))
        old = story.bed.source.commit({"one/a.yaml": CONFIG_MAP.format("a", "old")}, "one")
        two = story.bed.source.commit({"two/b.yaml": CONFIG_MAP.format("b", "two")}, "two")
        await story.deliver()
        new = story.bed.source.commit({"one/a.yaml": CONFIG_MAP.format("a", "new")}, "one")
        await story.until_revisions(new, two)
        # Who syncs to something older turns automatic sync off first, else the newest comes straight back.
        patch = {"spec": {"syncPolicy": {"automated": None}}, "operation": {"sync": {"revisions": [old, ""]}}}
        await story.bed.patch("Application", "web", patch, "argoproj.io/v1alpha1", story.bed.control)

        async def went_back() -> bool:
            found = await story.bed.must_get("ConfigMap", "a", "v1")
            return bool(found["data"] == {"from": "old"})

        await story.bed.until(went_back, "the older revision was synced")
        status = await story.bed.app_status()
        assert status["operationState"]["syncResult"]["revisions"] == [old, two]
        await story.end()

    run_simulated(main)


class Charts(Open):
    """A Helm repository with one chart in several versions, as the controller asks for it."""

    def __init__(self, **versions: str) -> None:
        self.versions = versions

    async def resolve(self, request: ChartRequest) -> str:
        assert (request.repo_url, request.chart, request.version) == ("https://charts.example", "web", "1.x")
        return max(self.versions).replace("_", ".").removeprefix("v")

    async def tree(self, request: ChartRequest) -> MemoryTree:
        files = {name.removeprefix("chart/"): text for name, text in CHART.items()}
        version = "v" + request.version.replace(".", "_")
        return MemoryTree(request.version, {**files, "values.yaml": self.versions[version]})


def test_a_chart_of_a_helm_repository_with_value_files_from_git_is_delivered() -> None:
    async def main() -> None:
        story = Story(
            {
                "repoURL": "https://charts.example",
                "chart": "web",
                "targetRevision": "1.x",
                "helm": {"valueFiles": ["$values/web.yaml"]},
            },
            source("values", ref="values"),
        )
        values = story.bed.source.commit({"web.yaml": "image: ignored\n"}, "values")
        charts = Charts(v1_0_0="replicas: 1\n")
        story.charts = charts
        status = await story.deliver()
        assert status["sync"]["revisions"] == ["1.0.0", values]
        charts.versions["v1_1_0"] = "replicas: 4\n"
        await story.until_revisions("1.1.0", values)
        assert (await story.bed.must_get("Deployment", "web"))["spec"]["replicas"] == 4
        await story.end()

    run_hybrid(main())


@pytest.mark.parametrize("permitted", [True, False])
def test_a_rollback_goes_back_to_the_sources_of_then_if_the_project_permits_them(permitted: bool) -> None:
    async def main() -> None:
        story = Story(source("one", path="old"))
        files = {"old/a.yaml": CONFIG_MAP.format("a", "old"), "new/a.yaml": CONFIG_MAP.format("a", "new")}
        sha = story.bed.source.commit(files, "one")
        bed, api = story.bed, "argoproj.io/v1alpha1"
        await story.deliver()
        await bed.patch("Application", "web", {"spec": {"sources": [source("one", path="new")]}}, api, bed.control)

        async def has(value: str) -> bool:
            return bool((await bed.must_get("ConfigMap", "a", "v1"))["data"] == {"from": value})

        await bed.until(lambda: has("new"), "the new path was synced")
        await bed.until_delivered()
        then = (await bed.app_status())["history"][0]
        assert (then["sources"], then["revisions"]) == (story.sources, [sha])
        if not permitted:
            then = {**then, "sources": [{**story.sources[0], "repoURL": "https://elsewhere.example/x"}]}
            project = {"spec": {"sourceRepos": ["https://git.example/*"]}}
            await bed.patch("AppProject", "default", project, api, bed.control)
        sync = {"sources": then["sources"], "revisions": then["revisions"]}
        patch = {"spec": {"syncPolicy": {"automated": None}}, "operation": {"sync": sync}}
        await bed.patch("Application", "web", patch, api, bed.control)

        async def ended() -> bool:
            result = (await bed.app_status())["operationState"]
            named = result.get("syncResult", {}).get("sources") == then["sources"]
            return named and result["phase"] in ("Succeeded", "Error", "Failed")

        await bed.until(ended, "the rollback ended")
        assert await has("old" if permitted else "new")
        assert await bed.phase() == ("Succeeded" if permitted else "Error")
        await story.end()

    run_simulated(main)
