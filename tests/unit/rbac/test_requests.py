"""Requests decided by policies; the tables state the rules of Argo CD 3.6."""

from __future__ import annotations

import pytest

from syncline.core.policy.rbac.enforcer import RbacRequest
from syncline.core.policy.rbac.lines import PolicyText
from syncline.core.policy.rbac.rights import PolicySource, Rights, Who, project_asked_about
from syncline.model.application import Metadata
from syncline.model.project import AppProject, ProjectRole, ProjectSpec
from syncline.model.settings.parts import MatchMode


def rights(text: str, default: str = "", mode: MatchMode = MatchMode.GLOB, *, builtin: bool = True) -> Rights:
    return Rights(PolicySource((PolicyText(text),), default, mode), with_builtin=builtin)


def asked(policies: Rights, request: str, project: AppProject | None = None) -> bool:
    """Ask for `subject resource action object`."""
    subject, resource, action, name = request.split()
    return policies.of_project(project).decide(RbacRequest(subject, resource, action, name)).allowed


BUILT_IN = [
    ("role:readonly applications get team/shop", True),
    ("role:readonly applications sync team/shop", False),
    ("role:readonly applications get shop", False),  # The built-in object is */*: a project has to be named.
    ("role:readonly clusters get https://kubernetes.default.svc", True),
    ("role:readonly logs get team/shop", True),
    ("role:readonly exec create team/shop", False),
    ("role:readonly extensions invoke metrics", False),
    ("role:admin applications get team/shop", True),  # By its membership in role:readonly.
    ("role:admin applications sync team/ns/shop", True),
    ("role:admin applications rollback team/shop", True),
    ("role:admin applications action/apps/Deployment/restart team/shop", True),
    ("role:admin applications update/apps/Deployment/ns/web team/shop", True),
    ("role:admin applications delete//Pod/ns/web team/shop", True),
    ("role:admin exec create team/shop", True),
    ("role:admin extensions invoke metrics", False),  # Nobody has it unless a line says so.
    ("role:admin accounts update alice", True),
    ("role:admin accounts create alice", False),
    ("role:admin gpgkeys update 4AEE18F83AFDEB23", False),
    ("admin projects delete team", True),
    ("alice projects get team", False),
]


@pytest.mark.parametrize(("request_", "allowed"), BUILT_IN)
def test_built_in_roles_have_their_rights(request_: str, allowed: bool) -> None:
    assert asked(rights(""), request_) is allowed


def test_without_the_built_in_policy_its_roles_have_no_rights() -> None:
    assert not asked(rights("", builtin=False), "role:admin applications get team/shop")


FINE_GRAINED = """
p, dev, applications, update, team/*, allow
p, ops, applications, update/*, team/*, allow
p, janitor, applications, delete/*/Pod/*/*, team/*, allow
p, runner, applications, action/apps/Deployment/restart, team/*, allow
p, any, applications, action/*, team/*, allow
"""


@pytest.mark.parametrize(
    ("request_", "allowed"),
    [
        ("dev applications update team/shop", True),
        ("dev applications update/apps/Deployment/ns/web team/shop", False),
        ("ops applications update team/shop", False),
        ("ops applications update/apps/Deployment/ns/web team/shop", True),
        ("janitor applications delete//Pod/ns/web-1 team/shop", True),
        ("janitor applications delete/apps/Deployment/ns/web team/shop", False),
        ("janitor applications delete team/shop", False),
        ("runner applications action/apps/Deployment/restart team/shop", True),
        ("runner applications action/apps/Deployment/pause team/shop", False),
        ("runner applications action/apps/Deployment/restart other/shop", False),
        ("any applications action/argoproj.io/Rollout/abort team/shop", True),
    ],
)
def test_rights_on_objects_are_apart_from_those_on_their_application(request_: str, allowed: bool) -> None:
    assert asked(rights(FINE_GRAINED), request_) is allowed


