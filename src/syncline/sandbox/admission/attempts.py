"""A write as admission sees it, and whether a policy or webhook is about it.

Made by `syncline.sandbox.api.finishing` and `deletes`; policies, mutations and webhooks ask `concerns`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupVersionKind, Object
from syncline.sandbox.api.selection import matches_selector
from syncline.sandbox.backend import Backend
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket

GROUP: Final = "admissionregistration.k8s.io"
_NAMESPACES: Final = Bucket("", "namespaces")
_FREE: Final = frozenset(
    {
        "validatingwebhookconfigurations",
        "mutatingwebhookconfigurations",
        "validatingadmissionpolicies",
        "validatingadmissionpolicybindings",
        "mutatingadmissionpolicies",
        "mutatingadmissionpolicybindings",
    }
)
"""What decides about writes is not decided about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One create, update or delete; without an object it is a deletion."""

    resource: Resource
    obj: Object | None
    live: Object | None
    subresource: str = ""
    dry_run: bool = False
    manager: str = ""

    @property
    def about(self) -> Object:
        """The object as it would be, or as it is before it goes."""
        return self.obj or self.live or {}

    @property
    def operation(self) -> str:
        """The word of rules for what is done."""
        return "DELETE" if self.obj is None else "CREATE" if self.live is None else "UPDATE"

    @property
    def name(self) -> str:
        """The name of the object, empty while it has none of its own."""
        return str(meta.metadata(self.about).get("name") or "")

    @property
    def namespace(self) -> str:
        """The namespace it is in."""
        metadata = meta.metadata(self.about)
        if self.resource.bucket == _NAMESPACES and self.operation != "CREATE":
            return str(metadata.get("name") or "")
        return str(metadata.get("namespace") or "") if self.resource.namespaced else ""

    @property
    def free(self) -> bool:
        """Whether no policy or webhook is asked."""
        return self.resource.group == GROUP and self.resource.plural in _FREE

    def request(self, backend: Backend) -> Object:
        """Return what policies and webhooks are told of the request."""
        gvk = self.resource.gvk
        kind = {"group": gvk.group, "version": gvk.version, "kind": gvk.kind}
        resource = {"group": gvk.group, "version": gvk.version, "resource": self.resource.plural}
        asked: Object = {"kind": kind, "resource": resource}
        if self.subresource:
            asked["subResource"] = self.subresource
        asked |= {"requestKind": dict(kind), "requestResource": dict(resource)}
        if self.subresource:
            asked["requestSubResource"] = self.subresource
        if self.name:
            asked["name"] = self.name
        if self.namespace:
            asked["namespace"] = self.namespace
        user, groups = backend.acting
        asked |= {"operation": self.operation, "userInfo": {"username": user, "groups": list(groups)}}
        return {**asked, "dryRun": self.dry_run, "options": self._options()}

    def _options(self) -> Object:
        options: Object = {"kind": f"{self.operation.capitalize()}Options", "apiVersion": "meta.k8s.io/v1"}
        if self.dry_run:
            options["dryRun"] = ["All"]
        if self.manager and self.obj is not None:
            options["fieldManager"] = self.manager
        return options


def home(backend: Backend, attempt: Attempt) -> Object | None:
    """Return the namespace that an object is in, None where it is in none."""
    namespace = attempt.namespace
    row = backend.store.get(_NAMESPACES, "", namespace) if namespace else None
    return None if row is None else {"kind": "Namespace", "apiVersion": "v1", **row.decode()}


def concerns(backend: Backend, attempt: Attempt, given: Object, rules: Iterable[Object]) -> bool:
    """Tell whether selectors and rules choose a write: all but one rule and the exclusions come from `given`."""
    equivalent = given.get("matchPolicy") != "Exact"
    if not any(_names_it(backend, rule, attempt, equivalent=equivalent) for rule in rules):
        return False
    excluded = given.get("excludeResourceRules") or ()
    if any(_names_it(backend, rule, attempt, equivalent=equivalent) for rule in excluded):
        return False
    return _chosen_namespace(backend, attempt, given.get("namespaceSelector")) and _chosen_object(
        attempt, given.get("objectSelector")
    )


def _chosen_namespace(backend: Backend, attempt: Attempt, selector: Any) -> bool:
    if not selector:
        return True
    if attempt.resource.bucket == _NAMESPACES:
        labels = meta.metadata(attempt.about).get("labels") or {}
        return matches_selector(selector, labels)
    if not attempt.resource.namespaced:
        return True
    found = home(backend, attempt)
    return found is None or matches_selector(selector, meta.metadata(found).get("labels") or {})


def _chosen_object(attempt: Attempt, selector: Any) -> bool:
    if not selector:
        return True
    both = (attempt.obj, attempt.live)
    return any(one is not None and matches_selector(selector, meta.metadata(one).get("labels") or {}) for one in both)


def _names_it(backend: Backend, rule: Object, attempt: Attempt, *, equivalent: bool) -> bool:
    resource = attempt.resource
    names = rule.get("resourceNames") or ()
    if names and attempt.name not in names:
        return False
    if not {"*", attempt.operation} & set(rule.get("operations") or ()):
        return False
    if rule.get("scope", "*") not in ("*", "Namespaced" if resource.namespaced else "Cluster"):
        return False
    if not any(_covers(given, resource.plural, attempt.subresource) for given in rule.get("resources") or ()):
        return False
    return any(_of(rule, gvk) for gvk in _versions(backend, resource, equivalent=equivalent))


def _versions(backend: Backend, resource: Resource, *, equivalent: bool) -> list[GroupVersionKind]:
    found = [resource.gvk]
    if equivalent:
        found += [one.gvk for one in backend.registry.all() if one.bucket == resource.bucket]
    return found


def _of(rule: Object, gvk: GroupVersionKind) -> bool:
    groups, versions = set(rule.get("apiGroups") or ()), set(rule.get("apiVersions") or ())
    return bool({"*", gvk.group} & groups) and bool({"*", gvk.version} & versions)


def _covers(given: str, plural: str, subresource: str) -> bool:
    wanted, slash, part = given.partition("/")
    if wanted not in ("*", plural):
        return False
    return part in ("*", subresource) if slash else not subresource
