"""Which sources and revisions of an Application count, and what is wrong with those that cannot be worked with."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.core import sources
from syncline.model import names
from syncline.model.errors import InvalidSpec
from syncline.model.sources.source import ApplicationSource
from tests.support.objects import SHA, typed_application

GIT = {"repoURL": "https://git.example.com/shop.git", "path": "deploy"}
OTHER = {"repoURL": "https://git.example.com/other.git", "path": "deploy"}
CHART = {"repoURL": "https://charts.example.com", "chart": "web", "targetRevision": "1.x"}
VALUES = {"repoURL": "https://git.example.com/values.git", "ref": "values"}
NEWER = "b" * 40


def state(phase: str = "Running", *, revision: str = SHA, sync: dict[str, Any] | None = None) -> dict[str, Any]:
    result = {"revision": revision} if revision else None
    found = {"operation": {"sync": sync or {}}, "phase": phase, "startedAt": "2026-03-01T08:00:00Z"}
    return {"operationState": {**found, **({"syncResult": result} if result else {})}}


@pytest.mark.parametrize(
    ("spec", "urls"),
    [
        ({"source": GIT}, ["https://git.example.com/shop.git"]),
        ({"source": CHART}, ["https://charts.example.com"]),
        (
            {"sources": [CHART, VALUES]},
            ["https://charts.example.com", "https://git.example.com/values.git"],
        ),
        ({"source": GIT, "sources": [OTHER]}, ["https://git.example.com/other.git"]),
    ],
    ids=str,
)
def test_sources_win_over_source(spec: dict[str, Any], urls: list[str]) -> None:
    assert [source.repo_url for source in sources.sources_of(typed_application(**spec))] == urls


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"source": None}, "spec.source.repoURL and either spec.source.path or spec.source.chart are required"),
        ({"source": {"repoURL": GIT["repoURL"]}}, "either spec.source.path or spec.source.chart are required"),
        ({"source": {**CHART, "targetRevision": ""}}, "spec.source.targetRevision is required"),
        (
            {"sources": [GIT, {"repoURL": "https://git.example.com/bare.git"}]},
            "for source https://git.example.com/bare",
        ),
        ({"sources": [GIT, {**CHART, "targetRevision": ""}]}, r"spec.sources\[1\]: name a version, or \*"),
        ({"sources": [{**VALUES, "ref": "a/b"}]}, "sources.ref a/b cannot contain any special characters"),
        ({"sources": [GIT, VALUES, VALUES]}, "multiple sources had the same `ref` key values"),
        (
            {
                "sourceHydrator": {
                    "drySource": {**GIT, "targetRevision": "main"},
                    "syncSource": {"targetBranch": "live", "path": "out"},
                }
            },
            "set spec.source to the branch live and the path out",
        ),
    ],
    ids=str,
)
def test_sources_that_cannot_be_worked_with_are_told_with_what_to_do(spec: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidSpec, match=words):
        sources.sources_of(typed_application(**spec))


@pytest.mark.parametrize(
    ("source", "is_chart"),
    [(CHART, True), (GIT, False), ({"repoURL": "oci://registry.example.com/web", "path": "."}, True)],
    ids=str,
)
def test_a_source_is_a_chart_by_its_name_or_by_its_address(source: dict[str, Any], is_chart: bool) -> None:
    (found,) = sources.sources_of(typed_application(source=source))
    assert sources.is_chart(found) is is_chart


@pytest.mark.parametrize(
    ("rest", "url"),
    [
        ({}, GIT["repoURL"]),
        ({"operation": {"sync": {"revision": SHA}}}, GIT["repoURL"]),
        ({"operation": {"sync": {"source": OTHER}}}, OTHER["repoURL"]),
        ({"operation": {"sync": {"sources": [OTHER]}}}, OTHER["repoURL"]),
        ({"status": state(sync={"source": OTHER})}, OTHER["repoURL"]),
        ({"status": state("Succeeded", sync={"source": OTHER})}, GIT["repoURL"]),
        ({"status": state(), "operation": {"sync": {"source": OTHER}}}, GIT["repoURL"]),
        ({"status": state("Failed"), "operation": {"sync": {"source": OTHER}}}, OTHER["repoURL"]),
    ],
    ids=str,
)
def test_the_sources_of_the_operation_that_is_running_or_else_asked_for_count(rest: dict[str, Any], url: str) -> None:
    app = sources.operated(typed_application(source=GIT, **rest))
    assert [source.repo_url for source in app.spec.all_sources] == [url]


@pytest.mark.parametrize(
    ("status", "pinned"),
    [
        ({}, ()),
        (state(), (SHA,)),
        (state("Terminating"), (SHA,)),
        (state("Succeeded"), ()),
        (state("Failed"), ()),
        (state(revision=""), ()),
    ],
    ids=str,
)
def test_only_a_running_operation_is_bound_to_its_commits(status: dict[str, Any], pinned: tuple[str, ...]) -> None:
    assert sources.pinned_revisions(typed_application(status=status)) == pinned


@pytest.mark.parametrize(
    ("rest", "asked_for", "revisions"),
    [
        ({}, False, ()),
        ({"operation": {"sync": {}}}, True, ()),
        ({"operation": {"sync": {"revision": "v1"}}}, True, ("v1",)),
        ({"operation": {"sync": {"revisions": ["v1", ""]}}}, True, ("v1", "")),
        ({"operation": {"sync": {"revision": "v1"}}, "status": state("Failed")}, True, ("v1",)),
        ({"operation": {"sync": {"revision": "v1"}}, "status": state(sync={"revision": "v2"})}, False, ("v2",)),
    ],
    ids=str,
)
def test_a_sync_is_asked_for_until_it_runs_and_names_revisions_or_none(
    rest: dict[str, Any], asked_for: bool, revisions: tuple[str, ...]
) -> None:
    app = typed_application(**rest)
    assert (sources.is_asked_for(app), sources.asked_revisions(app)) == (asked_for, revisions)


@pytest.mark.parametrize(
    ("asked", "name"),
    [("", "main"), ("v1", "v1"), (NEWER, "main"), ("c" * 64, "main")],
    ids=str,
)
def test_a_commit_is_chosen_by_the_name_that_was_asked_for_but_not_by_a_bare_sha(asked: str, name: str) -> None:
    app = typed_application(operation={"sync": {"revision": asked}})
    source = ApplicationSource(repo_url=GIT["repoURL"], path="deploy", target_revision="main")
    assert sources.revision_names(app, [source, source]) == [name, "main"]


@pytest.mark.parametrize(
    ("text", "paths"),
    [("", ()), (".", (".",)), (" /shared ; ../base;;", ("/shared", "../base"))],
)
def test_the_paths_that_alone_count_stand_in_an_annotation(text: str, paths: tuple[str, ...]) -> None:
    app = typed_application(metadata={"annotations": {names.MANIFEST_GENERATE_PATHS: text}})
    assert sources.generate_paths(app) == paths
