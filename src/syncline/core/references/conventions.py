"""References of custom kinds that nobody wrote rules for, by what such fields are called everywhere.

Asked by `syncline.core.references.read`. Operators follow the API conventions: `passwordSecretRef`, `configMapRef`,
`serviceAccountName`, and `somethingRef` with a kind and a name. What is found so is likely, not certain.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.apimachinery.keys import GroupKind
from syncline.core.references.pods import CLAIM, CONFIG_MAP, SECRET, SERVICE_ACCOUNT
from syncline.core.references.rules import ReferenceRule, Steps

_DEEPEST = 20
_FIELDS = {
    "secretref": SECRET,
    "secretkeyref": SECRET,
    "secretname": SECRET,
    "configmap": CONFIG_MAP,
    "configmapref": CONFIG_MAP,
    "configmapkeyref": CONFIG_MAP,
    "configmapname": CONFIG_MAP,
    "serviceaccountname": SERVICE_ACCOUNT,
    "serviceaccountref": SERVICE_ACCOUNT,
    "persistentvolumeclaim": CLAIM,
    "imagepullsecrets": SECRET,
}
_NAMES = {CLAIM: "claimName"}


def walk(value: Any, own: str, steps: Steps = ("spec",)) -> Iterator[tuple[Any, Steps, ReferenceRule]]:
    """Yield the fields of an object's spec that by their names lead to another object; `own` is the object's group."""
    if len(steps) > _DEEPEST:
        return
    if isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, (dict, list)):
                yield from walk(item, own, (*steps, index))
    elif isinstance(value, dict):
        for field, inner in value.items():
            if isinstance(field, str) and inner:
                yield from _field(field, inner, own, (*steps, field))


def _field(field: str, value: Any, own: str, steps: Steps) -> Iterator[tuple[Any, Steps, ReferenceRule]]:
    kind = _kind(field)
    if kind is not None:
        rule = ReferenceRule(path=field, kind=kind, name=_NAMES.get(kind, "name"))
        for index, item in enumerate(value) if isinstance(value, list) else [(None, value)]:
            yield item, steps if index is None else (*steps, index), rule
    elif field.endswith("Ref") and isinstance(value, dict) and isinstance(value.get("kind"), str):
        yield value, steps, ReferenceRule(path=field, kind=GroupKind(own, value["kind"]), typed=True)
    elif isinstance(value, (dict, list)):
        yield from walk(value, own, steps)


def _kind(field: str) -> GroupKind | None:
    """Return the kind a field is about; what stands before the telling word does not matter."""
    lower = field.lower()
    found = _FIELDS.get(lower)
    if found is None and lower.endswith(("ref", "name")):
        found = next((kind for word, kind in _FIELDS.items() if lower.endswith(word)), None)
    return found
