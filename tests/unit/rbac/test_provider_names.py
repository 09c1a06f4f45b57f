"""Nobody gets the name of a local account, a role or a project's token from a login provider."""

from __future__ import annotations

from typing import Any

import casbin
import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncline.core.policy.rbac.enforcer import RbacRequest
from syncline.core.policy.rbac.lines import PolicyText
from syncline.core.policy.rbac.rights import PolicySource, Rights, Who
from syncline.model.application import Metadata
from syncline.model.project import AppProject, ProjectRole, ProjectSpec
from syncline.server.access.oidc.identity import who

ACCOUNTS = ("admin", "ann", "ci")
POLICY = """\
p, ann, applications, *, */*, allow
p, role:ops, applications, *, */*, allow
p, kilgore, applications, get, team/*, allow
g, ann, role:admin
g, ops-team, role:ops
g, admins@corp.example, role:admin
"""
PROJECT = AppProject(
    metadata=Metadata(name="team"),
    spec=ProjectSpec(roles=(ProjectRole(name="ci", policies=("p, proj:team:ci, applications, *, team/*, allow",)),)),
)
TAKEN = ("admin", "ann", "ci", "role:admin", "role:ops", "role:readonly", "proj:team:ci", "role:", "proj:", "proj:x")


def known(claims: dict[str, Any], scopes: str = "") -> Who:
    return who(claims, scopes, lambda name: name in ACCOUNTS)


def may(somebody: Who, action: str = "delete", name: str = "team/shop") -> bool:
    rights = Rights(PolicySource((PolicyText(POLICY),)))
    request = RbacRequest(somebody.subject, "applications", action, name)
    return any(rights.of_project(one).decide_for(somebody, request).allowed for one in (None, PROJECT))


@pytest.mark.parametrize("name", TAKEN)
def test_a_name_that_is_taken_gives_no_right_wherever_the_provider_puts_it(name: str) -> None:
    for claims in (
        {"sub": name},
        {"sub": "x", "federated_claims": {"user_id": name}},
        {"sub": "x", "groups": [name]},
        {"sub": "x", "groups": name},
        {"sub": name, "groups": [name, name], "federated_claims": {"user_id": name}},
    ):
        somebody = known(claims)
        assert not may(somebody)
        assert not may(somebody, "get")
        assert somebody.subject not in TAKEN
    for claim in ("email", "roles", "sub"):
        assert not may(known({"sub": "x", claim: [name]} if claim != "sub" else {"sub": name}, f"[groups, {claim}]"))


def test_groups_and_people_that_policies_name_keep_their_rights() -> None:
    assert may(known({"sub": "x", "groups": ["nobody", "ops-team"]}))
    assert may(known({"sub": "x", "email": "admins@corp.example"}, "[groups, email]"))
    assert may(known({"sub": "kilgore"}), "get")
    assert may(known({"sub": "base64", "federated_claims": {"user_id": "kilgore", "connector_id": "ldap"}}), "get")
    # A person whose name is taken keeps the rights of the groups.
    assert may(known({"sub": "ann", "groups": ["ops-team"]}))


def test_the_local_accounts_keep_theirs() -> None:
    assert may(Who("admin"))
    assert may(Who("ann"))
    assert may(Who("proj:team:ci"))
    assert not may(Who("ci"))


def test_a_group_named_like_a_role_or_the_admin_counts_for_nothing_in_policies_themselves() -> None:
    for group in ("admin", "role:admin", "role:ops", "proj:team:ci"):
        assert not may(Who("x", (group,)))


def test_two_people_never_become_one() -> None:
    subjects = [known({"sub": name}).subject for name in ("ann", "sso:ann", "sso:sso:ann", "role:a", "sso:role:a", "x")]
    assert len(set(subjects)) == len(subjects)


ODD = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.sampled_from(TAKEN), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["user_id", "x"]), inner)),
    max_leaves=8,
)
ENFORCER_MODEL = """
[request_definition]
r = sub
[policy_definition]
p = sub, obj
[role_definition]
g = _, _
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = g(r.sub, p.sub)
"""


@given(ODD, ODD, ODD, st.sampled_from(["", "[groups]", "[groups, email]", "[sub, federated_claims]", "{"]))
def test_no_claim_of_any_form_reaches_a_role_that_no_policy_gives_it(
    sub: Any, federated: Any, groups: Any, scopes: str
) -> None:
    somebody = known({"sub": sub, "federated_claims": federated, "groups": groups, "email": groups}, scopes)
    assert all(isinstance(one, str) for one in (somebody.subject, *somebody.groups))
    # Casbin, asked whether any of the names is, or is a member of, a role or an account.
    model = casbin.Enforcer.new_model(text=ENFORCER_MODEL)
    for name in TAKEN:
        model.add_policy("p", "p", [name, "x"])
    model.add_policy("g", "g", ["admin", "role:admin"])
    judge = casbin.Enforcer(model)
    judge.build_role_links()
    assert not any(judge.enforce(one) for one in (somebody.subject, *somebody.groups))
    assert not may(somebody)
