"""ApplicationSets on the sandbox: Applications are created, changed and deleted as generators and policies say."""

from typing import Any

import pytest

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object
from syncline.core.appset.shrink import digest
from syncline.model.settings.settings import Compat
from tests.support.sets import REPO, Sets, app_spec, appset, listed, play
from tests.support.world import API


def test_applications_come_change_and_go_with_their_parameters() -> None:
    async def story(sets: Sets) -> None:
        bed = sets.bed
        await bed.apply(appset(listed("a", "b")))
        await sets.until_apps("a", "b")
        app = await bed.app("a")
        assert app["metadata"]["finalizers"] == ["resources-finalizer.argocd.argoproj.io"]
        (owner,) = app["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["name"], owner["controller"]) == ("ApplicationSet", "set", True)
        await bed.apply(
            appset(listed("a", "c"), template={"metadata": {"name": "{{name}}"}, "spec": app_spec("x/{{name}}")})
        )
        await sets.until_apps("a", "c")

        async def moved() -> bool:
            return bool((await bed.app("a"))["spec"]["source"]["path"] == "x/a")

        await bed.until(moved, "a reads another folder")
        await sets.until_fine()
        status = await sets.status()
        assert [one["type"] for one in status["conditions"]] == [
            "ErrorOccurred",
            "ParametersGenerated",
            "ResourcesUpToDate",
        ]
        assert status["health"]["status"] == "Healthy"

        async def rows() -> bool:
            found = (await sets.status()).get("resources") or []
            return [one["name"] for one in found] == ["a", "c"]

        await bed.until(rows, "the status lists both")

    play(story)


def test_a_quiet_set_causes_no_writes() -> None:
    async def story(sets: Sets) -> None:
        await sets.bed.apply(appset(listed("a", "b", "c")))
        await sets.until_apps("a", "b", "c")
        await sets.bed.still()
        before = len(sets.bed.writes)
        await sets.bed.quiet()
        assert sets.bed.writes[before:] == []

    play(story)


def test_an_app_that_delivers_a_set_shows_its_health_although_the_set_generates_nothing() -> None:
    async def story(sets: Sets) -> None:
        bed = sets.bed
        generator = {"git": {"repoURL": REPO, "revision": "gone", "directories": [{"path": "apps/*"}]}}
        bed.source.commit({"apps/web/set.yaml": yaml.dump(appset(generator))})
        await bed.apply(bed.application("root", automated={}))
        await bed.until_status("Synced", "Degraded", "root")

    play(story)


def test_a_commit_changes_the_folders_of_a_git_generator() -> None:
    async def story(sets: Sets) -> None:
        generator = {
            "git": {"repoURL": REPO, "revision": "main", "directories": [{"path": "apps/*"}], "requeueAfterSeconds": 20}
        }
        template = {"metadata": {"name": "{{path.basename}}"}, "spec": app_spec("{{path}}")}
        sets.bed.source.commit({"apps/a/x.yaml": "", "apps/b/x.yaml": ""})
        await sets.bed.apply(appset(generator, template=template))
        await sets.until_apps("a", "b")
        sets.bed.source.commit({"apps/b/x.yaml": "", "apps/c/x.yaml": ""})
        await sets.until_apps("b", "c")

    play(story)


def test_a_refresh_asks_at_once_and_the_annotation_goes() -> None:
    async def story(sets: Sets) -> None:
        bed = sets.bed
        generator = {
            "git": {
                "repoURL": REPO,
                "revision": "main",
                "directories": [{"path": "apps/*"}],
                "requeueAfterSeconds": 9000,
            }
        }
        template = {"metadata": {"name": "{{path.basename}}"}, "spec": app_spec("{{path}}")}
        bed.source.commit({"apps/a/x.yaml": ""})
        await bed.apply(appset(generator, template=template))
        await sets.until_apps("a")
        bed.source.commit({"apps/a/x.yaml": "", "apps/c/x.yaml": ""})
        await bed.quiet()
        assert await sets.names() == ["a"]
        refresh = {"metadata": {"annotations": {"argocd.argoproj.io/application-set-refresh": "true"}}}
        await bed.patch("ApplicationSet", "set", refresh, API, bed.control)
        await sets.until_apps("a", "c")

        async def gone() -> bool:
            found = await bed.get("ApplicationSet", "set", API, bed.control)
            return not ((found or {})["metadata"].get("annotations") or {}).get(
                "argocd.argoproj.io/application-set-refresh"
            )

        await bed.until(gone, "the annotation is gone")

    play(story)


def cluster_secret(name: str, **labels: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": name,
            "namespace": "argocd",
            "labels": {"argocd.argoproj.io/secret-type": "cluster", **labels},
        },
        "stringData": {"name": name, "server": f"https://{name}.example", "config": "{}"},
    }


