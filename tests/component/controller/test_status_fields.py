"""What stands in the status of an Application, field by field, and what Events are told of it."""

from typing import Any

import pytest

from syncline.controller.app_key import AppKey
from syncline.controller.deliver.failures import record_invalid
from syncline.controller.live.cluster import LiveCluster
from syncline.model import names
from syncline.model.settings.settings import Compat
from tests.support import manifests
from tests.support.loops.simulated import run_simulated
from tests.support.manifests import files
from tests.support.played import (
    AUTO,
    COMPATS,
    PickyBed,
    annotate,
    app_with,
    conditions,
    config,
    events,
    namespace,
    state,
    sync,
    tell,
    until_condition,
)
from tests.support.world import API, Bed, SandboxBed, default_project

INGRESS = """\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: front
  annotations:
    link.argocd.argoproj.io/docs: Docs|https://docs.example
    link.argocd.argoproj.io/evil: javascript:alert(1)
spec:
  tls: [{hosts: [shop.example], secretName: cert}]
  rules:
    - host: shop.example
      http:
        paths:
          - {path: /cart/*, pathType: ImplementationSpecific, backend: {service: {name: web, port: {number: 80}}}}
          - {path: /, pathType: Prefix, backend: {service: {name: web, port: {number: 80}}}}
"""


async def begin(bed: Bed, **texts: str) -> str:
    await namespace(bed)
    sha = bed.source.commit(files(**texts))
    await bed.apply(app_with(bed))
    return sha


def test_everything_a_sync_leaves_in_the_status() -> None:
    async def story(bed: Bed) -> None:
        sha = await begin(bed, a=config("one", wave=3))
        await sync(bed, prune=True)
        status = await bed.app_status()
        finished = status["operationState"]["finishedAt"]
        source = {"repoURL": "https://git.example/repo.git", "path": "apps/web", "targetRevision": "main"}
        destination = {"server": "https://kubernetes.default.svc", "namespace": bed.target}
        assert status["sync"] == {
            "status": "Synced",
            "revision": sha,
            "comparedTo": {"source": source, "destination": destination},
        }
        assert status["health"] == {"status": "Healthy", "lastTransitionTime": finished}
        assert status["resources"] == [
            {
                "version": "v1",
                "kind": "ConfigMap",
                "namespace": bed.target,
                "name": "one",
                "status": "Synced",
                "syncWave": 3,
            }
        ]
        assert status["reconciledAt"] >= finished
        assert (status["sourceType"], status["controllerNamespace"]) == ("Directory", bed.control)
        operation = status["operationState"]["operation"]
        assert (operation["sync"], operation["initiatedBy"]) == ({"prune": True}, {"username": "ann"})
        result = status["operationState"]["syncResult"]
        assert (result["revision"], result["source"]) == (sha, source)
        (entry,) = status["history"]
        assert entry == {
            "id": 0,
            "revision": sha,
            "source": source,
            "deployStartedAt": status["operationState"]["startedAt"],
            "deployedAt": finished,
            "initiatedBy": {"username": "ann"},
        }
        assert set(status) == {
            "sync",
            "health",
            "resources",
            "operationState",
            "history",
            "reconciledAt",
            "sourceType",
            "controllerNamespace",
        }

    tell(story)


def test_with_several_sources_everything_about_them_is_a_list() -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        sha = bed.source.commit({**files(a=config("one")), "more/b.yaml": config("two")})
        app = app_with(bed)
        source = app["spec"].pop("source")
        app["spec"]["sources"] = sources = [source, {**source, "path": "more"}]
        await bed.apply(app)
        await sync(bed)
        status = await bed.app_status()
        assert (status["sync"]["revisions"], status["sync"]["comparedTo"]["sources"]) == ([sha, sha], sources)
        assert "revision" not in status["sync"]
        assert status["sourceTypes"] == ["Directory", "Directory"]
        assert "sourceType" not in status
        result, (entry,) = status["operationState"]["syncResult"], status["history"]
        assert (result["revisions"], result["sources"]) == ([sha, sha], sources)
        assert (entry["revisions"], entry["sources"]) == ([sha, sha], sources)
        await bed.clock.sleep(3)
        assert ("Normal", "OperationCompleted", f"Sync operation to {sha}, {sha} succeeded") in await events(bed)

    tell(story)


