"""An Application tells, as warnings, which words among its sync options have no effect."""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.core.assess import Assessment, assess_app, stopping
from syncline.model import names
from syncline.model.comparison import Verdict
from syncline.model.desired import DesiredObject
from syncline.model.settings.settings import Compat, Settings
from tests.support.objects import (
    application_object,
    config_map,
    desired,
    placed,
    snapshot,
    tracked,
)

ARGOCD = Settings(compat=Compat.ARGOCD)
PATH = 'metadata.annotations["argocd.argoproj.io/sync-options"]'


def marked(name: str, options: str, line: int = 0) -> DesiredObject:
    obj = config_map(name, annotations={names.SYNC_OPTIONS: options})
    return DesiredObject(obj, placed({PATH: line} if line else {}, file="deploy/web.yaml", line=1))


def assessed(*wanted: DesiredObject, options: tuple[str, ...] = (), **rest: Any) -> Assessment:
    app = application_object(syncPolicy={"syncOptions": list(options)})
    return assess_app(snapshot(app, wanted=desired(*wanted), **rest))


def told(found: Assessment) -> list[tuple[str, str]]:
    return [(condition.type, condition.message) for condition in found.comparison.conditions]


def test_a_word_of_the_application_is_told_with_its_place() -> None:
    found = assessed(options=("CreateNamespace=true", "PruneLast=ture"))
    assert told(found) == [
        (
            "SyncOptionWarning",
            (
                "PruneLast=ture in spec.syncPolicy.syncOptions has no effect:"
                " PruneLast can be true or false; did you mean PruneLast=true?"
            ),
        )
    ]


def test_a_word_of_an_object_is_told_with_file_and_line_and_many_objects_are_one_warning() -> None:
    found = assessed(marked("a", "prune=false", 7), marked("b", "Prune=false"), marked("c", "prune=false", 9))
    assert told(found) == [
        (
            "SyncOptionWarning",
            (
                "prune=false in the sync options of ConfigMap/a (deploy/web.yaml:7) and 1 more"
                " is not a sync option and has no effect; did you mean Prune=false?"
            ),
        )
    ]


def test_a_word_of_an_object_that_git_has_no_more_is_told_too() -> None:
    gone = tracked(config_map("gone", annotations={names.SYNC_OPTIONS: "prune=false"}))
    (condition,) = told(assessed(live=(gone,)))
    assert condition == (
        "SyncOptionWarning",
        (
            "prune=false in the sync options of ConfigMap/gone"
            " is not a sync option and has no effect; did you mean Prune=false?"
        ),
    )


def test_a_warning_is_no_error_and_changes_no_verdict() -> None:
    found = assessed(options=("PruneLast=ture",))
    assert stopping(found) == ()
    assert found.comparison.verdict is Verdict.SYNCED


def test_nothing_is_told_about_right_words_or_under_argo_cds_rules() -> None:
    assert told(assessed(marked("a", "Prune=false,Replace=true"), options=("PruneLast=true", "Prune=confirm"))) == []
    wrong = assessed(marked("a", "prune=false"), options=("PruneLast=ture",), settings=ARGOCD)
    assert told(wrong) == []


def test_words_past_the_tenth_are_counted_and_a_long_one_is_cut() -> None:
    found = assessed(options=(*(f"Colour{number}=blue" for number in range(12)),))
    assert [message for _, message in told(found)][-1] == "2 other sync options have no effect"
    (long,) = told(assessed(options=("x" * 5000,)))
    assert len(long[1]) < 200


def test_a_word_with_spaces_is_quoted() -> None:
    (condition,) = told(assessed(options=(" Prune=false",)))
    assert condition[1].startswith("' Prune=false' in spec.syncPolicy.syncOptions is not a sync option")


def test_a_warning_goes_when_the_word_is_corrected() -> None:
    wrong = assessed(options=("PruneLast=ture",))
    status = {"conditions": msgspec.to_builtins(wrong.comparison.conditions)}
    app = application_object(syncPolicy={"syncOptions": ["PruneLast=true"]}, status=status)
    assert told(assess_app(snapshot(app, wanted=desired()))) == []
