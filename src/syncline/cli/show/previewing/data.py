"""A preview for programs: everything, under one version of the form."""

from __future__ import annotations

import msgspec

from syncline.model.preview import Preview

SCHEMA_VERSION = 1


def as_json(found: Preview) -> str:
    """Return everything as JSON; sides that are absent are left out."""
    value = msgspec.to_builtins(msgspec.structs.replace(found, files={}), str_keys=True)
    value.pop("files", None)
    return msgspec.json.format(msgspec.json.encode({"schemaVersion": SCHEMA_VERSION, **value}), indent=2).decode()
