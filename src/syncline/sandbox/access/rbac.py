"""Who may do what: users, RBAC rules, and the reviews that ask about them.

`syncline.sandbox.api.requests` checks every request here. Members of system:masters may do everything; others what the
stored roles and bindings grant, as on a real cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.access import aggregation
from syncline.sandbox.api import answers, fields
from syncline.sandbox.api.answers import ServerResponse
from syncline.sandbox.api.routing import Route
from syncline.sandbox.backend import Backend
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket

MASTERS: Final = "system:masters"
_GROUP: Final = "rbac.authorization.k8s.io"
SERVICE_ACCOUNT: Final = "system:serviceaccount:"
"""What names of service accounts begin with."""


class User(msgspec.Struct, frozen=True):
    """Whoever sends a request."""

    name: str = "admin"
    groups: tuple[str, ...] = (MASTERS,)
    uid: str = ""
    credential: str = ""
    """What a token calls itself, empty for one that does not."""

    def told(self) -> Object:
        """Return a user as reviews describe them."""
        groups = list(dict.fromkeys((*self.groups, "system:authenticated")))
        found: Object = {"username": self.name, **({"uid": self.uid} if self.uid else {}), "groups": groups}
        if self.credential:
            found["extra"] = {"authentication.kubernetes.io/credential-id": [self.credential]}
        return found


ANONYMOUS: Final = User("system:anonymous", ("system:unauthenticated",))
"""Whoever shows nothing."""


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
    check_attempt(backend, user, attempt)


def check_path(backend: Backend, user: User, method: str, path: str) -> None:
    """Refuse a path that names no object; whoever has a name of their own counts as authenticated."""
    known = user if user == ANONYMOUS else User(user.name, (*user.groups, "system:authenticated"))
    verb = method.lower()
    if allowed(backend, known, Attempt(verb=verb, path=path)) is None:
        raise errors.forbidden_path(user.name, verb, path)


def check_attempt(backend: Backend, user: User, attempt: Attempt) -> None:
    """Refuse what the user may not do, in words that name it."""
    if allowed(backend, user, attempt) is None:
        raise errors.forbidden(attempt.plural, attempt.group, attempt.name, _refusal(user, attempt))


def _refusal(user: User, attempt: Attempt) -> str:
    where = f' in the namespace "{attempt.namespace}"' if attempt.namespace else " at the cluster scope"
    return (
        f'User "{user.name}" cannot {attempt.verb} resource "{attempt.resource}" in API group "{attempt.group}"{where}'
    )


def allowed(backend: Backend, user: User, attempt: Attempt) -> str | None:
    """Return why an attempt is allowed (often for no reason that needs words), None when it is not."""
    if attempt.plural.startswith("selfsubject") and user != ANONYMOUS:
        return ""  # everybody with a name may ask what they may do
    if any(denial.hits(user, attempt) for denial in backend.controls.denials):
        return None
    if MASTERS in user.groups:
        return ""
    for reason, rules in _granting(backend, user, attempt.namespace):
        if any(_grants(rule, attempt) for rule in rules):
            return reason
    return None


def _granting(backend: Backend, user: User, namespace: str) -> Iterator[tuple[str, Iterable[Mapping[str, Any]]]]:
    """Yield the rules that bindings give a user, each with the words a review gives as its reason."""
    for binding in _bindings(backend, "clusterrolebindings", ""):
        subject = _subject(binding, user, "")
        if subject:
            reason = (
                f'RBAC: allowed by ClusterRoleBinding "{binding["metadata"]["name"]}" of {_role(binding)} to {subject}'
            )
            yield reason, role_rules(backend, binding["roleRef"], "") or ()
    if not namespace:
        return
    for binding in _bindings(backend, "rolebindings", namespace):
        subject = _subject(binding, user, namespace)
        if subject:
            name = f"{binding['metadata']['name']}/{namespace}"
            yield (
                f'RBAC: allowed by RoleBinding "{name}" of {_role(binding)} to {subject}',
                role_rules(backend, binding["roleRef"], namespace) or (),
            )


def _role(binding: Object) -> str:
    return f'{binding["roleRef"].get("kind", "")} "{binding["roleRef"].get("name", "")}"'


def _bindings(backend: Backend, plural: str, namespace: str) -> Iterator[Object]:
    for row in backend.store.rows(Bucket(_GROUP, plural), namespace):
        yield aggregation.decoded(row)


def _subject(binding: Object, user: User, namespace: str) -> str:
    """Return which subject of a binding a user is, empty when none."""
    for subject in binding.get("subjects") or ():
        kind, name = subject.get("kind"), subject.get("name", "")
        if (kind == "User" and name == user.name) or (kind == "Group" and name in user.groups):
            return f'{kind} "{name}"'
        home = subject.get("namespace") or namespace
        if kind == "ServiceAccount" and f"{SERVICE_ACCOUNT}{home}:{name}" == user.name:
            return f'{kind} "{name}/{home}"'
    return ""


def rules_for(backend: Backend, user: User, namespace: str) -> list[Mapping[str, Any]]:
    """Return all rules that bindings give a user in a namespace, or in the whole cluster."""
    return [rule for _, rules in _granting(backend, user, namespace) for rule in rules]


def role_rules(backend: Backend, reference: Mapping[str, Any], namespace: str) -> list[Object] | None:
    """Return the rules of the role that a binding names, None when there is no such role."""
    of_cluster = reference.get("kind") == "ClusterRole"
    bucket = Bucket(_GROUP, "clusterroles" if of_cluster else "roles")
    row = backend.store.get(bucket, "" if of_cluster else namespace, reference.get("name", ""))
    if row is None:
        return None
    role = aggregation.decoded(row)
    return aggregation.rules_of(backend, role) if of_cluster else role.get("rules") or []


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


def review(
    backend: Backend, resource: Resource, user: User, body: Any, namespace: str, *, manager: str = ""
) -> ServerResponse:
    """Answer a review: may I, may they, who am I."""
    asked: Object = dict(body) if isinstance(body, dict) else {}
    asked = {**asked, "kind": resource.kind, "apiVersion": resource.gvk.api_version}
    spec = asked.get("spec") or {}
    metadata = dict(meta.metadata(asked))
    match resource.kind:
        case "SelfSubjectReview":
            metadata["creationTimestamp"] = backend.timestamp()
            status: Object = {"userInfo": user.told()}
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
            status = _recognised(backend, spec.get("token") or "", spec.get("audiences") or [])
    tracked = fields.track_update(
        resource, None, {**asked, "metadata": metadata}, manager=manager, now=backend.timestamp()
    )
    for entry in tracked["metadata"].get("managedFields") or ():
        (entry.get("fieldsV1") or {}).get("f:spec", {}).pop(".", None)
    return answers.json({**tracked, "status": status}, 201)


def _recognised(backend: Backend, token: str, audiences: list[str]) -> Object:
    """Say whose token it is: of a service account, or the one that opens this sandbox."""
    from syncline.sandbox.access import tokens

    if not token:
        raise errors.bad_request("token is required for TokenReview in authentication")
    door = backend.doors.get(token)
    user = User(*door) if door is not None else tokens.user_of(backend, token)
    if user is None:
        return {"user": {}, "error": "invalid bearer token"}
    if audiences and tokens.AUDIENCE not in audiences:
        wanted = " ".join(f'"{name}"' for name in audiences)
        problem = f'token audiences ["{tokens.AUDIENCE}"] is invalid for the target audiences [{wanted}]'
        return {"user": {}, "error": f"[invalid bearer token, {problem}]"}
    return {"authenticated": True, "user": user.told(), "audiences": [tokens.AUDIENCE]}


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
    reason = allowed(backend, user, attempt)
    if reason is None:
        return {"allowed": False}
    return {"allowed": True, "reason": reason} if reason else {"allowed": True}


def _granted(backend: Backend, user: User, namespace: str) -> Object:
    rules: list[Mapping[str, Any]] = rules_for(backend, user, namespace)
    if MASTERS in user.groups:
        rules = [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}, {"verbs": ["*"], "nonResourceURLs": ["*"]}]
    return {
        "resourceRules": [rule for rule in rules if rule.get("resources")],
        "nonResourceRules": [rule for rule in rules if rule.get("nonResourceURLs")],
        "incomplete": False,
    }