@pytest.mark.parametrize(("limit", "kept"), [(None, 10), (3, 3), (0, 0)])
def test_history_keeps_ten_entries_or_as_many_as_the_app_says(limit: int | None, kept: int) -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        app = app_with(bed)
        if limit is not None:
            app["spec"]["revisionHistoryLimit"] = limit
        bed.source.commit(files(a=config("one")))
        await bed.apply(app)
        for _ in range(12):
            await sync(bed)
        ids = [entry["id"] for entry in (await bed.app_status()).get("history") or ()]
        assert len(ids) == kept
        assert ids == list(range(12 - kept, 12))

    tell(story)


def test_the_summary_has_the_images_of_live_pods_and_the_addresses_of_ingresses_and_links() -> None:
    async def story(bed: Bed) -> None:
        web = manifests.deployment(image="example/web:1").replace(
            "    spec:\n      containers:",
            "    spec:\n      initContainers: [{name: first, image: 'example/job:1'}]\n      containers:",
        )
        await begin(bed, a=web, b=INGRESS, c=config("one"))
        await annotate(bed, **{"link.argocd.argoproj.io/wiki": "https://wiki.example"})
        found = await sync(bed)
        images = {row["name"]: row.get("images") for row in found["syncResult"]["resources"]}
        assert images == {"web": ["example/web:1"], "front": None, "one": None}

        async def shown() -> bool:
            return bool((await bed.app_status()).get("summary", {}).get("images") == ["example/job:1", "example/web:1"])

        await bed.until(shown, "the images of the pods")
        assert (await bed.app_status())["summary"]["externalURLs"] == [
            "Docs|https://docs.example",
            "https://shop.example/",
            "https://shop.example/cart/",
            "https://wiki.example",
        ]
        quiet = INGRESS.replace(
            "  annotations:\n", "  annotations:\n    argocd.argoproj.io/ignore-default-links: 'true'\n"
        )
        bed.source.commit(files(a=web, b=quiet, c=config("one")))
        await sync(bed)
        assert (await bed.app_status())["summary"]["externalURLs"] == [
            "Docs|https://docs.example",
            "https://wiki.example",
        ]

    tell(story)


def test_an_app_of_apps_is_called_one_and_what_argo_cd_noted_about_health_goes() -> None:
    async def story(bed: Bed) -> None:
        child = (
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: child, namespace: argocd}\n"
            "spec:\n  project: default\n"
            "  source: {repoURL: https://git.example/repo.git, path: child, targetRevision: main}\n"
            "  destination: {server: https://kubernetes.default.svc, namespace: web}\n"
        )
        await namespace(bed)
        bed.source.commit({**files(a=child), "child/b.yaml": config("two")})
        await bed.apply(app_with(bed))
        await bed.clock.sleep(1)
        marked = {"status": {"resourceHealthSource": "appTree"}}
        await bed.patch("Application", "web", marked, API, bed.control)
        await bed.patch("Application", "web", {"operation": {"sync": {}}}, API, bed.control)

        async def told() -> bool:
            return bool((await bed.app_status()).get("summary") == {"isAppOfApps": True})

        await bed.until(told, "it is an app of apps")
        assert "resourceHealthSource" not in await bed.app_status(), "the health of rows stands in the rows"
        assert "summary" not in await bed.app_status("child")

    tell(story)


