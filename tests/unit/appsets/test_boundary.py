"""What a set generates stays in its project, and it takes no Application of another one."""

from collections.abc import Mapping
from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.appset.boundary import Bounds
from syncline.core.appset.changes import Controller
from syncline.core.appset.decide import AppFacts, SetDecision, SetSnapshot, decide
from syncline.core.appset.generate import generate
from syncline.core.policy.set_tenancy import tenancy
from syncline.model.cluster import KnownCluster
from syncline.model.project import AppProject, parse
from syncline.model.settings.parts import ApplicationSets
from syncline.model.settings.settings import Compat, Settings

HOME = "argocd"
SERVER = "https://kubernetes.default.svc"
OWN_UID = "uid-of-the-set"


def project(name: str, **spec: Any) -> AppProject:
    return parse({"metadata": {"name": name}, "spec": spec})


PROJECTS = {
    one.metadata.name: one
    for one in (
        project("default", destinations=[{"server": "*", "namespace": "*"}]),
        project("team-a", destinations=[{"server": "*", "namespace": "a-*"}], sourceNamespaces=["a-sets"]),
        project("team-b", destinations=[{"server": "*", "namespace": "b-*"}]),
    )
}
ELEMENTS = [{"name": "web", "project": "team-a"}, {"name": "api", "project": "team-b"}]


def template(project: str | None, name: str = "{{.name}}") -> Object:
    spec: Object = {"source": {"repoURL": "https://git.example/a"}, "destination": {"server": SERVER}}
    return {"metadata": {"name": name}, "spec": spec if project is None else {**spec, "project": project}}


def appset(
    project: str | None, *generators: Object, namespace: str = HOME, mark: str = "", status: Any = None, **spec: Any
) -> Object:
    return {
        "metadata": {
            "name": "fleet",
            "namespace": namespace,
            "uid": OWN_UID,
            "annotations": {"syncline.io/project": mark} if mark else {},
        },
        "spec": {
            "goTemplate": True,
            "generators": list(generators) or [{"list": {"elements": [{"name": "web"}]}}],
            "template": template(project),
            **spec,
        },
        "status": status or {},
    }


def over(project: str, *elements: Object) -> Object:
    """Return a generator whose own template names a project."""
    shown = {"metadata": {"name": "{{.name}}"}, "spec": {"project": project}}
    return {"list": {"elements": list(elements) or [{"name": "web"}], "template": shown}}


def snapshot(
    obj: Object, apps: Mapping[str, AppFacts] | None = None, live: Mapping[str, Object] | None = None, **settings: Any
) -> SetSnapshot:
    return SetSnapshot(
        appset=obj,
        generated=generate(obj, {}),
        apps=apps or {},
        live=(live or {}).get,
        projects=frozenset(PROJECTS),
        bounds=Bounds(tenancy(obj, PROJECTS.values(), HOME), PROJECTS, HOME),
        clusters=(KnownCluster(name="in-cluster", server=SERVER),),
        settings=Settings(namespace=HOME, **settings),
        now="2026-01-01T00:00:00Z",
    )


def set_controller(name: str, uid: str) -> Controller:
    return Controller("ApplicationSet", name, uid, is_set=True)


def live_app(name: str, project: str, *owners: Object, **more: Any) -> Object:
    metadata: Object = {"name": name, "namespace": HOME, "uid": f"uid-{name}", "resourceVersion": "7"}
    if owners:
        metadata["ownerReferences"] = list(owners)
    return {"metadata": metadata, "spec": {**template(project)["spec"]}, **more}


def owner(name: str, uid: str) -> Object:
    version = "argoproj.io/v1alpha1"
    return {"apiVersion": version, "kind": "ApplicationSet", "name": name, "uid": uid, "controller": True}


def error_of(decision: SetDecision) -> tuple[str, str]:
    said = next(one for one in decision.said if one.type == "ErrorOccurred")
    return (said.reason, said.message) if said.holds else ("", "")


def writes(decision: SetDecision) -> list[Any]:
    return [*decision.create, *decision.change, *decision.delete]


