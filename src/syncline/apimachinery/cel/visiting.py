"""Sends each node of a tree to the method for its sort: types, functions and estimates are worked out so.

The base of `checker`, `compiling` and `cost.estimating`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from syncline.apimachinery.cel import tree

T = TypeVar("T")


class Visitor(ABC, Generic[T]):
    """Works out one thing for every sort of node."""

    def visited(self, node: tree.Node) -> T:
        """Return what the method for a node says of it."""
        match node:
            case tree.Const():
                return self._const(node)
            case tree.Name():
                return self._name(node)
            case tree.Select():
                return self._select(node)
            case tree.Index():
                return self._index(node)
            case tree.Call():
                return self._call(node)
            case tree.MakeList():
                return self._makelist(node)
            case tree.MakeMap():
                return self._makemap(node)
            case tree.MakeObject():
                return self._makeobject(node)
            case tree.Has():
                return self._has(node)
            case tree.Fold():
                return self._fold(node)
            case tree.OptMap():
                return self._optmap(node)

    @abstractmethod
    def _const(self, node: tree.Const) -> T: ...

    @abstractmethod
    def _name(self, node: tree.Name) -> T: ...

    @abstractmethod
    def _select(self, node: tree.Select) -> T: ...

    @abstractmethod
    def _index(self, node: tree.Index) -> T: ...

    @abstractmethod
    def _call(self, node: tree.Call) -> T: ...

    @abstractmethod
    def _makelist(self, node: tree.MakeList) -> T: ...

    @abstractmethod
    def _makemap(self, node: tree.MakeMap) -> T: ...

    @abstractmethod
    def _makeobject(self, node: tree.MakeObject) -> T: ...

    @abstractmethod
    def _has(self, node: tree.Has) -> T: ...

    @abstractmethod
    def _fold(self, node: tree.Fold) -> T: ...

    @abstractmethod
    def _optmap(self, node: tree.OptMap) -> T: ...
