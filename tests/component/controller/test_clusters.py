"""Many clusters: Secrets describe them, an app names one, and one that is away concerns its own apps only."""

import gc
import weakref
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import Object
from syncline.controller.live.cluster import LiveCluster
from syncline.model.progress import TroubleReported
from syncline.model.settings.settings import Compat
from syncline.sandbox.cluster.controls import Controls, Fault
from tests.support.fleet import Fleet, describe
from tests.support.loops.simulated import run_simulated
from tests.support.stories import AUTO, FILES
from tests.support.world import API, SETTINGS, SandboxBed

Told = Callable[[SandboxBed, Fleet], Awaitable[None]]


def play(told: Told, *clusters: str, settings: Any = SETTINGS) -> None:
    async def main() -> None:
        bed, fleet = SandboxBed(settings=settings), Fleet(*clusters)
        bed.connector = fleet
        await bed.start()
        await fleet.start()
        for member in fleet.members.values():
            await bed.apply(describe(bed.control, member.name, member.server))
        controller = bed.controller()
        await controller.start()
        bed.source.commit(FILES)
        await told(bed, fleet)
        assert not bed.failures
        assert not bed.violations
        await controller.stop()
        await fleet.stop()
        await bed.stop()

    run_simulated(main)


def app_on(bed: SandboxBed, called: str, **destination: str) -> Object:
    return bed.application(called, automated=AUTO, destination={"namespace": bed.target, **destination})


async def delivered_to(fleet: Fleet, name: str) -> bool:
    return await fleet.members[name].get("deployments", "Deployment", "apps/v1", "web", "web") is not None


def test_an_app_is_delivered_to_the_cluster_its_destination_names() -> None:
    async def told(bed: SandboxBed, fleet: Fleet) -> None:
        await bed.apply(app_on(bed, "by-name", name="east"))
        await bed.apply(app_on(bed, "by-server", server="https://west.example:6443"))
        await bed.until_delivered("by-name")
        await bed.until_delivered("by-server")
        assert [await delivered_to(fleet, name) for name in ("east", "west", "north")] == [True, True, False]
        assert await bed.get("Deployment", "web") is None
        assert sorted(fleet.opened) == ["https://east.example:6443", "https://west.example:6443"]

    play(told, "east", "west", "north")


async def sentence(bed: SandboxBed, name: str) -> str:
    async def said() -> bool:
        return bool((await bed.app_status(name)).get("conditions"))

    await bed.until(said, "a condition")
    status = await bed.app_status(name)
    assert (status["sync"]["status"], status["health"]["status"]) == ("Unknown", "Unknown")
    conditions = status["conditions"]
    assert [item["type"] for item in conditions] == ["InvalidSpecError"]
    return str(conditions[0]["message"])


@pytest.mark.parametrize(
    ("destination", "words"),
    [
        (
            {"name": "east", "server": "https://east.example:6443"},
            "application destination can't have both name and server defined: east https://east.example:6443",
        ),
        ({}, "Destination server missing from app spec"),
        ({"name": "south"}, "there are no clusters with this name: south"),
        ({"server": "https://south.example"}, 'error getting cluster by server "https://south.example"'),
        (
            {"name": "twin"},
            "there are 2 clusters with the same name: [https://one.example:6443 https://two.example:6443]",
        ),
    ],
)
def test_a_destination_that_names_no_single_cluster_is_said_in_argo_cds_words(
    destination: dict[str, str], words: str
) -> None:
    async def told(bed: SandboxBed, _fleet: Fleet) -> None:
        for name in ("one", "two"):
            await bed.apply(describe(bed.control, "twin", f"https://{name}.example:6443", secret=f"cluster-{name}"))
        await bed.apply(app_on(bed, "web", **destination))
        assert (await sentence(bed, "web")).startswith(words)

    play(told, "east")


@pytest.mark.parametrize(
    ("destination", "words"),
    [
        ({"name": "west"}, "cluster Secret argocd/cluster-west: config is not JSON (fix the Secret cluster-west"),
        (
            {"server": "https://west.example:6443"},
            "cluster Secret argocd/cluster-west: config is not JSON (fix the Secret cluster-west",
        ),
        ({"name": "south"}, "there are no clusters with this name: south"),
    ],
)
def test_an_app_of_a_cluster_whose_secret_cannot_be_read_says_which_secret_and_field(
    destination: dict[str, str], words: str
) -> None:
    async def told(bed: SandboxBed, _fleet: Fleet) -> None:
        await bed.apply(describe(bed.control, "west", "https://west.example:6443", config="{token: secret-word"))
        await bed.apply(app_on(bed, "web", **destination))
        said = await sentence(bed, "web")
        assert said.startswith(words)
        assert "secret-word" not in said
        troubles = [event for event in bed.events.seen if isinstance(event, TroubleReported)]
        assert [event.message for event in troubles if event.app == "/cluster/cluster-west"] == [
            "cluster Secret argocd/cluster-west: config is not JSON"
        ]

    play(told, "east")


