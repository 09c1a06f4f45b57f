"""What is wrong with a project as written: the checks that Argo CD's server makes before it stores one.

Asked by `syncline.verbs.projects` before a project is written. All mistakes are told at once, each with its field.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from syncline.apimachinery import globs
from syncline.core.policy import windows
from syncline.core.policy.rbac import words
from syncline.core.policy.rbac.lines import BadRecord, record
from syncline.model.project import AppProject, ProjectRole, ProjectSpec

_ROLE = re.compile(r"[a-zA-Z0-9]([-_a-zA-Z0-9]*[a-zA-Z0-9])?")
_NOTHING = "!*"
_LONGEST_DESCRIPTION = 255


def problems(project: AppProject) -> list[str]:
    """Return a sentence for everything that is wrong."""
    spec = project.spec
    return [
        *_lists(spec),
        *(problem for role in spec.roles for problem in _role(project.metadata.name, role)),
        *_windows(spec),
        *_service_accounts(spec),
    ]


def _lists(spec: ProjectSpec) -> Iterator[str]:
    places = [f"{one.server or one.name}/{one.namespace}" for one in spec.destinations]
    for title, values in (
        ("spec.destinations", places),
        ("spec.sourceNamespaces", spec.source_namespaces),
        ("spec.sourceRepos", spec.source_repos),
        ("spec.roles", [role.name for role in spec.roles]),
        ("spec.destinationServiceAccounts", [f"{a.server}/{a.namespace}" for a in spec.destination_service_accounts]),
    ):
        yield from (f"{title}: '{value}' is there twice" for value in _repeated(values))
    fields = [value for one in spec.destinations for value in (one.server, one.name, one.namespace)]
    if _NOTHING in (*spec.source_repos, *fields):
        yield f"'{_NOTHING}' forbids everything: leave the list empty instead"


def _repeated(values: Iterable[str]) -> list[str]:
    return [value for value, count in Counter(values).items() if count > 1]


def _role(project: str, role: ProjectRole) -> Iterator[str]:
    if not _ROLE.fullmatch(role.name):
        yield f"role '{role.name}': a name has letters, digits, '-' and '_', and begins and ends with a letter or digit"
    for title, values in (("policy", role.policies), ("group", role.groups)):
        yield from (f"role {role.name}: {title} '{value}' is there twice" for value in _repeated(values))
    for policy in role.policies:
        if problem := policy_problem(project, role.name, policy):
            yield f"role {role.name}: policy '{policy}': {problem}"


def policy_problem(project: str, role: str, policy: str) -> str:
    """Return why a role of a project may not have a policy; empty where it may."""
    try:
        fields = [field.strip() for field in record(policy.strip())]
    except BadRecord as error:
        return str(error)
    if len(fields) != 6 or fields[0] != "p":
        return "the form is p, SUBJECT, RESOURCE, ACTION, OBJECT, allow|deny"
    _, subject, resource, action, name, effect = fields
    if subject != f"proj:{project}:{role}":
        return f"the subject is proj:{project}:{role}, not {subject}"
    if resource not in words.IN_PROJECTS:
        return f"the resource is one of {', '.join(sorted(words.IN_PROJECTS))}, not {resource}"
    verb, slash, _ = action.partition("/")
    if action != "*" and not (slash and verb in words.WITH_PATH) and action not in words.ACTIONS["applications"]:
        return f"the action '{action}' is unknown"
    if not re.fullmatch(rf"{re.escape(project)}(/[*\w.-]+)?/[*\w.-]+", name):
        return f"the object is {project}/*, {project}/NAME or {project}/NAMESPACE/NAME, not {name}"
    return "" if effect in ("allow", "deny") else "the effect is allow or deny"


def _windows(spec: ProjectSpec) -> Iterator[str]:
    for number, rule in enumerate(spec.sync_windows):
        title = f"sync window {number} ({rule.kind} '{rule.schedule}' {rule.duration})"
        if problem := windows.problem(rule):
            yield f"{title}: {problem}"
        if not (rule.applications or rule.namespaces or rule.clusters):
            yield f"{title}: give it applications, namespaces or clusters"
        if len(rule.description) > _LONGEST_DESCRIPTION:
            yield f"{title}: the description is longer than {_LONGEST_DESCRIPTION} letters"
        if rule in spec.sync_windows[:number]:
            yield f"{title}: it is there twice"


def _service_accounts(spec: ProjectSpec) -> Iterator[str]:
    for one in spec.destination_service_accounts:
        title = f"spec.destinationServiceAccounts {one.server}/{one.namespace}"
        for pattern in (one.server, one.namespace):
            if "!" in pattern or globs.expression(pattern) is None:
                yield f"{title}: '{pattern}' is not a pattern"
        if not one.default_service_account.strip() or set("!*[]{}\\/") & set(one.default_service_account):
            yield f"{title}: '{one.default_service_account}' is not the name of a service account"
