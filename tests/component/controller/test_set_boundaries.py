"""ApplicationSets of tenants on the sandbox: none leaves its project or takes another tenant's Application."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.model.settings.parts import ApplicationSets
from syncline.model.settings.settings import Compat
from tests.support.judged_sets import CASES, replay
from tests.support.judged_sets.case import Respec, elements, go
from tests.support.sets import REPO, Sets, app_spec, appset, listed, play
from tests.support.world import API

ESCAPE = {
    "list": {
        "elements": [{"name": "evil"}],
        "template": {"metadata": {}, "spec": {"project": "default", "destination": {}, "source": {"repoURL": ""}}},
    }
}


def project(name: str, *, namespaces: tuple[str, ...] = ()) -> Object:
    return {
        "apiVersion": API,
        "kind": "AppProject",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": {
            "sourceRepos": ["*"],
            "destinations": [{"server": "*", "namespace": f"{name}-*"}],
            "sourceNamespaces": list(namespaces),
        },
    }


def team_set(*generators: Any, project: str = "team-a", name: str = "set", **spec: Any) -> Object:
    template = {"metadata": {"name": "{{name}}"}, "spec": app_spec(project=project)}
    return appset(*generators, name=name, template=template, **spec)


async def begin(sets: Sets) -> None:
    await sets.bed.apply(project("team-a", namespaces=("a-sets",)))
    await sets.bed.apply(project("team-b"))


async def wanted_parts(sets: Sets) -> list[Any]:
    """Return the part of every Application that a set decides about."""
    await sets.bed.still()
    resource = await sets.bed.resource(API, "Application")
    apps = (await sets.bed.user.list(resource, namespace=sets.bed.control)).items
    kept = ("name", "uid", "ownerReferences", "labels", "annotations", "finalizers", "deletionTimestamp")
    return [[[app["metadata"].get(name) for name in kept], app["spec"]] for app in apps]


@pytest.mark.parametrize("compat", list(Compat))
def test_generator_template_cannot_leave_the_project_and_nothing_is_written(compat: Compat) -> None:
    async def story(sets: Sets) -> None:
        await begin(sets)
        await sets.bed.apply(team_set(listed("one", "two")))
        await sets.until_apps("one", "two")
        await sets.until_fine()
        before = await wanted_parts(sets)
        await sets.bed.apply(team_set(listed("two", "three"), ESCAPE))
        await sets.until_error("Application evil would be in project default")
        assert await wanted_parts(sets) == before
        await sets.bed.apply(team_set(listed("two", "three")))
        await sets.until_apps("two", "three")
        await sets.until_fine()

    play(story, compat=compat)


def test_unowned_application_of_another_project_is_never_adopted() -> None:
    async def story(sets: Sets) -> None:
        await begin(sets)
        await sets.bed.apply(sets.bed.application("payments", project="team-b"))
        before = await wanted_parts(sets)
        await sets.bed.apply(team_set(listed("payments", "mine")))
        await sets.until_error("Application payments exists and is not in project team-a")
        assert await wanted_parts(sets) == before

    play(story)


def test_unowned_application_of_the_same_project_is_adopted() -> None:
    async def story(sets: Sets) -> None:
        await begin(sets)
        await sets.bed.apply(sets.bed.application("web", project="team-a"))
        await sets.bed.apply(team_set(listed("web")))
        await sets.until_fine()
        (owner,) = (await sets.bed.app("web"))["metadata"]["ownerReferences"]
        assert (owner["kind"], owner["name"]) == ("ApplicationSet", "set")

    play(story)


def test_deleted_set_lets_go_of_its_own_applications_only() -> None:
    async def story(sets: Sets) -> None:
        await begin(sets)
        keeping = team_set(listed("mine"), syncPolicy={"applicationsSync": "create-update"})
        keeping["metadata"]["finalizers"] = ["resources-finalizer.argocd.argoproj.io"]
        await sets.bed.apply(keeping)
        await sets.until_apps("mine")
        foreign = sets.bed.application("theirs", project="team-b")
        older = {"apiVersion": API, "kind": "ApplicationSet", "name": "set", "uid": "older", "controller": True}
        foreign["metadata"]["ownerReferences"] = [{**older, "blockOwnerDeletion": True}]
        foreign["metadata"]["finalizers"] = ["example.com/keep-from-garbage-collection"]
        await sets.bed.apply(foreign)
        await sets.until_fine()
        await sets.bed.delete("ApplicationSet", "set", API, sets.bed.control)

        async def released() -> bool:
            return "ownerReferences" not in (await sets.bed.app("mine"))["metadata"]

        await sets.bed.until(released, "mine is let go")
        (owner,) = (await sets.bed.app("theirs"))["metadata"]["ownerReferences"]
        assert owner["uid"] == "older"

    play(story)


def test_set_in_another_namespace_generates_only_into_projects_that_list_it() -> None:
    async def story(sets: Sets) -> None:
        await begin(sets)
        bed = sets.bed
        await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a-sets"}})
        template = {"metadata": {"name": "{{name}}"}, "spec": app_spec(project="{{p}}")}
        generator = {"list": {"elements": [{"name": "one", "p": "team-a"}, {"name": "two", "p": "team-b"}]}}
        obj = appset(generator, template=template)
        obj["metadata"]["namespace"] = "a-sets"
        await bed.apply(obj)

        async def refused() -> bool:
            stored = await bed.get("ApplicationSet", "set", API, "a-sets") or {}
            conditions = (stored.get("status") or {}).get("conditions") or ()
            return any(
                "Application two would be in project team-b" in one["message"] and "sourceNamespaces" in one["message"]
                for one in conditions
            )

        await bed.until(refused, "the set is refused")
        assert await bed.get("Application", "one", API, "a-sets") is None
        await bed.apply(project("team-b", namespaces=("a-*",)))

        async def both() -> bool:
            return all([await bed.get("Application", name, API, "a-sets") is not None for name in ("one", "two")])

        await bed.until(both, "a change of the project wakes the set")

    namespaces = ("a-sets",)
    play(story, sets=ApplicationSets(namespaces=namespaces), application_namespaces=namespaces)


def test_set_that_its_project_does_not_permit_there_asks_for_nothing() -> None:
    async def story(sets: Sets) -> None:
        await begin(sets)
        bed = sets.bed
        await bed.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a-sets"}})
        asked: list[str] = []

        async def note() -> None:
            asked.append("the repository")

        bed.source.commit({"apps/web/x.yaml": ""})
        bed.source.slow[""] = note
        generator = {"git": {"repoURL": REPO, "revision": "main", "directories": [{"path": "apps/*"}]}}
        for name, owner in (("foreign", "team-b"), ("own", "team-a")):
            template = {"metadata": {"name": f"{name}-app"}, "spec": app_spec("apps/web", project=owner)}
            obj = appset(generator, name=name, template=template)
            obj["metadata"]["namespace"] = "a-sets"
            await bed.apply(obj)

            async def judged(name: str = name) -> bool:
                stored = await bed.get("ApplicationSet", name, API, "a-sets") or {}
                return bool((stored.get("status") or {}).get("conditions"))

            await bed.until(judged, f"{name} is judged")
            assert bool(asked) == (name == "own"), "only the set of the permitted project reads the repository"

    namespaces = ("a-sets",)
    play(story, sets=ApplicationSets(namespaces=namespaces), application_namespaces=namespaces)


def test_moved_application_is_moved_back() -> None:
    async def story(sets: Sets) -> None:
        await begin(sets)
        await sets.bed.apply(team_set(listed("web")))
        await sets.until_apps("web")
        await sets.bed.patch("Application", "web", {"spec": {"project": "team-b"}}, API, sets.bed.control)

        async def back() -> bool:
            return bool((await sets.bed.app("web"))["spec"]["project"] == "team-a")

        await sets.bed.until(back, "the project is the set's again")
        await sets.until_fine()

    play(story)


SOME = 5
"""Every so many of the judged sets run here; `test_judged_sets.py` compares others with Argo CD's verdicts."""
FLEET = [
    go(
        "root-fleet",
        elements({"name": "web", "p": "default"}, {"name": "db", "p": "platform"}),
        app={"project": "{{.p}}"},
        steps=(Respec({"generators": [elements({"name": "web", "p": "platform"}, {"name": "db", "p": "default"})]}),),
        before=({**project("platform"), "metadata": {"name": "platform", "namespace": "argocd"}},),
    )
]


@pytest.mark.parametrize("compat", list(Compat))
def test_operators_sets_see_no_refusal(compat: Compat) -> None:
    cases = [*CASES[::SOME], *FLEET]
    verdicts = replay.on_sandbox(cases, compat)
    assert len(verdicts) == len(cases)
    refused = {
        name: told
        for name, steps in verdicts.items()
        for told in steps
        if "ProjectBoundaryError" in str(told) or "change its project first" in str(told)
    }
    assert refused == {}
    assert set(verdicts["root-fleet"][-1]["apps"]) == {"root-fleet-web", "root-fleet-db"}
