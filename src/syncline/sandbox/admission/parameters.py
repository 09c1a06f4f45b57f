"""Finds the objects that a binding hands to its policy as `params`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.apimachinery.keys import GroupVersionKind, Object, split_api_version
from syncline.sandbox.admission.attempts import Attempt
from syncline.sandbox.api.selection import matches_selector
from syncline.sandbox.backend import Backend
from syncline.sandbox.served.resources import Resource


class Unconfigured(Exception):
    """The parameters of a binding cannot be found; the text is the server's."""


def found(backend: Backend, attempt: Attempt, spec: Object, binding: Object) -> list[Any]:
    """Return the parameters to ask a policy with: one by one, or a single None where it takes none.

    An empty list means that the binding does not count. Raises `Unconfigured`.
    """
    kind, reference = spec.get("paramKind"), binding.get("paramRef")
    if not kind or not reference:
        return [None]
    group, version = split_api_version(kind.get("apiVersion") or "")
    resource = backend.registry.of_kind(GroupVersionKind(group, version, kind.get("kind") or ""))
    if resource is None:
        where = f"{group}/{version}, Kind={kind.get('kind')}"
        raise Unconfigured(f"failed to find resource referenced by paramKind: '{where}'")
    namespace = str(reference.get("namespace") or "")
    if resource.namespaced and not namespace:
        namespace = attempt.namespace
        if not namespace:
            raise Unconfigured("cannot use namespaced paramRef in policy binding that matches cluster-scoped resources")
    given = list(_named(backend, resource, namespace, reference))
    if not given and reference.get("parameterNotFoundAction", "Deny") == "Deny":
        raise Unconfigured("no params found for policy binding with `Deny` parameterNotFoundAction")
    return given


def _named(backend: Backend, resource: Resource, namespace: str, reference: Object) -> Iterator[Object]:
    if reference.get("name"):
        row = backend.store.at(backend.place(resource, namespace, str(reference["name"])))
        if row is not None:
            yield resource.decode(row)
        return
    for row in backend.store.rows(resource.bucket):
        here = not resource.namespaced or row.place.namespace == namespace
        if here and matches_selector(reference.get("selector") or {}, row.labels):
            yield resource.decode(row)
