"""A set of field paths, kept in the very shape managedFields have on the wire.

Made from an object by `syncline.apimachinery.merge.typed`, from managedFields by
`syncline.apimachinery.merge.managers`; their arithmetic decides who owns what.
In a tree an empty mapping is a member without children, `.` marks a member that has children too, and a mapping
with only `.` never occurs. Trees are shared between sets and with the objects they came from: nobody changes one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from syncline.apimachinery.merge import paths
from syncline.apimachinery.schema.node import Node

Tree = dict[str, Any]

SELF: Final = "."
LEAF: Final[Tree] = {}
"""A member without children; shared, so never to be filled."""


class FieldSet:
    """An immutable set of field paths."""

    __slots__ = ("_tree",)

    def __init__(self, tree: Tree | None = None) -> None:
        self._tree: Tree = LEAF if tree is None else tree

    @classmethod
    def of(cls, *members: paths.Path) -> FieldSet:
        """Make a set of paths; the empty path (the whole object) is nobody's and left out."""
        tree: Tree = {}
        for member in members:
            if member:
                tree = _union(tree, _branch(member)) if tree else _branch(member)
        return cls(tree)

    @classmethod
    def from_fields_v1(cls, fields: dict[str, Any] | None, *, like: FieldSet | None = None) -> FieldSet:
        """Read `fieldsV1`; raises `syncline.apimachinery.merge.paths.InvalidPathElement` where it is malformed.

        Parts that equal those of `like`, a set that is well formed, need no look inside.
        """
        model = LEAF if like is None else like.tree
        tree = fields if fields is not None and _is_canonical(fields, model) else _canonical(fields)
        return cls(children(tree))

    def to_fields_v1(self, *, known: Tree = LEAF) -> Tree:
        """Return `fieldsV1`, sorted as Kubernetes prints it; parts taken over from `known` are sorted already."""
        return _sorted(self._tree, known)

    def sharing(self, other: FieldSet) -> FieldSet:
        """Return the same set, made of the other's very parts where both agree: what is one object is soon compared."""
        return FieldSet(_shared(self._tree, other._tree))

    @property
    def tree(self) -> Tree:
        """The paths as nested mappings. Treat as frozen."""
        return self._tree

    def union(self, other: FieldSet) -> FieldSet:
        """Return the paths of either set."""
        if not self._tree or not other._tree:
            return self if self._tree else other
        return FieldSet(_union(self._tree, other._tree))

    def difference(self, other: FieldSet) -> FieldSet:
        """Return the paths that are not members of the other set."""
        return self._without(other, _difference)

    def recursive_difference(self, other: FieldSet) -> FieldSet:
        """Return the paths that are neither members of the other set nor below one."""
        return self._without(other, _recursive_difference)

    def _without(self, other: FieldSet, subtract: Callable[[Tree, Tree], Tree | None]) -> FieldSet:
        if not self._tree or not other._tree:
            return self
        left = subtract(self._tree, other._tree)
        return self if left is self._tree else FieldSet(left)

    def intersection(self, other: FieldSet) -> FieldSet:
        """Return the paths of both sets."""
        if not self._tree or not other._tree:
            return EMPTY
        return FieldSet(_intersection(self._tree, other._tree))

    def has(self, member: paths.Path) -> bool:
        """Tell whether a path is a member; the way to a member is not one."""
        found: Tree | None = self._tree
        for element in member:
            found = found.get(paths.spell(element)) if found is not None else None
        return bool(member) and found is not None and is_member(found)

    def iterate(self) -> Iterator[paths.Path]:
        """Yield the paths in Kubernetes' order: members of an object before what lies below any of them."""
        yield from _iterate(self._tree, ())

    def with_named_fields(self, node: Node, *, along: Tree | None = None) -> FieldSet:
        """Add the declared fields on the way to members; with `along`, keep only what lies on or below its paths."""
        return FieldSet(_with_named_fields(self._tree, node, along)) if self._tree else self

    def __bool__(self) -> bool:
        return bool(self._tree)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FieldSet) and self._tree == other._tree

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"FieldSet({', '.join(map(str, self.iterate()))})"


EMPTY: Final = FieldSet()


def is_member(tree: Tree) -> bool:
    """Tell whether the path a subtree stands for is itself in the set."""
    return not tree or SELF in tree


def children(tree: Tree) -> Tree:
    """Return what lies below a subtree's own path."""
    return {name: child for name, child in tree.items() if name != SELF} if SELF in tree else tree


def _branch(member: paths.Path) -> Tree:
    tree: Tree = LEAF
    for element in reversed(member):
        tree = {paths.spell(element): tree}
    return tree


def _shared(tree: Tree, model: Tree) -> Tree:
    out: Tree = {}
    for name, below in tree.items():
        theirs = model.get(name) if below else None
        if theirs is None:
            out[name] = below
        else:
            out[name] = theirs if below == theirs else _shared(below, theirs)
    return out


def _is_canonical(tree: Any, model: Tree) -> bool:
    """Tell whether a tree is as this module keeps it, which that of an API server is."""
    if tree.__class__ is not dict or (len(tree) == 1 and SELF in tree):
        return False
    for text, below in tree.items():
        if below:
            expected = model.get(text)
            if below != expected and not _is_canonical(below, LEAF if expected is None else expected):
                return False
        elif below.__class__ is not dict:
            return False
        if text[:2] != "f:" and text != SELF and paths.canonical(text) != text:
            return False
    return True


