"""Builds the path and query of a request, and refuses names that would lead elsewhere.

Used by `syncline.adapters.kube.client`. Names come from files of strangers: one that holds a slash or two
dots would name another object's address, so it never gets as far as a request.
"""

from __future__ import annotations

from urllib.parse import quote, urlencode

from syncline.ports.kube import ApiError, ApiResource


def collection(resource: ApiResource, namespace: str, query: dict[str, str]) -> str:
    """Return the address of all objects of a kind, in one namespace or in all."""
    return _with_query(resource.path(_segment(namespace, "namespace")), query)


def named(
    resource: ApiResource, namespace: str, name: str, query: dict[str, str] | None = None, *, subresource: str = ""
) -> str:
    """Return the address of one object, or of a part of it."""
    if not name:
        raise ApiError(422, "Invalid", f"{resource.gvk.kind} is invalid: metadata.name: Required value")
    _require_namespace(resource, namespace, name)
    path = resource.path(_segment(namespace, "namespace"), _segment(name, "name"), subresource)
    return _with_query(path, query or {})


def parent(resource: ApiResource, namespace: str, name: str, query: dict[str, str]) -> str:
    """Return the address at which an object of that name is created."""
    _require_namespace(resource, namespace, name)
    _segment(name, "name")
    return collection(resource, namespace, query)


def _require_namespace(resource: ApiResource, namespace: str, name: str) -> None:
    if resource.namespaced and not namespace:
        message = f"{resource.gvk.kind} {name!r} is invalid: metadata.namespace: Required value"
        raise ApiError(422, "Invalid", message)


def _segment(text: str, field: str) -> str:
    if text in (".", "..") or "/" in text or "%" in text:
        raise ApiError(422, "Invalid", f"metadata.{field}: Invalid value: {text!r}: not usable in an address")
    return quote(text, safe=":")


def _with_query(path: str, query: dict[str, str]) -> str:
    given = {key: value for key, value in query.items() if value}
    return f"{path}?{urlencode(given)}" if given else path