def project(bed: SandboxBed, name: str, **spec: Any) -> Object:
    rules = {"sourceRepos": ["*"], "destinations": [{"server": "*", "namespace": "*"}], **spec}
    rules.setdefault("clusterResourceWhitelist", [{"group": "*", "kind": "*"}])
    return {
        "apiVersion": API,
        "kind": "AppProject",
        "metadata": {"name": name, "namespace": bed.control},
        "spec": rules,
    }


@pytest.mark.parametrize(
    ("owner", "only_own", "compat", "words"),
    [
        ("others", False, Compat.SYNCLINE, "cluster east belongs to project 'others', so apps of project 'team'"),
        (
            "",
            True,
            Compat.ARGOCD,
            "cluster east belongs to no project, and project 'team' permits only clusters of its",
        ),
        ("others", True, Compat.ARGOCD, "cluster east belongs to project 'others', and project 'team' permits only"),
    ],
)
def test_a_cluster_that_belongs_to_a_project_is_for_its_apps_alone(
    owner: str, compat: Compat, words: str, *, only_own: bool
) -> None:
    async def told(bed: SandboxBed, fleet: Fleet) -> None:
        await _given_to_a_project(bed, fleet, owner, only_own=only_own)
        assert words in await sentence(bed, "web")
        assert not await delivered_to(fleet, "east")

    play(told, "east", settings=msgspec.structs.replace(SETTINGS, compat=compat))


@pytest.mark.parametrize(
    ("owner", "only_own", "compat"),
    [
        ("", False, Compat.SYNCLINE),
        ("team", False, Compat.SYNCLINE),
        ("team", True, Compat.SYNCLINE),
        ("others", False, Compat.ARGOCD),
    ],
)
def test_an_app_is_delivered_to_a_cluster_of_nobody_and_of_its_own_project(
    owner: str, compat: Compat, *, only_own: bool
) -> None:
    async def told(bed: SandboxBed, fleet: Fleet) -> None:
        await _given_to_a_project(bed, fleet, owner, only_own=only_own)
        await bed.until_delivered("web")
        assert await delivered_to(fleet, "east")

    play(told, "east", settings=msgspec.structs.replace(SETTINGS, compat=compat))


async def _given_to_a_project(bed: SandboxBed, fleet: Fleet, owner: str, *, only_own: bool) -> None:
    """Describe a cluster that belongs to a project, and an app of the project `team` that goes there."""
    await bed.apply(project(bed, "team", permitOnlyProjectScopedClusters=only_own))
    await bed.apply(describe(bed.control, "east", fleet.members["east"].server, project=owner))
    app = app_on(bed, "web", name="east")
    app["spec"]["project"] = "team"
    await bed.apply(app)


def test_the_home_cluster_can_be_switched_off() -> None:
    async def told(bed: SandboxBed, _fleet: Fleet) -> None:
        await bed.apply(app_on(bed, "web", name="in-cluster"))
        assert (await sentence(bed, "web")).startswith('cluster "in-cluster" is disabled')

    play(told, settings=msgspec.structs.replace(SETTINGS, in_cluster=False))


@pytest.mark.parametrize("trouble", ["dead", "hanging"])
def test_a_cluster_that_does_not_answer_makes_only_its_own_apps_unknown(trouble: str) -> None:
    async def told(bed: SandboxBed, fleet: Fleet) -> None:
        east, west = fleet.members["east"], fleet.members["west"]
        east.line.down, east.hanging.hangs = trouble == "dead", trouble == "hanging"
        for number in range(25):
            await bed.apply(app_on(bed, f"lost-{number}", name="east", namespace=f"lost-{number}"))
        await bed.apply(app_on(bed, "web", name="west"))
        await bed.until_delivered("web")
        await bed.until_status("Unknown", "Unknown", "lost-7")
        condition = (await bed.app_status("lost-7"))["conditions"][0]
        assert condition["type"] == "ComparisonError"
        assert condition["message"].startswith("Failed to load live state: ")
        assert bed.clock.monotonic() < 100
        east.line.down, east.hanging.hangs = False, False
        await bed.until_delivered("lost-7")
        west.line.down, west.hanging.hangs = trouble == "dead", trouble == "hanging"
        await bed.until_status("Unknown", "Unknown")
        assert await bed.status("lost-7") == ("Synced", "Healthy")
        west.line.down, west.hanging.hangs = False, False
        await bed.until_delivered()

    play(told, "east", "west")


def test_a_cluster_whose_secret_goes_is_closed_and_a_deleted_app_goes_without_its_objects() -> None:
    async def told(bed: SandboxBed, fleet: Fleet) -> None:
        app = app_on(bed, "web", name="east")
        app["metadata"]["finalizers"] = ["resources-finalizer.argocd.argoproj.io"]
        await bed.apply(app)
        await bed.until_delivered()
        await bed.delete("Secret", "cluster-east", "v1", bed.control)
        assert (await sentence(bed, "web")).startswith("there are no clusters with this name: east")
        await bed.delete("Application", "web", API, bed.control)

        async def gone() -> bool:
            return await bed.find_app() is None

        await bed.until(gone, "the Application is gone")
        assert await delivered_to(fleet, "east")

    play(told, "east")