ROLES = """
p, role:base, applications, get, */*, allow
p, role:dev, applications, sync, team/*, allow
p, role:dev, applications, sync, team/vault, deny
p, carol, applications, sync, team/vault, allow
p, role:dev, "repositories", "get", "https://a/{x,y}.git", allow
p, dave, applications, get, */*, perhaps
g, role:dev, role:base
g, alice, role:dev
g, carol, role:dev
g, "a group, with a comma", role:dev
g, loop, pool
g, pool, loop
p, loop, applications, get, team/x, allow
"""


@pytest.mark.parametrize(
    ("request_", "allowed"),
    [
        ("alice applications sync team/shop", True),
        ("alice applications get other/shop", True),  # Two memberships away.
        ("alice applications sync team/vault", False),  # A deny wins.
        ("carol applications sync team/vault", False),  # Also over a right of one's own.
        ("alice applications sync team/ns/shop", True),  # `*` crosses slashes.
        ("alice applications sync TEAM/shop", False),
        ("Alice applications sync team/shop", False),
        ("alice applications sync teams/shop", False),
        ("dave applications get team/shop", False),  # An effect of another name does nothing.
        ("pool applications get team/x", True),  # A circle ends.
        ("alice repositories get https://a/x.git", True),
        ("alice repositories get https://a/z.git", False),
    ],
)
def test_roles_are_followed_and_a_deny_wins(request_: str, allowed: bool) -> None:
    assert asked(rights(ROLES), request_) is allowed


def test_a_subject_may_hold_blanks_and_commas() -> None:
    request = RbacRequest("a group, with a comma", "applications", "sync", "team/shop")
    assert rights(ROLES).of_project(None).decide(request).allowed


@pytest.mark.parametrize(("links", "allowed"), [(10, True), (11, False)])
def test_roles_are_followed_over_ten_memberships(links: int, allowed: bool) -> None:
    chain = "\n".join(f"g, r{number}, r{number + 1}" for number in range(links))
    text = f"{chain}\np, r{links}, applications, get, */*, allow"
    assert asked(rights(text), "r0 applications get team/shop") is allowed


@pytest.mark.parametrize(
    ("request_", "allowed"),
    [
        ("nobody applications get team/shop", True),
        ("nobody applications sync team/shop", False),
        ("mallory applications get team/shop", True),  # The default role is asked first and cannot be denied.
    ],
)
def test_everybody_has_the_default_role(request_: str, allowed: bool) -> None:
    policies = rights("p, mallory, applications, get, */*, deny", default="role:readonly")
    assert asked(policies, request_) is allowed


REGEX = r"""
p, dev, applications, (get|sync), team-[0-9]+/.*, allow
p, part, applications, get, eam, allow
p, whole, applications, ^get$, ^team/shop$, allow
p, bad, applications, get, (team, allow
p, bad, applications, get, .*, allow
p, later, clusters, get, (team, allow
p, later, applications, get, .*, allow
p, slow, applications, get, ^(a+)+$, allow
"""


@pytest.mark.parametrize(
    ("request_", "allowed"),
    [
        ("dev applications sync team-12/shop", True),
        ("dev applications sync team-x/shop", False),
        ("part applications get team/shop", True),  # A part is enough.
        ("whole applications get team/shop", True),
        ("whole applications get a-team/shop", False),
        ("bad applications get team/shop", False),  # An expression that cannot be read denies what gets to it,
        ("later applications get team/shop", True),  # and nothing else.
        (f"slow applications get {'a' * 5000}!", False),  # Nobody waits for this one.
    ],
)
def test_with_regex_a_part_has_to_match(request_: str, allowed: bool) -> None:
    assert asked(rights(REGEX, mode=MatchMode.REGEX), request_) is allowed


@pytest.mark.parametrize(("default", "text"), [("role:admin", ""), ("", "p, alice, applications, get, */*, allow")])
def test_one_line_that_cannot_be_read_takes_all_rights(default: str, text: str) -> None:
    policies = rights(f"{text}\np, alice, applications, get", default)
    assert not asked(policies, "alice applications get team/shop")
    assert not asked(policies, "admin applications get team/shop")


