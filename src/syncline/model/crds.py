"""Makes CustomResourceDefinitions from the model's Structs, so that the two can never differ.

Asked by `syncline admin crds` and by `syncline.cli.run.install`, which installs them; `tests.support.schema_check`
reads the result. What is written survives Argo CD's schema: field names, required fields and closed sets of values are
Argo CD's own, so objects move between both systems without losing a field. A `Literal` becomes an enum; a `StrEnum`
stays an open string, as Argo CD has it. A Struct inside itself becomes free-form, since schemas of custom kinds cannot
recurse.
"""

from __future__ import annotations

import functools
from typing import Any

import msgspec
from msgspec import inspect

from syncline.apimachinery.keys import Object
from syncline.model import names
from syncline.model.application import Application, ApplicationSpec
from syncline.model.applicationset import ApplicationSet, LabelSelector
from syncline.model.project import AppProject

Schema = dict[str, Any]

_ANYTHING: Schema = {"x-kubernetes-preserve-unknown-fields": True}

# Fields the model has a default for and Argo CD's schema demands nevertheless.
_ALSO_REQUIRED: dict[type, tuple[str, ...]] = {ApplicationSpec: ("project",), AppProject: ("spec",)}

# What Argo CD's schema says of a whole Struct beyond its fields.
_EXTENSIONS: dict[type, Schema] = {LabelSelector: {"x-kubernetes-map-type": "atomic"}}

_APPLICATION_COLUMNS: tuple[Schema, ...] = (
    {"name": "Sync Status", "type": "string", "jsonPath": ".status.sync.status"},
    {"name": "Health Status", "type": "string", "jsonPath": ".status.health.status"},
    {"name": "Revision", "type": "string", "jsonPath": ".status.sync.revision", "priority": 10},
    {"name": "Project", "type": "string", "jsonPath": ".spec.project", "priority": 10},
)


@functools.cache
def application_crd() -> Object:
    """Return the CRD of Applications. No status subresource: spec and status share one endpoint."""
    return _crd(Application, "Application", ("app", "apps"), {"additionalPrinterColumns": list(_APPLICATION_COLUMNS)})


@functools.cache
def appproject_crd() -> Object:
    """Return the CRD of AppProjects."""
    return _crd(AppProject, "AppProject", ("appproj", "appprojs"), {})


@functools.cache
def applicationset_crd() -> Object:
    """Return the CRD of ApplicationSets, with a status subresource."""
    return _crd(ApplicationSet, "ApplicationSet", ("appset", "appsets"), {"subresources": {"status": {}}})


def all_crds() -> tuple[Object, ...]:
    """Return all three."""
    return (application_crd(), appproject_crd(), applicationset_crd())


def _crd(cls: type[msgspec.Struct], kind: str, short_names: tuple[str, ...], extras: Schema) -> Object:
    plural = f"{kind.lower()}s"
    return definition(
        cls,
        kind=kind,
        plural=plural,
        group=names.GROUP,
        version=names.VERSION,
        labels={"app.kubernetes.io/name": f"{plural}.{names.GROUP}", "app.kubernetes.io/part-of": "argocd"},
        short_names=short_names,
        extras=extras,
    )


def definition(
    cls: type[msgspec.Struct],
    *,
    kind: str,
    plural: str,
    group: str,
    version: str,
    labels: dict[str, str],
    short_names: tuple[str, ...] = (),
    extras: Schema,
) -> Object:
    """Return the CRD of a namespaced kind whose objects have the form of a Struct."""
    served = {
        "name": version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": _root(cls)},
        **extras,
    }
    called = {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}", "labels": labels},
        "spec": {
            "group": group,
            "names": {**called, "shortNames": list(short_names)} if short_names else called,
            "scope": "Namespaced",
            "versions": [served],
        },
    }


def _root(cls: type[msgspec.Struct]) -> Schema:
    schema = _schema(inspect.type_info(cls), ())
    own = {name: member for name, member in schema["properties"].items() if name != "metadata"}
    # The API server keeps metadata by its own rules, and refuses a schema that says more than this of it.
    every_object = {"apiVersion": {"type": "string"}, "kind": {"type": "string"}, "metadata": {"type": "object"}}
    schema["properties"] = {**every_object, **own}
    return schema


def _schema(kind: inspect.Type, outer: tuple[type, ...]) -> Schema:
    """Return the structural schema of a type; `outer` are the Structs it stands in."""
    match kind:
        case inspect.Metadata():
            return {**_schema(kind.type, outer), **(kind.extra_json_schema or {})}
        case inspect.StructType():
            return dict(_ANYTHING, type="object") if kind.cls in outer else _struct(kind, (*outer, kind.cls))
        case inspect.VarTupleType():
            return {"type": "array", "items": _schema(kind.item_type, outer)}
        case inspect.DictType():
            return _map(kind, outer)
        case inspect.UnionType():
            return _union(kind, outer)
        case inspect.LiteralType():
            return {"type": "string", "enum": sorted(kind.values)}
        case inspect.AnyType():
            return dict(_ANYTHING)
        case inspect.StrType() | inspect.EnumType():
            return {"type": "string"}
        case inspect.BoolType():
            return {"type": "boolean"}
        case inspect.IntType():
            return {"type": "integer", "format": "int64"}
        case _:
            raise TypeError(f"no schema is known for {kind}; add it to syncline.model.crds")


def _struct(kind: inspect.StructType, outer: tuple[type, ...]) -> Schema:
    schema: Schema = {"type": "object", **_EXTENSIONS.get(kind.cls, {})}
    if kind.cls.__doc__:
        schema["description"] = kind.cls.__doc__.partition("\n")[0]
    schema["properties"] = {field.encode_name: _schema(field.type, outer) for field in kind.fields}
    required = [field.encode_name for field in kind.fields if field.required]
    required += _ALSO_REQUIRED.get(kind.cls, ())
    if required:
        schema["required"] = sorted(required)
    return schema


def _map(kind: inspect.DictType, outer: tuple[type, ...]) -> Schema:
    if isinstance(kind.value_type, inspect.AnyType):
        return dict(_ANYTHING, type="object")
    return {"type": "object", "additionalProperties": _schema(kind.value_type, outer)}


def _union(kind: inspect.UnionType, outer: tuple[type, ...]) -> Schema:
    """An optional value is its type: whoever has none leaves the field out."""
    members = [member for member in kind.types if not isinstance(member, inspect.NoneType)]
    if len(members) == 1:
        return _schema(members[0], outer)
    if {type(member) for member in members} == {inspect.IntType, inspect.StrType}:
        return {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}
    raise TypeError(f"no schema is known for {kind}; add it to syncline.model.crds")
