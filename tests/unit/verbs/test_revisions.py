"""Revisions that a request names, and what an operation carries for them."""

from __future__ import annotations

import pytest

from syncline.model import application
from syncline.model.operation import SyncOperation
from syncline.verbs.errors import InvalidRequest
from syncline.verbs.revisions import RevisionChoice

APP = application.parse(
    {
        "metadata": {"name": "web"},
        "spec": {
            "destination": {},
            "sources": [
                {"repoURL": "a", "targetRevision": "1.0", "name": "chart"},
                {"repoURL": "b", "name": "values"},
                {"repoURL": "c", "targetRevision": "main"},
            ],
        },
    }
)


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (RevisionChoice(), SyncOperation()),
        (RevisionChoice(revision="v2"), SyncOperation(revision="v2")),
        (RevisionChoice(revisions=("2.0",), positions=(1,)), SyncOperation(revisions=("2.0", "", "main"))),
        (RevisionChoice(revisions=("x", "y"), positions=(3, 2)), SyncOperation(revisions=("1.0", "y", "x"))),
        (
            RevisionChoice(revisions=("x", "2.0"), names=("values", "chart")),
            SyncOperation(revisions=("2.0", "x", "main")),
        ),
    ],
)
def test_sources_that_are_not_named_keep_their_revision(asked: RevisionChoice, expected: SyncOperation) -> None:
    assert asked.of(APP) == expected


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (
            RevisionChoice(revisions=("x",), positions=(4,)),
            "no source 4: this Application has 3 sources in a list",
        ),
        (RevisionChoice(revisions=("x",), names=("image",)), "no source named image"),
        (RevisionChoice(revisions=("x", "y"), positions=(1,)), "2 revisions for 1 sources"),
        (RevisionChoice(revisions=("x",), positions=(1, 2)), "1 revisions for 2 sources"),
    ],
)
def test_a_source_that_is_not_there_is_refused(asked: RevisionChoice, sentence: str) -> None:
    with pytest.raises(InvalidRequest, match=sentence):
        asked.of(APP)
