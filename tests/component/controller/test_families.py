"""Apps of apps, apps that manage themselves, apps in other namespaces, and objects that are somebody's or nobody's."""

from typing import Any

import pytest

from syncline.model import names
from syncline.model.settings.settings import TrackingMethod
from tests.support import manifests
from tests.support.manifests import files
from tests.support.played import (
    AUTO,
    FINALIZER,
    app_with,
    conditions,
    config,
    delete_app,
    namespace,
    sync,
    tell,
    until_condition,
    until_gone,
)
from tests.support.world import API, Bed, default_project

CHILD = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: child
  namespace: argocd
  finalizers: {finalizers}
spec:
  project: default
  source: {{repoURL: https://git.example/repo.git, path: child, targetRevision: main}}
  destination: {{server: https://kubernetes.default.svc, namespace: web}}
  syncPolicy: {{automated: {{}}}}
"""


async def family(bed: Bed, finalizers: str = "[]") -> None:
    """Deliver a parent with one child."""
    await namespace(bed)
    child = CHILD.format(finalizers=finalizers)
    bed.source.commit({**files(a=child, b=config("own")), "child/b.yaml": config("one")})
    app = app_with(bed, automated=AUTO)
    app["metadata"]["finalizers"] = [FINALIZER]
    await bed.apply(app)
    await until_there(bed)
    await bed.until_delivered("child")
    await bed.until_delivered()
    await bed.clock.sleep(2)


async def until_there(bed: Bed) -> None:
    async def there() -> bool:
        return await bed.find_app("child") is not None

    await bed.until(there, "the child is there")


@pytest.mark.parametrize(("finalizers", "left"), [("[]", True), (f"[{FINALIZER}]", False)])
def test_with_the_parent_goes_the_child_and_its_objects_only_if_it_says_so(finalizers: str, left: bool) -> None:
    async def story(bed: Bed) -> None:
        await family(bed, finalizers)
        await delete_app(bed)
        await until_gone(bed, "Application", "child", API, bed.control)
        await bed.quiet()
        assert (await bed.get("ConfigMap", "one", "v1") is not None) is left

    tell(story)


@pytest.mark.parametrize(("finalizers", "left"), [("[]", True), (f"[{FINALIZER}]", False)])
def test_a_child_that_git_no_longer_has_is_pruned_like_any_object(finalizers: str, left: bool) -> None:
    async def story(bed: Bed) -> None:
        await family(bed, finalizers)
        bed.source.commit({**files(b=config("own")), "child/b.yaml": config("one")})
        await until_gone(bed, "Application", "child", API, bed.control)
        assert (await bed.get("ConfigMap", "one", "v1") is not None) is left
        await bed.until_delivered()

    tell(story)


def test_what_people_ask_of_a_child_is_no_difference_of_the_parent_and_its_spec_is() -> None:
    async def story(bed: Bed) -> None:
        await family(bed)
        since = len(bed.writes)
        asked = {"metadata": {"annotations": {names.REFRESH: "normal"}}, "operation": {"sync": {}}}
        await bed.patch("Application", "child", asked, API, bed.control)
        await bed.quiet()
        assert await bed.status() == ("Synced", "Healthy")
        assert not [
            line for line in bed.writes[since:] if "/applications/child" in line and "fieldManager=argocd" in line
        ]
        await bed.patch("Application", "child", {"spec": {"source": {"path": "elsewhere"}}}, API, bed.control)

        async def healed() -> bool:
            return bool((await bed.app("child"))["spec"]["source"]["path"] == "child")

        await bed.until(healed, "the parent puts it right")

    tell(story)


def test_a_parent_is_as_healthy_as_its_children_and_waits_for_them_in_waves() -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        child = CHILD.format(finalizers="[]")
        bad = manifests.deployment(image="example/web:missing")
        bed.source.commit({**files(a=child, b=config("late", wave=1)), "child/web.yaml": bad})
        await bed.apply(app_with(bed, automated=AUTO))
        await until_there(bed)
        await bed.until_status("Synced", "Progressing", "child")
        await bed.quiet()
        assert await bed.get("ConfigMap", "late", "v1") is None
        assert (await bed.status())[1] == "Progressing"
        bed.source.commit(
            {**files(a=child, b=config("late", wave=1)), "child/web.yaml": manifests.deployment(image="example/web:2")}
        )
        await bed.until_delivered("child")
        await bed.until_delivered()
        assert await bed.get("ConfigMap", "late", "v1") is not None

    tell(story)


def test_objects_that_were_there_before_are_adopted_without_a_restart() -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        await bed.apply(with_namespace(bed))

        async def ready() -> bool:
            return bool(((await bed.must_get("Deployment", "web")).get("status") or {}).get("availableReplicas"))

        await bed.until(ready, "it runs")
        before = await bed.must_get("Deployment", "web")
        pods = await pod_names(bed)
        bed.source.commit(files(a=manifests.deployment()))
        await bed.apply(app_with(bed, automated=AUTO))
        await bed.until_delivered()
        after = await bed.must_get("Deployment", "web")
        assert after["metadata"]["annotations"][names.TRACKING_ID] == f"web:apps/Deployment:{bed.target}/web"
        # A new annotation counts in the generation of a Deployment, and changes nothing else.
        assert (after["metadata"]["uid"], after["spec"]) == (before["metadata"]["uid"], before["spec"])
        assert await pod_names(bed) == pods

    tell(story)


def with_namespace(bed: Bed) -> dict[str, Any]:
    pod = {"containers": [{"name": "main", "image": "example/web:1"}]}
    labels = {"app": "web"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": bed.target},
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
    }


async def pod_names(bed: Bed) -> list[str]:
    listed = await bed.user.list(await bed.resource("v1", "Pod"), namespace=bed.target)
    return sorted(item["metadata"]["name"] for item in listed.items)


@pytest.mark.parametrize(
    ("method", "marks"),
    [
        (TrackingMethod.ANNOTATION, ("team-a_web:/ConfigMap:web/one", None)),
        (TrackingMethod.LABEL, (None, "team-a_web")),
        (TrackingMethod.ANNOTATION_AND_LABEL, ("team-a_web:/ConfigMap:web/one", "team-a_web")),
    ],
)
def test_an_app_in_another_namespace_marks_its_objects_with_both_names(
    method: TrackingMethod, marks: tuple[str | None, str | None]
) -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}})
        project = default_project(bed.control)
        project["spec"]["sourceNamespaces"] = ["team-a"]
        await bed.apply(project)
        bed.source.commit(files(a=config("one")))
        app = app_with(bed, automated=AUTO)
        app["metadata"]["namespace"] = "team-a"
        app["metadata"]["finalizers"] = [FINALIZER]
        await bed.apply(app)

        async def delivered() -> bool:
            found = await bed.get("Application", "web", API, "team-a")
            return bool(((found or {}).get("status") or {}).get("sync", {}).get("status") == "Synced")

        await bed.until(delivered, "delivered")
        metadata = (await bed.must_get("ConfigMap", "one", "v1"))["metadata"]
        found = metadata.get("annotations") or {}
        assert (
            found.get(names.TRACKING_ID),
            (metadata.get("labels") or {}).get("app.kubernetes.io/instance"),
        ) == marks
        status = ((await bed.get("Application", "web", API, "team-a")) or {})["status"]
        assert status["controllerNamespace"] == bed.control
        await bed.patch("ConfigMap", "one", {"data": {"colour": "red"}}, "v1")

        async def healed() -> bool:
            return bool((await bed.must_get("ConfigMap", "one", "v1"))["data"] == {"colour": "blue"})

        await bed.until(healed, "its objects find it by their mark")
        await bed.delete("Application", "web", API, "team-a")
        await until_gone(bed, "Application", "web", API, "team-a")
        assert await bed.get("ConfigMap", "one", "v1") is None

    tell(story, tracking=method, application_namespaces=("team-*",))


@pytest.mark.parametrize(
    ("rules", "count"),
    [
        (None, 0),
        ({"warn": False}, 0),
        ({}, 2),
        ({"warn": True, "ignore": [{"group": "", "kind": "ConfigMap", "name": "stray-*"}]}, 1),
    ],
)
def test_a_project_that_watches_for_orphans_is_warned_of_them(rules: dict[str, Any] | None, count: int) -> None:
    async def story(bed: Bed) -> None:
        project = default_project(bed.control)
        if rules is not None:
            project["spec"]["orphanedResources"] = rules
        await bed.apply(project)
        await namespace(bed)
        bed.source.commit(files(a=config("one")))
        await bed.apply(app_with(bed))
        await sync(bed)
        for name, kind in (("stray-1", "ConfigMap"), ("other", "Secret")):
            metadata = {"name": name, "namespace": bed.target}
            await bed.apply({"apiVersion": "v1", "kind": kind, "metadata": metadata})
        await bed.clock.sleep(2)
        words = [("OrphanedResourceWarning", f"Application has {count} orphaned resources")]
        assert await conditions(bed) == (words if count else [])
        assert (await bed.status())[0] == "Synced"
        await bed.delete("Secret", "other", "v1")
        await bed.delete("ConfigMap", "stray-1", "v1")
        await bed.clock.sleep(2)
        assert await conditions(bed) == []

    tell(story)


def test_an_object_that_two_apps_want_is_told_on_both_and_goes_with_neither() -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        bed.source.commit({**files(a=config("one"), b=config("mine")), "other/a.yaml": config("one")})
        await bed.apply(app_with(bed))
        await sync(bed)
        other = bed.application("other")
        other["spec"]["source"]["path"] = "other"
        await bed.apply(other)

        async def warned() -> bool:
            return bool(await conditions(bed, "other"))

        await bed.until(warned, "the other app is warned")
        assert await conditions(bed, "other") == [
            (
                "SharedResourceWarning",
                (
                    "ConfigMap/one is part of applications argocd/other and argocd/web:"
                    " argocd/web (apps/web/a.yaml:1) owns it, argocd/other (other/a.yaml:1) does not write it"
                ),
            )
        ]
        bed.source.commit({**files(b=config("mine")), "other/a.yaml": config("one")})
        found = await sync(bed, prune=True)
        rows = {row["name"]: (row["status"], row["message"]) for row in found["syncResult"]["resources"]}
        assert rows["one"] == ("PruneSkipped", "ignored (another app desires it)")
        assert await bed.get("ConfigMap", "one", "v1") is not None
        assert await until_condition_gone(bed)

    tell(story)


async def until_condition_gone(bed: Bed) -> bool:
    await bed.clock.sleep(1)
    return all(kind != "SharedResourceWarning" for kind, _ in await conditions(bed))


def test_an_app_of_which_another_took_an_object_is_warned() -> None:
    async def story(bed: Bed) -> None:
        await namespace(bed)
        bed.source.commit(files(a=config("one")))
        await bed.apply(app_with(bed))
        await sync(bed)
        mark = {"metadata": {"annotations": {names.TRACKING_ID: f"team-a_theirs:/ConfigMap:{bed.target}/one"}}}
        await bed.patch("ConfigMap", "one", mark, "v1")
        told = await until_condition(bed, "SharedResourceWarning")
        assert told == (
            "ConfigMap/one is part of applications argocd/web and team-a/theirs:"
            " team-a/theirs does not exist here, so argocd/web takes it over once that is approved (syncline app adopt)"
        )

    tell(story)
