"""Refuses roles and bindings that would give somebody more than whoever writes them has.

Asked by `syncline.sandbox.kinds.rights` for every write of a role or binding, before anything else is checked, as the
real server does. Members of system:masters may grant everything, and so may holders of `escalate` and `bind`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import orjson

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.access import rbac
from syncline.sandbox.access.rbac import Attempt, User
from syncline.sandbox.backend import Backend

_GROUP: Final = "rbac.authorization.k8s.io"
_EVERYTHING: Final = (
    {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
    {"nonResourceURLs": ["*"], "verbs": ["*"]},
)
_FREELY_CHANGED: Final = ("ownerReferences", "finalizers", "managedFields", "resourceVersion")
Single = tuple[str, str, str, str, str]
"""One permission: group, resource, name, URL, verb."""


def check_role(backend: Backend, obj: Object, live: Object | None) -> None:
    """Refuse a role with rules that its writer does not hold."""
    namespace = obj["metadata"].get("namespace", "")
    plural = "roles" if namespace else "clusterroles"
    user = _acting(backend)
    if _exempt(user, obj, live) or _may(backend, user, "escalate", plural, namespace, obj):
        return
    held = rbac.rules_for(backend, user, namespace)
    if (obj.get("aggregationRule") or (live or {}).get("aggregationRule")) and any(_missing(held, _EVERYTHING)):
        detail = "must have cluster-admin privileges to use the aggregationRule"
        raise errors.forbidden(plural, _GROUP, obj["metadata"]["name"], detail)
    _refuse(plural, obj, user, _missing(held, obj.get("rules") or ()))


def check_binding(backend: Backend, obj: Object, live: Object | None) -> None:
    """Refuse a binding of a role that its writer does not hold."""
    namespace = obj["metadata"].get("namespace", "")
    user = _acting(backend)
    if _exempt(user, obj, live):
        return
    plural = "rolebindings" if namespace else "clusterrolebindings"
    reference = obj.get("roleRef") or {}
    kind, name = str(reference.get("kind") or ""), str(reference.get("name") or "")
    roles = {"Role": "roles", "ClusterRole": "clusterroles"}.get(kind, "")
    if (
        roles
        and rbac.allowed(
            backend, user, Attempt(verb="bind", group=_GROUP, plural=roles, namespace=namespace, name=name)
        )
        is not None
    ):
        return
    if not roles:
        raise errors.StatusError(500, "", f'unsupported role reference kind: "{kind}"')
    rules = rbac.role_rules(backend, reference, namespace)
    if rules is None:
        raise errors.not_found(plural, _GROUP, name)
    _refuse(plural, obj, user, _missing(rbac.rules_for(backend, user, namespace), rules))


def _acting(backend: Backend) -> User:
    name, groups = backend.acting
    return User(name, groups)


def _exempt(user: User, obj: Object, live: Object | None) -> bool:
    """Tell whether everything may be granted, or nothing is: the garbage collector's fields may always change."""
    if rbac.MASTERS in user.groups:
        return True
    return live is not None and _compared(obj) == _compared(live)


def _compared(obj: Object) -> Object:
    kept = {key: value for key, value in obj["metadata"].items() if key not in _FREELY_CHANGED}
    return {**{key: value for key, value in obj.items() if key not in ("apiVersion", "kind")}, "metadata": kept}


def _may(backend: Backend, user: User, verb: str, plural: str, namespace: str, obj: Object) -> bool:
    name = obj["metadata"].get("name", "")
    attempt = Attempt(verb=verb, group=_GROUP, plural=plural, namespace=namespace, name=name)
    return rbac.allowed(backend, user, attempt) is not None


def _refuse(plural: str, obj: Object, user: User, missing: list[Single]) -> None:
    if not missing:
        return
    groups = " ".join(_quoted(group) for group in user.groups)
    detail = (
        f"user {_quoted(user.name)} (groups=[{groups}]) is attempting to grant RBAC permissions not currently held:\n"
        + "\n".join(sorted(_printed(missing)))
    )
    raise errors.forbidden(plural, _GROUP, obj["metadata"].get("name", ""), detail)


def _printed(missing: list[Single]) -> Iterator[str]:
    """Print permissions; verbs on one whole resource come together."""
    joined: dict[tuple[str, str], list[str]] = {}
    for group, resource, name, url, verb in missing:
        if url:
            yield f"{{NonResourceURLs:[{_quoted(url)}], Verbs:[{_quoted(verb)}]}}"
        elif name:
            yield (
                f"{{APIGroups:[{_quoted(group)}], Resources:[{_quoted(resource)}], "
                f"ResourceNames:[{_quoted(name)}], Verbs:[{_quoted(verb)}]}}"
            )
        else:
            joined.setdefault((group, resource), []).append(verb)
    for (group, resource), verbs in joined.items():
        told = " ".join(_quoted(verb) for verb in verbs)
        yield f"{{APIGroups:[{_quoted(group)}], Resources:[{_quoted(resource)}], Verbs:[{told}]}}"


def _quoted(text: str) -> str:
    return orjson.dumps(text).decode()


def _missing(held: list[Mapping[str, Any]], wanted: Any) -> list[Single]:
    return [single for rule in wanted for single in _singles(rule) if not any(_covers(one, single) for one in held)]


def _singles(rule: Mapping[str, Any]) -> Iterator[Single]:
    verbs = rule.get("verbs") or ()
    for group in rule.get("apiGroups") or ():
        for resource in rule.get("resources") or ():
            for name in rule.get("resourceNames") or ("",):
                yield from ((group, resource, name, "", verb) for verb in verbs)
    for url in rule.get("nonResourceURLs") or ():
        yield from (("", "", "", url, verb) for verb in verbs)


def _covers(rule: Mapping[str, Any], single: Single) -> bool:
    group, resource, name, url, verb = single
    verbs = rule.get("verbs") or ()
    if "*" not in verbs and verb not in verbs:
        return False
    if url:
        urls = rule.get("nonResourceURLs") or ()
        return any(one in ("*", url) or (one[-1:] == "*" and url.startswith(one[:-1])) for one in urls)
    groups, resources = rule.get("apiGroups") or (), rule.get("resources") or ()
    if "*" not in groups and group not in groups:
        return False
    below = resource.partition("/")[2]
    if not {"*", resource, f"*/{below}" if below else resource}.intersection(resources):
        return False
    names = rule.get("resourceNames") or ()
    return not names or (bool(name) and name in names)
