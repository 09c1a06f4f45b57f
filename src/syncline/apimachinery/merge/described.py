"""Lists the fields an object mentions, refusing what its schema does not know.

`syncline.apimachinery.merge.applying` asks for the fields of an applied configuration; pruning asks for those of whole
objects. Declared fields count by their leaves alone; items of lists and keys of maps count themselves too.
An empty associative list mentions nothing, an empty object and a null mention themselves.
"""

from __future__ import annotations

from typing import Any

from syncline.apimachinery import go_types
from syncline.apimachinery.keys import Object
from syncline.apimachinery.merge import paths, values
from syncline.apimachinery.merge.fieldset import LEAF, SELF, FieldSet, Tree
from syncline.apimachinery.schema.node import ANY, Node


class _Problems(list[tuple[str, str]]):
    """Pairs of path and message, the path growing from the inside while the walk returns."""

    __slots__ = ("allow_doubles",)

    def __init__(self, *, allow_doubles: bool) -> None:
        super().__init__()
        self.allow_doubles = allow_doubles


def set_of(obj: Object, node: Node) -> FieldSet:
    """Return the fields an object mentions, whether or not the schema knows them."""
    tree: Tree = {}
    _map_fields(obj, node, _Problems(allow_doubles=True), tree, lenient=True)
    return FieldSet(tree)


def checked_set_of(obj: Object, node: Node) -> FieldSet:
    """Return the fields an object mentions; raises `SchemaError` for what the schema does not allow."""
    problems = _Problems(allow_doubles=False)
    tree: Tree = {}
    _map_fields(obj, node, problems, tree, lenient=False)
    if problems:
        texts = [f"{path}: {message}" if path else message for path, message in problems]
        raise values.SchemaError(texts[0] if len(texts) == 1 else "\n  ".join(["errors:", *texts]))
    return FieldSet(tree)


def _map_fields(obj: Any, node: Node, problems: _Problems, out: Tree, *, lenient: bool) -> None:
    """Write the tree below an object into `out`; undeclared members are refused unless `lenient`."""
    fields, elements = node.fields, node.elements
    lenient = lenient or node.preserve_unknown
    for name, value in obj.items():
        child = fields.get(name) or elements
        # Texts are most of what there is, so they take the short way.
        if value.__class__ is str and child is not None and child.type == "string":
            out["f:" + name] = LEAF
            continue
        if child is None:
            if not lenient and fields:
                problems.append((f".{name}", "field not declared in schema"))
                return
            child = ANY
        before = len(problems)
        below = _value_fields(value, child, problems, lenient=lenient)
        if len(problems) > before:
            _prefix(problems, before, f".{name}")
        # A declared field counts through its leaves alone. An undeclared one, the key of a map, counts itself as well:
        # two managers may own different keys, and the key has to go when its owner gives it up.
        elif name in fields:
            if below is not None:
                out["f:" + name] = below
        else:
            out["f:" + name] = {SELF: LEAF, **below} if below else LEAF


def _value_fields(value: Any, node: Node, problems: _Problems, *, lenient: bool) -> Tree | None:
    """Return the tree below a value: empty where it counts itself, None where it mentions nothing."""
    kind = value.__class__
    if kind is dict:
        return _object_fields(value, node, problems, lenient=lenient)
    if kind is list:
        return _list_fields(value, node, problems, lenient=lenient)
    _check_scalar(value, node, problems)
    return LEAF


def _object_fields(value: dict[str, Any], node: Node, problems: _Problems, *, lenient: bool) -> Tree | None:
    kind = node.type
    if kind and kind != "object":
        _misfit(value, node, problems)
        return None
    if not value:
        return LEAF
    if node.map_type == "atomic":
        _check_inside(value, node, problems, lenient=lenient)
        return LEAF
    out: Tree = {}
    _map_fields(value, node, problems, out, lenient=lenient)
    return out or None


