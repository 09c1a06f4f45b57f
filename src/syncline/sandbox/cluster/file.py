"""Reads one cluster YAML: nodes, storage classes, images, scripts, operators, the world outside, controls.

`syncline.wiring` hands in the path and builds a sandbox from what comes back. Keys are those of
`syncline.sandbox.cluster.settings` in camel case; an unknown one is told together with the nearest that exists. Files
of rules that it names lie beside it.
"""

from __future__ import annotations

import difflib
import ipaddress
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec

from syncline.apimachinery import meta, quantity, yaml
from syncline.apimachinery.keys import gvk_of
from syncline.apimachinery.schema import builtin
from syncline.sandbox.behaviours import rules, shipped
from syncline.sandbox.cluster.controls import Controls
from syncline.sandbox.cluster.settings import NodeSpec, OperatorSpec, SandboxSettings

_UNKNOWN: Final = re.compile(r"unknown field `([^`]*)`(?: - at `([^`]*)`)?")
_PLACE: Final = re.compile(r"^<input>:(\d+):\d+: ")
_STEP: Final = re.compile(r"\.([^.\[]+)|\[([^\]]*)\]")
_BINDING: Final = ("Immediate", "WaitForFirstConsumer")
_EFFECTS: Final = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_NOT_IN_FILES: Final = ("data", "simulate")


class ClusterFileError(Exception):
    """A cluster file cannot be used; the text is one sentence that says where, why and what would be right."""


class Described(msgspec.Struct, frozen=True):
    """What a cluster file says."""

    settings: SandboxSettings
    controls: Controls


def load(path: Path) -> Described:
    """Read a cluster file and the files of rules it names; raises `ClusterFileError`."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ClusterFileError(f"The cluster file {path} cannot be read: {reason}.") from None
    return parse(text, str(path), folder=path.parent)


def parse(text: str, where: str, *, folder: Path | None = None) -> Described:
    """Read the text of a cluster file; raises `ClusterFileError`."""
    try:
        content = yaml.load(text.encode()) or {}
    except yaml.YamlError as error:
        problem = _PLACE.sub(r"at line \1, ", str(error)).rstrip(".")
        raise ClusterFileError(f"The cluster file {where} is not YAML: {problem}.") from None
    if not isinstance(content, dict):
        raise ClusterFileError(f"The cluster file {where} must be a mapping with keys such as nodes or operators.")
    content = dict(content)
    told = content.pop("controls", None) or {}
    content.pop("facts", None)  # what else is known of a real cluster: for those who only look
    for name in _NOT_IN_FILES:
        if name in content:
            raise ClusterFileError(f"The cluster file {where} cannot set {name}: set it on the command line.")
    if isinstance(content.get("operators"), list):
        content["operators"] = [{"name": one} if isinstance(one, str) else one for one in content["operators"]]
    if "behaviours" in content:
        content["behaviours"] = list(_texts(content["behaviours"], where, folder))
    _print_amounts(content)
    settings = _convert(content, SandboxSettings, where, "")
    problem = next(_problems(settings), "")
    if problem:
        raise ClusterFileError(f"The cluster file {where} cannot be used: {problem}.")
    return Described(settings, _convert(told, Controls, where, "controls"))


def _print_amounts(content: dict[str, Any]) -> None:
    """Let amounts of nodes be written as numbers."""

    def printed(node: Any) -> Any:
        if not isinstance(node, dict):
            return node
        amounts = {key: str(node[key]) for key in ("cpu", "memory", "pods") if isinstance(node.get(key), (int, float))}
        if isinstance(node.get("resources"), dict):
            amounts["resources"] = {key: str(value) for key, value in node["resources"].items()}  # type: ignore[assignment]
        return {**node, **amounts}

    if isinstance(content.get("nodes"), list):
        content["nodes"] = [printed(node) for node in content["nodes"]]
    if isinstance(content.get("nodeGroups"), list):
        content["nodeGroups"] = [
            {**group, "node": printed(group["node"])} if isinstance(group, dict) and "node" in group else group
            for group in content["nodeGroups"]
        ]


def with_operators(settings: SandboxSettings, names: tuple[str, ...]) -> SandboxSettings:
    """Return settings with further operators; raises `ClusterFileError` for one that is not shipped."""
    known = {one.name for one in settings.operators}
    names = tuple(shipped.OPERATORS) if names == ("all",) else names
    try:
        for name in names:
            shipped.operator(name)
    except rules.BehaviourError as error:
        raise ClusterFileError(str(error)) from None
    added = tuple(OperatorSpec(name=name) for name in names if name not in known)
    return msgspec.structs.replace(settings, operators=(*settings.operators, *added))


def _texts(given: Any, where: str, folder: Path | None) -> Iterator[str]:
    """Yield the texts of rules: files beside the cluster file, or rules written into it."""
    for one in given if isinstance(given, list) else [given]:
        if not isinstance(one, str):
            yield yaml.dump(one if isinstance(one, list) or "rules" in one else [one])
            continue
        try:
            yield ((folder or Path()) / one).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError):
            raise ClusterFileError(
                f"The cluster file {where} names the behaviours {one}, which cannot be read."
            ) from None


def _convert(content: Any, kind: Any, where: str, start: str) -> Any:
    try:
        return msgspec.convert(content, type=kind)
    except msgspec.ValidationError as error:
        raise ClusterFileError(f"The cluster file {where} cannot be used: {_told(str(error), kind, start)}.") from None


def _told(error: str, kind: Any, start: str) -> str:
    """Return msgspec's complaint for people, with the nearest key where one is unknown."""
    found = _UNKNOWN.search(error)
    if found is None:
        text, _, place = error.partition(" - at `$")
        at = f"{start}{place.rstrip('`')}".lstrip(".")
        return f"{text[:1].lower()}{text[1:]}{f', at {at}' if at else ''}"
    name, place = found[1], (found[2] or "$")[1:]
    keys = _keys(msgspec.inspect.type_info(kind), place)
    near = difflib.get_close_matches(name, keys, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]}" if near else f"known: {', '.join(keys)}"
    inside = f" in {start}{place}".replace(" in .", " in ") if start or place else ""
    return f'unknown key "{name}"{inside}: {hint}'


