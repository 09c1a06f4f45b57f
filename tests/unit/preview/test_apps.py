"""Which apps a change creates, changes, deletes, moves or renames, and which are proven equal."""

from __future__ import annotations

from typing import Any

from syncline.model.preview import AppAction, EffectKind, ObjectAction
from tests.support.previews import app, objects, previewed, told

CONFIG = objects("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: '1'}}")
OTHER = objects("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: '2'}}")
LIST = objects("{apiVersion: v1, kind: ConfigMap, metadata: {name: b}}")
ELSEWHERE: dict[str, Any] = {"source": {"repoURL": "https://charts.example/x", "chart": "x", "targetRevision": "1.0"}}


def test_apps_with_the_same_objects_are_equal_in_whatever_order() -> None:
    found = previewed([app("a", [*CONFIG, *LIST])], [app("a", [*LIST, *CONFIG])])
    assert (found.equal, found.apps) == (1, ())


def test_apps_are_created_changed_and_deleted() -> None:
    found = previewed([app("a", CONFIG), app("b", LIST)], [app("a", OTHER), app("c", CONFIG)])
    # c delivers what a delivered, but a is still there: c is new, not a with another name.
    actions = {one.name: one.action for one in found.apps}
    assert actions == {
        "argocd/a": AppAction.CHANGED,
        "argocd/b": AppAction.DELETED,
        "argocd/c": AppAction.CREATED,
    }


def test_an_app_that_delivers_the_same_under_another_name_was_renamed() -> None:
    (one,) = previewed([app("old", CONFIG)], [app("new", CONFIG)]).apps
    assert (one.action, one.was, one.name) == (AppAction.RENAMED, "argocd/old", "argocd/new")


def test_an_app_for_another_namespace_has_moved() -> None:
    there: dict[str, Any] = {"destination": {"server": "https://kubernetes.default.svc", "namespace": "other"}}
    (one,) = previewed([app("a", CONFIG)], [app("a", CONFIG, **there)]).apps
    assert one.action is AppAction.MOVED
    assert {item.action for item in one.objects} == {ObjectAction.CREATE, ObjectAction.DELETE}


def test_an_app_that_cannot_be_rendered_is_unknown_unless_nothing_of_it_is_in_this_repository() -> None:
    near, far = app("near", None), app("far", None, **ELSEWHERE)
    found = previewed([near, far], [near, far], is_here=lambda url: "git.example" in url)
    assert (found.unknown, found.equal) == (("argocd/near",), 1)


def test_an_app_that_cannot_be_rendered_and_says_something_else_is_a_change_with_unknown_objects() -> None:
    newer: dict[str, Any] = {"source": {**ELSEWHERE["source"], "targetRevision": "1.1"}}
    found = previewed([app("far", None, **ELSEWHERE)], [app("far", None, **newer)], is_here=lambda _url: False)
    (one,) = found.apps
    assert one.unknown
    assert [(edit.path, edit.before, edit.after) for edit in one.settings] == [
        ("spec.source.targetRevision", "1.0", "1.1")
    ]


def test_an_app_that_no_longer_renders_is_a_danger() -> None:
    found = previewed([app("a", CONFIG)], [app("a", None, problem="no such file")])
    assert told(found, EffectKind.DANGER) == ["argocd/a cannot be rendered: no such file"]


def test_two_apps_of_one_name_are_paired_by_file() -> None:
    import msgspec

    def at(one: object, file: str) -> object:
        origin = msgspec.structs.replace(one.manifest.origin, file=file)  # type: ignore[attr-defined]
        return msgspec.structs.replace(one, manifest=msgspec.structs.replace(one.manifest, origin=origin))  # type: ignore[attr-defined, type-var]

    before = [at(app("a", CONFIG), "east.yaml"), at(app("a", LIST), "west.yaml")]
    after = [at(app("a", LIST), "west.yaml"), at(app("a", CONFIG), "east.yaml")]
    assert previewed(before, after).equal == 2  # type: ignore[arg-type]


def test_applications_that_a_root_delivers_are_told_once() -> None:
    from tests.support.previews import application

    root = app("root", [application("a")])
    changed = app("root", [application("a", project="other")])
    found = previewed([root, app("a", CONFIG)], [changed, app("a", CONFIG, project="other")])
    by_name = {one.name: one for one in found.apps}
    assert (by_name["argocd/root"].objects, by_name["argocd/root"].children) == ((), 1)
    assert [edit.path for edit in by_name["argocd/a"].settings] == ["spec.project"]
