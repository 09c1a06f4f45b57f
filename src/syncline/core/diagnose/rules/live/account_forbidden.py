"""A ServiceAccount lacks a permission: a sync, a hook or an operator is refused by the API server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial

from syncline.apimachinery.keys import GroupKind, ObjectKey
from syncline.core.diagnose.graph.applications import refusing
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.view.fleet import part
from syncline.core.diagnose.graph.view.lines import line
from syncline.core.diagnose.graph.workloads import calls, crashes, pods
from syncline.core.diagnose.graph.workloads.log_lines import About, plain, unescaped
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.model.finding import Confidence, Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="LIV-202",
    name="account-forbidden",
    severity=Severity.ERROR,
    summary="The API server denies an account something that a sync, a hook or a controller needs.",
    fix="bind a role that permits it to the account",
    looks_at=(LooksAt.LIVE,),
    why="The message names the account, the verb and the resource, and so the missing permission. Whether the account "
    "should have it is your decision.",
)

_RBAC = "rbac.authorization.k8s.io"
_BINDINGS = ("RoleBinding", "ClusterRoleBinding")


@on_node(RULE, pods.POD, *refusing.SUBJECTS)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each permission that was missing, one cause for each account."""
    for state, text in _said(node):
        found = refusing.FORBIDDEN.search(text)
        if found is not None:
            account = found["user"]
            yield Fault(
                rule=RULE,
                state=state,
                cause=node.outside("account", account),
                tell=partial(_finding, node, text, found),
            )


def _said(node: Node) -> Iterator[tuple[str, str]]:
    if node.key.group_kind == pods.POD:
        for crash in crashes.crashes(node):
            if crashes.about(crash) is About.FORBIDDEN and crash.told is not None:
                yield crash.state, crash.told.line
        for complaint in calls.complaints(node):
            said = {found[0]: each for each in complaint.lines if (found := refusing.FORBIDDEN.search(unescaped(each)))}
            yield from (("forbidden", plain(text)) for text in said.values())
        return
    for one in refusing.said(node):
        yield "sync Failed" if one.by_sync else "FailedCreate", one.message


def _finding(node: Node, text: str, found: re.Match[str]) -> Finding:
    where = f" in namespace {found['namespace']}" if found["namespace"] else ""
    account = found["user"].removeprefix("system:serviceaccount:").replace(":", "/")
    group = f".{found['group']}" if found["group"] else ""
    can = f"--namespace {found['namespace']} " if found["namespace"] else ""
    return RULE.finding(
        found["user"],
        f"account {account} may not {found['verb']} {found['resource']}{group}{where}",
        evidence=[
            Evidence(kind=EvidenceKind.MESSAGE, text=text, subject=node.key),
            Evidence(
                kind=EvidenceKind.COMMAND,
                text=f"kubectl auth can-i {found['verb']} {found['resource']}{group} {can}--as {found['user']}",
            ),
            *_roles(node, account),
        ],
        confidence=Confidence.TEXT,
        fix=Fix(text=f"decide: bind a role that permits {found['verb']} on {found['resource']}{group} to {account}"),
    )


def _roles(node: Node, account: str) -> Iterator[Evidence]:
    """Yield the lines of the roles that Git binds to an account: one of them is where the permission belongs."""
    namespace, _, name = account.partition("/")
    for kind in _BINDINGS:
        for key, binding in node.cluster.of_kind(GroupKind(_RBAC, kind)):
            subjects = binding.get("subjects") or ()
            if any(_is(one, key.namespace, (namespace, name)) for one in subjects):
                role = part(binding, "roleRef")
                where = key.namespace if role.get("kind") == "Role" else ""
                thing = node.at(ObjectKey(_RBAC, str(role.get("kind")), where, str(role.get("name"))))
                yield from line(node.fleet, thing, "rules", f"rules of {thing}")


def _is(subject: Mapping[str, object], around: str, account: tuple[str, str]) -> bool:
    return (
        subject.get("kind") == "ServiceAccount" and (subject.get("namespace") or around, subject.get("name")) == account
    )