def _keys(info: Any, place: str) -> list[str]:
    """Return the keys that may stand at a place, such as `.nodes[0]`."""
    for name, _index in _STEP.findall(place):
        info = _inner(info)
        if name and isinstance(info, msgspec.inspect.StructType):
            info = next((field.type for field in info.fields if field.encode_name == name), info)
        elif isinstance(info, msgspec.inspect.DictType):
            info = info.value_type
        elif hasattr(info, "item_type"):
            info = info.item_type
    info = _inner(info)
    return [field.encode_name for field in info.fields] if isinstance(info, msgspec.inspect.StructType) else []


def _inner(info: Any) -> Any:
    if isinstance(info, msgspec.inspect.UnionType):
        return next((one for one in info.types if not isinstance(one, msgspec.inspect.NoneType)), info)
    return info


def _problems(settings: SandboxSettings) -> Iterator[str]:
    names = [node.name for node in settings.nodes]
    for name in names:
        if names.count(name) > 1:
            yield f'two nodes are named "{name}"'
    for node in (*settings.nodes, *(group.node for group in settings.node_groups)):
        yield from _node_problems(node)
    for one in settings.storage_classes:
        if one.binding_mode not in _BINDING:
            modes = " and ".join(_BINDING)
            yield f'storage class "{one.name}" has the bindingMode {one.binding_mode}; known: {modes}'
    yield from _port_problems(settings)
    if not _is_network(settings.service_network):
        yield f'serviceNetwork is "{settings.service_network}", not a network such as 10.96.0.0/12'
    yield from _webhook_problems(settings)
    if sum(1 for one in settings.storage_classes if one.default) > 1:
        yield "more than one storage class is the default"
    try:
        for operator in settings.operators:
            shipped.operator(operator.name)
        for number, text in enumerate(settings.behaviours, start=1):
            rules.load(text, f"entry {number} of behaviours")
    except rules.BehaviourError as error:
        yield str(error).rstrip(".")
    yield from _object_problems(settings)


def _port_problems(settings: SandboxSettings) -> Iterator[str]:
    for rule in (rule for container in settings.containers for rule in container.ports):
        if rule.to and not _is_local(rule.to):
            yield f'port {rule.port} is carried to "{rule.to}", not to a local address such as 127.0.0.1:8080'


def _is_local(address: str) -> bool:
    """Tell whether an address is one of this machine alone: a file from elsewhere must not reach into a network."""
    host, _, port = address.rpartition(":")
    return host in ("127.0.0.1", "[::1]", "localhost") and port.isdigit()


def _webhook_problems(settings: SandboxSettings) -> Iterator[str]:
    for service, address in settings.webhooks.items():
        if not re.fullmatch(r"[^/]+/[^/]+", service):
            yield f'webhooks has "{service}", which is not namespace/name of a Service'
        if not re.fullmatch(r"(127\.0\.0\.1|localhost|\[::1\]):\d+", address):
            yield f'webhooks sends "{service}" to {address}; only this machine will do, such as 127.0.0.1:9443'


def _is_network(text: str) -> bool:
    try:
        return ipaddress.IPv4Network(text).prefixlen <= 28
    except ValueError:
        return False


def _object_problems(settings: SandboxSettings) -> Iterator[str]:
    custom = {(kind.group, kind.kind) for one in settings.operators for kind in shipped.operator(one.name).definitions}
    for obj in settings.objects:
        if not isinstance(obj.get("apiVersion"), str) or not isinstance(obj.get("kind"), str):
            yield "one of the objects has no apiVersion or kind"
            continue
        kind = gvk_of(obj)
        if not meta.name(obj):
            yield f"one of the objects, a {kind.kind}, has no name"
        if kind not in builtin.kinds() and (kind.group, kind.kind) not in custom:
            name = meta.metadata(obj).get("name")
            yield f"{kind.kind} {name} is of a kind ({kind.api_version}) that no operator here provides"


def _node_problems(node: NodeSpec) -> Iterator[str]:
    amounts: Mapping[str, str] = {"cpu": node.cpu, "memory": node.memory, "pods": node.pods, **node.resources}
    for name, amount in amounts.items():
        try:
            quantity.parse(amount)
        except quantity.InvalidQuantity:
            yield f'node "{node.name}" has "{amount}" of {name}, which is not a quantity'
    for taint in node.taints:
        if not taint.get("key") or taint.get("effect") not in _EFFECTS:
            yield f'a taint of node "{node.name}" needs a key and the effect {", ".join(_EFFECTS[:2])} or {_EFFECTS[2]}'
