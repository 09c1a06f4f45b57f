"""A hand-made kind with every list and map type, for the tests of this folder."""

from typing import Any

from syncline.apimachinery.schema.node import ANY, Node

Object = dict[str, Any]

TEXT = Node(type="string")
TEXTS = Node(type="object", elements=TEXT)
TEXT_SET = Node(type="array", list_type="set", elements=TEXT)


def struct(**fields: Node) -> Node:
    return Node(type="object", fields=fields)


def keyed(*keys: str, **fields: Node) -> Node:
    return Node(type="array", list_type="map", list_keys=keys, elements=struct(**fields))


SPEC = struct(
    text=TEXT,
    number=Node(type="integer"),
    flag=Node(type="boolean"),
    either=Node(int_or_string=True, format="int-or-string"),
    quantity=Node(type="string", format="quantity"),
    atomic=Node(type="array", elements=TEXT),
    sealed=Node(type="object", map_type="atomic", elements=TEXT),
    tags=TEXT_SET,
    labels=TEXTS,
    struct=struct(a=TEXT, b=TEXT),
    items=keyed("name", name=TEXT, value=TEXT, nested=struct(x=TEXT, y=TEXT), tags=TEXT_SET),
    ports=keyed("port", "protocol", port=Node(type="integer"), protocol=Node(type="string", default="TCP"), name=TEXT),
    free=Node(type="object", preserve_unknown=True, elements=ANY),
)
META = struct(name=TEXT, namespace=TEXT, uid=TEXT, resourceVersion=TEXT, labels=TEXTS, annotations=TEXTS)
NODE = struct(apiVersion=TEXT, kind=TEXT, metadata=META, spec=SPEC, status=struct(phase=TEXT))


def thing(spec: Object | None = None, **metadata: Any) -> Object:
    """Make an object of the kind; a metadata argument adds to its name."""
    obj: Object = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "x", **metadata}}
    return obj if spec is None else {**obj, "spec": spec}
