"""Whose an ApplicationSet is: the operator's, or a project's, which then bounds what it generates and asks for.

Asked by `syncline.controller.appsets` at every generation and by the API when a set is written. A set belongs to the
project that its mark or its template names literally. One in another namespace than the control plane's, whose project
is a template, belongs to the projects that permit Applications there.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.core.policy import namespaces
from syncline.core.policy.admin_projects import is_admin_equivalent
from syncline.model import names
from syncline.model.project import AppProject


class SetTenancy(msgspec.Struct, frozen=True):
    """Whose a set is, and what follows from that."""

    project: str = ""
    """The project that everything it generates must be in; empty where its template decides."""
    is_operators: bool = False
    """Whether Argo CD's settings decide about its tokens and hosts, and it may read any repository."""
    behalf: tuple[AppProject, ...] = ()
    """The projects it asks on behalf of: one of them must permit a request. The operator's needs none."""


def literal_project(appset: Object) -> str:
    """Return the project that the template of a set names; empty where it is a template itself, or not given."""
    spec = _mapping(appset.get("spec"))
    project = _mapping(_mapping(spec.get("template")).get("spec")).get("project")
    return project if isinstance(project, str) and "{{" not in project else ""


def tenancy(appset: Object, projects: Iterable[AppProject], control_namespace: str) -> SetTenancy:
    """Return whose a set is, given every project that can be read, with what each inherits."""
    mark = meta.annotation(appset, names.SET_PROJECT)
    project, namespace = mark or literal_project(appset), meta.namespace(appset)
    by_name = {known.metadata.name: known for known in projects}
    own = by_name.get(project)
    is_unbounded = not project or (own is not None and is_admin_equivalent(own, control_namespace))
    if is_unbounded and namespace == control_namespace and not mark:
        return SetTenancy(project, is_operators=True)
    if project:
        return SetTenancy(project, behalf=() if own is None else (own,))
    permitting = (known for known in by_name.values() if namespaces.listed(namespace, known.spec.source_namespaces))
    return SetTenancy(behalf=tuple(sorted(permitting, key=lambda known: known.metadata.name)))


def _mapping(value: object) -> Object:
    return value if isinstance(value, dict) else {}
