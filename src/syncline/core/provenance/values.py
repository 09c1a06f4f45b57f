"""Merges the layers of a chart's values as Helm does, and remembers who set each leaf and whom it hides.

Given the layers that `syncline.ports.render.Explainer` lists; the result is asked by `syncline.core.provenance.blame`
and by rules about values. Maps are merged, everything else replaces, null takes away. Lists are leaves: Helm never
merges them, so an empty one in a stronger layer hides a full one below it. What people give is put together first; the
chart's own values fill in only what then is missing. So `list[1]=x` does not know the chart's list, and a null that a
later file replaces takes nothing away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import orjson

from syncline.apimachinery import yaml
from syncline.core.provenance import parameters
from syncline.model.desired import ValuesLayer
from syncline.model.errors import Place

Path = tuple[str, ...]


class Setting(msgspec.Struct, frozen=True):
    """A layer that says something about a leaf: where, and what."""

    place: Place
    value: Any

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing: an empty list or text, or null."""
        return self.value in ([], "", None)


class Leaf(msgspec.Struct, frozen=True):
    """One value of a chart: who set it, and whom that hides, the strongest first."""

    path: Path
    setting: Setting
    hidden: tuple[Setting, ...] = ()

    @property
    def name(self) -> str:
        """The path as people write it."""
        return ".".join(step.replace(".", "\\.") for step in self.path)

    @property
    def empties(self) -> Setting | None:
        """The strongest setting that says something and is hidden by one that says nothing; None where none is."""
        if not self.setting.is_empty:
            return None
        return next((one for one in self.hidden if not one.is_empty and one.value is not False), None)

    def sentence(self, *, hide: bool = False) -> str:
        """Return who set the leaf and whom that hides, as one sentence; without the value where that is a secret."""
        value = "" if hide else f": {_short(self.setting.value)}"
        text = f"`{self.path[-1]}{value}` in {self.setting.place}"
        if not self.hidden:
            return text
        return f"{text} hides {', '.join(str(one.place) for one in self.hidden)}"


class _Node:
    """A map, or a leaf with its settings; which of the two can change from layer to layer."""

    __slots__ = ("children", "settings")

    def __init__(self) -> None:
        self.children: dict[str, _Node] | None = None
        self.settings: list[Setting] = []


