"""ValidatingAdmissionPolicies: CEL expressions that a write must satisfy.

Called by `syncline.sandbox.admission.chain` and by `syncline.sandbox.api.deletes`. Only bindings that deny count;
warnings and audit are left out, and so is `authorizer`. Expressions run in the CEL library of the schema rules:
everything they may name is bound from one value, so that no environment of their own is needed.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupVersionKind, Object, split_api_version
from syncline.sandbox import errors
from syncline.sandbox.api.selection import matches_selector
from syncline.sandbox.backend import Backend
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket

_GROUP: Final = "admissionregistration.k8s.io"
_POLICIES: Final = Bucket(_GROUP, "validatingadmissionpolicies")
_BINDINGS: Final = Bucket(_GROUP, "validatingadmissionpolicybindings")
_NAMESPACES: Final = Bucket("", "namespaces")
_NAMES: Final = ("object", "oldObject", "request", "params", "namespaceObject", "variables")
_CODES: Final = {"Unauthorized": 401, "Forbidden": 403, "Invalid": 422, "RequestEntityTooLarge": 413}


class _Fails(Exception):
    """An expression cannot be worked out for this object."""


def bound(backend: Backend) -> bool:
    """Tell whether there is any policy to ask."""
    return backend.store.count(_BINDINGS) > 0


def check(backend: Backend, resource: Resource, obj: Object | None, live: Object | None) -> None:
    """Refuse a write that a bound policy denies; without an object it is a deletion."""
    for row in backend.store.rows(_BINDINGS):
        if resource.group == _GROUP:
            return  # what decides about writes is not decided about
        _check_binding(backend, resource, obj, live, row.decode())


def _check_binding(
    backend: Backend, resource: Resource, obj: Object | None, live: Object | None, binding: Object
) -> None:
    rules = binding.get("spec") or {}
    found = backend.store.get(_POLICIES, "", rules.get("policyName") or "")
    if found is None or "Deny" not in (rules.get("validationActions") or ()):
        return
    policy = found.decode()
    spec, about = policy.get("spec") or {}, obj or live or {}
    operation = "DELETE" if obj is None else "CREATE" if live is None else "UPDATE"
    constraints = (spec.get("matchConstraints") or {}, rules.get("matchResources") or {})
    if not all(_matches(backend, one, resource, about, operation) for one in constraints):
        return
    names = f"ValidatingAdmissionPolicy '{found.place.name}' with binding '{binding['metadata']['name']}'"
    values = _values(backend, resource, obj, live, operation)
    values["params"] = _params(backend, spec, rules, about)
    for told, reason in _violations(spec, values):
        detail = f"{names} denied request: {told}"
        refusal = errors.forbidden(resource.plural, resource.group, about["metadata"].get("name", ""), detail)
        details = {**(refusal.details or {}), "causes": [{"message": detail}]}
        raise errors.StatusError(_CODES.get(reason, 422), reason, refusal.message, details)


def _matches(backend: Backend, given: Object, resource: Resource, obj: Object, operation: str) -> bool:
    rules = given.get("resourceRules")
    if rules and not any(_names_it(rule, resource, obj, operation) for rule in rules):
        return False
    if any(_names_it(rule, resource, obj, operation) for rule in given.get("excludeResourceRules") or ()):
        return False
    metadata = meta.metadata(obj)
    namespace = metadata.get("name") if resource.bucket == _NAMESPACES else metadata.get("namespace")
    row = backend.store.get(_NAMESPACES, "", namespace) if namespace else None
    chosen = given.get("namespaceSelector")
    if chosen and row is not None and not matches_selector(chosen, row.labels):
        return False
    selector = given.get("objectSelector")
    return not selector or matches_selector(selector, metadata.get("labels") or {})


def _names_it(rule: Object, resource: Resource, obj: Object, operation: str) -> bool:
    def has(field: str, value: str) -> bool:
        return bool({"*", value} & set(rule.get(field) or ()))

    names = rule.get("resourceNames") or ()
    return (
        has("apiGroups", resource.group)
        and has("apiVersions", resource.gvk.version)
        and has("operations", operation)
        and has("resources", resource.plural)
        and rule.get("scope", "*") in ("*", "Namespaced" if resource.namespaced else "Cluster")
        and (not names or meta.metadata(obj).get("name") in names)
    )


def _values(
    backend: Backend, resource: Resource, obj: Object | None, live: Object | None, operation: str
) -> dict[str, Any]:
    metadata = meta.metadata(obj or live or {})
    row = backend.store.get(_NAMESPACES, "", metadata.get("namespace") or "")
    home = None if row is None else {"kind": "Namespace", "apiVersion": "v1", **row.decode()}
    gvk = resource.gvk
    request = {
        "kind": {"group": gvk.group, "version": gvk.version, "kind": gvk.kind},
        "resource": {"group": gvk.group, "version": gvk.version, "resource": resource.plural},
        "name": metadata.get("name", ""),
        "namespace": metadata.get("namespace", ""),
        "operation": operation,
        "userInfo": {"username": backend.acting[0], "groups": list(backend.acting[1])},
        "dryRun": False,
    }
    return {"object": obj, "oldObject": live, "request": request, "namespaceObject": home, "variables": {}}


def _params(backend: Backend, spec: Object, binding: Object, obj: Object) -> Object | None:
    kind, reference = spec.get("paramKind"), binding.get("paramRef") or {}
    if not kind or not reference.get("name"):
        return None
    group, version = split_api_version(kind.get("apiVersion") or "v1")
    resource = backend.registry.of_kind(GroupVersionKind(group, version, kind.get("kind") or ""))
    if resource is None:
        return None
    namespace = reference.get("namespace") or meta.namespace(obj)
    row = backend.store.at(backend.place(resource, namespace, reference["name"]))
    return None if row is None else resource.decode(row)


def _violations(spec: Object, values: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what is denied, each with its reason; a policy that ignores failures is silent about them."""
    strict = spec.get("failurePolicy") != "Ignore"
    try:
        if not all(_evaluated(one["expression"], values) is True for one in spec.get("matchConditions") or ()):
            return
        values["variables"] = dict(_variables(spec.get("variables") or (), values))
    except _Fails as failure:
        if strict:
            yield str(failure), "Invalid"
        return
    for rule in spec.get("validations") or ():
        text = str(rule.get("expression") or "").strip()
        try:
            holds = _evaluated(text, values)
        except _Fails as failure:
            if strict:
                yield f"expression '{text}' resulted in error: {failure}", "Invalid"
            continue
        if holds is not True:
            yield _words(rule, text, values), rule.get("reason") or "Invalid"


