"""Compiles the expressions of admission policies with the types that a real server gives their variables.

`syncline.sandbox.kinds.admission_policies` holds new policies against it, `syncline.sandbox.admission` runs what comes
out.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import orjson

from syncline.apimachinery.cel import library, program, types
from syncline.apimachinery.cel.program import NotCompiled, Program
from syncline.apimachinery.cel.rights import AUTHORIZER
from syncline.apimachinery.cel.types import BOOL, DYN, INT, STRING, Type
from syncline.apimachinery.keys import Object

_TEXTS: Final = types.map_of(STRING, STRING)


def _object(name: str, /, **fields: Type) -> Type:
    return Type(name, fields=fields)


_KIND: Final = _object("kubernetes.GroupVersionKind", group=STRING, version=STRING, kind=STRING)
_RESOURCE: Final = _object("kubernetes.GroupVersionResource", group=STRING, version=STRING, resource=STRING)
_USER: Final = _object(
    "kubernetes.UserInfo",
    username=STRING,
    uid=STRING,
    groups=types.list_of(STRING),
    extra=types.map_of(STRING, types.list_of(STRING)),
)
_REQUEST: Final = _object(
    "kubernetes.AdmissionRequest",
    kind=_KIND,
    resource=_RESOURCE,
    subResource=STRING,
    requestKind=_KIND,
    requestResource=_RESOURCE,
    requestSubResource=STRING,
    name=STRING,
    namespace=STRING,
    operation=STRING,
    userInfo=_USER,
    dryRun=BOOL,
    options=DYN,
)
_META: Final = _object(
    "kubernetes.NamespaceMetadata",
    name=STRING,
    generateName=STRING,
    namespace=STRING,
    labels=_TEXTS,
    annotations=_TEXTS,
    UID=STRING,
    creationTimestamp=types.TIMESTAMP,
    deletionGracePeriodSeconds=INT,
    deletionTimestamp=types.TIMESTAMP,
    generation=INT,
    resourceVersion=STRING,
    finalizers=types.list_of(STRING),
)
_NAMESPACE: Final = _object(
    "kubernetes.Namespace",
    metadata=_META,
    spec=_object("kubernetes.NamespaceSpec", finalizers=types.list_of(STRING)),
    status=_object("kubernetes.NamespaceStatus", phase=STRING),
)
_VARIABLES: Final[Mapping[str, Type]] = {
    "object": DYN,
    "oldObject": DYN,
    "request": _REQUEST,
    "namespaceObject": _NAMESPACE,
    "authorizer": AUTHORIZER,
}
_PATCH: Final = _object("JSONPatch", op=STRING, path=STRING, **{"from": STRING}, value=DYN)


class _Objects(Mapping[str, Type]):
    """The usual types, and `Object`, `Object.spec`, … of what a policy applies, whose fields are not checked."""

    def __init__(self) -> None:
        self._known = {**library.TYPES, "JSONPatch": _PATCH}

    def __getitem__(self, name: str) -> Type:
        if name == "Object" or name.startswith("Object."):
            return Type("Object")
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


class Expressions:
    """The compiled expressions of one policy; each is a program, or why there is none."""

    def __init__(self, spec: Object, *, params: bool, mutating: bool = False) -> None:
        self._types = {**_VARIABLES, **({"params": DYN} if params else {})}
        self._mutating = mutating
        self._made: dict[str, Program | str] = {}
        self.conditions = [
            (str(one.get("expression") or "").strip(), self._compiled(one)) for one in spec.get("matchConditions") or ()
        ]
        self.variables: dict[str, Program | str] = {}
        self.variables_in_order: list[Program | str] = []
        declared: dict[str, Type] = {}
        given: Iterable[Object] = spec.get("variables") or ()
        for one in given:
            self._types["variables"] = _object("kubernetes.variables", **declared)
            made = self._compiled(one)
            self.variables[str(one.get("name"))] = made
            self.variables_in_order.append(made)
            declared[str(one.get("name"))] = DYN if isinstance(made, str) else made.result
        if declared:
            self._types["variables"] = _object("kubernetes.variables", **declared)

    def compiled(self, text: str) -> Program | str:
        """Return the program of one more expression of the policy; asked again, the same."""
        if text not in self._made:
            self._made[text] = self._compile(text)
        return self._made[text]

    def _compile(self, text: str) -> Program | str:
        objects = _Objects() if self._mutating else None
        try:
            return program.compiled(text.strip(), self._types, objects, patches=self._mutating)
        except NotCompiled as problem:
            return str(problem)

    def _compiled(self, one: Mapping[str, Any]) -> Program | str:
        return self._compile(str(one.get("expression") or ""))


@functools.lru_cache(maxsize=256)
def _of(content: bytes, mutating: bool) -> Expressions:
    spec = orjson.loads(content)
    return Expressions(spec, params=bool(spec.get("paramKind")), mutating=mutating)


def of_policy(spec: Object, *, mutating: bool = False) -> Expressions:
    """Return the expressions of a policy, compiled once."""
    return _of(orjson.dumps(spec), mutating)
