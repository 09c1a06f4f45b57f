"""What a health verdict rests on: one field or condition of the object, and since when it has been so.

Used by every built-in check. An object that does not tell since when gives an empty text: a guess would be shown as a
fact, and the stuck label of a sync counts from it.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.model.finding import Evidence, EvidenceKind
from syncline.model.health import Health, HealthCode

_FIELD, _CONDITION = EvidenceKind.FIELD, EvidenceKind.CONDITION
Numbered = tuple[int, dict[str, Any]]
"""A condition with its place in the list."""


def by_field(code: HealthCode, message: str, reason: str, path: str, value: Any = None, since: Any = "") -> Health:
    """Return a health that rests on the value of one field."""
    seen = Evidence(kind=_FIELD, text="" if value is None else str(value), path=path)
    return Health(code, message, reason, (seen,), str(since or ""))


def by_condition(code: HealthCode, message: str, reason: str, found: Numbered) -> Health:
    """Return a health that rests on one condition, and holds since that condition turned."""
    index, condition = found
    text = f"{condition.get('type')}={condition.get('status')} {condition.get('reason') or ''}".rstrip()
    seen = Evidence(kind=_CONDITION, text=text, path=f"status.conditions[{index}]")
    return Health(code, message, reason, (seen,), turned(found))


def condition(obj: Object, name: str, status: str | None = None) -> Numbered | None:
    """Return a condition by its type, and by its status where one is given."""
    for index, one in enumerate((obj.get("status") or {}).get("conditions") or ()):
        if one.get("type") == name and (status is None or one.get("status") == status):
            return index, one
    return None


def turned(found: Numbered | None) -> str:
    """Return since when a condition has had its status."""
    return str(found[1].get("lastTransitionTime") or "") if found else ""


def created(obj: Object) -> str:
    """Return when the object was made."""
    return meta.creation_timestamp(obj)


def first_seen(obj: Object) -> str:
    """Return when the object was made if its first generation is the one waited for; a later one tells no time."""
    return created(obj) if meta.generation(obj) <= 1 else ""
