"""Reads which other objects an object names.

Asked by the controller's live index for every object, and by diagnosis for one. Built-in kinds and those of known
operators are read by rule; other custom kinds by the names of their fields. The odd fact: built-in kinds without rules
name nothing, whatever their fields are called.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey, key_of, split_api_version
from syncline.apimachinery.paths import FieldPath
from syncline.core.references import conventions, knowledge
from syncline.core.references.kinds import CLUSTER_SCOPED, RULES
from syncline.core.references.rules import Branch, Led, ReferenceRule, path_steps, tree
from syncline.model.finding import Confidence
from syncline.model.reference import Reference

# Plain tuples: they are hashed for every name in every pod.
_CLUSTER_SCOPED = frozenset((kind.group, kind.kind) for kind in CLUSTER_SCOPED)
_BUILT_IN = ".k8s.io"
_BUILT_IN_GROUPS = frozenset({"", "apps", "batch", "autoscaling", "policy", "extensions"})


def references(obj: Object) -> tuple[Reference, ...]:
    """Return what an object names, field by field."""
    myself = key_of(obj)
    led, confidence = _led(obj, myself)
    found = (_reference(one, myself, confidence) for one in led)
    return tuple(reference for reference in found if reference is not None)


def named(obj: Object) -> tuple[ObjectKey, ...]:
    """Return the objects that an object names, each once, sorted."""
    myself = key_of(obj)
    led, _ = _led(obj, myself)
    return tuple(sorted({key for value, _, rule in led if (key := _key(value, rule, myself)) is not None}))


def may_make(kind: GroupKind) -> bool:
    """Whether objects of a kind may make others that they name."""
    return any(rule.makes for rule in _rules(kind) or ())


def _led(obj: Object, myself: ObjectKey) -> tuple[Iterable[Led], Confidence]:
    """Return what rules or conventions lead to, and how sure that is."""
    kind = myself.group_kind
    branch = _tree(kind)
    if branch is not None:
        return [*branch.walk(obj), *_made_under_own_name(obj, kind, myself)], Confidence.DECLARED
    if kind.group in _BUILT_IN_GROUPS or kind.group.endswith(_BUILT_IN):
        return (), Confidence.DECLARED
    return conventions.walk(obj.get("spec"), kind.group), Confidence.TEXT


@functools.lru_cache(maxsize=512)
def _tree(kind: GroupKind) -> Branch | None:
    rules = _rules(kind)
    return tree(rules) if rules is not None else None


@functools.lru_cache(maxsize=512)
def _rules(kind: GroupKind) -> tuple[ReferenceRule, ...] | None:
    return RULES[kind] if kind in RULES else knowledge.rules_for(kind)


@functools.lru_cache(maxsize=512)
def _own_named(kind: GroupKind) -> tuple[tuple[ReferenceRule, Branch], ...]:
    return tuple((rule, tree((rule,))) for rule in _rules(kind) or () if rule.own_name)


def _made_under_own_name(obj: Object, kind: GroupKind, myself: ObjectKey) -> Iterator[Led]:
    for rule, branch in _own_named(kind):
        if not branch.walk(obj):
            yield myself.name, tuple(path_steps(rule.path)), rule


def _reference(one: Led, myself: ObjectKey, confidence: Confidence) -> Reference | None:
    value, steps, rule = one
    key = _key(value, rule, myself)
    if key is None:
        return None
    inside = value if isinstance(value, dict) else {}
    return Reference(
        key=key,
        path=str(FieldPath((*steps, rule.name) if inside else steps)),
        makes=rule.makes,
        optional=inside.get("optional") is True,
        part=str(inside.get("key") or ""),
        confidence=confidence,
    )


def _key(value: Any, rule: ReferenceRule, myself: ObjectKey) -> ObjectKey | None:
    """Return the object that a value names; None where it names none, or has another form than it should have."""
    if isinstance(value, str):
        return _placed(rule.kind, "", value, myself) if value else None
    if not isinstance(value, dict):
        return None
    name, namespace = value.get(rule.name), value.get("namespace")
    kind = _kind(value, rule)
    if not isinstance(name, str) or not name or kind is None:
        return None
    return _placed(kind, namespace if isinstance(namespace, str) else "", name, myself)


def _kind(value: dict[str, Any], rule: ReferenceRule) -> GroupKind | None:
    if not rule.typed:
        return rule.kind
    kind = value.get("kind") or rule.kind.kind
    if not isinstance(kind, str) or (rule.only and kind not in rule.only):
        return None
    group: Any = rule.kind.group
    if isinstance(version := value.get("apiVersion"), str):
        group, _ = split_api_version(version)
    elif (stated := value.get("apiGroup", value.get("group"))) is not None:
        group = stated
    return GroupKind(group, kind) if isinstance(group, str) else None


def _placed(kind: GroupKind, namespace: str, name: str, myself: ObjectKey) -> ObjectKey | None:
    """Return the key of a named object; None for one in a namespace that only its operator knows."""
    if (kind.group, kind.kind) in _CLUSTER_SCOPED:
        return ObjectKey(kind.group, kind.kind, "", name)
    placed = namespace or myself.namespace
    if not placed and not kind.group:
        return None
    return ObjectKey(kind.group, kind.kind, placed, name)
