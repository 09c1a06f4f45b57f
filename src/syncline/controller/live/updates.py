"""Whether a change of a live object is worth a look at its app.

Asked by `syncline.controller.live.intake` for every update a watch brings. Operators rewrite status fields and
heartbeats many times a minute; settings (`resource.customizations.ignoreResourceUpdates`) say which fields do not
count, of objects that an app manages or that are annotated so. The odd fact: a change of health always counts, whatever
is ignored.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from syncline.apimachinery import globs, meta
from syncline.apimachinery.keys import GroupKind, Object, gvk_of
from syncline.core.health import assess
from syncline.model import names
from syncline.model.settings.resources import ResourceOverride
from syncline.model.settings.settings import Settings

_VOLATILE = ("/metadata/resourceVersion", "/metadata/generation", "/metadata/managedFields")
_TRUE = frozenset({"1", "t", "T", "true", "True", "TRUE"})
_UNCOUNTED = GroupKind("", "Endpoints")
_OURS = frozenset(GroupKind(names.GROUP, kind) for kind in ("Application", "AppProject", "ApplicationSet"))
"""What we are asked to do is written into these: no setting makes us deaf to it."""


def matters(before: Callable[[], Object], after: Object, settings: Settings, *, tracked: bool) -> bool:
    """Whether an update changes more than fields that do not count; what was before is asked for only where it counts.

    Pods and others that nobody tracks tell why an app is not healthy, so all their updates count unless an annotation
    says otherwise.
    """
    kind = gvk_of(after).group_kind
    if kind == _UNCOUNTED:
        return False
    if kind in _OURS or not settings.ignore_resource_updates or not (tracked or _annotated(after)):
        return True
    pointers = _ignored(kind, settings.overrides, on_differences=settings.compare.ignore_differences_on_updates)
    if pointers is None:
        return True
    former = before()
    if _without(former, pointers) != _without(after, pointers):
        return True
    return assess.assess(former) != assess.assess(after)


def _annotated(obj: Object) -> bool:
    annotations = meta.annotations(obj)
    return str(annotations.get(names.IGNORE_RESOURCE_UPDATES)) in _TRUE


@functools.lru_cache(maxsize=1024)
def _ignored(
    kind: GroupKind, overrides: tuple[ResourceOverride, ...], *, on_differences: bool
) -> tuple[tuple[str, ...], ...] | None:
    """Return the paths that do not count for a kind; None where nothing was set, or jq would be needed."""
    found: list[str] = []
    for override in overrides:
        if override.pattern != "*/*" and not globs.matches(str(kind), override.pattern):
            continue
        rules = [override.ignore_resource_updates, override.ignore_differences if on_differences else None]
        for rule in rules:
            if rule is not None and rule.jq_path_expressions:
                return None
            found += rule.json_pointers if rule is not None else ()
    if not found:
        return None
    return tuple(_parts(pointer) for pointer in (*_VOLATILE, *found))


def _parts(pointer: str) -> tuple[str, ...]:
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])


def _without(obj: Object, paths: tuple[tuple[str, ...], ...]) -> Any:
    """Return the object without some fields, copied only along their paths."""
    for path in paths:
        obj = _removed(obj, path)
    return obj


def _removed(value: Any, path: tuple[str, ...]) -> Any:
    head, rest = path[0], path[1:]
    if isinstance(value, list):
        index = int(head) if head.isdigit() else -1
        if not 0 <= index < len(value):
            return value
        middle = [_removed(value[index], rest)] if rest else []
        return [*value[:index], *middle, *value[index + 1 :]]
    if not isinstance(value, dict) or head not in value:
        return value
    if not rest:
        return {name: item for name, item in value.items() if name != head}
    return {**value, head: _removed(value[head], rest)}
