"""Revisions on the command line, and what an operation carries for them."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.cli.app.revisions import Revisions
from syncline.model.errors import NeedsUser

APP: dict[str, Any] = {
    "spec": {
        "sources": [
            {"repoURL": "a", "targetRevision": "1.0", "name": "chart"},
            {"repoURL": "b", "name": "values"},
            {"repoURL": "c", "targetRevision": "main"},
        ]
    }
}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (Revisions(), {}),
        (Revisions(revision="v2"), {"revision": "v2"}),
        (Revisions(revisions=("2.0",), positions=(1,)), {"revisions": ["2.0", "", "main"]}),
        (Revisions(revisions=("x", "y"), positions=(3, 2)), {"revisions": ["1.0", "y", "x"]}),
        (Revisions(revisions=("x", "2.0"), names=("values", "chart")), {"revisions": ["2.0", "x", "main"]}),
    ],
)
def test_sources_that_are_not_named_keep_their_revision(asked: Revisions, expected: dict[str, Any]) -> None:
    assert asked.of(APP) == expected


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (Revisions(revisions=("x",), positions=(4,)), "there is no source 4: this Application has 3 sources in a list"),
        (Revisions(revisions=("x",), names=("image",)), "no source is called image"),
    ],
)
def test_a_source_that_is_not_there_is_refused(asked: Revisions, sentence: str) -> None:
    with pytest.raises(NeedsUser, match=sentence):
        asked.of(APP)
