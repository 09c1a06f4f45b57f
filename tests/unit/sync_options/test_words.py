"""Sync options as typed values; every one that exists, once, and what contradicting or unknown words mean."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.core.sync import option_words
from syncline.model import names
from syncline.model.sync_options import KNOWN, NO_OPTIONS, Consent, Level, SyncOptions, words_of
from tests.support.objects import config_map

APP, OBJECT = Level.APP, Level.OBJECT


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ((), {}),
        (("Prune=false",), {"prune": Consent.REFUSED}),
        (("Prune=confirm",), {"prune": Consent.ASK}),
        (("Prune=true",), {"prune": Consent.GIVEN, "released": True}),
        (("Prune=flase",), {"prune": Consent.UNKNOWN}),
        (("Prune=false", "Prune=confirm"), {"prune": Consent.ASK}),
        (("prune=false",), {}),
        (("Delete=false",), {"delete": Consent.REFUSED}),
        (("Delete=confirm",), {"delete": Consent.ASK}),
        (("PruneLast=true",), {"prune_last": True}),
        (("PruneLast=ture",), {}),
        (("PruneLast",), {}),
        (("PrunePropagationPolicy=orphan",), {"propagation": "Orphan"}),
        (("PrunePropagationPolicy=background",), {"propagation": "Background"}),
        (("PrunePropagationPolicy=Orphan",), {}),
        (("Validate=false",), {"validate": False}),
        (("SkipDryRunOnMissingResource=true",), {"skip_dry_run_on_missing_resource": True}),
        (("Replace=true",), {"replace": True}),
        (("Force=true",), {"force": True}),
        (("ServerSideApply=true",), {"server_side_apply": True}),
        (("ServerSideApply=false",), {"server_side_apply": False}),
        (("ServerSideAply=true",), {}),
        (("ClientSideApplyMigration=false",), {"client_side_apply_migration": False}),
        (("ApplyOutOfSyncOnly=true",), {"apply_out_of_sync_only": True}),
        (("CreateNamespace=true",), {"create_namespace": True}),
        (("RespectIgnoreDifferences=true",), {"respect_ignore_differences": True}),
        (("FailOnSharedResource=true",), {"fail_on_shared_resource": True}),
        (("CreateNamespace=true", "Validate=false"), {"create_namespace": True, "validate": False}),
    ],
    ids=str,
)
@pytest.mark.parametrize("level", [APP, OBJECT])
def test_a_word_counts_exactly_as_it_is_spelled(words: tuple[str, ...], level: Level, expected: dict[str, Any]) -> None:
    assert SyncOptions.parse(words, level) == SyncOptions(**expected)


def test_of_contradicting_words_about_server_side_apply_an_object_takes_no_and_an_app_yes() -> None:
    both = ("ServerSideApply=true", "ServerSideApply=false")
    assert SyncOptions.parse(both, OBJECT).server_side_apply is False
    assert SyncOptions.parse(both, APP).server_side_apply is True


@pytest.mark.parametrize("option", KNOWN, ids=lambda option: option.name)
def test_every_known_option_changes_what_is_said_and_is_no_problem_where_it_counts(option: Any) -> None:
    words = [f"{option.name}={value}" for value in option.values]
    assert any(SyncOptions.parse((word,), option.levels[0]) != NO_OPTIONS for word in words)
    assert [option_words.problem(word, level) for word in words for level in option.levels] == (
        [""] * len(words) * len(option.levels)
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Prune=false", ("Prune=false",)),
        (" Prune=false , Validate=false,", ("Prune=false", "Validate=false")),
        ("", ()),
        (None, ()),
        (5, ("5",)),
        (["Prune=false"], ()),
    ],
    ids=str,
)
def test_the_words_of_an_object_stand_in_its_annotation(text: Any, words: tuple[str, ...]) -> None:
    assert words_of(config_map(annotations={names.SYNC_OPTIONS: text})) == words


def test_no_object_says_nothing() -> None:
    assert SyncOptions.of(None) == SyncOptions.of(config_map()) == SyncOptions.of({"metadata": None}) == NO_OPTIONS


SYNC_OPTIONS = "argocd.argoproj.io/sync-options"
COMPARE_OPTIONS = "argocd.argoproj.io/compare-options"


@pytest.mark.parametrize(
    ("word", "level", "problem"),
    [
        ("PruneLast=ture", APP, "has no effect: PruneLast can be true or false; did you mean PruneLast=true?"),
        ("PruneLast", APP, "has no effect: PruneLast can be true or false"),
        ("Prune=flase", OBJECT, "has no effect: Prune can be true, false or confirm; did you mean Prune=false?"),
        (
            "PrunePropagationPolicy=Orphan",
            APP,
            (
                "has no effect: PrunePropagationPolicy can be foreground, background or orphan;"
                " did you mean PrunePropagationPolicy=orphan?"
            ),
        ),
        (
            "ServerSideAply=true",
            OBJECT,
            "is not a sync option and has no effect; did you mean ServerSideApply=true?",
        ),
        ("prune=false", OBJECT, "is not a sync option and has no effect; did you mean Prune=false?"),
        (" Prune=false", APP, "is not a sync option and has no effect; did you mean Prune=false?"),
        ("Prune = false", APP, "is not a sync option and has no effect; did you mean Prune=false?"),
        ("createnamespace=yes", APP, "is not a sync option and has no effect; did you mean CreateNamespace?"),
        ("Colour=blue", APP, "is not a sync option and has no effect"),
        ("", APP, "is not a sync option and has no effect"),
        (
            "Colour=blue,Replace=true",
            APP,
            "is not a sync option and has no effect: list each option as its own entry",
        ),
        (
            "ServerSideDiff=true",
            OBJECT,
            f"is not a sync option and has no effect: use the annotation {COMPARE_OPTIONS}",
        ),
        (
            "CreateNamespace=true",
            OBJECT,
            "has no effect there: set it in spec.syncPolicy.syncOptions of the Application",
        ),
        ("Force=true", APP, f"has no effect there: set it in the annotation {SYNC_OPTIONS} of an object"),
    ],
)
def test_a_word_without_effect_is_told_with_what_was_probably_meant(word: str, level: Level, problem: str) -> None:
    assert option_words.problem(word, level) == problem
