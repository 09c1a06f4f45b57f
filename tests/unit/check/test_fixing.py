"""Fixes that are written into files: only safe ones, and nothing but their lines changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncline.api.fixing import fix
from syncline.model.errors import Place
from syncline.model.finding import Edit, Finding, Fix, Severity

TEXT = """\
# Values of production.
replicas: 2   # two are enough
tolerations: []
syncOptions: [PruneLast=ture, CreateNamespace=true]
"""


def finding(*edits: Edit, **more: object) -> Finding:
    return Finding(
        code="SRC-004",
        name="n",
        severity=Severity.ERROR,
        subject="a",
        message="m",
        fix=Fix(text="t", edits=edits, command=str(more.pop("command", ""))),
        **more,  # type: ignore[arg-type]
    )


DELETED = Edit(place=Place("values.yaml", 3), before="tolerations: []")
CORRECTED = Edit(place=Place("values.yaml", 4), before="PruneLast=ture", after="PruneLast=true")


def test_lines_are_deleted_and_words_corrected_and_all_else_stays(tmp_path: Path) -> None:
    (tmp_path / "values.yaml").write_text(TEXT)
    fixed = fix(tmp_path, [finding(DELETED), finding(CORRECTED)])
    assert (fixed.findings, fixed.files, fixed.problems) == (2, ("values.yaml",), ())
    expected = TEXT.replace("tolerations: []\n", "").replace("ture", "true")
    assert (tmp_path / "values.yaml").read_text() == expected


@pytest.mark.parametrize(
    "unsafe",
    [
        pytest.param(finding(DELETED, options=(Fix(text="or keep it"),)), id="there is another way out"),
        pytest.param(finding(DELETED, command="kubectl delete x"), id="something is to be done besides"),
        pytest.param(finding(), id="no line is named"),
    ],
)
def test_what_somebody_has_to_decide_is_not_written(tmp_path: Path, unsafe: Finding) -> None:
    (tmp_path / "values.yaml").write_text(TEXT)
    assert fix(tmp_path, [unsafe]).findings == 0
    assert (tmp_path / "values.yaml").read_text() == TEXT


@pytest.mark.parametrize(
    ("text", "edit", "why"),
    [
        pytest.param("a:\n  b: []\n", Edit(place=Place("values.yaml", 2), before="b: []"), "by hand", id="null"),
        pytest.param("a: [x,\n y]\n", Edit(place=Place("values.yaml", 2), before="y]"), "by hand", id="not YAML"),
        pytest.param("a: 2\n", Edit(place=Place("values.yaml", 1), before="1", after="3"), "any more", id="moved on"),
        pytest.param("a: 2\n", Edit(place=Place("../x.yaml", 1), before="a: 2"), "not a file", id="outside"),
    ],
)
def test_a_file_that_would_break_is_left_alone(tmp_path: Path, text: str, edit: Edit, why: str) -> None:
    (tmp_path / "values.yaml").write_text(text)
    fixed = fix(tmp_path, [finding(edit)])
    assert (fixed.findings, [why in one for one in fixed.problems]) == (0, [True])
    assert (tmp_path / "values.yaml").read_text() == text
