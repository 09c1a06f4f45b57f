"""Merges the layers of a chart's values as Helm does, and remembers who set each leaf and whom it hides.

Given the layers that `syncline.ports.render.Explainer` lists; the result is asked by `syncline.core.provenance.blame`
and by rules about values. Maps are merged, everything else replaces, null takes away. Lists are leaves: Helm never
merges them, so an empty one in a stronger layer hides a full one below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

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

    def empty_overrides(self) -> tuple[Leaf, ...]:
        """Return the leaves that an empty value of a stronger layer takes from the chart."""
        return tuple(leaf for leaf in self.leaves.values() if leaf.empties is not None)

    def disagreements(self, seen: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the paths at which the chart sees something else than was worked out here; globals are Helm's own."""
        return tuple(".".join(path) for path in _differing(self.plain(), seen, ()))


def merge(layers: tuple[ValuesLayer, ...]) -> Values:
    """Return the merged values; a layer that is no map is said, as Helm would refuse it."""
    root = _Node()
    root.children = {}
    problems: list[str] = []
    for layer in layers:
        if layer.parameter:
            path, value = parameters.parse(layer.parameter, layer.value, is_text=layer.is_text)
            _set(root, path, value, Place(layer.name))
            continue
        try:
            documents = yaml.load_documents(layer.text, source=layer.name)
        except yaml.YamlError as error:
            problems.append(f"{Place(layer.name, error.line)}: {error.message}")
            continue
        if documents and isinstance(documents[0].value, dict):
            _merge(_at(root, layer.below), documents[0], (), layer.name)
        elif documents:
            problems.append(f"{layer.name}: values have to be a map")
    return Values({leaf.path: leaf for leaf in _leaves(root, ())}, tuple(problems))


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
    below = [one for leaf in _leaves(node, ()) for one in (leaf.setting, *leaf.hidden)] if node.children else []
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
            if mine in (None, {}) and theirs in (None, {}):
                continue
            yield from _differing(mine, theirs, (*path, name))
    elif ours != seen:
        yield path


def _short(value: Any) -> str:
    text = "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
