"""Lines of policy: what is read, and what cannot be."""

from __future__ import annotations

import pytest

from syncline.core.policy.rbac import check, lines
from syncline.core.policy.rbac.lines import BadRecord, PolicyText
from syncline.core.policy.rbac.rights import PolicySource
from syncline.model.settings.parts import MatchMode


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("p, a,b", ["p", "a", "b"]),
        ("p,\ta ,b", ["p", "a ", "b"]),
        ('p, "a, b", c', ["p", "a, b", "c"]),
        ('p, "a ""b"" c"', ["p", 'a "b" c']),
        ('p, ""', ["p", ""]),
        ("p,,", ["p", "", ""]),
    ],
)
def test_a_line_is_one_record_of_csv(text: str, fields: list[str]) -> None:
    assert lines.record(text) == fields


@pytest.mark.parametrize("text", ['p, a"b', 'p, "a', 'p, "a" b, c'])
def test_quotes_that_do_not_fit_are_refused(text: str) -> None:
    with pytest.raises(BadRecord):
        lines.record(text)


@pytest.mark.parametrize(
    "text",
    ["p, a, b, c, d", "p, a, b, c, d, allow, more", "g, a", "g, a, b, c", "q, a, b", "p2, a, b, c, d, e", 'g, "a, b'],
)
def test_a_line_of_another_form_cannot_be_read_and_is_named_with_its_line(text: str) -> None:
    found, problems = lines.read([PolicyText(f"# c\n\n{text}\ng, a, b", "policy.csv", first_line=10)])
    assert [line.place for line in found] == ["policy.csv:13"]
    assert [(problem.place, problem.fatal) for problem in problems] == [("policy.csv:12", True)]


MISTAKES = [
    ("p, a, applications, get, */*, allow", ""),
    ("p, a, *, *, *, allow", ""),
    ('p, a, "{applications,logs}", get, */*, allow', ""),
    ("p, a, applications, *, team/*, allow", ""),
    ("p, a, applications, action/apps/Deployment/*, team/*, allow", ""),
    ("p, a, aplications, get, */*, allow", "did you mean applications"),
    ("p, a, applications, synk, */*, allow", "did you mean sync"),
    ("p, a, logs, create, */*, allow", "known: get"),
    ("p, a, clusters, update/x, *, allow", "only action, delete, update of applications"),
    ("p, a, applications, get, team, allow", "write team/* or */team"),
    ("p, a, projects, get, team, allow", ""),
    ("p, a, applications, get, */*, alow", "did you mean allow"),
    ("p, a , applications, get, */*, allow", "remove the blank"),
    ("p, a, applications, get, team/[a-, allow", "matches nothing"),
    ("g, alice, role:admn", "did you mean role:admin"),
    ("g, alice, role:admin", ""),
]


@pytest.mark.parametrize(("text", "words"), MISTAKES)
def test_lines_that_never_do_what_they_seem_to_are_told(text: str, words: str) -> None:
    found = check.problems(PolicySource((PolicyText(text),)))
    assert not any(problem.fatal for problem in found)
    assert [words in str(problem) for problem in found] == ([True] if words else [])


def test_expressions_are_checked_as_such() -> None:
    text = "p, a, ^app, (get|sync), team/.*, allow\np, a, applications, get, (?=x), allow"
    found = check.problems(PolicySource((PolicyText(text),), mode=MatchMode.REGEX))
    assert [problem.place for problem in found] == ["policy.csv:2"]


def test_a_default_role_without_policies_is_told() -> None:
    found = check.problems(PolicySource((), default_role="role:read-only"))
    assert [(problem.place, problem.hint) for problem in found] == [
        ("policy.default", "did you mean role:readonly or role:admin?")
    ]