def _list_fields(items: list[Any], node: Node, problems: _Problems, *, lenient: bool) -> Tree | None:
    kind = node.type
    if kind and kind != "array":
        _misfit(items, node, problems)
        return None
    if node.list_type == "atomic":
        _check_inside(items, node, problems, lenient=lenient)
        return LEAF
    # Unlike an empty map, an empty associative list mentions nothing: there is no item to name.
    if not items:
        return None
    element = values.item_node(node)
    plain = element.type == "object" and element.map_type != "atomic"
    keys = values.plain_keys(node, items)
    out: Tree = {}
    doubled: set[str] = set()
    for number, item in enumerate(items):
        try:
            key = values.item_key(node, item) if keys is None else keys[number]
        except values.KeyProblem as problem:
            problems.append(("", f"element {number}: {problem}"))
            return None
        if key in out:
            doubled.add(key)
            if not problems.allow_doubles:
                problems.append(("", f"duplicate entries for key {paths.parse(key)}"))
        before = len(problems)
        if plain and item.__class__ is dict:
            below: Tree = {SELF: LEAF}
            _map_fields(item, element, problems, below, lenient=lenient)
            out[key] = below if len(below) > 1 else LEAF
        else:
            inside = _value_fields(item, element, problems, lenient=lenient)
            out[key] = {SELF: LEAF, **inside} if inside else LEAF
        if len(problems) > before:
            _prefix(problems, before, str(paths.parse(key)))
    # Items with one key cannot be told apart, so their fields cannot be owned one by one.
    for key in doubled:
        out[key] = LEAF
    return out


def _check_inside(value: Any, node: Node, problems: _Problems, *, lenient: bool) -> None:
    """Check the inside of what is owned whole; list items are named by their place there."""
    if isinstance(value, list):
        element = values.item_node(node)
        if element is values.ATOMIC or element is ANY:
            return
        for number, item in enumerate(value):
            before = len(problems)
            _value_fields(item, element, problems, lenient=lenient)
            _prefix(problems, before, f"[{number}]")
        return
    if node.fields or node.elements is not None:
        _map_fields(value, node, problems, {}, lenient=lenient)


def _prefix(problems: _Problems, since: int, text: str) -> None:
    for number in range(since, len(problems)):
        path, message = problems[number]
        problems[number] = (text + path, message)


def _misfit(value: Any, node: Node, problems: _Problems) -> None:
    if node.type == "object":
        problems.append(("", f"expected map, got &{{{_go_print(value)}}}"))
    elif node.type == "array":
        problems.append(("", f"expected list, got &{{{_go_print(value)}}}"))
    else:
        _refuse_scalar(value, node, problems)


_EXPECTED = {"string": (str,), "integer": (int, float), "number": (int, float), "boolean": (bool,)}


def _check_scalar(value: Any, node: Node, problems: _Problems) -> None:
    kind = node.type
    if value is None or not kind:
        return
    expected = _EXPECTED.get(kind)
    if expected is None:
        _misfit(value, node, problems)
    elif value.__class__ not in expected and not _is_untyped(node):
        _refuse_scalar(value, node, problems)


def _is_untyped(node: Node) -> bool:
    """Tell whether any scalar will do: Kubernetes checks only plain and base64 texts."""
    return node.int_or_string or (node.type == "string" and node.format not in ("", "byte"))


def _refuse_scalar(value: Any, node: Node, problems: _Problems) -> None:
    if _is_untyped(node):
        problems.append(("", f"expected any scalar, got &{{{_go_print(value)}}}"))
    elif node.type == "string":
        problems.append(("", f"expected string, got &value.valueUnstructured{{Value:{_go_syntax(value)}}}"))
    elif node.type == "boolean":
        problems.append(("", f"expected boolean, got &{{{_go_print(value)}}}"))
    else:
        problems.append(("", f"expected numeric (int or float), got {go_types.go_type(value)}"))


def _go_print(value: Any) -> str:
    """Return a value as Go prints it with `%v`."""
    if isinstance(value, dict):
        return f"map[{' '.join(f'{name}:{_go_print(value[name])}' for name in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(_go_print, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return "<nil>" if value is None else str(value)


def _go_syntax(value: Any) -> str:
    """Return a value as Go prints it with `%#v`."""
    if isinstance(value, dict):
        members = ", ".join(f"{paths.go_quote(name)}:{_go_syntax(value[name])}" for name in sorted(value))
        return f"map[string]interface {{}}{{{members}}}"
    if isinstance(value, list):
        return f"[]interface {{}}{{{', '.join(map(_go_syntax, value))}}}"
    if value is None:
        return "interface {}(nil)"
    return paths.go_quote(value) if isinstance(value, str) else _go_print(value)
