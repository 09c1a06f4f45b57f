"""The policies that count for one reader decide as all policies do, and say nothing of others."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from syncline.core.policy.rbac.enforcer import RbacRequest
from syncline.core.policy.rbac.lines import PolicyText
from syncline.core.policy.rbac.rights import PolicySource, Rights, Who

NAMES = st.sampled_from(["ann", "ben", "role:a", "role:b", "role:c", "group one", "group two", "role:admin"])
OBJECTS = st.sampled_from(["team/shop", "other/shop", "team/*", "*/*", "*"])
ACTIONS = st.sampled_from(["get", "sync", "*"])
LINES = st.one_of(
    st.builds("g, {}, {}".format, NAMES, NAMES),
    st.builds("p, {}, applications, {}, {}, {}".format, NAMES, ACTIONS, OBJECTS, st.sampled_from(["allow", "deny"])),
)
PEOPLE = st.builds(Who, st.sampled_from(["ann", "ben"]), st.lists(NAMES, max_size=2).map(tuple))


def rights(text: str, default: str) -> Rights:
    return Rights(PolicySource((PolicyText(text),), default_role=default))


@given(st.lists(LINES, max_size=10), st.sampled_from(["", "role:a", "role:c"]), PEOPLE, ACTIONS, OBJECTS)
def test_the_rules_of_a_reader_decide_as_all_rules_do(
    lines: list[str], default: str, who: Who, action: str, name: str
) -> None:
    whole = rights("\n".join(lines), default)
    own = rights("\n".join(map(str, whole.lines_for(who))), default)
    request = RbacRequest(who.subject, "applications", action, name)
    verdicts = [one.of_project(None).decide_for(who, request) for one in (whole, own)]
    assert verdicts[0].allowed == verdicts[1].allowed
    assert verdicts[0].roles == verdicts[1].roles


def test_the_rules_of_others_are_not_among_those_of_a_reader() -> None:
    text = (
        "p, role:a, applications, get, team/*, allow\np, ben, applications, *, */*, allow\ng, ann, role:a\ng, x, role:a"
    )
    told = [str(line) for line in rights(text, "").lines_for(Who("ann", ("nobody's group",)))]
    assert told == ["p, role:a, applications, get, team/*, allow", "g, ann, role:a"]


def test_of_a_policy_that_cannot_be_read_nothing_is_told() -> None:
    assert rights("p, ann, applications, get, team/*, allow\np, ann", "").lines_for(Who("ann")) == ()