def test_an_app_that_moves_is_delivered_to_its_new_cluster_and_what_it_left_stays() -> None:
    async def told(bed: SandboxBed, fleet: Fleet) -> None:
        await bed.apply(app_on(bed, "web", name="east"))
        await bed.until_delivered()
        await bed.apply(app_on(bed, "web", name="west"))

        async def moved() -> bool:
            return await delivered_to(fleet, "west")

        await bed.until(moved, "delivered to the other cluster")
        await bed.until_delivered()
        assert await delivered_to(fleet, "east")

    play(told, "east", "west")


def test_a_secret_with_namespaces_shows_those_alone() -> None:
    async def told(bed: SandboxBed, fleet: Fleet) -> None:
        east = fleet.members["east"]
        await bed.apply(describe(bed.control, "east", east.server, namespaces="web, shop"))
        for namespace in ("web", "else"):
            obj = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
            resource = await bed.resource("v1", "Namespace")
            await east.user.apply(resource, obj, manager="kubectl")
        app = bed.application("web", automated=AUTO, destination={"namespace": "web", "name": "east"})
        app["spec"]["syncPolicy"]["syncOptions"] = []
        await bed.apply(app)
        await bed.until_delivered()
        outside = bed.application("else", automated=AUTO, destination={"namespace": "else", "name": "east"})
        outside["spec"]["syncPolicy"]["syncOptions"] = []
        await bed.apply(outside)

        async def said() -> bool:
            return bool((await bed.app_status("else")).get("conditions"))

        await bed.until(said, "a condition")
        messages = [item["message"] for item in (await bed.app_status("else"))["conditions"]]
        assert messages == ['Failed to load live state: namespace "else" for ConfigMap "settings" is not managed']
        assert await east.get("deployments", "Deployment", "apps/v1", "else", "web") is None

    play(told, "east")


def test_a_kind_that_cannot_be_listed_is_asked_for_object_by_object() -> None:
    async def told(bed: SandboxBed, fleet: Fleet) -> None:
        refused = Fault(methods=("GET",), path="/api/v1/configmaps", user="syncline", code=403, reason="Forbidden")
        fleet.members["east"].sandbox.controls = Controls(faults=(refused,))
        await bed.apply(app_on(bed, "web", name="east"))
        await bed.until_delivered()

    play(told, "east")


def test_a_kind_that_cannot_be_read_is_unknown_and_the_others_keep_their_verdicts() -> None:
    async def told(bed: SandboxBed, fleet: Fleet) -> None:
        await bed.apply(app_on(bed, "web", name="east"))
        await bed.until_delivered()
        refused = Fault(methods=("GET",), path="/api/v1/*configmaps*", user="syncline", code=403, reason="Forbidden")
        fleet.members["east"].sandbox.controls = Controls(faults=(refused,))
        await bed.delete("Secret", "cluster-east", "v1", bed.control)
        await bed.until_status("Unknown", "Unknown")
        await bed.apply(describe(bed.control, "east", fleet.members["east"].server))

        async def partly() -> bool:
            rows = {row["kind"]: row["status"] for row in (await bed.app_status()).get("resources") or ()}
            return rows == {"ConfigMap": "Unknown", "Deployment": "Synced"}

        await bed.until(partly, "one kind is Unknown")
        messages = [item["message"] for item in (await bed.app_status())["conditions"]]
        assert messages == ["Failed to load live state: these kinds cannot be read: ConfigMap"]

    play(told, "east")


def test_a_paused_cluster_is_left_alone() -> None:
    async def told(bed: SandboxBed, fleet: Fleet) -> None:
        secret = describe(bed.control, "east", fleet.members["east"].server)
        secret["metadata"]["annotations"] = {"argocd.argoproj.io/skip-reconcile": "true"}
        await bed.apply(secret)
        await bed.apply(app_on(bed, "web", name="east"))
        await bed.quiet()
        assert not await delivered_to(fleet, "east")
        assert not await bed.app_status()

    play(told, "east")


def views() -> set[weakref.ref[LiveCluster]]:
    """Return the live views that are there in this process, those of other tests among them."""
    gc.collect()
    return {weakref.ref(one) for one in gc.get_objects() if isinstance(one, LiveCluster)}


def test_of_a_cluster_whose_secret_is_gone_nothing_is_kept() -> None:
    async def told(bed: SandboxBed, fleet: Fleet) -> None:
        before = views()
        await bed.apply(app_on(bed, "web", name="east"))
        await bed.until_delivered()
        opened = views() - before
        assert len(opened) == 1, "that of the cluster the app is delivered to"
        await bed.delete("Application", "web", API, bed.control)
        await bed.delete("Secret", "cluster-east", "v1", bed.control)
        await bed.clock.sleep(60)
        assert not opened & views()

    play(told, "east")
