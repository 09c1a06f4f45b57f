"""Reads what Argo CD's .proto files compile to, out of the Go files that its programs are built from.

`compiled` returns messages and methods for `tests.argocd.test_grpc_table`. Each .pb.go file holds the descriptor that
protoc made of a .proto file, packed; what JSON calls a field, and which are pointers, is in the tags of Go's types.
`python -m tests.argocd.descriptors` writes the table of the server again, after a change to its list of methods.
"""

import dataclasses
import functools
import gzip
import json
import os
import pathlib
import re
import subprocess
from collections.abc import Iterable
from typing import Any

from google.protobuf import descriptor_pb2, unknown_fields
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, MethodDescriptorProto
from google.protobuf.message import Message as Packed

from syncline.server.grpcweb import methods, table
from syncline.server.grpcweb.table import FLAGS, Field, Message
from tests.argocd import build, module

TABLE = pathlib.Path(table.__file__).with_name("messages.txt")
_HEAD = """\
# The messages of Argo CD's API that are served here, by `python -m tests.argocd.descriptors`.
# Of each field: number, name, (repeated | map | required | pointer), type; then what JSON calls it, or `inline`, where
# that is not its name. The keys of maps are strings. A pointer is told apart from nothing when it is zero or empty.
"""
V1ALPHA1 = "github.com.argoproj.argo_cd.v3.pkg.apis.application.v1alpha1"
META = "k8s.io.apimachinery.pkg.apis.meta.v1"
# What the table calls a package; others keep their names.
SHORT = {
    V1ALPHA1: "v1alpha1",
    META: "meta",
    "k8s.io.api.core.v1": "core",
    "k8s.io.apimachinery.pkg.runtime": "runtime",
    "k8s.io.apimachinery.pkg.util.intstr": "intstr",
    "k8s.io.apimachinery.pkg.api.resource": "resource",
    "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1": "apiextensions",
    "github.com.argoproj.argo_cd.server.settings.oidc": "oidc",
    "google.protobuf": "protobuf",
}
SERVICES = (
    "application",
    "account",
    "session",
    "settings",
    "version",
    "project",
    "cluster",
    "repository",
    "applicationset",
)
ARGOCD = (
    *(f"pkg/apiclient/{name}/{name}.pb.go" for name in SERVICES),
    "reposerver/apiclient/repository.pb.go",
    "server/settings/oidc/claims.pb.go",
    "pkg/apis/application/v1alpha1/generated.pb.go",
)
KUBERNETES = {
    "k8s.io/apimachinery": ("pkg/apis/meta/v1", "pkg/runtime", "pkg/util/intstr", "pkg/api/resource"),
    "k8s.io/api": ("core/v1",),
    "k8s.io/apiextensions-apiserver": ("pkg/apis/apiextensions/v1",),
}
TYPES = {value: key for key, value in FieldDescriptorProto.Type.items()}
_DESCRIPTOR = re.compile(r"^var fileDescriptor_\w+ = \[\]byte\{(.*?)^\}", re.MULTILINE | re.DOTALL)
_STRUCT = re.compile(r"^type (\w+) struct \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_TAGGED = re.compile(r"^\s*(?:(\w+)\s+)?(\S+)\s+`(.*)`", re.MULTILINE)
# Types that write their JSON by way of another one.
_BY_WAY_OF = {"rawResourceOverride": "ResourceOverride"}
_HTTP = 72295728  # the extension google.api.http
_VERBS = {2: "GET", 3: "PUT", 4: "POST", 5: "DELETE", 6: "PATCH"}


@dataclasses.dataclass(frozen=True, slots=True)
class Compiled:
    """Messages by their full names, and methods by theirs."""

    messages: dict[str, DescriptorProto]
    methods: dict[str, MethodDescriptorProto]
    tags: dict[str, dict[int, tuple[str, str]]]
    packages: dict[str, str]
    old: frozenset[str]

    def table(self, roots: set[str]) -> dict[str, Message]:
        """Return these messages and all that they are made of, as the table of the server says it."""
        found: dict[str, Message] = {}
        todo = sorted(roots)
        while todo:
            name = todo.pop()
            if short(name, self.packages) not in found:
                fields = tuple(self._field(name, one) for one in self.messages[name].field)
                found[short(name, self.packages)] = Message(short(name, self.packages), fields)
                todo += [self._below(one) for one in self.messages[name].field if self._below(one)]
        return found

    def _below(self, field: FieldDescriptorProto) -> str:
        """Return the message that a field holds; of a map the values'."""
        entry = self.messages.get(field.type_name[1:])
        if entry is not None and entry.options.map_entry:
            return entry.field[1].type_name[1:]
        return field.type_name[1:]

    def _field(self, message: str, field: FieldDescriptorProto) -> Field:
        entry = self.messages.get(field.type_name[1:])
        mapped = entry is not None and entry.options.map_entry
        value = entry.field[1] if entry is not None and mapped else field
        assert not mapped or entry is None or entry.field[0].type == FieldDescriptorProto.TYPE_STRING, field
        kind = short(value.type_name[1:], self.packages) if value.type_name else TYPES[value.type][5:].lower()
        go_type, json_name = self.tags.get(message, {}).get(field.number, ("", field.name))
        return Field(
            number=field.number,
            name=field.name,
            kind=kind,
            repeated=field.label == FieldDescriptorProto.LABEL_REPEATED and not mapped,
            mapped=mapped,
            required=field.label == FieldDescriptorProto.LABEL_REQUIRED,
            pointer=self._is_pointer(message, field, go_type),
            json=json_name,
        )

    def _is_pointer(self, message: str, field: FieldDescriptorProto, go_type: str) -> bool:
        """Whether Go tells a zero from nothing."""
        if field.label == FieldDescriptorProto.LABEL_REPEATED:
            return False
        if message in self.tags:
            return go_type.startswith("*")
        return message in self.old or bool(field.type_name)

    def http(self, name: str) -> tuple[tuple[str, str, str], ...]:
        """Return verb, path and body of a method's ways over HTTP."""
        options = _unknown(self.methods[name].options)
        return tuple(rule for one in options if one.field_number == _HTTP for rule in _rules(one.data))


def _rules(data: bytes) -> list[tuple[str, str, str]]:
    rule = descriptor_pb2.UninterpretedOption.NamePart()  # knows none of the fields that a rule has
    rule.MergeFromString(data)
    fields = _unknown(rule)
    body = next((one.data.decode() for one in fields if one.field_number == 7), "")
    own = [(_VERBS[one.field_number], one.data.decode(), body) for one in fields if one.field_number in _VERBS]
    more = [rule for one in fields if one.field_number == 11 for rule in _rules(one.data)]
    return own + more


def _unknown(message: Packed) -> list[Any]:
    """Return the fields of a message that its type does not have."""
    found = unknown_fields.UnknownFieldSet(message)
    return [found[place] for place in range(len(found))]


def short(name: str, packages: dict[str, str]) -> str:
    """Return what the table calls a message."""
    package = packages[name]
    return SHORT.get(package, package) + name.removeprefix(package)


@functools.cache
def compiled() -> Compiled:
    """Return what is compiled into the Argo CD that is tested here."""
    root = folder(module.PATH, build.VERSION)
    required = (root / "go.mod").read_text()
    found = Compiled({"google.protobuf.Empty": DescriptorProto(name="Empty")}, {}, {}, {}, frozenset())
    found.packages["google.protobuf.Empty"] = "google.protobuf"
    old: set[str] = set()
    for path in ARGOCD:
        _read(found, old, root / path)
    for name, paths in KUBERNETES.items():
        version = re.search(rf"^\s*{re.escape(name)} (v\S+)", required, re.MULTILINE)
        assert version is not None, name
        for path in paths:
            _read(found, old, folder(name, version[1]) / path / "generated.pb.go")
    return dataclasses.replace(found, old=frozenset(old))


def _read(found: Compiled, old: set[str], path: pathlib.Path) -> None:
    packed = _DESCRIPTOR.search(path.read_text())
    assert packed is not None, path
    digits = re.findall(r"0x([0-9a-f]{2})", re.sub(r"//.*", "", packed[1]))
    file = descriptor_pb2.FileDescriptorProto.FromString(gzip.decompress(bytes(int(one, 16) for one in digits)))
    for one in file.message_type:
        _note(found, file.package, file.package, one)
        if file.syntax in ("", "proto2"):
            old.add(f"{file.package}.{one.name}")
    for service in file.service:
        for method in service.method:
            found.methods[f"{file.package}.{service.name}/{method.name}"] = method
    if path.name == "generated.pb.go":
        for name, tags in _tags(path.parent).items():
            found.tags[f"{file.package}.{name}"] = tags


def _note(found: Compiled, package: str, prefix: str, message: DescriptorProto) -> None:
    name = f"{prefix}.{message.name}"
    found.messages[name], found.packages[name] = message, package
    for one in message.nested_type:
        _note(found, package, name, one)


def _tags(package: pathlib.Path) -> dict[str, dict[int, tuple[str, str]]]:
    """Return Go type and JSON name of every tagged field, by struct and field number; an inlined one has no name."""
    tagged: dict[str, list[tuple[str, str, str]]] = {}
    for path in sorted(package.glob("*.go")):
        if not path.name.startswith(("zz_", "generated")) and not path.name.endswith("_test.go"):
            tagged |= {name: _TAGGED.findall(body) for name, body in _STRUCT.findall(path.read_text())}
    other = {_BY_WAY_OF[name]: _json_names(fields) for name, fields in tagged.items() if name in _BY_WAY_OF}
    found: dict[str, dict[int, tuple[str, str]]] = {}
    for name, fields in tagged.items():
        told = _json_names(fields) | other.get(name, {})
        for go_name, go_type, tag in fields:
            if number := re.search(r'protobuf:"\w+,(\d+),(?:\w+,)*name=(\w+)', tag):
                # Without a tag JSON has Go's own name.
                shown = told.get(go_name or go_type, go_name)
                found.setdefault(name, {})[int(number[1])] = (go_type, number[2] if shown == "-" else shown)
    return found


def _json_names(fields: list[tuple[str, str, str]]) -> dict[str, str]:
    """Return what JSON calls the fields of a struct, by their names in Go."""
    found = {go_name or go_type: re.search(r'json:"([^",]*)', tag) for go_name, go_type, tag in fields}
    return {go_name: named[1] for go_name, named in found.items() if named is not None}


@functools.cache
def folder(path: str, version: str) -> pathlib.Path:
    """Return the folder of a Go module in the module cache, fetched first if it is not there."""
    environment = os.environ | {"GOFLAGS": "-mod=mod", "GOWORK": "off", "GOTOOLCHAIN": "local"}
    command = ["go", "mod", "download", "-json", f"{path}@{version}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    told = json.loads(done.stdout or "{}")
    assert told.get("Dir"), f"{path}@{version} cannot be fetched: {told.get('Error') or done.stderr}"
    return pathlib.Path(told["Dir"])


def wanted(found: Compiled) -> dict[str, Message]:
    """Return the table of all messages that the methods of the server take and return."""
    served = [found.methods[one.name] for one in methods.METHODS]
    return found.table({kind[1:] for one in served for kind in (one.input_type, one.output_type)})


def written(messages: Iterable[Message]) -> str:
    """Return the text of a table."""
    lines = [_HEAD]
    for message in sorted(messages, key=lambda one: one.name):
        lines.append(message.name)
        lines += [_line(field) for field in sorted(message.fields, key=lambda one: one.number)]
    return "\n".join(lines) + "\n"


def _line(field: Field) -> str:
    flags = [word for word, attribute in FLAGS.items() if getattr(field, attribute)]
    renamed = [] if field.json == field.name else [field.json or "inline"]
    return "  " + " ".join([str(field.number), field.name, *flags, field.kind, *renamed])


if __name__ == "__main__":
    TABLE.write_text(written(wanted(compiled()).values()))