def test_clusters_come_and_go_with_their_secrets() -> None:
    async def story(sets: Sets) -> None:
        bed = sets.bed
        spec = {**app_spec("apps/web"), "destination": {"name": "{{name}}", "namespace": "web"}}
        await bed.apply(cluster_secret("east", env="prod"))
        template = {"metadata": {"name": "{{name}}-web"}, "spec": spec}
        await bed.apply(appset({"clusters": {"selector": {"matchLabels": {"env": "prod"}}}}, template=template))
        await sets.until_apps("east-web")
        await bed.apply(cluster_secret("west", env="prod"))
        await sets.until_apps("east-web", "west-web")
        await bed.delete("Secret", "east", "v1", bed.control)
        await sets.until_apps("west-web")

    play(story)


def test_one_failing_generator_changes_nothing() -> None:
    async def story(sets: Sets) -> None:
        bed = sets.bed
        await bed.apply(appset(listed("a", "b")))
        await sets.until_apps("a", "b")
        broken = {"git": {"repoURL": REPO, "revision": "missing", "directories": [{"path": "*"}]}}
        await bed.apply(appset(listed("a", "c"), broken))
        await sets.until_error("missing")
        await bed.quiet()
        assert await sets.names() == ["a", "b"]
        status = await sets.status()
        assert status["health"]["status"] == "Degraded"
        assert (await sets.condition("ParametersGenerated"))["status"] == "False"
        await bed.apply(appset(listed("a", "c")))
        await sets.until_apps("a", "c")
        await sets.until_fine()

    play(story)


def test_an_application_that_cannot_be_is_left_out_and_not_deleted() -> None:
    async def story(sets: Sets) -> None:
        bed = sets.bed
        await bed.apply(appset(listed("a", "b", project="default"), template=projected()))
        await sets.until_apps("a", "b")
        elements = [{"name": "a", "project": "nobody"}, {"name": "c", "project": "default"}]
        await bed.apply(appset({"list": {"elements": elements}}, template=projected()))
        await sets.until_error("application references project nobody which does not exist")
        await sets.until_apps("a", "c")
        assert (await bed.app("a"))["spec"]["project"] == "default"

    play(story)


def projected() -> Object:
    return {"metadata": {"name": "{{name}}"}, "spec": {**app_spec(), "project": "{{project}}"}}


@pytest.mark.parametrize(
    ("policy", "left", "path"),
    [
        ("sync", ["a", "c"], "new/a"),
        ("create-only", ["a", "b", "c"], "apps/a"),
        ("create-update", ["a", "b", "c"], "new/a"),
        ("create-delete", ["a", "c"], "apps/a"),
    ],
)
def test_a_policy_says_what_may_be_done(policy: str, left: list[str], path: str) -> None:
    async def story(sets: Sets) -> None:
        bed = sets.bed
        chosen: dict[str, Any] = {"syncPolicy": {"applicationsSync": policy}}
        await bed.apply(appset(listed("a", "b"), **chosen))
        await sets.until_apps("a", "b")
        template = {"metadata": {"name": "{{name}}"}, "spec": app_spec("new/{{name}}")}
        await bed.apply(appset(listed("a", "c"), template=template, **chosen))
        await sets.until_apps(*left)
        await bed.quiet()
        assert await sets.names() == left
        assert (await bed.app("a"))["spec"]["source"]["path"] == path

    play(story)


def test_what_others_may_set_stays_and_the_rest_is_put_right() -> None:
    async def story(sets: Sets) -> None:
        bed = sets.bed
        await bed.apply(
            appset(
                listed("a"),
                preservedFields={"annotations": ["team"], "labels": ["tier"]},
                ignoreApplicationDifferences=[{"jsonPointers": ["/spec/source/targetRevision"]}],
            )
        )
        await sets.until_apps("a")
        edit = {
            "metadata": {
                "annotations": {"team": "blue", "stray": "x", "notified.notifications.argoproj.io": "{}"},
                "labels": {"tier": "1", "stray": "x"},
            },
            "spec": {"source": {"targetRevision": "next", "path": "elsewhere"}},
        }
        await bed.patch("Application", "a", edit, API, bed.control)

        async def put_right() -> bool:
            return bool((await bed.app("a"))["spec"]["source"]["path"] == "apps/a")

        await bed.until(put_right, "the path is put right")
        app = await bed.app("a")
        assert app["metadata"]["annotations"] == {"team": "blue", "notified.notifications.argoproj.io": "{}"}
        assert app["metadata"]["labels"] == {"tier": "1"}
        assert app["spec"]["source"]["targetRevision"] == "next"

    play(story)


