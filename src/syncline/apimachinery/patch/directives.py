"""The words a strategic merge patch is written in, and the questions asked of them.

Shared by `strategic_merge`, which obeys directives, and `strategic_diff`, which writes them.
"""

from __future__ import annotations

from typing import Any, Final

from syncline.apimachinery import go_types
from syncline.apimachinery.patch import errors
from syncline.apimachinery.schema.node import ANY, Node

PATCH: Final = "$patch"
RETAIN_KEYS: Final = "$retainKeys"
SET_ELEMENT_ORDER: Final = "$setElementOrder"
DELETE_FROM_LIST: Final = "$deleteFromPrimitiveList"

_PLAIN: Final = frozenset((str, int))

BAD_PRIMITIVE_LIST: Final = "invalid patch format of primitive list"
BAD_RETAIN_KEYS: Final = "invalid patch format of retainKeys"
BAD_ELEMENT_ORDER: Final = "invalid patch format of setElementOrder list"


def field_of(directive: str, prefix: str, otherwise: str) -> str:
    """Return the field a parallel list such as `$setElementOrder/containers` is about."""
    found, slash, field = directive.partition("/")
    if not slash or found != prefix:
        raise errors.malformed(otherwise)
    return field


def member(node: Node | None, key: str) -> Node:
    """Return the schema of a member; one of no known type is an error, as in Kubernetes."""
    if node is None:
        return ANY
    found = node.fields.get(key)
    if found is not None:
        return found
    if node.preserve_unknown or not (node.fields or node.elements):
        return ANY
    if node.fields:
        raise errors.PatchError(f'unable to find api field in struct for the json field "{key}"')
    raise errors.PatchError("merging an object in json but data type is not struct, instead is: map")


def element_kind(*lists: list[Any]) -> type:
    """Return the one type all elements have."""
    kinds = {type(item) for items in lists for item in items}
    if not kinds:
        raise errors.PatchError("no elements in any of the given slices")
    if len(kinds) > 1 or type(None) in kinds:
        raise errors.PatchError("list element types are not identical")
    if list in kinds:
        raise errors.does_not_apply("lists of lists are not supported")
    return kinds.pop()


def identity(item: Any, merge_key: str) -> Any:
    """Return what tells an element from its neighbours, hashable: its merge key's value, or itself."""
    if merge_key:
        if not isinstance(item, dict):
            raise wrong_type({}, item)
        if merge_key not in item:
            raise errors.PatchError(f"map: {errors.describe(item)} does not contain declared merge key: {merge_key}")
        item = item[merge_key]
    kind = type(item)
    if kind is str or kind is int:
        return item
    if kind is dict or kind is list:
        raise errors.PatchError(f"a merge key cannot be a {go_types.go_type(item)}")
    return (kind, item)


def identities(items: list[Any], merge_key: str) -> list[Any]:
    """Return the identity of every element."""
    found: list[Any] = []
    if merge_key and all(type(item) is dict and merge_key in item for item in items):
        found = [item[merge_key] for item in items]
    if found and _PLAIN.issuperset(map(type, found)):
        return found
    return [identity(item, merge_key) for item in items]


def wrong_type(expected: Any, found: Any) -> errors.PatchError:
    """Return the error for a value of another type than its field has."""
    return errors.PatchError(f"expected a {go_types.go_type(expected)}, but received a {go_types.go_type(found)}")