class Values(msgspec.Struct, frozen=True):
    """All leaves of a chart's values by path, in the order in which they were first named."""

    leaves: dict[Path, Leaf]
    problems: tuple[str, ...] = ()

    def find(self, path: Path) -> tuple[Leaf, ...]:
        """Return the leaf at a path, or all leaves below it."""
        if path in self.leaves:
            return (self.leaves[path],)
        return tuple(leaf for found, leaf in self.leaves.items() if found[: len(path)] == path)

    def plain(self) -> dict[str, Any]:
        """Return the values as the chart should see them."""
        whole: dict[str, Any] = {}
        for path, leaf in self.leaves.items():
            if leaf.setting.value is not None:
                _put(whole, path, leaf.setting.value)
        return whole

    def disagreements(self, seen: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the paths at which the chart sees something else than was worked out here; globals are Helm's own."""
        return tuple(".".join(path) for path in _differing(self.plain(), seen, ()))


def merge(layers: tuple[ValuesLayer, ...]) -> Values:
    """Return the merged values; a layer that is not a map is said, as Helm would refuse it."""
    problems: list[str] = []
    root = _empty()
    for layer in layers:
        if layer.own:
            continue
        if layer.parameter:
            path, value = parameters.parse(layer.parameter, layer.value, is_text=layer.is_text)
            _set(root, path, layer.value if layer.is_content else value, Place(layer.name))
        else:
            _add(root, layer, problems)
    for layer in reversed(layers):
        if layer.own:
            weaker = _empty()
            _add(weaker, layer, problems)
            _open(root, layer.below)
            _fill_in(root, weaker)
    return Values({leaf.path: leaf for leaf in _leaves(root, ())}, tuple(problems))


def _empty() -> _Node:
    node = _Node()
    node.children = {}
    return node


def _add(root: _Node, layer: ValuesLayer, problems: list[str]) -> None:
    try:
        documents = yaml.load_documents(layer.text, source=layer.name)
    except yaml.YamlError as error:
        problems.append(f"{Place(layer.name, error.line)}: {error.message}")
        return
    if documents and isinstance(documents[0].value, dict):
        _merge(_at(root, layer.below), documents[0], (), layer.name)
    elif documents:
        problems.append(f"{layer.name}: values must be a map")


def _open(root: _Node, below: Path) -> None:
    """Make way for the values of a subchart: a null at its name takes away what its parent says, not its own."""
    node = root
    for step in below:
        if node.children is None or step not in node.children:
            return
        node = node.children[step]
        if node.children is None and node.settings and node.settings[0].value is None:
            node.children = {}


def _fill_in(node: _Node, weaker: _Node) -> None:
    """Take over what a weaker map has and this one lacks; what it has as well is hidden."""
    if node.children is None:
        if node.settings[0].value != {} or weaker.children is None:
            node.settings += _all_settings(weaker)
            return
        node.children = {}
    for name, child in (weaker.children or {}).items():
        if name in node.children:
            _fill_in(node.children[name], child)
        else:
            node.children[name] = child


def _all_settings(node: _Node) -> list[Setting]:
    return [one for leaf in _leaves(node, ()) for one in (leaf.setting, *leaf.hidden)]


def _at(node: _Node, below: Path) -> _Node:
    for step in below:
        node.children = node.children if node.children is not None else {}
        node = node.children.setdefault(step, _Node())
    if node.children is None:
        node.children = {}
    return node


def _merge(node: _Node, document: yaml.Document, path: Path, layer: str) -> None:
    value: Any = document.value
    for step in path:
        value = value[step]
    children = node.children = {} if node.children is None else node.children
    for name, member in value.items():
        here = (*path, str(name))
        child = children.setdefault(str(name), _Node())
        if isinstance(member, dict) and (member or child.children is not None):
            _merge(child, document, here, layer)
            continue
        line = document.position_or_parent(here).line
        _assign(child, Setting(Place(layer, line), member))


def _set(root: _Node, path: tuple[str | int, ...], value: Any, place: Place) -> None:
    """Set what a parameter names; one inside of a list makes a new list of the whole."""
    steps = [step for step in path if isinstance(step, str)]
    if all(isinstance(step, str) for step in path):
        _assign(_descend(root, steps), Setting(place, value))
        return
    cut = next(index for index, step in enumerate(path) if isinstance(step, int))
    node = _descend(root, [str(step) for step in path[:cut]])
    before = node.settings[0].value if node.settings and isinstance(node.settings[0].value, list) else []
    _assign(node, Setting(place, parameters.with_item(before, path[cut:], value)))


def _descend(root: _Node, steps: list[str]) -> _Node:
    node = root
    for step in steps:
        node.children = {} if node.children is None else node.children
        node = node.children.setdefault(step, _Node())
    return node


def _assign(node: _Node, setting: Setting) -> None:
    """Put a setting on top; what stood below a map that it replaces is hidden by it too."""
    below = _all_settings(node) if node.children else []
    node.settings = [setting, *below, *node.settings]
    node.children = None


def _leaves(node: _Node, path: Path) -> Iterator[Leaf]:
    if node.children:
        for name, child in node.children.items():
            yield from _leaves(child, (*path, name))
    elif node.settings:
        yield Leaf(path, node.settings[0], tuple(node.settings[1:]))


def _put(whole: dict[str, Any], path: Path, value: Any) -> None:
    for step in path[:-1]:
        whole = whole.setdefault(step, {})
    whole[path[-1]] = value


def _differing(ours: Any, seen: Any, path: Path) -> Iterator[Path]:
    if isinstance(ours, dict) and isinstance(seen, dict):
        for name in {**ours, **seen}:
            if len(path) > 0 and name == "global":
                continue
            mine, theirs = ours.get(name), seen.get(name)
            if _is_void(mine) and _is_void(theirs):
                continue
            yield from _differing(mine, theirs, (*path, name))
    elif ours != seen:
        yield path


def _is_void(value: Any) -> bool:
    """Whether there is nothing in a value; a map of nulls is as good as none, and Helm adds globals."""
    if isinstance(value, dict):
        return all(_is_void(member) for name, member in value.items() if name != "global")
    return value is None


def _short(value: Any) -> str:
    try:
        text = value if isinstance(value, str) and value else orjson.dumps(value).decode()
    except TypeError:
        # Numbers have no limit here.
        text = str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