TEAM = AppProject(
    Metadata(name="team"),
    ProjectSpec(
        roles=(
            ProjectRole(
                "ci",
                policies=("p, proj:team:ci, applications, sync, team/*, allow",),
                groups=("builders",),
            ),
            ProjectRole("empty"),
        )
    ),
)
OTHER = AppProject(Metadata(name="other"))


@pytest.mark.parametrize(
    ("who", "request_", "project", "allowed"),
    [
        (Who("proj:team:ci"), "applications sync team/shop", TEAM, True),
        (Who("proj:team:ci"), "projects get team", TEAM, True),  # Each role may see its project.
        (Who("proj:team:empty"), "projects get team", TEAM, True),
        (Who("proj:team:empty"), "applications sync team/shop", TEAM, False),
        (Who("proj:team:ci"), "applications sync other/shop", OTHER, False),
        (Who("alice", ("builders",)), "applications sync team/shop", TEAM, True),
        (Who("alice", ("builders",)), "applications sync team/shop", None, False),
        (Who("alice", ("strangers",)), "applications sync team/shop", TEAM, False),
        (Who("alice", ("org:ops",)), "applications sync team/shop", TEAM, True),
        (Who("alice", ("org:bare",)), "applications sync team/shop", TEAM, False),  # No g line names this group.
    ],
)
def test_project_roles_and_groups(who: Who, request_: str, project: AppProject | None, allowed: bool) -> None:
    text = """
    g, org:ops, role:admin
    p, org:bare, applications, sync, */*, allow
    """
    resource, action, name = request_.split()
    found = rights(text).of_project(project).decide_for(who, RbacRequest(who.subject, resource, action, name))
    assert found.allowed is allowed


def test_a_deny_of_the_installation_is_stronger_than_a_role_of_a_project() -> None:
    policies = rights("p, proj:team:ci, applications, sync, team/vault, deny")
    assert not asked(policies, "proj:team:ci applications sync team/vault", TEAM)
    assert asked(policies, "proj:team:ci applications sync team/shop", TEAM)


def test_a_project_whose_roles_cannot_be_read_adds_nothing_and_takes_nothing() -> None:
    broken = AppProject(Metadata(name="team"), ProjectSpec(roles=(ProjectRole("ci", policies=("p, x",)),)))
    assert not asked(rights(""), "proj:team:ci projects get team", broken)
    assert asked(rights(""), "admin applications get team/shop", broken)


@pytest.mark.parametrize(
    ("resource", "name", "project"),
    [
        ("applications", "team/shop", "team"),
        ("applications", "team/ns/shop", "team"),
        ("projects", "team", "team"),
        ("clusters", "team/https://a", "team"),
        ("clusters", "in-cluster", ""),
        ("accounts", "a/b", ""),
        ("applications", "shop", ""),
    ],
)
def test_which_project_a_request_is_about(resource: str, name: str, project: str) -> None:
    assert project_asked_about(RbacRequest("x", resource, "get", name)) == project


def test_the_deciding_line_is_named_with_its_place_and_the_way_to_it() -> None:
    policies = Rights(PolicySource((PolicyText("# one\n" + ROLES.strip(), "policy.csv"),)))
    found = policies.of_project(None).decide(RbacRequest("alice", "applications", "get", "a/b"))
    assert (str(found.line), found.line and found.line.place, found.roles) == (
        "p, role:base, applications, get, */*, allow",
        "policy.csv:2",
        ("role:dev", "role:base"),
    )


def test_hundreds_of_patterns_that_all_begin_alike_still_decide_right() -> None:
    text = "\n".join(f"p, x, applications, get, *a*n{number:03}*b*/*c*n{number:03}*, allow" for number in range(300))
    policies = rights(text)
    assert asked(policies, "x applications get zzazzn299zzbzz/zczzzn299z")
    assert not asked(policies, "x applications get zzazzn299zzbzz/zczzzn298zz")
