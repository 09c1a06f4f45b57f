"""CustomResourceDefinitions: names that must fit, one storage version, schemas for all."""

from __future__ import annotations

import re
from typing import Final

from syncline.apimachinery import names as words
from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.kinds import checks, definition_versions, schema_shapes, webhooks
from syncline.sandbox.kinds.rules import KindRules, go_value, immutable
from syncline.sandbox.served import structural

CLEANUP: Final = "customresourcecleanup.apiextensions.k8s.io"
_APPROVAL: Final = "api-approved.kubernetes.io"
_APPROVAL_PAGE: Final = "https://github.com/kubernetes/enhancements/pull/1111"


def _complete(_backend: Backend, obj: Object, live: Object | None) -> Object:
    spec = dict(obj.get("spec") or {})
    names = dict(spec.get("names") or {})
    kind = str(names.get("kind") or "")
    if kind:
        names["singular"] = names.get("singular") or kind.lower()
        names["listKind"] = names.get("listKind") or f"{kind}List"
    spec["names"] = names
    spec.setdefault("conversion", {"strategy": "None"})
    completed = {**obj, "spec": spec}
    stored = [version.get("name", "") for version in spec.get("versions") or () if version.get("storage")][:1]
    if live is None:
        completed["status"] = {
            "conditions": None,
            "acceptedNames": {"plural": "", "kind": ""},
            "storedVersions": stored,
        }
    elif obj.get("status"):
        known = obj["status"].get("storedVersions") or []
        more = [name for name in stored if name not in known]
        completed["status"] = {**obj["status"], "storedVersions": [*known, *more]}
    return completed


def _validate(_backend: Backend, obj: Object, live: Object | None) -> list[FieldCause]:
    spec = obj.get("spec") or {}
    names, group = spec.get("names") or {}, str(spec.get("group") or "")
    name, causes = obj["metadata"].get("name", ""), []
    if live is None and name != f"{names.get('plural') or ''}.{group}":
        text = 'must be spec.names.plural+"."+spec.group'
        causes.append(errors.invalid_value("metadata.name", f'"{name}"', text))
    causes += _check_spec(spec, (live or {}).get("spec"))
    if live is not None:
        causes += _check_fixed(spec, live)
    causes += _check_stored(obj, spec)
    return causes + _check_approval(obj, live, group) + _check_preserving(spec, live)


def _check_fixed(spec: Object, live: Object) -> list[FieldCause]:
    """Refuse to change what objects are stored by."""
    old, names = live.get("spec") or {}, spec.get("names") or {}
    before = old.get("names") or {}
    conditions = (live.get("status") or {}).get("conditions") or ()
    causes: list[FieldCause] = []
    if any(one.get("type") == "Established" and one.get("status") == "True" for one in conditions):
        causes += immutable("spec.scope", spec.get("scope"), old.get("scope"))
        causes += immutable("spec.names.kind", names.get("kind"), before.get("kind"))
    causes += immutable("spec.group", spec.get("group"), old.get("group"))
    return causes + immutable("spec.names.plural", names.get("plural"), before.get("plural"))


def _check_stored(obj: Object, spec: Object) -> list[FieldCause]:
    stored = (obj.get("status") or {}).get("storedVersions") or []
    if not stored:
        text = "must have at least one stored version"
        return [errors.invalid_value("status.storedVersions", "null", text)]
    versions = {version.get("name"): bool(version.get("storage")) for version in spec.get("versions") or ()}
    causes = [
        errors.invalid_value("status.storedVersions", go_value(stored), f"must have the storage version {name}")
        for name, is_storage in versions.items()
        if is_storage and name not in stored
    ]
    for index, name in enumerate(stored):
        if name not in versions:
            text = (
                f"missing from spec.versions; {name} was previously a storage version, and must remain in "
                f"spec.versions until a storage migration ensures no data remains persisted in {name} and removes "
                f"{name} from status.storedVersions"
            )
            causes.append(errors.invalid_value(f"status.storedVersions[{index}]", go_value(name), text))
    return causes


def _check_approval(obj: Object, live: Object | None, group: str) -> list[FieldCause]:
    if not (group.endswith((".k8s.io", ".kubernetes.io")) or group in ("k8s.io", "kubernetes.io")):
        return []
    told = (obj["metadata"].get("annotations") or {}).get(_APPROVAL)
    if live is not None and (live["metadata"].get("annotations") or {}).get(_APPROVAL) == told:
        return []
    where = f"metadata.annotations[{_APPROVAL}]"
    if not told:
        text = f'protected groups must have approval annotation "{_APPROVAL}", see {_APPROVAL_PAGE}'
        return [errors.required(where, text)]
    if told.startswith("unapproved") or re.match(r"[a-z][a-z0-9+.-]*://[^/]", told):
        return []
    text = (
        f'protected groups must have approval annotation "{_APPROVAL}" with either a URL or a reason starting with '
        f'"unapproved", see {_APPROVAL_PAGE}'
    )
    return [errors.invalid_value(where, go_value(told), text)]


