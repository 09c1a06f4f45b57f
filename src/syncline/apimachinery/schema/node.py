"""One field of a schema, with all that merging, defaulting and validating need to know of it.

Made by the loaders of this package and read by `syncline.apimachinery.merge`, `syncline.apimachinery.patch`
and the sandbox. Nodes may refer to themselves (JSONSchemaProps does), so walk them only alongside a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

ListType = Literal["atomic", "set", "map"]
MapType = Literal["granular", "atomic"]


class Unset:
    """The type of `UNSET`: tells "no default" from "the default is null"."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset()


class Node:
    """The schema of one value. Treat as frozen once its loader has handed it over."""

    __slots__ = (
        "__weakref__",
        "default",
        "defaulted",
        "elements",
        "embedded",
        "fields",
        "format",
        "int_or_string",
        "list_keys",
        "list_type",
        "map_type",
        "merge_key",
        "nullable",
        "omit_zero",
        "patch_strategies",
        "preserve_unknown",
        "required",
        "source",
        "type",
    )

    def __init__(
        self,
        *,
        type: str = "",  # noqa: A002 - JSON Schema's own word
        format: str = "",  # noqa: A002
        fields: Mapping[str, Node] | None = None,
        elements: Node | None = None,
        list_type: ListType = "atomic",
        list_keys: tuple[str, ...] = (),
        map_type: MapType = "granular",
        merge_key: str = "",
        patch_strategies: tuple[str, ...] = (),
        default: Any = UNSET,
        int_or_string: bool = False,
        preserve_unknown: bool = False,
        embedded: bool = False,
        nullable: bool = False,
        required: tuple[str, ...] = (),
        source: Mapping[str, Any] | None = None,
    ) -> None:
        self.type = type
        """JSON type: object, array, string, integer, number, boolean; empty where any value is allowed."""
        self.format = format
        self.fields: Mapping[str, Node] = fields or {}
        """Declared properties of an object."""
        self.elements = elements
        """Schema of list items, or of the values of a map (additionalProperties)."""
        self.list_type = list_type
        self.list_keys = list_keys
        self.map_type = map_type
        self.merge_key = merge_key
        """Strategic merge: the patch merge key; empty when the list is replaced."""
        self.patch_strategies = patch_strategies
        """Strategic merge: words of x-kubernetes-patch-strategy (merge, replace, retainKeys)."""
        self.default = default
        self.int_or_string = int_or_string
        self.preserve_unknown = preserve_unknown
        self.embedded = embedded
        self.nullable = nullable
        """CRD schemas: null is a value of its own here, and is neither dropped nor defaulted."""
        self.omit_zero = False
        """Built-in kinds: the API server stores the zero value (empty text, 0, false, empty list) as absent."""
        self.required = required
        """Names of the members an object must have."""
        self.defaulted: tuple[tuple[str, Any], ...] = tuple(
            (name, member.default) for name, member in self.fields.items() if member.default is not UNSET
        )
        """Members with a default, so that filling them in need not look at all the others."""
        self.source: Mapping[str, Any] = source or {}
        """The JSON schema the node was made from, for validation (required, enum, pattern, bounds)."""

    def field(self, name: str) -> Node | None:
        """Return the schema of a member: declared, else that of the map's values, else None (unknown)."""
        found = self.fields.get(name)
        return found if found is not None else (self.elements if self.type != "array" else None)


ANY: Final = Node(preserve_unknown=True)
"""The schema of a value nobody described: maps are granular, lists atomic."""
