"""Who may do what: users, RBAC rules, and the reviews that ask about them.

`syncline.sandbox.requests` checks every request here. Members of system:masters may do everything; others what the
stored roles and bindings grant, as on a real cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from syncline.apimachinery.keys import Object
from syncline.sandbox import answers, errors, fields
from syncline.sandbox.answers import Answer
from syncline.sandbox.backend import Backend
from syncline.sandbox.resources import Resource
from syncline.sandbox.routing import Route
from syncline.sandbox.store import Bucket

MASTERS: Final = "system:masters"
_GROUP: Final = "rbac.authorization.k8s.io"
_SERVICE_ACCOUNT: Final = "system:serviceaccount:"


class User(msgspec.Struct, frozen=True):
    """Whoever sends a request."""

    name: str = "admin"
    groups: tuple[str, ...] = (MASTERS,)


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody wants to do."""

    verb: str
    group: str = ""
    plural: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""

    @property
    def resource(self) -> str:
        """The resource as rules name it, with its subresource."""
        return f"{self.plural}/{self.subresource}" if self.subresource else self.plural


def check(backend: Backend, user: User, verb: str, route: Route) -> None:
    """Refuse what the user may not do."""
    attempt = Attempt(
        verb=verb,
        group=route.group,
        plural=route.plural,
        subresource=route.subresource,
        namespace=route.namespace,
        name=route.name,
    )
    if not allowed(backend, user, attempt):
        raise errors.forbidden(route.plural, route.group, route.name, _refusal(user, attempt))


def _refusal(user: User, attempt: Attempt) -> str:
    where = f' in the namespace "{attempt.namespace}"' if attempt.namespace else " at the cluster scope"
    return (
        f'User "{user.name}" cannot {attempt.verb} resource "{attempt.resource}" in API group "{attempt.group}"{where}'
    )


def allowed(backend: Backend, user: User, attempt: Attempt) -> bool:
    """Tell whether roles and bindings grant an attempt."""
    if MASTERS in user.groups or attempt.plural.startswith("selfsubject"):
        return True  # everybody may ask what they may do
    return any(_grants(rule, attempt) for rule in _rules(backend, user, attempt.namespace))


def _rules(backend: Backend, user: User, namespace: str) -> Iterator[Mapping[str, Any]]:
    for binding in _bindings(backend, "clusterrolebindings", ""):
        if _binds(binding, user, ""):
            yield from _role_rules(backend, binding["roleRef"], "")
    if namespace:
        for binding in _bindings(backend, "rolebindings", namespace):
            if _binds(binding, user, namespace):
                yield from _role_rules(backend, binding["roleRef"], namespace)


def _bindings(backend: Backend, plural: str, namespace: str) -> Iterator[Object]:
    for row in backend.store.rows(Bucket(_GROUP, plural), namespace):
        yield row.decode()


def _binds(binding: Object, user: User, namespace: str) -> bool:
    for subject in binding.get("subjects") or ():
        kind, name = subject.get("kind"), subject.get("name", "")
        if kind == "User" and name == user.name:
            return True
        if kind == "Group" and name in user.groups:
            return True
        account = f"{_SERVICE_ACCOUNT}{subject.get('namespace') or namespace}:{name}"
        if kind == "ServiceAccount" and account == user.name:
            return True
    return False


def _role_rules(backend: Backend, reference: Mapping[str, Any], namespace: str) -> Iterable[Mapping[str, Any]]:
    of_cluster = reference.get("kind") == "ClusterRole"
    bucket = Bucket(_GROUP, "clusterroles" if of_cluster else "roles")
    row = backend.store.get(bucket, "" if of_cluster else namespace, reference.get("name", ""))
    return [] if row is None else row.decode().get("rules") or []


def _grants(rule: Mapping[str, Any], attempt: Attempt) -> bool:
    verbs = rule.get("verbs") or ()
    if "*" not in verbs and attempt.verb not in verbs:
        return False
    if attempt.path:
        urls = rule.get("nonResourceURLs") or ()
        return any(
            url in ("*", attempt.path) or (url[-1:] == "*" and attempt.path.startswith(url[:-1])) for url in urls
        )
    groups, resources = rule.get("apiGroups") or (), rule.get("resources") or ()
    if "*" not in groups and attempt.group not in groups:
        return False
    wanted = {"*", attempt.resource, f"*/{attempt.subresource}" if attempt.subresource else attempt.resource}
    if not wanted.intersection(resources):
        return False
    names = rule.get("resourceNames") or ()
    return not names or attempt.name in names


def review(backend: Backend, resource: Resource, user: User, body: Any, namespace: str, *, manager: str = "") -> Answer:
    """Answer a review: may I, may they, who am I."""
    asked: Object = dict(body) if isinstance(body, dict) else {}
    asked = {**asked, "kind": resource.kind, "apiVersion": resource.gvk.api_version}
    spec = asked.get("spec") or {}
    metadata = asked.get("metadata") or {}
    match resource.kind:
        case "SelfSubjectReview":
            status: Object = {"userInfo": {"username": user.name, "groups": [*user.groups, "system:authenticated"]}}
        case "SelfSubjectAccessReview":
            if not spec:
                text = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
                raise errors.invalid("", resource.group, "", [errors.invalid_value("spec", "null", text)])
            status = _verdict(backend, user, spec, namespace)
        case "SubjectAccessReview" | "LocalSubjectAccessReview":
            other = User(spec.get("user") or "", tuple(spec.get("groups") or ()))
            status = _verdict(backend, other, spec, namespace)
        case "SelfSubjectRulesReview":
            status = _granted(backend, user, spec.get("namespace") or "")
        case _:
            status = {"authenticated": False}
    tracked = fields.track_update(
        resource, None, {**asked, "metadata": metadata}, manager=manager, now=backend.timestamp()
    )
    return answers.json({**tracked, "status": status}, 201)


def _verdict(backend: Backend, user: User, spec: Mapping[str, Any], namespace: str) -> Object:
    wanted = spec.get("resourceAttributes")
    if wanted is not None:
        attempt = Attempt(
            verb=wanted.get("verb", ""),
            group=wanted.get("group", ""),
            plural=wanted.get("resource", ""),
            subresource=wanted.get("subresource", ""),
            namespace=wanted.get("namespace") or namespace,
            name=wanted.get("name", ""),
        )
    else:
        path = spec.get("nonResourceAttributes") or {}
        attempt = Attempt(verb=path.get("verb", ""), path=path.get("path", ""))
    return {"allowed": True} if allowed(backend, user, attempt) else {"allowed": False}


def _granted(backend: Backend, user: User, namespace: str) -> Object:
    rules = list(_rules(backend, user, namespace))
    if MASTERS in user.groups:
        rules = [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}, {"verbs": ["*"], "nonResourceURLs": ["*"]}]
    return {
        "resourceRules": [rule for rule in rules if rule.get("resources")],
        "nonResourceRules": [rule for rule in rules if rule.get("nonResourceURLs")],
        "incomplete": False,
    }