SEVEN = [f"app-{number}" for number in range(7)]


def test_a_set_that_shrinks_far_waits_for_an_approval() -> None:
    async def story(sets: Sets) -> None:
        bed = sets.bed
        await bed.apply(appset(listed(*SEVEN)))
        await sets.until_apps(*SEVEN)
        await bed.apply(appset(listed("app-0")))
        await sets.until_error("6 of 7 Applications would be deleted")
        message = (await sets.condition("ErrorOccurred"))["message"]
        assert "app-1, app-2, app-3, app-4, app-5, app-6; approve with: syncline appset approve argocd/set" in message
        await bed.quiet()
        assert await sets.names() == SEVEN
        approval = {"metadata": {"annotations": {"syncline.io/approved-deletions": digest(SEVEN[1:])}}}
        await bed.patch("ApplicationSet", "set", approval, API, bed.control)
        await sets.until_apps("app-0")
        await sets.until_fine()

    play(story)


def test_argo_cds_rules_know_no_such_wait() -> None:
    async def story(sets: Sets) -> None:
        await sets.bed.apply(appset(listed(*SEVEN)))
        await sets.until_apps(*SEVEN)
        await sets.bed.apply(appset(listed("app-0")))
        await sets.until_apps("app-0")

    play(story, compat=Compat.ARGOCD)


def test_a_deleted_set_takes_its_applications_along() -> None:
    async def story(sets: Sets) -> None:
        await sets.bed.apply(appset(listed("a", "b")))
        await sets.until_apps("a", "b")
        await sets.bed.delete("ApplicationSet", "set", API, sets.bed.control)
        await sets.until_apps()

    play(story)


def test_a_deleted_set_that_may_not_delete_leaves_its_applications() -> None:
    async def story(sets: Sets) -> None:
        bed = sets.bed
        obj = appset(listed("a", "b"), syncPolicy={"applicationsSync": "create-update"})
        obj["metadata"]["finalizers"] = ["resources-finalizer.argocd.argoproj.io"]
        await bed.apply(obj)
        await sets.until_apps("a", "b")
        await bed.delete("ApplicationSet", "set", API, bed.control)

        async def gone() -> bool:
            return await bed.get("ApplicationSet", "set", API, bed.control) is None

        await bed.until(gone, "the set is gone")
        await bed.quiet()
        assert await sets.names() == ["a", "b"]
        assert "ownerReferences" not in (await bed.app("a"))["metadata"]

    play(story)


def test_two_sets_do_not_fight_over_one_application() -> None:
    async def story(sets: Sets) -> None:
        bed = sets.bed
        await bed.apply(appset(listed("a")))
        await sets.until_apps("a")
        await bed.apply(appset(listed("a", "b"), name="other"))
        await sets.until_apps("a", "b")

        async def told() -> bool:
            return "already owned by ApplicationSet set" in (await sets.condition("ErrorOccurred", "other")).get(
                "message", ""
            )

        await bed.until(told, "the other set is told")
        await bed.still()

    play(story)


def test_decisions_of_other_objects_choose_clusters() -> None:
    async def story(sets: Sets) -> None:
        bed = sets.bed
        schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
        crd = {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "placements.rules.example"},
            "spec": {
                "group": "rules.example",
                "names": {
                    "kind": "Placement",
                    "plural": "placements",
                    "singular": "placement",
                    "listKind": "PlacementList",
                },
                "scope": "Namespaced",
                "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
            },
        }
        await bed.apply(crd)
        await bed.until(lambda: bed.served("placements"), "placements are served")
        told = {"apiVersion": "rules.example/v1", "kind": "placements", "matchKey": "cluster"}
        metadata = {"name": "duck", "namespace": bed.control}
        await bed.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": told})
        await bed.apply(
            {
                "apiVersion": "rules.example/v1",
                "kind": "Placement",
                "metadata": {"name": "fleet", "namespace": bed.control},
                "status": {"clusters": [{"cluster": "in-cluster"}, {"cluster": "unknown"}]},
            }
        )
        generator = {"clusterDecisionResource": {"configMapRef": "duck", "name": "fleet", "requeueAfterSeconds": 5}}
        await bed.apply(appset(generator))
        await sets.until_apps("in-cluster")

    play(story)
