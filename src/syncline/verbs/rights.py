"""Who may do what, by the policies of an installation or of files: the answer, the line that decides, and why.

Nothing is refused here: commands reach the Kubernetes API with the rights of whoever runs them. This answers what a
server that follows the policies would say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from syncline.apimachinery.keys import GroupKind
from syncline.apimachinery.nearest import instead
from syncline.controller.settings import read_permissions
from syncline.core.policy.rbac import check, sources, words
from syncline.core.policy.rbac.enforcer import RbacRequest, RbacVerdict
from syncline.core.policy.rbac.lines import PolicyProblem, PolicyText
from syncline.core.policy.rbac.rights import PolicySource, Rights, Who, project_asked_about, project_of_subject
from syncline.core.settings.parse import SettingsInput, entries
from syncline.model import names, project
from syncline.model.errors import InvalidSpec
from syncline.model.project import AppProject
from syncline.ports.kube import Cluster
from syncline.verbs.errors import InvalidRequest

_SHOWN = 3
_VALIDATE = "syncline admin settings rbac validate lists all"
_PROJECT = GroupKind(names.GROUP, "AppProject")


class Policies(msgspec.Struct, frozen=True):
    """All policies of an installation, or of files: texts, and projects by name with their roles."""

    source: PolicySource = PolicySource()
    projects: Mapping[str, AppProject] = {}


async def read_policies(cluster: Cluster, namespace: str) -> Policies:
    """Return the policies of the installation in a namespace."""
    found = await read_permissions(cluster, namespace)
    resource = (await cluster.discover()).find(_PROJECT)
    listed = (await cluster.list(resource, namespace=namespace)).items if resource is not None else ()
    source = sources.of_entries(entries([SettingsInput(found)])) if found is not None else PolicySource()
    return Policies(source, _projects(listed))


def policies_in(inputs: Iterable[SettingsInput]) -> Policies:
    """Return the policies of documents: a ConfigMap, an ArgoCD resource or chart values; AppProjects count too."""
    given = list(inputs)
    found = [msgspec.structs.replace(one, value=_as_permissions(one.value)) for one in given]
    return Policies(sources.of_entries(entries(found)), _projects(one.value for one in given))


def policies_of_text(text: str, name: str) -> Policies:
    """Return the policies of a bare policy.csv."""
    return Policies(PolicySource((PolicyText(text, name),)))


def _as_permissions(value: Any) -> Any:
    """Return a ConfigMap with policies under the name that is read, whatever its own is: files often say another."""
    if not isinstance(value, dict) or value.get("kind") != "ConfigMap" or "policy.csv" not in (value.get("data") or ()):
        return value
    return {**value, "metadata": {**(value.get("metadata") or {}), "name": "argocd-rbac-cm"}}


def _projects(objects: Iterable[Any]) -> dict[str, AppProject]:
    found = {}
    for obj in objects:
        if isinstance(obj, dict) and obj.get("kind", "AppProject") == "AppProject":
            try:
                typed = project.parse(obj)
            except InvalidSpec:
                continue
            found[typed.metadata.name] = typed
    return found


def request_for(subject: str, action: str, resource: str, name: str, *, strict: bool = True) -> RbacRequest:
    """Return the request that words mean; raises a sentence for a resource or action that is unknown."""
    known = words.resource_named(resource)
    if strict and known not in words.ACTIONS:
        raise InvalidRequest(f"'{resource}' is not a resource of policies", hint=instead(known, words.ACTIONS))
    if strict and not words.action_known(known, action):
        hint = instead(action.partition("/")[0], words.ACTIONS[known])
        raise InvalidRequest(f"'{action}' is not an action on {known}", hint=hint)
    if known in words.IN_PROJECTS and name in ("", "*"):
        name = "*/*"
    return RbacRequest(subject, known, action, name)


def decide(policies: Policies, who: Who, request: RbacRequest, *, with_builtin: bool = True) -> RbacVerdict:
    """Return whether somebody may do something, by the policies and by the roles of the project it is about."""
    rights = Rights(policies.source, with_builtin=with_builtin)
    if rights.problems:
        listed = "; ".join(map(str, rights.problems[:_SHOWN]))
        raise InvalidRequest(f"the policy cannot be read, so nothing is permitted: {listed}", hint=_VALIDATE)
    about = project_asked_about(request) or project_of_subject(who.subject)
    return rights.of_project(policies.projects.get(about)).decide_for(who, request)


def problems(policies: Policies) -> list[PolicyProblem]:
    """Return what is wrong with policies, and with those of projects."""
    return check.problems(policies.source, policies.projects.values())


def ignored_group(policies: Policies, subject: str, verdict: RbacVerdict) -> str:
    """Return the warning that rights of a group are ignored, because no line puts it into a role; empty otherwise."""
    is_group = ":" in subject and not subject.startswith("role:") and not project_of_subject(subject)
    own = verdict.allowed and not verdict.roles and not verdict.reason
    if not is_group or not own or Rights(policies.source).is_member(subject):
        return ""
    return (
        f"'{subject}' looks like a group with policies of its own and no role: a server looks only at groups that a g"
        f" line names, so this will not take effect (add g, {subject}, ROLE)"
    )


def explanation(request: RbacRequest, verdict: RbacVerdict) -> list[str]:
    """Return why: the line that decides and the way to it, else the smallest line that would allow it."""
    way = " → ".join((request.subject, *verdict.roles))
    lines = [verdict.reason] if verdict.reason else []
    if verdict.line is not None:
        effect = "allowed" if verdict.allowed else "denied"
        lines += [f"{effect} by {verdict.line.place}: {verdict.line}", f"as {way}"]
    elif not verdict.reason:
        asked = f"{request.subject}, {request.resource}, {request.action}, {request.object}"
        lines += ["no line allows it", f"this one would: p, {asked}, allow"]
    return lines
