"""Reads from Kubernetes' Go types which fields an API server does not print when they hold the zero value.

`python tools/read_go_types.py FOLDER` with the folder of the module cache that holds `api@…`, `apimachinery@…` and
the rest (`$(go env GOMODCACHE)/k8s.io`). Writes `tools/omitted_zeros.json`, which `tools/build_schemas.py` merges into
the schemas: OpenAPI does not tell a pointer from a value, and so not `false` from absent.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

TARGET = Path(__file__).parent / "omitted_zeros.json"
SOURCES = {
    "api": ("io.k8s.api", "."),
    "apiextensions-apiserver": ("io.k8s.apiextensions-apiserver.pkg.apis", "pkg/apis"),
    "apimachinery": ("io.k8s.apimachinery.pkg.apis", "pkg/apis"),
    "kube-aggregator": ("io.k8s.kube-aggregator.pkg.apis", "pkg/apis"),
}
STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.DOTALL | re.MULTILINE)
NAMED = re.compile(r"^type (\w+) (\[\]\S+|map\[\S+|string|bool|u?int\d*|float\d+)", re.MULTILINE)
FIELD = re.compile(r'^\s+(?:(\w+)\s+)?([\w.*\[\]]+)\s+`[^`]*json:"([^"]*)"', re.MULTILINE)
PLAIN = re.compile(r"^(\[\]|map\[|string$|bool$|u?int\d*$|float\d+$)")


class Package:
    """The types of one Go package."""

    def __init__(self, text: str) -> None:
        self.structs = {name: FIELD.findall(body) for name, body in STRUCT.findall(text)}
        self.named = dict(NAMED.findall(text))

    def omitted(self, name: str) -> set[str]:
        """Return the JSON names of a struct's fields that vanish when zero."""
        found: set[str] = set()
        for field, kind, tag in self.structs.get(name, []):
            json_name, *options = tag.split(",")
            if not json_name and (not field or "inline" in options):
                found |= self.omitted(kind.lstrip("*"))
            elif {"omitempty", "omitzero"} & set(options) and self._is_plain(kind):
                found.add(json_name)
        return found

    def _is_plain(self, kind: str) -> bool:
        """Return whether a type is a text, number, truth value, list or map, directly or by name."""
        if "." in kind and not kind.startswith(("[]", "map[")):
            # Of another package: of these only named texts and resource lists are values with a zero.
            return kind in ("v1.ResourceList", "types.UID", "v1.ConditionStatus", "metav1.ConditionStatus")
        return bool(PLAIN.match(self.named.get(kind, kind)))


def read(folder: Path) -> dict[str, list[str]]:
    """Return the fields to omit by definition name."""
    found: dict[str, list[str]] = {}
    for module, (prefix, root) in SOURCES.items():
        base = next(iter(folder.glob(f"{module}@*"))) / root
        packages = {path.parent for path in base.glob("*/v*/*.go")}
        for package in sorted(packages):
            text = "\n".join(path.read_text() for path in package.glob("*.go") if "generated" not in path.name)
            known = Package(text)
            name = ".".join([prefix, *package.relative_to(base).parts])
            for struct in sorted(known.structs):
                fields = sorted(known.omitted(struct))
                if fields:
                    found[f"{name}.{struct}"] = fields
    return found


if __name__ == "__main__":
    found = read(Path(sys.argv[1]))
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(fields)}" for name, fields in sorted(found.items()))
    TARGET.write_text("{\n" + rows + "\n}\n")
    print(f"{TARGET.name}: {sum(map(len, found.values()))} fields of {len(found)} definitions")
