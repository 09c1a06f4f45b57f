"""OpenAPI version 2 documents in the protobuf form that Go clients ask for first.

Called by `syncline.sandbox.served.openapi` with a document as JSON would say it. The messages are those of gnostic, of
which only the fields that a Kubernetes server fills are in the table below.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import orjson
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import Message

_PACKAGE: Final = "openapi.v2"
_KINDS: Final = descriptor_pb2.FieldDescriptorProto
_SCALARS: Final = {
    "string": _KINDS.TYPE_STRING,
    "bool": _KINDS.TYPE_BOOL,
    "double": _KINDS.TYPE_DOUBLE,
    "int64": _KINDS.TYPE_INT64,
}
# Message, field, number and type; a star stands for "repeated". Texts in `Any` are YAML, of which JSON is a part.
_TABLE: Final = {
    "Any": "yaml=2:string",
    "NamedAny": "name=1:string value=2:Any",
    "Document": "swagger=1:string info=2:Info paths=8:Paths definitions=9:Definitions vendor_extension=16:*NamedAny",
    "Info": "title=1:string version=2:string",
    "Paths": "path=2:*NamedPathItem",
    "NamedPathItem": "name=1:string value=2:PathItem",
    "PathItem": (
        "get=2:Operation put=3:Operation post=4:Operation delete=5:Operation options=6:Operation head=7:Operation"
        " patch=8:Operation parameters=9:*ParametersItem vendor_extension=10:*NamedAny"
    ),
    "Operation": (
        "tags=1:*string description=3:string operation_id=5:string produces=6:*string consumes=7:*string"
        " parameters=8:*ParametersItem responses=9:Responses schemes=10:*string vendor_extension=13:*NamedAny"
    ),
    "ParametersItem": "parameter=1:Parameter json_reference=2:JsonReference",
    "JsonReference": "_ref=1:string",
    "Parameter": "body_parameter=1:BodyParameter non_body_parameter=2:NonBodyParameter",
    "BodyParameter": "description=1:string name=2:string in=3:string required=4:bool schema=5:Schema",
    "NonBodyParameter": (
        "query_parameter_sub_schema=3:QueryParameterSubSchema path_parameter_sub_schema=4:PathParameterSubSchema"
    ),
    "QueryParameterSubSchema": (
        "required=1:bool in=2:string description=3:string name=4:string type=6:string unique_items=20:bool"
    ),
    "PathParameterSubSchema": (
        "required=1:bool in=2:string description=3:string name=4:string type=5:string unique_items=19:bool"
    ),
    "Responses": "response_code=1:*NamedResponseValue",
    "NamedResponseValue": "name=1:string value=2:ResponseValue",
    "ResponseValue": "response=1:Response",
    "Response": "description=1:string schema=2:SchemaItem",
    "SchemaItem": "schema=1:Schema",
    "Definitions": "additional_properties=1:*NamedSchema",
    "NamedSchema": "name=1:string value=2:Schema",
    "Properties": "additional_properties=1:*NamedSchema",
    "AdditionalPropertiesItem": "schema=1:Schema boolean=2:bool",
    "TypeItem": "value=1:*string",
    "ItemsItem": "schema=1:*Schema",
    "Schema": (
        "_ref=1:string format=2:string title=3:string description=4:string default=5:Any multiple_of=6:double"
        " maximum=7:double exclusive_maximum=8:bool minimum=9:double exclusive_minimum=10:bool max_length=11:int64"
        " min_length=12:int64 pattern=13:string max_items=14:int64 min_items=15:int64 unique_items=16:bool"
        " max_properties=17:int64 min_properties=18:int64 required=19:*string enum=20:*Any"
        " additional_properties=21:AdditionalPropertiesItem type=22:TypeItem items=23:ItemsItem all_of=24:*Schema"
        " properties=25:Properties vendor_extension=31:*NamedAny"
    ),
}
# Of each message those fields that JSON spells the same but for case.
_PLAIN: Final = {
    "format": "format",
    "title": "title",
    "description": "description",
    "multipleOf": "multiple_of",
    "maximum": "maximum",
    "exclusiveMaximum": "exclusive_maximum",
    "minimum": "minimum",
    "exclusiveMinimum": "exclusive_minimum",
    "maxLength": "max_length",
    "minLength": "min_length",
    "pattern": "pattern",
    "maxItems": "max_items",
    "minItems": "min_items",
    "uniqueItems": "unique_items",
    "maxProperties": "max_properties",
    "minProperties": "min_properties",
    "$ref": "_ref",
    "name": "name",
    "in": "in",
    "required": "required",
    "type": "type",
    "version": "version",
    "operationId": "operation_id",
}
_METHODS: Final = ("get", "put", "post", "delete", "options", "head", "patch")


def encode(document: Mapping[str, Any]) -> bytes:
    """Return a version 2 document as gnostic's message."""
    made = message("Document")
    made.swagger = document["swagger"]
    _plain(made.info, document["info"])
    _named(made.paths.path, document["paths"], _path_item)
    _named(made.definitions.additional_properties, document["definitions"], _schema)
    encoded: bytes = made.SerializeToString(deterministic=True)
    return encoded


