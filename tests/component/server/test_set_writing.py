"""ApplicationSets over the API: held to a project when they are written, marked, and no way around the mark."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import orjson
import pytest

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object
from syncline.model import crds
from tests.support.web import Got, Site, app, on_site, project

API = "argoproj.io/v1alpha1"
SETS = "/api/v1/applicationsets"
MARK = "syncline.io/project"
POLICY = """\
p, ann, applicationsets, *, team/*, allow
p, ben, applicationsets, *, */*, allow
p, ben, applications, *, root/*, allow
p, eve, applicationsets, *, team/*, allow
p, eve, applicationsets, create, other/*, allow
p, eve, applicationsets, update, other/*, allow
"""


def appset(
    project: str | None, *generators: Any, name: str = "fleet", annotations: Object | None = None, **spec: Any
) -> Object:
    inner = app("x", "", "argocd")["spec"]
    template = {k: v for k, v in {**inner, "project": project}.items() if v is not None}
    metadata: Object = {"name": name, "namespace": "argocd"}
    if annotations is not None:
        metadata["annotations"] = annotations
    return {
        "apiVersion": API,
        "kind": "ApplicationSet",
        "metadata": metadata,
        "spec": {
            "generators": list(generators) or [{"list": {"elements": [{"name": "web"}]}}],
            "template": {"metadata": {"name": "{{name}}"}, "spec": template},
            **spec,
        },
    }


def over(project: str) -> Object:
    """Return a generator whose own template names a project."""
    shown = {"metadata": {}, "spec": {"project": project, "destination": {}, "source": {"repoURL": ""}}}
    return {"list": {"elements": [{"name": "web"}], "template": shown}}


def play(story: Callable[[Site], Awaitable[None]], **options: Any) -> None:
    async def main(site: Site) -> None:
        await site.bed.apply(crds.applicationset_crd())
        await site.bed.until(lambda: site.bed.served("applicationsets"), "ApplicationSets to be served")
        await site.settle()
        await story(site)

    on_site(main, policy=POLICY, **options)


async def stored(site: Site, name: str = "fleet") -> Object | None:
    return await site.bed.get("ApplicationSet", name, API, site.bed.control)


async def mark(site: Site, name: str = "fleet") -> str | None:
    found = await stored(site, name)
    assert found is not None
    return (found["metadata"].get("annotations") or {}).get(MARK)


MATRIX = {"matrix": {"generators": [{"list": {"elements": [{"name": "web"}]}}, over("other")]}}


@pytest.mark.parametrize(
    ("wanted", "status", "words"),
    [
        pytest.param(appset("other"), 403, "permission denied", id="another project"),
        pytest.param(appset("team", over("other")), 400, "spec.generators[0].list.template", id="generator template"),
        pytest.param(appset("team", MATRIX), 400, "spec.generators[0].matrix.generators[1].list", id="in a matrix"),
        pytest.param(
            appset("team", templatePatch="spec:\n  project: other\n"),
            400,
            "spec.templatePatch.spec.project",
            id="patch",
        ),
        pytest.param(appset("team", annotations={MARK: "other"}), 200, "", id="its own mark is not taken"),
        pytest.param(appset("team", annotations={MARK: ""}), 200, "", id="nor an empty one"),
        pytest.param(appset("team", over("{{name}}")), 200, "", id="what only the generation can tell"),
    ],
)
def test_tenant_writes_only_sets_of_their_project_and_each_is_marked(wanted: Object, status: int, words: str) -> None:
    async def story(site: Site) -> None:
        ann = await site.as_("ann")
        answer = await ann.post(SETS, wanted)
        assert answer.status == status, answer.body
        if status == 200:
            assert await mark(site) == "team"
            assert answer.json["metadata"]["annotations"][MARK] == "team"
        else:
            assert words in answer.json["message"]
            assert await stored(site) is None

    play(story)


@pytest.mark.parametrize("project", [None, "", "{{p}}", "te{{p}}am"])
def test_only_admins_write_sets_whose_project_is_a_template_or_missing(project: str | None) -> None:
    async def story(site: Site) -> None:
        wanted = appset(project)
        # Ben may write every set, and is not an admin for that: he may not change every project.
        refused = await (await site.as_("ben")).post(SETS, wanted)
        assert (refused.status, refused.json["code"]) == (403, 7), refused.body
        assert "only admins" in refused.json["message"]
        assert await stored(site) is None
        if project is None:
            return  # Its schema refuses that to everybody.
        root = await site.as_("admin")
        assert (await root.post(SETS, wanted)).status == 200
        assert await mark(site) is None
        again = await (await site.as_("ben")).post(f"{SETS}?upsert=true", wanted)
        assert again.status == 403

    play(story)


@pytest.mark.parametrize("annotations", [None, {}, {MARK: ""}, {MARK: "other"}, {"other": "x"}])
def test_tenant_cannot_change_or_drop_the_mark(annotations: Object | None) -> None:
    async def story(site: Site) -> None:
        ann = await site.as_("ann")
        assert (await ann.post(SETS, appset("team"))).status == 200
        await site.settle()
        changed = appset("team", {"list": {"elements": [{"name": "api"}]}}, annotations=annotations)
        assert (await ann.post(f"{SETS}?upsert=true", changed)).status == 200
        assert await mark(site) == "team"

    play(story)


def test_tenants_write_marks_a_set_that_an_admin_wrote() -> None:
    async def story(site: Site) -> None:
        root, ann = await site.as_("admin"), await site.as_("ann")
        assert (await root.post(SETS, appset("team"))).status == 200
        assert await mark(site) is None
        await site.settle()
        changed = appset("team", {"list": {"elements": [{"name": "api"}]}})
        assert (await ann.post(f"{SETS}?upsert=true", changed)).status == 200
        assert await mark(site) == "team"

    play(story)


def test_admin_keeps_the_mark_unless_it_is_cleared() -> None:
    async def story(site: Site) -> None:
        root, ann = await site.as_("admin"), await site.as_("ann")
        assert (await ann.post(SETS, appset("team"))).status == 200
        await site.settle()
        upsert = f"{SETS}?upsert=true"
        assert (await root.post(upsert, appset("{{p}}"))).status == 200
        assert await mark(site) == "team", "a template does not make it the operator's"
        assert (await root.post(upsert, appset("other"))).status == 200
        assert await mark(site) == "other", "the mark follows the project"
        wrong = await root.post(upsert, appset("team", annotations={MARK: "other"}))
        assert (wrong.status, MARK in wrong.json["message"]) == (400, True)
        assert (await root.post(upsert, appset("other", annotations={MARK: ""}))).status == 200
        assert await mark(site) is None

    play(story)


def test_set_is_overwritten_with_rights_to_both_projects_only() -> None:
    async def story(site: Site) -> None:
        root = await site.as_("admin")
        assert (await root.post(SETS, appset("other"))).status == 200
        # The watch of the server has not seen it: what is stored decides.
        await site.settle()
        site.backend.live.index.remove(await stored(site) or {})
        answer = await (await site.as_("ann")).post(f"{SETS}?upsert=true", appset("team"))
        assert answer.status == 403
        assert (await stored(site) or {})["spec"]["template"]["spec"]["project"] == "other"
        # Eve has rights to both.
        moved = await (await site.as_("eve")).post(f"{SETS}?upsert=true", appset("team"))
        assert moved.status == 200, moved.body
        assert await mark(site) == "team"

    play(story)


def test_set_is_deleted_with_rights_to_the_project_it_is_stored_with() -> None:
    async def story(site: Site) -> None:
        root, ann = await site.as_("admin"), await site.as_("ann")
        assert (await root.post(SETS, appset("team"))).status == 200
        await site.settle()
        before = await stored(site) or {}
        assert (await root.post(f"{SETS}?upsert=true", appset("other"))).status == 200
        await site.settle()
        index = site.backend.live.index
        index.remove(await stored(site) or {})
        index.put({**before, "metadata": {**before["metadata"], "resourceVersion": "999999"}})
        assert (await ann.delete(f"{SETS}/fleet")).status == 403
        assert await stored(site) is not None

    play(story)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/v1/applications?upsert=true", app("moved", "team", "argocd")),
        ("PUT", "/api/v1/applications/moved", app("moved", "team", "argocd")),
        ("PUT", "/api/v1/applications/moved/spec", app("moved", "team", "argocd")["spec"]),
        ("PATCH", "/api/v1/applications/moved", {"patch": '{"metadata":{"labels":{"a":"b"}}}', "patchType": "merge"}),
    ],
)
def test_application_is_judged_as_it_is_stored_and_not_as_a_watch_saw_it(method: str, path: str, body: Any) -> None:
    async def story(site: Site) -> None:
        bed = site.bed
        before = await bed.apply(app("moved", "team", bed.control))
        ann = await site.as_("ann")
        await site.settle()
        after = await bed.apply(app("moved", "other", bed.control))
        await site.settle()
        # The server still sees the Application in the project that Ann has rights on.
        index = site.backend.live.index
        index.remove(after)
        index.put({**before, "metadata": {**before["metadata"], "resourceVersion": "999999"}})
        answer = await ann.ask(method, path, body)
        assert (answer.status, answer.json["code"]) == (403, 7), answer.body
        now = await bed.app("moved")
        assert (now["spec"]["project"], "a" in now["metadata"]["labels"]) == ("other", False)

    on_site(story, policy="p, ann, applications, *, team/*, allow\n")


def test_set_in_another_namespace_needs_a_project_that_lists_it() -> None:
    async def story(site: Site) -> None:
        root = await site.as_("admin")
        wanted = appset("team")
        wanted["metadata"]["namespace"] = "elsewhere"
        refused = await root.post(SETS, wanted)
        assert refused.status == 400
        assert "elsewhere" in refused.json["message"]

    play(story)


def test_tree_of_a_set_has_the_applications_with_its_uid() -> None:
    async def story(site: Site) -> None:
        root = await site.as_("admin")
        made = (await root.post(SETS, appset("team"))).json
        for name, uid in (("mine", made["metadata"]["uid"]), ("older", "uid-of-an-older-set")):
            owned = app(name, "team", site.bed.control)
            owner = {"apiVersion": API, "kind": "ApplicationSet", "name": "fleet", "uid": uid, "controller": True}
            owned["metadata"]["ownerReferences"] = [{**owner, "blockOwnerDeletion": True}]
            owned["metadata"]["finalizers"] = ["example.com/keep-from-garbage-collection"]
            await site.bed.apply(owned)
        await site.settle()
        nodes = (await root.get(f"{SETS}/fleet/resource-tree")).json["nodes"]
        assert [node["name"] for node in nodes] == ["mine"]

    play(story)


ROOT = {
    "set.yaml": yaml.dump(appset("team", name="child-set")),
    "app.yaml": yaml.dump(app("child-app", "other", "argocd")),
    "project.yaml": yaml.dump(project("child-project", "argocd")),
}


def with_root(story: Callable[[Site], Awaitable[None]]) -> None:
    """Play a story in which the app `root`, on which Ben has all rights, delivers a set, an app and a project."""

    async def main(site: Site) -> None:
        bed = site.bed
        bed.source.commit({f"apps/web/{name}": text for name, text in ROOT.items()})
        await bed.apply(project("root", bed.control))
        root = app("root", "root", bed.control)
        root["spec"]["destination"]["namespace"] = bed.control
        root["spec"]["syncPolicy"]["automated"] = {}
        await bed.apply(root)
        for kind, name in (
            ("ApplicationSet", "child-set"),
            ("Application", "child-app"),
            ("AppProject", "child-project"),
        ):

            async def there(kind: str = kind, name: str = name) -> bool:
                return await bed.get(kind, name, API, bed.control) is not None

            await bed.until(there, f"{kind} {name} is delivered")
        await bed.quiet()
        await site.settle()
        await story(site)

    play(main, delivered=True)


def resource(kind: str, name: str, **more: str) -> str:
    query = {"group": "argoproj.io", "kind": kind, "namespace": "argocd", "resourceName": name, "version": "v1alpha1"}
    asked = "&".join(f"{key}={value}" for key, value in {**query, **more}.items())
    return f"/api/v1/applications/root/resource?{asked}"


async def patched(site: Site, who: str, kind: str, name: str, patch: Any) -> Got:
    media = "application/json-patch%2Bjson" if isinstance(patch, list) else "application/merge-patch%2Bjson"
    browser = await site.as_(who)
    return await browser.post(resource(kind, name, patchType=media), orjson.dumps(patch).decode())


def test_right_to_the_parent_app_is_not_a_right_to_what_decides_about_rights() -> None:
    async def story(site: Site) -> None:
        before = [
            await site.bed.get(kind, name, API, site.bed.control)
            for kind, name in (("Application", "child-app"), ("AppProject", "child-project"))
        ]
        attempts = [
            ("Application", "child-app", {"spec": {"project": "root"}}),
            ("Application", "child-app", {"metadata": {"labels": {"x": "y"}}}),
            ("AppProject", "child-project", {"spec": {"description": "mine"}}),
            ("AppProject", "child-project", [{"op": "add", "path": "/spec/description", "value": "mine"}]),
        ]
        for kind, name, patch in attempts:
            answer = await patched(site, "ben", kind, name, patch)
            assert (answer.status, answer.json["code"]) == (403, 7), (kind, patch, answer.body)
        ben = await site.as_("ben")
        for kind, name in (("Application", "child-app"), ("AppProject", "child-project")):
            assert (await ben.delete(resource(kind, name))).status == 403, kind
        after = [
            await site.bed.get(kind, name, API, site.bed.control)
            for kind, name in (("Application", "child-app"), ("AppProject", "child-project"))
        ]
        assert [one["spec"] for one in after if one] == [one["spec"] for one in before if one]

    with_root(story)


def test_set_that_is_patched_as_an_object_of_an_app_is_held_to_its_project_and_marked() -> None:
    async def story(site: Site) -> None:
        def generator(*made: Object) -> Object:
            return {"spec": {"generators": list(made)}}

        escape = await patched(site, "ben", "ApplicationSet", "child-set", generator(over("other")))
        assert (escape.status, "belongs to project team" in escape.json["message"]) == (400, True), escape.body
        templated = {"spec": {"template": {"spec": {"project": "{{p}}"}}}}
        assert (await patched(site, "ben", "ApplicationSet", "child-set", templated)).status == 403
        status = await patched(site, "ben", "ApplicationSet", "child-set", {"status": {"conditions": []}})
        assert status.status == 400
        fine = generator({"list": {"elements": [{"name": "one"}]}})
        answer = await patched(site, "ben", "ApplicationSet", "child-set", fine)
        assert answer.status == 200, answer.body
        assert await mark(site, "child-set") == "team"
        drop = {"metadata": {"annotations": {MARK: None}}}
        assert (await patched(site, "ben", "ApplicationSet", "child-set", drop)).status == 200
        assert await mark(site, "child-set") == "team"
        assert (await patched(site, "admin", "ApplicationSet", "child-set", drop)).status == 200
        assert await mark(site, "child-set") is None

    with_root(story)