def _check_preserving(spec: Object, live: Object | None) -> list[FieldCause]:
    if not spec.get("preserveUnknownFields") or ((live or {}).get("spec") or {}).get("preserveUnknownFields"):
        return []
    text = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"
    return [errors.invalid_value("spec.preserveUnknownFields", "true", text)]


def _check_spec(spec: Object, old: Object | None) -> list[FieldCause]:
    names = spec.get("names") or {}
    causes = _check_group(str(spec.get("group") or ""))
    if not spec.get("scope"):
        causes.append(errors.required("spec.scope"))
    else:
        causes += checks.one_of("spec.scope", spec["scope"], ("Cluster", "Namespaced"))
    causes += definition_versions.check_each(spec, old)
    wanted = ("plural", "singular", "kind", "listKind")
    causes += [errors.required(f"spec.names.{field}") for field in wanted if not names.get(field)]
    causes += _check_names(names)
    causes += definition_versions.check_shared(spec, old)
    return causes + _check_conversion(spec.get("conversion") or {})


def _check_group(group: str) -> list[FieldCause]:
    if not group:
        return [errors.required("spec.group")]
    told = words.subdomain(group)
    if told:
        return [errors.invalid_value("spec.group", go_value(group), ",".join(told))]
    text = "should be a domain with at least one dot"
    return [] if "." in group else [errors.invalid_value("spec.group", go_value(group), text)]


def _check_names(names: Object) -> list[FieldCause]:
    causes = [one for field in ("plural", "singular") for one in _check_word(f"spec.names.{field}", names.get(field))]
    kinds = ("kind", "listKind")
    causes += [one for field in kinds for one in _check_word(f"spec.names.{field}", names.get(field), mixed=True)]
    for index, word in enumerate(names.get("shortNames") or ()):
        causes += definition_versions.check_word(f"spec.names.shortNames[{index}]", word)
    if names.get("kind") and names["kind"] == names.get("listKind"):
        text = "kind and listKind may not be the same"
        causes.append(errors.invalid_value("spec.names.listKind", go_value(names["kind"]), text))
    for index, word in enumerate(names.get("categories") or ()):
        causes += definition_versions.check_word(f"spec.names.categories[{index}]", word)
    return causes


def _check_word(field: str, word: str | None, *, mixed: bool = False) -> list[FieldCause]:
    """Refuse what is not a DNS-1035 label; kinds may have capitals."""
    return definition_versions.check_word(field, word, mixed=mixed) if word else []


def _check_conversion(conversion: Object) -> list[FieldCause]:
    strategy, hook = str(conversion.get("strategy") or ""), conversion.get("webhook") or {}
    where, client = "spec.conversion.webhookClientConfig", hook.get("clientConfig")
    if not strategy:
        return [errors.required("spec.conversion.strategy")]
    causes = checks.one_of("spec.conversion.strategy", strategy, ("None", "Webhook"))
    if strategy != "Webhook":
        text = "should not be set when strategy is not set to Webhook"
        given = ((where, client), ("spec.conversion.conversionReviewVersions", hook.get("conversionReviewVersions")))
        return causes + [errors.forbidden_field(field, text) for field, value in given if value]
    if client is None:
        causes.append(errors.required(where, "required when strategy is set to Webhook"))
    else:
        causes += webhooks.check_client(client, where)
    versions = hook.get("conversionReviewVersions") or []
    return causes + webhooks.check_reviews(versions, "spec.conversion.conversionReviewVersions", told="")


def _warn(obj: Object) -> list[str]:
    """Say which formats nobody checks, and which sets server-side apply does not understand."""
    formats: list[str] = []
    sets: set[str] = set()
    for version in (obj.get("spec") or {}).get("versions") or ():
        schema = (version.get("schema") or {}).get("openAPIV3Schema") or {}
        for part in schema_shapes.every(schema):
            named = str(part.get("format") or "")
            if named and structural.format_of({"type": part.get("type"), "format": named}) == "":
                formats.append(f"unrecognized format {go_value(named)}")
            kind = (part.get("items") or {}).get("type") if isinstance(part.get("items"), dict) else ""
            if part.get("x-kubernetes-list-type") == "set" and kind in ("object", "array"):
                sets.add(kind)
    unsupported = "is not supported by server-side apply or CEL validation rules"
    told = [f'x-kubernetes-list-type: set for items of type "{kind}" {unsupported}' for kind in sorted(sets)]
    return [*dict.fromkeys(formats), *told]


DEFINITION = KindRules(complete=_complete, validate=_validate, warn=_warn)
