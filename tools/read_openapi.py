"""Reads what the published schemas leave out, enums and defaults, from a running kube-apiserver.

Any plain-HTTP address of the server serves, such as that of `kubectl proxy`:
`python tools/read_openapi.py http://127.0.0.1:8001`. Writes `tools/openapi_supplement.json`, which
`tools/build_schemas.py` merges into the schemas of every version. Zero defaults are kept for list keys only:
structured merge takes them for a missing key, nothing else reads them.
"""

from __future__ import annotations

import json
import sys
import urllib.request
from pathlib import Path
from typing import Any

SUPPLEMENT = Path(__file__).parent / "openapi_supplement.json"
ZERO: tuple[Any, ...] = ("", 0, False)


def fetch_definitions(server: str) -> dict[str, Any]:
    """Return every schema the server publishes in OpenAPI v3."""

    def get(path: str) -> Any:
        with urllib.request.urlopen(server.rstrip("/") + path) as answer:
            return json.load(answer)

    found: dict[str, Any] = {}
    for group in get("/openapi/v3")["paths"].values():
        found.update(get(group["serverRelativeURL"]).get("components", {}).get("schemas", {}))
    return found


def referenced(schema: dict[str, Any]) -> str:
    """Return the name of the definition a property points to, or an empty text."""
    ref = schema.get("$ref") or next((part.get("$ref") for part in schema.get("allOf", [])), None) or ""
    return str(ref).rpartition("/")[2]


def list_key_fields(definitions: dict[str, Any]) -> set[tuple[str, str]]:
    """Return (definition, field) of every field that is a key of an associative list."""
    found = set()
    for definition in definitions.values():
        for schema in definition.get("properties", {}).values():
            for key in schema.get("x-kubernetes-list-map-keys", []):
                found.add((referenced(schema.get("items", {})), key))
    return found


def supplement(definitions: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return enum and default by definition and field."""
    keys = list_key_fields(definitions)
    found: dict[str, dict[str, Any]] = {}
    for name, definition in sorted(definitions.items()):
        for field, schema in sorted(definition.get("properties", {}).items()):
            extra: dict[str, Any] = {}
            if "enum" in schema:
                extra["enum"] = schema["enum"]
            if "enum" in schema.get("items", {}):
                extra["items"] = {"enum": schema["items"]["enum"]}
            default = schema.get("default")
            if default not in (None, {}) and (default not in ZERO or (name, field) in keys):
                extra["default"] = default
            if extra:
                found.setdefault(name, {})[field] = extra
    return found


if __name__ == "__main__":
    found = supplement(fetch_definitions(sys.argv[1]))
    SUPPLEMENT.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    print(f"{SUPPLEMENT.name}: {sum(map(len, found.values()))} fields of {len(found)} definitions")