def _variables(given: Iterable[Mapping[str, Any]], values: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for one in given:
        found = _evaluated(str(one.get("expression") or ""), values)
        values["variables"] = {**values["variables"], str(one.get("name")): found}
        yield str(one.get("name")), found


def _words(rule: Mapping[str, Any], text: str, values: dict[str, Any]) -> str:
    expression = rule.get("messageExpression")
    if expression:
        try:
            said = _evaluated(str(expression), values)
        except _Fails:
            said = None
        if isinstance(said, str) and said.strip():
            return said.strip()
    return str(rule.get("message") or "").strip() or f"failed expression: {text}"


def _evaluated(text: str, values: Mapping[str, Any]) -> Any:
    program = _compiled(text)
    if program is None:
        return True  # beyond the library: nothing can be said against the object
    try:
        result = program.eval(data={"self": dict(values), "oldSelf": None})
    except RuntimeError as error:
        raise _Fails(str(error).partition("\n")[0]) from None
    if result.type().name() != "ERROR":
        return result.plain_value()
    told = str(result.value()).partition("\n")[0]
    missing = re.match(r'NOT_FOUND: Key not found in map : "(.*)"', told)
    raise _Fails(f"no such key: {missing[1]}" if missing else told)


@functools.lru_cache(maxsize=1024)
def _compiled(text: str) -> Any:
    from syncline.apimachinery.schema import cel_values

    bound = text
    for name in _NAMES:
        bound = f"cel.bind({name}, self.{name}, {bound})"
    try:
        return cel_values.environment().compile(bound)
    except (ImportError, RuntimeError):
        return None
