"""Ignore rules of an Application that point at nothing are told; what cannot be known is taken for used."""

from typing import Any

import msgspec
import pytest

from syncline.core.compare.context import for_app
from syncline.model.comparison import IgnoreUse, UnusedRule
from syncline.model.script import Evaluated
from syncline.model.settings.resources import IgnoredFields, ResourceOverride
from syncline.model.settings.settings import Settings
from tests.support.objects import NOW, as_applied, compared, deployment, edited, node_for, prepared, typed_application

FIRST = "spec.ignoreDifferences[0]"
WEB = prepared(deployment())
LIVE = as_applied(WEB.objects[0].obj)


def unused(*entries: dict[str, Any], live: Any = LIVE, settings: Settings | None = None) -> tuple[UnusedRule, ...]:
    app = typed_application(ignoreDifferences=list(entries))
    context = for_app(app, settings or Settings(), node_for, NOW)
    return compared(WEB, *([live] if live else []), in_context=context).unused_rules


def entry(**rest: Any) -> dict[str, Any]:
    return {"group": "apps", "kind": "Deployment", **rest}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (entry(jsonPointers=["/spec/replicas"]), ()),
        (entry(jsonPointers=["/spec/x"]), (UnusedRule(FIRST, "/spec/x matches nothing", "/spec/x"),)),
        (entry(jqPathExpressions=[".spec.replicas"]), ()),
        (entry(jqPathExpressions=[".spec.x"]), (UnusedRule(FIRST, ".spec.x matches nothing", ".spec.x"),)),
        (entry(managedFieldsManagers=["argocd-controller"]), ()),
        (entry(managedFieldsManagers=["hpa"]), (UnusedRule(FIRST, "hpa matches nothing", "hpa"),)),
        (
            entry(name="api", jsonPointers=["/spec"]),
            (UnusedRule(FIRST, "no object of the app is of kind apps/Deployment named api"),),
        ),
        (
            {"kind": "Service", "jsonPointers": ["/spec"]},
            (UnusedRule(FIRST, "no object of the app is of kind Service"),),
        ),
    ],
)
def test_a_rule_is_unused_that_fits_no_object_or_points_at_nothing_on_either_side(
    given: dict[str, Any], expected: tuple[UnusedRule, ...]
) -> None:
    assert unused(given) == expected


def test_a_field_that_only_live_has_is_a_use() -> None:
    live = edited(LIVE, {**LIVE, "spec": {**LIVE["spec"], "paused": True}})
    assert unused(entry(jsonPointers=["/spec/paused"])) != ()
    assert unused(entry(jsonPointers=["/spec/paused"]), live=live) == ()


def test_rules_of_the_settings_are_never_called_unused() -> None:
    override = ResourceOverride(pattern="*/*", ignore_differences=IgnoredFields(json_pointers=("/spec/nothing",)))
    assert unused(settings=Settings(overrides=(override,))) == ()


def test_a_rule_for_an_object_that_is_not_live_yet_is_not_called_unused() -> None:
    assert unused(entry(jsonPointers=["/spec/paused"]), live=None) == ()


def test_a_rule_that_jq_was_not_asked_about_is_not_called_unused_and_one_that_took_nothing_is() -> None:
    app = typed_application(ignoreDifferences=[entry(jqPathExpressions=["first(.spec.x[]?)"])])
    context = for_app(app, Settings(), node_for, NOW)
    assert compared(WEB, LIVE, in_context=context).unused_rules == ()

    from syncline.model.script import Script, ScriptKind

    asked = [Script(kind=ScriptKind.DELETE, text="first(.spec.x[]?)", obj=side) for side in (WEB.objects[0].obj, LIVE)]
    answers = context.answers.with_results(asked, [Evaluated(value=script.obj) for script in asked])
    told = compared(WEB, LIVE, in_context=msgspec.structs.replace(context, answers=answers)).unused_rules
    assert [rule.field for rule in told] == ["first(.spec.x[]?)"]


def test_a_row_says_which_rules_point_at_something_in_it() -> None:
    app = typed_application(ignoreDifferences=[entry(jsonPointers=["/spec/replicas", "/spec/x"])])
    (row,) = compared(WEB, LIVE, in_context=for_app(app, Settings(), node_for, NOW)).rows
    assert row.ignored == (IgnoreUse(FIRST, "/spec/replicas"),)
