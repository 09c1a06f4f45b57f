"""A write as admission sees it, and whether a policy or webhook is about it.

Made by `syncline.sandbox.api.finishing` and `deletes`; policies, mutations and webhooks ask `seen_by`. A rule about
another version of the same objects gets the write in that version, unless it wants exact matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
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
    asked: Resource | None = None
    """What was asked for, where `resource` is another version of it."""

    def seen_as(self, resource: Resource) -> Attempt:
        """Return the same write in a version of its objects."""
        if resource is self.resource:
            return self
        obj, live = (None if one is None else converted(one, resource) for one in (self.obj, self.live))
        return replace(self, resource=resource, asked=self.asked or self.resource, obj=obj, live=live)

    def changed(self, obj: Object) -> Attempt:
        """Return the write with another object, given in any version."""
        return replace(self, obj=converted(obj, self.resource))

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
        kind, resource = _names(self.resource)
        asked: Object = {"kind": kind, "resource": resource}
        if self.subresource:
            asked["subResource"] = self.subresource
        kind, resource = _names(self.asked or self.resource)
        asked |= {"requestKind": kind, "requestResource": resource}
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


def _names(resource: Resource) -> tuple[Object, Object]:
    gvk = resource.gvk
    kind = {"group": gvk.group, "version": gvk.version, "kind": gvk.kind}
    return kind, {"group": gvk.group, "version": gvk.version, "resource": resource.plural}


def converted(obj: Object, resource: Resource) -> Object:
    """Return an object in a version of its kind."""
    wanted = resource.gvk.api_version
    if obj.get("apiVersion") == wanted:
        return obj
    return {**obj, "apiVersion": wanted} if resource.family is None else resource.family.convert(obj, wanted)


def seen_by(backend: Backend, attempt: Attempt, given: Object, rules: Iterable[Object]) -> Attempt | None:
    """Return a write as one sees it whose rules and selectors choose it, None where they do not.

    All but the rules come from `given`: the selectors, the exclusions and how exactly rules are read.
    """
    equivalent = given.get("matchPolicy") != "Exact"
    chosen = _version(backend, attempt, rules, equivalent=equivalent)
    if chosen is None:
        return None
    if _version(backend, attempt, given.get("excludeResourceRules") or (), equivalent=equivalent) is not None:
        return None
    wanted = _chosen_namespace(backend, attempt, given.get("namespaceSelector"))
    if not wanted or not _chosen_object(attempt, given.get("objectSelector")):
        return None
    return attempt.seen_as(chosen)


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


def _version(backend: Backend, attempt: Attempt, rules: Iterable[Object], *, equivalent: bool) -> Resource | None:
    """Return the version that rules name: the one that was asked for, else the first other one."""
    rules = [rule for rule in rules if _is_about(rule, attempt)]
    if any(_names_it(rule, attempt.resource, attempt.subresource) for rule in rules):
        return attempt.resource
    if not rules or not equivalent:
        return None
    others = list(_others(backend, attempt.resource))
    return next((one for rule in rules for one in others if _names_it(rule, one, attempt.subresource)), None)


def _others(backend: Backend, resource: Resource) -> Iterator[Resource]:
    return (one for one in backend.registry.all() if one.bucket == resource.bucket and one is not resource)


def _is_about(rule: Object, attempt: Attempt) -> bool:
    names = rule.get("resourceNames") or ()
    if names and attempt.name not in names:
        return False
    if not {"*", attempt.operation} & set(rule.get("operations") or ()):
        return False
    return rule.get("scope", "*") in ("*", "Namespaced" if attempt.resource.namespaced else "Cluster")


def _names_it(rule: Object, resource: Resource, subresource: str) -> bool:
    groups, versions = set(rule.get("apiGroups") or ()), set(rule.get("apiVersions") or ())
    if not {"*", resource.group} & groups or not {"*", resource.gvk.version} & versions:
        return False
    return any(_covers(given, resource.plural, subresource) for given in rule.get("resources") or ())


def _covers(given: str, plural: str, subresource: str) -> bool:
    wanted, slash, part = given.partition("/")
    if wanted not in ("*", plural):
        return False
    return part in ("*", subresource) if slash else not subresource