@pytest.mark.parametrize(
    ("texts", "rest", "kind", "message"),
    [
        (
            {"a": config("one"), "b": config("one")},
            {},
            "RepeatedResourceWarning",
            "Resource /ConfigMap/web/one appeared 2 times among application resources.",
        ),
        ({"a": config("one")}, {"destination": {}}, "InvalidSpecError", "Destination server missing from app spec"),
        (
            {"a": config("one")},
            {"project": "lost"},
            "InvalidSpecError",
            "Application referencing project lost which does not exist",
        ),
        (
            {"a": config("one")},
            {"source": {"repoURL": "https://git.example/repo.git"}},
            "InvalidSpecError",
            "spec.source.repoURL and either spec.source.path or spec.source.chart are required",
        ),
        (
            {"a": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\n"},
            {},
            "ComparisonError",
            "Failed to load target state: ",
        ),
    ],
)
def test_conditions_have_argo_cds_types_and_words(
    texts: dict[str, str], rest: dict[str, Any], kind: str, message: str
) -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        bed.source.commit(files(**texts))
        app = bed.application(**rest)
        await bed.apply(app)
        assert (await until_condition(bed, kind)).startswith(message)

    tell(story)


@pytest.mark.parametrize("compat", COMPATS)
def test_errors_of_a_spec_make_sync_and_health_unknown_and_go_with_it(compat: Compat) -> None:
    async def story(bed: Bed) -> None:
        await begin(bed, a=config("one"))
        await sync(bed)
        await bed.patch("Application", "web", {"spec": {"project": "lost"}}, API, bed.control)
        await bed.until_status("Unknown", "Unknown")
        project = default_project(bed.control)
        project["metadata"]["name"] = "lost"
        await bed.apply(project)
        await bed.until_status("Synced", "Healthy")
        assert await conditions(bed) == []

    tell(story, compat)


def test_an_app_that_cannot_be_read_is_told_so_keeps_other_conditions_and_its_refresh_is_answered() -> None:
    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        app = bed.application()
        app["metadata"]["annotations"] = {names.SKIP_RECONCILE: "true", names.REFRESH: "hard"}
        stored = await bed.apply(app)
        time = "2029-01-01T00:00:00Z"
        warned = {"type": "OrphanedResourceWarning", "message": "as it was", "lastTransitionTime": time}
        await bed.patch("Application", "web", {"status": {"conditions": [warned]}}, API, bed.control)
        world = bed.world()
        live = LiveCluster(world.home, world.settings, world.clock, on_change=lambda _obj: None)
        await live.start()
        await live.ready()
        resource, key = await bed.resource(API, "Application"), AppKey(bed.control, "web")
        for _ in range(2):
            await record_invalid(world, live, resource, key, "spec.source: it is not a source")
            await bed.clock.sleep(1)
        found = await bed.app()
        told = found["status"]
        assert (told["sync"]["status"], told["health"]["status"]) == ("Unknown", "Unknown")
        assert [(one["type"], one["message"]) for one in told["conditions"]] == [
            ("InvalidSpecError", "spec.source: it is not a source"),
            ("OrphanedResourceWarning", "as it was"),
        ]
        assert told["conditions"][1]["lastTransitionTime"] == time
        assert names.REFRESH not in found["metadata"]["annotations"]
        assert len(bed.writes) == 1, "what is known already is not written again"
        assert found["metadata"]["uid"] == stored["metadata"]["uid"]
        await live.stop()
        await bed.stop()

    run_simulated(main)


def test_a_partial_sync_and_changes_of_health_are_told_in_events() -> None:
    async def story(bed: PickyBed) -> None:
        sha = await begin(bed, a=manifests.deployment(), b=config("one"))
        await sync(bed, resources=[{"kind": "ConfigMap", "name": "one"}])
        await bed.clock.sleep(3)
        await sync(bed)
        await bed.until_status("Synced", "Healthy")
        await bed.clock.sleep(3)
        bed.forbidden.add(("PATCH", "/configmaps/one"))
        await bed.patch("ConfigMap", "one", {"data": {"colour": "red"}}, "v1")
        await sync(bed)
        await bed.clock.sleep(3)
        told = await events(bed)
        words = "one or more objects failed to apply, reason: ConfigMap/one: simulated Forbidden"
        assert [event for event in told if event[1] != "ResourceUpdated"] == [
            ("Normal", "OperationCompleted", f"Partial sync operation to {sha} succeeded"),
            ("Normal", "OperationCompleted", f"Sync operation to {sha} succeeded"),
            ("Warning", "OperationCompleted", f"Sync operation to {sha} failed: {words}"),
        ]
        joined = [message for _, reason, message in told if reason == "ResourceUpdated"]
        changes = [part for message in joined for part in message.split("; ")]
        assert "Updated sync status: OutOfSync -> Synced" in changes
        assert "Updated sync status: Synced -> OutOfSync" in changes
        assert any(message.startswith("Updated health status: ") and "-> Healthy" in message for message in changes)

    tell(story)


def test_nothing_is_written_about_an_app_that_stays_as_it_is() -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        bed.source.commit(files(a=config("one")))
        await bed.apply(app_with(bed, automated=AUTO))
        await bed.until_delivered()
        await bed.clock.sleep(5)
        written, version = len(bed.writes), (await bed.app())["metadata"]["resourceVersion"]
        await bed.clock.sleep(3600)
        assert bed.writes[written:] == []
        assert (await bed.app())["metadata"]["resourceVersion"] == version
        assert (await state(bed))["phase"] == "Succeeded"

    tell(story)
