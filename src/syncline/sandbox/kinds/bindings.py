"""Role bindings: the role they point to may not change."""

from __future__ import annotations

from syncline.apimachinery.keys import Object
from syncline.sandbox import errors
from syncline.sandbox.backend import Backend
from syncline.sandbox.errors import Cause
from syncline.sandbox.kinds.rules import Rules, go_value


def _validate(_backend: Backend, obj: Object, live: Object | None) -> list[Cause]:
    role = obj.get("roleRef") or {}
    if not role.get("name"):
        return [errors.required("roleRef.name")]
    if live is not None and role != live.get("roleRef"):
        printed = {"APIGroup": role.get("apiGroup"), "Kind": role.get("kind"), "Name": role.get("name")}
        return [errors.invalid_value("roleRef", go_value(printed), "field is immutable")]
    return []


BINDING = Rules(validate=_validate)
