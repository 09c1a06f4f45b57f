"""Packs the schemas of kubernetes-validate into the data file of `syncline.apimachinery.schema.builtin`.

Run as `python tools/build_schemas.py` after raising the development dependency kubernetes-validate. A
definition that is the same in several Kubernetes versions is stored once. Descriptions are dropped, and so is
the blanket permission of null, which `syncline.apimachinery.schema.validate` adds again.
"""

from __future__ import annotations

import importlib.util
import json
import re
import zlib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "src/syncline/apimachinery/schema/data/definitions.json.z"
SUPPLEMENT = ROOT / "tools/openapi_supplement.json"
OMITTED_ZEROS = ROOT / "tools/omitted_zeros.json"
OLDEST_MINOR = 29
KEPT = {
    "$ref", "additionalProperties", "default", "enum", "format", "items", "properties", "required", "type",
    "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type",
    "x-kubernetes-patch-merge-key", "x-kubernetes-patch-strategy",
}  # fmt: skip


def source_folders() -> dict[str, Path]:
    """Return the folder of each Kubernetes minor, oldest first."""
    spec = importlib.util.find_spec("kubernetes_validate")
    if spec is None or spec.origin is None:
        raise SystemExit("kubernetes-validate is not installed: install the development dependencies")
    found = {}
    for folder in (Path(spec.origin).parent / "kubernetes-json-schema").iterdir():
        match = re.fullmatch(r"v1\.(\d+)\.\d+-local", folder.name)
        if match and int(match[1]) >= OLDEST_MINOR:
            found[int(match[1])] = folder
    return {f"1.{minor}": found[minor] for minor in sorted(found)}


def compact(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with only the words Syncline reads."""
    found = {key: value for key, value in schema.items() if key in KEPT}
    if "$ref" in found:
        found["$ref"] = found["$ref"].rpartition("/")[2]
    kinds = found.get("type")
    if isinstance(kinds, list):
        found["type"] = next(kind for kind in kinds if kind != "null")
    if "properties" in found:
        found["properties"] = {name: compact(value) for name, value in found["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(found.get(key), dict):
            found[key] = compact(found[key])
    return found


def enrich(schema: dict[str, Any], extra: dict[str, Any]) -> None:
    """Write the enums and defaults a running API server publishes into a definition."""
    for field, words in extra.items():
        target = schema.get("properties", {}).get(field)
        if target is None:
            continue
        for key, value in words.items():
            if key == "items":
                target["items"].update(value)
            else:
                target[key] = value


def mark_omitted(schema: dict[str, Any], fields: list[str]) -> None:
    """Mark the properties that vanish when they hold the zero value."""
    for field in fields:
        target = schema.get("properties", {}).get(field)
        if target is not None and "$ref" not in target:
            target["x-omit-zero"] = True


def pack(folders: dict[str, Path], extras: dict[str, Any], omitted: dict[str, list[str]]) -> dict[str, Any]:
    """Return the content of the data file: distinct definitions, and which of them each version uses."""
    entries: list[list[Any]] = []
    numbers: dict[str, int] = {}
    versions: dict[str, list[int]] = {}
    for version, folder in folders.items():
        definitions = json.loads((folder / "_definitions.json").read_text())["$defs"]
        used = versions[version] = []
        for name, definition in sorted(definitions.items()):
            schema = compact(definition)
            for field in ("apiVersion", "kind"):
                # Added by kubernetes-validate; the kind is known before a schema is chosen.
                schema.get("properties", {}).get(field, {}).pop("enum", None)
            enrich(schema, extras.get(name, {}))
            mark_omitted(schema, omitted.get(name, []))
            kinds = [
                [kind["group"], kind["version"], kind["kind"]]
                for kind in definition.get("x-kubernetes-group-version-kind", [])
            ]
            entry = [name, kinds, schema]
            text = json.dumps(entry, sort_keys=True)
            if text not in numbers:
                numbers[text] = len(entries)
                entries.append(entry)
            used.append(numbers[text])
    return {"entries": entries, "versions": versions}


if __name__ == "__main__":
    content = pack(source_folders(), json.loads(SUPPLEMENT.read_text()), json.loads(OMITTED_ZEROS.read_text()))
    packed = zlib.compress(json.dumps(content, separators=(",", ":"), sort_keys=True).encode(), 9)
    TARGET.write_bytes(packed)
    print(f"{TARGET.name}: {len(content['entries'])} definitions, {len(packed):,} bytes")
