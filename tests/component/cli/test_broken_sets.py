"""`syncline appset generate` of a set with a hole in it: one sentence with the place, nothing of the inside."""

from __future__ import annotations

import io
import json
import pathlib
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import pytest

from syncline.cli.main import main

HOLES: dict[str, tuple[Any, str]] = {
    "generator": ([None], "spec.generators[0] must be a map, is nothing"),
    "later-generator": ([{"list": {"elements": []}}, None], "spec.generators[1] must be a map, is nothing"),
    "text": (["list"], "spec.generators[0] must be a map"),
    "matrix": (
        [{"matrix": {"generators": [None, None]}}],
        "spec.generators[0].matrix.generators[0] must be a map, is nothing",
    ),
    "merge": (
        [{"merge": {"mergeKeys": ["a"], "generators": [None, None]}}],
        "spec.generators[0].merge.generators[0] must be a map, is nothing",
    ),
    "element": ([{"list": {"elements": [None]}}], "spec.generators[0].list.elements[0] is not a map"),
    "kind": ([{"git": None}], "spec.generators[0] names no known generator"),
}


@pytest.mark.parametrize("hole", HOLES)
def test_a_set_with_a_hole_is_refused_with_one_sentence(hole: str, tmp_path: pathlib.Path) -> None:
    generators, words = HOLES[hole]
    template = {
        "metadata": {"name": "x"},
        "spec": {"project": "default", "destination": {}, "source": {"repoURL": "x"}},
    }
    appset = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": "x", "namespace": "argocd"},
        "spec": {"generators": generators, "template": template},
    }
    file = tmp_path / "set.json"
    file.write_text(json.dumps(appset))
    output = io.StringIO()
    with pytest.raises(SystemExit), redirect_stdout(output), redirect_stderr(output):
        main(["appset", "generate", str(file)])
    printed = output.getvalue()
    assert words in printed
    assert printed.count("\n") == 1
    assert "Traceback" not in printed
