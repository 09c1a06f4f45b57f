"""Reads one object in every API version its owners wrote it in.

Owners remember fields in their own version; before sets of two versions meet, the objects are converted.
Whoever cannot be followed (the version is gone) is dropped by the callers, as the API server does.
"""

from __future__ import annotations

from collections.abc import Callable

from syncline.apimachinery.keys import Object
from syncline.apimachinery.schema.node import Node

NodeFor = Callable[[str], Node | None]
ToVersion = Callable[[Object, str], Object]


class Versions:
    """The versions of one kind: its schema in each, and the way from one to another.

    Without `to_version` only `apiVersion` changes, which is what custom kinds without a conversion do. `to_version`
    raises LookupError for a version it does not know.
    """

    def __init__(
        self, api_version: str, node: Node, node_for: NodeFor | None = None, to_version: ToVersion | None = None
    ) -> None:
        self.api_version = api_version
        self._nodes: dict[str, Node | None] = {api_version: node}
        self._node_for = node_for
        self._to_version = to_version

    def node(self, api_version: str) -> Node | None:
        """Return the schema of a version, None when it is gone."""
        if api_version not in self._nodes:
            self._nodes[api_version] = self._node_for(api_version) if self._node_for is not None else None
        return self._nodes[api_version]

    def convert(self, obj: Object, api_version: str) -> Object | None:
        """Return an object in another version, None when that version is gone."""
        if obj.get("apiVersion", api_version) == api_version:
            return obj
        if self.node(api_version) is None:
            return None
        if self._to_version is None:
            return {**obj, "apiVersion": api_version}
        try:
            return self._to_version(obj, api_version)
        except LookupError:
            return None