@functools.cache
def _classes() -> dict[str, type[Message]]:
    """Return the classes of the messages, made from the table."""
    file = descriptor_pb2.FileDescriptorProto(name="syncline/openapi_v2.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _TABLE.items():
        described = file.message_type.add(name=name)
        for field in fields.split():
            _describe(described.field.add(), field)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")) for name in _TABLE}


def _describe(made: descriptor_pb2.FieldDescriptorProto, field: str) -> None:
    name, rest = field.split("=")
    number, kind = rest.split(":")
    made.name, made.number = name, int(number)
    made.label = _KINDS.LABEL_REPEATED if kind.startswith("*") else _KINDS.LABEL_OPTIONAL
    kind = kind.removeprefix("*")
    if kind in _SCALARS:
        made.type = _SCALARS[kind]
    else:
        made.type, made.type_name = _KINDS.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"


def message(name: str) -> Any:
    """Return an empty message of the table."""
    return _classes()[name]()


def _named(entries: Any, values: Mapping[str, Any], fill: Callable[[Any, Any], None]) -> None:
    for name, value in values.items():
        entry = entries.add(name=name)
        entry.value.SetInParent()
        fill(entry.value, value)


def _plain(message: Any, values: Mapping[str, Any], left: Iterable[str] = ()) -> None:
    for name, value in values.items():
        field = _PLAIN.get(name)
        if field is not None and name not in left:
            setattr(message, field, value)


def _extensions(message: Any, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        if name.startswith("x-"):
            message.vendor_extension.add(name=name).value.yaml = orjson.dumps(value).decode()


def _path_item(message: Any, item: Mapping[str, Any]) -> None:
    for method in _METHODS:
        if method in item:
            _operation(getattr(message, method), item[method])
    _parameters(message.parameters, item.get("parameters") or ())
    _extensions(message, item)


def _operation(message: Any, operation: Mapping[str, Any]) -> None:
    _plain(message, operation)
    for field in ("tags", "produces", "consumes", "schemes"):
        getattr(message, field).extend(operation.get(field) or ())
    _parameters(message.parameters, operation.get("parameters") or ())
    _named(message.responses.response_code, operation.get("responses") or {}, _response)
    _extensions(message, operation)


def _parameters(entries: Any, parameters: Iterable[Mapping[str, Any]]) -> None:
    for parameter in parameters:
        made, place = entries.add(), parameter.get("in")
        if place is None:
            _plain(made.json_reference, parameter)
        elif place == "body":
            _plain(made.parameter.body_parameter, parameter)
            _schema(made.parameter.body_parameter.schema, parameter.get("schema") or {})
        else:
            _plain(getattr(made.parameter.non_body_parameter, f"{place}_parameter_sub_schema"), parameter)


def _response(message: Any, response: Mapping[str, Any]) -> None:
    _plain(message.response, response)
    if "schema" in response:
        _schema(message.response.schema.schema, response["schema"])


def _schema(message: Any, schema: Mapping[str, Any]) -> None:
    message.SetInParent()
    _plain(message, schema, left=("required", "type"))
    message.required.extend(schema.get("required") or ())
    if schema.get("type"):
        message.type.value.append(schema["type"])
    if "default" in schema:
        message.default.yaml = orjson.dumps(schema["default"]).decode()
    for value in schema.get("enum") or ():
        message.enum.add(yaml=orjson.dumps(value).decode())
    if "items" in schema:
        _schema(message.items.schema.add(), schema["items"])
    for part in schema.get("allOf") or ():
        _schema(message.all_of.add(), part)
    _more_properties(message, schema.get("additionalProperties"))
    if "properties" in schema:
        message.properties.SetInParent()
        _named(message.properties.additional_properties, schema["properties"], _schema)
    _extensions(message, schema)


def _more_properties(message: Any, more: Any) -> None:
    if isinstance(more, bool):
        message.additional_properties.boolean = more
    elif more is not None:
        _schema(message.additional_properties.schema, more)