def _canonical(fields: Any) -> Tree:
    """Return a tree with every element spelled the one way."""
    if fields is None:
        return LEAF
    if not isinstance(fields, dict):
        raise paths.InvalidPathElement("fieldsV1 must be an object")
    out: Tree = {}
    for text, below in fields.items():
        if text == SELF:
            out[SELF] = LEAF
            continue
        name = paths.canonical(text)
        if name is not None:
            child = _canonical(below)
            out[name] = _union(out[name], child) if name in out else child
    return LEAF if len(out) == 1 and SELF in out else out


def _sorted(tree: Tree, known: Tree) -> Tree:
    if not tree:
        return {}
    if tree is known:
        return known
    names = [name for name in known if name in tree]
    if len(names) < len(tree):
        names = _in_order(tree)
    return {name: _sorted(tree[name], known.get(name, LEAF)) for name in names}


def _in_order(tree: Tree) -> list[str]:
    names = sorted(tree)
    # Plain text order is right until list items come in: numbers order by value, keys by field.
    if names[-1][0] > "f":
        names.sort(key=paths.sort_key)
    return names


def _iterate(tree: Tree, above: tuple[paths.Element, ...]) -> Iterator[paths.Path]:
    names = sorted((name for name in tree if name != SELF), key=paths.sort_key)
    steps = [(name, paths.parse(name)) for name in names]
    for name, step in steps:
        if step is not None and is_member(tree[name]):
            yield paths.Path((*above, step))
    for name, step in steps:
        if step is not None and tree[name]:
            yield from _iterate(tree[name], (*above, step))


def _union(left: Tree, right: Tree) -> Tree:
    if left is right:
        return left
    # An empty tree is the path itself, without anything below it. The other side may hold only what is below, so
    # the path has to be marked in it; returning the other side unchanged would lose a member.
    if not left:
        return right if is_member(right) else {SELF: LEAF, **right}
    if not right:
        return left if SELF in left else {SELF: LEAF, **left}
    # Copied only when something is new: a union that adds nothing is the very same tree, which callers test with `is`.
    out = left
    for name, theirs in right.items():
        ours = left.get(name)
        both = theirs if ours is None else _union(ours, theirs)
        if both is not ours:
            if out is left:
                out = dict(left)
            out[name] = both
    return out


def _difference(left: Tree, right: Tree) -> Tree | None:
    """Return what is left of a subtree, None when nothing is."""
    if left is right:
        return None
    if not left:
        return None if is_member(right) else left
    # The other set has only the path itself. What is below stays: owning a map does not mean owning its keys.
    # `_recursive_difference` is the one that takes them too.
    if not right:
        return children(left)
    out: Tree = {}
    same = True
    for name, ours in left.items():
        theirs = right.get(name)
        if theirs is None:
            out[name] = ours
        elif name == SELF:
            same = False
        else:
            rest = _difference(ours, theirs)
            same = same and rest is ours
            if rest is not None:
                out[name] = rest
    return left if same else _tidied(out)


def _recursive_difference(left: Tree, right: Tree) -> Tree | None:
    out: Tree = {}
    same = True
    for name, ours in left.items():
        theirs = right.get(name)
        if theirs is None or name == SELF:
            out[name] = ours
            continue
        # A member of the other set takes its whole subtree along; a mere way to members does not remove a leaf of ours.
        rest = None if is_member(theirs) else (_recursive_difference(ours, theirs) if ours else ours)
        same = same and rest is ours
        if rest is not None:
            out[name] = rest
    return left if same else _tidied(out)


def _intersection(left: Tree, right: Tree) -> Tree | None:
    if left is right:
        return left
    # One side has nothing below the path, so at most the path itself is shared, and only if both have it as a member.
    if not left or not right:
        return LEAF if is_member(left) and is_member(right) else None
    # The shorter side is walked: managers own a few fields each, objects have many.
    if len(left) > len(right):
        left, right = right, left
    out: Tree = {}
    for name, ours in left.items():
        theirs = right.get(name)
        if theirs is not None:
            both = _intersection(ours, theirs)
            if both is not None:
                out[name] = both
    return _tidied(out)


def _tidied(out: Tree) -> Tree | None:
    if not out:
        return None
    return LEAF if len(out) == 1 and SELF in out else out


def _with_named_fields(tree: Tree, node: Node | None, along: Tree | None) -> Tree:
    out: Tree = {}
    is_list = node is not None and node.type == "array"
    # managedFields name only leaves of declared fields. Removal works on whole values, so the declared fields above
    # a member have to be members too; keys of maps and items of lists already are, by the rules of `described`.
    for name in along or tree:
        below = tree.get(name)
        if not below:
            if below is not None:
                out[name] = below
            continue
        child: Node | None = None
        named = False
        if node is not None and name[0] == "f" and not is_list:
            child = node.fields.get(name[2:])
            named = child is not None
            child = child or node.elements
        elif node is not None and name[0] == "k":
            child = node.elements
        extended = _with_named_fields(below, child, along[name] if along else None)
        if named or SELF in below:
            extended[SELF] = LEAF
        tidied = _tidied(extended)
        if tidied is not None:
            out[name] = tidied
    return out
