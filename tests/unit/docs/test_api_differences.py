"""The reference of differences has each one that the comparison with a real argocd-server leaves out, and no other."""

import pathlib
import re

from tests.argocd.answers.known import KNOWN

DOCUMENT = pathlib.Path(__file__).parents[3] / "docs" / "reference" / "differences.md"


def test_the_table_of_answers_is_the_one_that_tests_go_by() -> None:
    section = DOCUMENT.read_text().partition("## In the API")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| (.+?) \|$", section, re.MULTILINE)
    assert rows[0] == ("answers", "difference")
    assert [row for row in rows[1:] if set(row[0]) != {"-"}] == [(one.where, one.because) for one in KNOWN]
