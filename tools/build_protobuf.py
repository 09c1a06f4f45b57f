"""Builds the table of protobuf field numbers that the sandbox reads request bodies with.

Run by hand for a new Kubernetes minor: `python tools/build_protobuf.py MODULES OUTPUT`, MODULES being the folder that
holds `api@v…`, `apimachinery@v…` and `apiextensions-apiserver@v…` of the Go modules of one version. Field numbers and
types come from the generated.proto files; JSON names, inlined parts and which zeros are left out from the Go types.
"""

from __future__ import annotations

import json
import re
import sys
import zlib
from pathlib import Path
from typing import Any

_FIELD = re.compile(r"^\s*(optional|repeated)?\s*(map<\s*(\w+)\s*,\s*([\w.]+)\s*>|[\w.]+)\s+(\w+)\s*=\s*(\d+);")
_STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_TAGGED = re.compile(r'^\s*(?:\w+\s+)?(\S+)\s+`json:"([^"]*)" protobuf:"\w+,(\d+),', re.MULTILINE)
_SCALARS = {
    "string": "s",
    "bytes": "y",
    "bool": "b",
    "int32": "i",
    "int64": "i",
    "uint32": "i",
    "uint64": "i",
    "double": "d",
}


def main(modules: Path, output: Path) -> None:
    """Read every generated.proto below the three modules and write the table."""
    messages: dict[str, list[list[Any]]] = {}
    for module in ("api@", "apimachinery@", "apiextensions-apiserver@"):
        for folder in sorted(modules.glob(f"{module}*")):
            for proto in sorted(folder.rglob("generated.proto")):
                messages |= _read(proto)
    packed = zlib.compress(json.dumps(messages, separators=(",", ":"), sort_keys=True).encode(), 9)
    output.write_bytes(packed)
    print(f"{len(messages)} messages, {len(packed)} bytes")


def _read(proto: Path) -> dict[str, list[list[Any]]]:
    text = proto.read_text()
    package = re.search(r"^package ([\w.]+);", text, re.MULTILINE)
    if package is None:
        raise SystemExit(f"{proto} names no package")
    tags = _tags(proto.parent)
    found: dict[str, list[list[Any]]] = {}
    for name, body in re.findall(r"^message (\w+) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        fields = [_FIELD.match(line) for line in body.splitlines()]
        found[f"{package[1]}.{name}"] = [
            _field(match, package[1], tags.get(name, {})) for match in fields if match is not None
        ]
    return found


def _field(match: re.Match[str], package: str, tags: dict[int, tuple[str, str]]) -> list[Any]:
    """Return number, JSON name (empty: inlined), type, and flags: r repeated, m map, z zero is left out."""
    label, kind, _, value, name, number = match.groups()
    go_type, json_name = tags.get(int(number), ("", name))
    flags = ("m" if value else "") + ("r" if label == "repeated" else "")
    wanted = value or kind
    letter = _SCALARS.get(wanted)
    if letter is not None and not flags and not go_type.startswith("*"):
        flags += "z"
    reference = wanted.removeprefix(".") if "." in wanted else f"{package}.{wanted}"
    return [int(number), json_name, letter or reference, flags]


def _tags(folder: Path) -> dict[str, dict[int, tuple[str, str]]]:
    """Return Go type and JSON name of every tagged field, by struct and field number."""
    found: dict[str, dict[int, tuple[str, str]]] = {}
    for path in sorted(folder.glob("*.go")):
        if path.name.startswith(("zz_", "generated")) or path.name.endswith("_test.go"):
            continue
        for name, body in _STRUCT.findall(path.read_text()):
            fields = found.setdefault(name, {})
            for go_type, tag, number in _TAGGED.findall(body):
                fields[int(number)] = (go_type, "" if tag == ",inline" else tag.split(",")[0])
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