ESCAPES = [
    pytest.param(appset("team-a", over("team-b")), "spec.generators[0].list.template.spec.project", id="generator"),
    pytest.param(
        appset("team-a", over("{{.project}}", *ELEMENTS)),
        "spec.generators[0].list.template.spec.project",
        id="templated project in a generator, one of two outside",
    ),
    pytest.param(
        appset(
            "team-a",
            {
                "matrix": {
                    "generators": [{"list": {"elements": [{"name": "web"}]}}, {"list": {"elements": [{"x": "1"}]}}],
                    "template": {"metadata": {}, "spec": {"project": "default"}},
                }
            },
        ),
        "spec.generators[0].matrix.template.spec.project",
        id="matrix",
    ),
    pytest.param(
        appset(
            "team-a",
            {
                "merge": {
                    "mergeKeys": ["name"],
                    "generators": [{"list": {"elements": [{"name": "web"}]}}, {"list": {"elements": []}}],
                    "template": {"metadata": {}, "spec": {"project": "default"}},
                }
            },
        ),
        "spec.generators[0].merge.template.spec.project",
        id="merge",
    ),
    pytest.param(
        appset("{{.project}}", {"list": {"elements": ELEMENTS}}, mark="team-a"),
        "spec.template.spec.project",
        id="marked set with a templated project",
    ),
    pytest.param(appset("team-b", mark="team-a"), "syncline.io/project", id="marked for another project"),
    pytest.param(appset(None, mark="team-a"), "spec.template.spec.project", id="marked set without a project"),
    pytest.param(appset("default", over("team-b")), "generators[0]", id="literal project that is admin-equivalent"),
    pytest.param(appset("team-a", over("team-b"), namespace="a-sets"), "generators[0]", id="in another namespace"),
    pytest.param(
        appset("{{.project}}", {"list": {"elements": ELEMENTS}}, namespace="a-sets"),
        "spec.sourceNamespaces",
        id="templated project in another namespace",
    ),
    pytest.param(appset("team-b", namespace="a-sets"), "spec.sourceNamespaces", id="project without the namespace"),
    pytest.param(appset("gone", namespace="a-sets"), "spec.sourceNamespaces", id="unknown project elsewhere"),
    pytest.param(appset(None, namespace="a-sets"), "spec.sourceNamespaces", id="no project elsewhere"),
]


@pytest.mark.parametrize("compat", list(Compat))
@pytest.mark.parametrize(("obj", "place"), ESCAPES)
def test_set_cannot_generate_outside_its_project(obj: Object, place: str, compat: Compat) -> None:
    decision = decide(snapshot(obj, compat=compat))
    reason, message = error_of(decision)
    assert writes(decision) == []
    assert reason == "ProjectBoundaryError"
    assert place in message
    assert decision.refused


def test_refusal_names_application_both_projects_and_place() -> None:
    _, message = error_of(decide(snapshot(appset("team-a", over("team-b")))))
    for words in ("Application web", "project team-b", "project team-a", "spec.generators[0].list.template"):
        assert words in message


@pytest.mark.parametrize(
    "obj",
    [
        pytest.param(appset("team-a"), id="literal project"),
        pytest.param(appset("team-a", over("team-a")), id="generator repeats the project"),
        pytest.param(appset("team-a", over("{{.p}}", {"name": "web", "p": "team-a"})), id="template gives the project"),
        pytest.param(appset("team-a", templatePatch="spec: {project: team-b}"), id="templatePatch cannot move it"),
        pytest.param(appset("{{.project}}", {"list": {"elements": ELEMENTS}}), id="operator's templated project"),
        pytest.param(appset("{{.project}}", over("team-b")), id="operator's generator template"),
        pytest.param(appset("team-a", mark="team-a"), id="marked with its project"),
        pytest.param(appset("team-a", namespace="a-sets"), id="permitted namespace"),
        pytest.param(
            appset("{{.p}}", {"list": {"elements": [{"name": "web", "p": "team-a"}]}}, namespace="a-sets"),
            id="templated project that permits the namespace",
        ),
    ],
)
def test_set_inside_its_project_is_not_refused(obj: Object) -> None:
    decision = decide(snapshot(obj))
    assert error_of(decision) == ("", "")
    assert decision.create


def test_refused_set_neither_deletes_nor_shrinks_nor_moves_its_rollout() -> None:
    entries = [{"application": "old", "status": "Healthy", "step": "1", "lastTransitionTime": "t", "message": "m"}]
    rolling = {"type": "RollingSync", "rollingSync": {"steps": [{"matchExpressions": []}]}}
    obj = appset("team-a", over("team-b"), strategy=rolling, status={"applicationStatus": entries})
    old = AppFacts("old", 1, set_controller("fleet", OWN_UID), "team-a")
    apps = {"old": old, "web": AppFacts("web", 1, set_controller("fleet", OWN_UID), "team-a")}
    decision = decide(snapshot(obj, apps, application_sets=ApplicationSets(progressive_syncs=True)))
    assert writes(decision) == []
    assert list(decision.entries) == entries
    assert "approve" not in error_of(decision)[1]


FOREIGN = [
    pytest.param(AppFacts("web", 1, None, "team-b"), id="unowned"),
    pytest.param(AppFacts("web", 1, set_controller("fleet", "older"), "team-b"), id="of a set that had this name"),
    pytest.param(AppFacts("web", 1, set_controller("other", "another"), "team-b"), id="of another set"),
    pytest.param(AppFacts("web", 1, Controller("Thing", "x", "y", is_set=False), "team-b"), id="of something else"),
]


@pytest.mark.parametrize("facts", FOREIGN)
def test_set_cannot_take_an_application_of_another_project(facts: AppFacts) -> None:
    elements = {"list": {"elements": [{"name": "web"}, {"name": "new"}]}}
    decision = decide(snapshot(appset("team-a", elements), {"web": facts}, {"web": live_app("web", "team-b")}))
    assert writes(decision) == []
    assert error_of(decision)[0] == "ProjectBoundaryError"
    assert "team-b" not in error_of(decision)[1], "the other project is not named to whoever may not see it"


@pytest.mark.parametrize("facts", FOREIGN)
def test_operators_set_leaves_an_application_of_another_project_alone_and_goes_on(facts: AppFacts) -> None:
    elements = {"list": {"elements": [{"name": "web", "p": "team-a"}, {"name": "new", "p": "team-a"}]}}
    decision = decide(snapshot(appset("{{.p}}", elements), {"web": facts}, {"web": live_app("web", "team-b")}))
    assert [one["metadata"]["name"] for one in decision.create] == ["new"]
    assert not decision.change
    assert "web" in error_of(decision)[1]


@pytest.mark.parametrize("old", [(), (owner("fleet", "older"),)], ids=["unowned", "set of this name that is gone"])
def test_free_application_of_the_same_project_is_adopted(old: tuple[Object, ...]) -> None:
    controller = set_controller("fleet", "older") if old else None
    apps = {"web": AppFacts("web", 1, controller, "team-a")}
    decision = decide(snapshot(appset("team-a"), apps, {"web": live_app("web", "team-a", *old)}))
    (change,) = decision.change
    assert [one["uid"] for one in change.patch["metadata"]["ownerReferences"]] == [OWN_UID]


@pytest.mark.parametrize(
    "controller",
    [set_controller("other", "another"), Controller("Thing", "x", "y", is_set=False)],
    ids=["another set", "something else"],
)
def test_application_that_something_else_controls_is_left_alone(controller: Controller) -> None:
    elements = {"list": {"elements": [{"name": "web"}, {"name": "new"}]}}
    apps = {"web": AppFacts("web", 1, controller, "team-a")}
    decision = decide(snapshot(appset("team-a", elements), apps, {"web": live_app("web", "team-a")}))
    assert [one["metadata"]["name"] for one in decision.create] == ["new"]
    assert not decision.change
    assert f"already owned by {controller}" in error_of(decision)[1]


def test_only_applications_with_the_uid_of_the_set_are_deleted() -> None:
    apps = {
        "web": AppFacts("web", 1, set_controller("fleet", OWN_UID), "team-a"),
        "mine": AppFacts("mine", 1, set_controller("fleet", OWN_UID), "team-a"),
        "older": AppFacts("older", 1, set_controller("fleet", "older"), "team-a"),
        "other": AppFacts("other", 1, set_controller("other", OWN_UID + "-2"), "team-a"),
        "free": AppFacts("free", 1, None, "team-a"),
    }
    live = {name: live_app(name, "team-a") for name in apps}
    decision = decide(snapshot(appset("team-a"), apps, live))
    assert [one.name for one in decision.delete] == ["mine"]


def test_own_application_that_was_moved_to_another_project_is_moved_back_without_its_operation() -> None:
    asked = {"sync": {"revision": "evil"}}
    live = live_app("web", "team-b", owner("fleet", OWN_UID), operation=asked)
    apps = {"web": AppFacts("web", 1, set_controller("fleet", OWN_UID), "team-b")}
    (change,) = decide(snapshot(appset("team-a"), apps, {"web": live})).change
    assert change.patch["spec"] == {"project": "team-a"}
    assert change.patch["operation"] is None


def test_operation_stays_where_the_project_stays() -> None:
    live = live_app("web", "team-a", owner("fleet", OWN_UID), operation={"sync": {}})
    apps = {"web": AppFacts("web", 1, set_controller("fleet", OWN_UID), "team-a")}
    decision = decide(snapshot(appset("team-a"), apps, {"web": live}))
    assert all("operation" not in one.patch for one in decision.change)


def test_set_that_moves_to_another_project_takes_its_own_applications_along() -> None:
    live = live_app("web", "team-a", owner("fleet", OWN_UID))
    apps = {"web": AppFacts("web", 1, set_controller("fleet", OWN_UID), "team-a")}
    (change,) = decide(snapshot(appset("team-b"), apps, {"web": live})).change
    assert change.patch["spec"] == {"project": "team-b"}
