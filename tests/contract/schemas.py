"""Stories about the schemas of custom kinds: which are refused, and what defaults, logical words and formats do."""

from __future__ import annotations

from typing import Any

from tests.contract.config import NAMESPACE
from tests.contract.custom import DEFINITIONS, DRY, GADGETS, definition, gadget, with_schema
from tests.contract.steps import Step, Story, apply, delete, get, merge, post, put, typed

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer"}


def thing(**properties: Any) -> Schema:
    return {"type": "object", "properties": properties}


def listed(items: Schema, **rest: Any) -> Schema:
    return {"type": "array", "items": items, **rest}


def keyed(*keys: str, items: Schema, **rest: Any) -> Schema:
    more = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [*keys]}
    return listed(items, **more, **rest)


def refused(schema: Schema) -> Step:
    """Try a field with a schema."""
    return post(DRY, with_schema(thing(spec=thing(a=schema))))


def at_root(**words: Any) -> Step:
    return post(DRY, with_schema({"type": "object", **words}))


EITHER = [{"type": "integer"}, {"type": "string"}]
EMBEDDED = {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}
SHAPES = Story(
    "schema-refusals",
    (
        # Not structural.
        refused({"type": "object", "anyOf": [{"type": "object"}]}),
        refused({"type": "object", "oneOf": [{"properties": {"b": {}}}]}),
        refused({"type": "object", "properties": {"b": TEXT}, "oneOf": [{"properties": {"b": {"description": "x"}}}]}),
        refused({"type": "string", "allOf": [{"default": "x"}]}),
        refused({"type": "string", "not": {"nullable": True}}),
        refused({"type": "string", "anyOf": [{"title": "x"}]}),
        refused({"type": "object", "allOf": [{"additionalProperties": {"maxLength": 2}}]}),
        refused({"type": "array", "items": TEXT, "allOf": [{"items": {"maxLength": 2}}]}),
        refused({"type": "object", "allOf": [{"items": {"maxLength": 2}}]}),
        refused({"type": "array", "items": TEXT, "allOf": [{"x-kubernetes-list-type": "set"}]}),
        refused({"type": "object", "anyOf": [{"x-kubernetes-preserve-unknown-fields": True}]}),
        refused({"type": "string", "anyOf": [{"x-kubernetes-validations": [{"rule": "true"}]}]}),
        refused({"x-kubernetes-int-or-string": True, "anyOf": EITHER}),
        refused({"x-kubernetes-int-or-string": True, "allOf": [{"anyOf": EITHER}, {"pattern": "x"}]}),
        refused({"x-kubernetes-int-or-string": True, "anyOf": EITHER[:1]}),
        refused({"x-kubernetes-int-or-string": True, "x-kubernetes-preserve-unknown-fields": True}),
        refused({"type": "string", "pattern": "[a"}),
        refused({"type": "string", "pattern": "(?=a)"}),
        at_root(properties={"metadata": {"type": "object", "properties": {"labels": {"type": "object"}}}}),
        at_root(properties={"metadata": {"type": "object", "properties": {"name": {**TEXT, "maxLength": 3}}}}),
        at_root(properties={"metadata": {"type": "object", "description": "x"}}),
        at_root(properties={"metadata": TEXT}),
        at_root(properties={"kind": NUMBER}),
        at_root(properties={"apiVersion": {**TEXT, "default": "x"}}),
        at_root(additionalProperties=TEXT),
        at_root(nullable=True),
        at_root(anyOf=[{"properties": {"metadata": {}}}]),
        # Words of OpenAPI that are not there.
        refused({"type": "null"}),
        refused({"type": "text"}),
        refused({"type": "string", "$ref": "#/x"}),
        refused({"type": "array", "items": TEXT, "uniqueItems": True}),
        refused({"type": "object", "patternProperties": {"a": TEXT}}),
        refused({"type": "object", "definitions": {"a": TEXT}}),
        refused({"type": "object", "dependencies": {"a": ["b"]}}),
        refused({"type": "object", "x-kubernetes-preserve-unknown-fields": False}),
        refused({"type": "object", "properties": {"b": TEXT}, "additionalProperties": TEXT}),
        refused({"type": "object", "properties": {"b": TEXT}, "additionalProperties": False}),
        refused({"type": "object", "properties": {"b": TEXT}, "additionalProperties": True}),
        refused({"type": "object", "additionalProperties": {"description": "untyped"}}),
        # Lists and maps.
        refused({"type": "array"}),
        refused({"type": "array", "items": [TEXT]}),
        refused({"type": "string", "x-kubernetes-list-type": "set"}),
        refused({"type": "string", "x-kubernetes-map-type": "atomic"}),
        refused({"type": "object", "x-kubernetes-map-type": "loose"}),
        refused(listed(TEXT, **{"x-kubernetes-list-type": "bag"})),
        refused(listed(thing(b=TEXT), **{"x-kubernetes-list-type": "set"})),
        refused(listed(listed(TEXT, **{"x-kubernetes-list-type": "set"}), **{"x-kubernetes-list-type": "set"})),
        refused(listed({**TEXT, "nullable": True}, **{"x-kubernetes-list-type": "set"})),
        refused(listed(TEXT, **{"x-kubernetes-list-map-keys": ["b"]})),
        refused(keyed(items=thing(b=TEXT))),
        refused(keyed("b", items=TEXT)),
        refused(keyed("b", items=thing(b=TEXT))),
        refused(keyed("b", "b", items={**thing(b=TEXT), "required": ["b"]})),
        refused(keyed("b", items={**thing(b=thing(c=TEXT)), "required": ["b"]})),
        refused(keyed("b", items={**thing(b={**TEXT, "nullable": True}), "required": ["b"]})),
        refused(keyed("b", items={**thing(b=TEXT), "required": ["b"], "nullable": True})),
        refused(keyed("b", items={**thing(b=TEXT), "required": ["b"]})),
        # Objects inside.
        refused({"type": "object", "x-kubernetes-embedded-resource": True}),
        refused({"type": "string", "x-kubernetes-embedded-resource": True}),
        refused({"x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True}),
        refused({**EMBEDDED, "additionalProperties": TEXT}),
        refused({**EMBEDDED, "properties": {"metadata": {"type": "object", "default": {"name": "x"}}}}),
        refused(EMBEDDED),
        # Defaults.
        refused({"type": "integer", "default": "x"}),
        refused({"type": "integer", "default": 3, "maximum": 2}),
        refused({"type": "string", "default": "c", "enum": ["a", "b"]}),
        refused({"type": "string", "default": "x", "format": "date"}),
        refused({**thing(b=TEXT), "default": {"c": 1}}),
        refused({**thing(b=NUMBER), "default": {"b": "x"}}),
        refused({**thing(b=TEXT), "default": {}, "required": ["b"]}),
        refused(listed({**thing(b={**TEXT, "default": 1}), "default": {}})),
        refused({"type": "string", "default": "b", "x-kubernetes-validations": [{"rule": "self == 'a'"}]}),
        refused({**thing(b=TEXT), "default": {"b": "x"}}),
        refused({"type": "string", "nullable": True, "default": None}),
        # Rules that look back.
        refused(
            listed({**TEXT, "maxLength": 5, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}, maxItems=3)
        ),
        refused(
            keyed(
                "b",
                items={
                    **thing(b={**TEXT, "maxLength": 5, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}),
                    "required": ["b"],
                },
                maxItems=3,
            )
        ),
    ),
)
_VERSION = {"name": "v1", "served": True, "storage": True}


def version(schema: Schema, **rest: Any) -> dict[str, Any]:
    return {**_VERSION, "schema": {"openAPIV3Schema": schema}, **rest}


def selectable(*paths: str) -> Step:
    inner = thing(a=TEXT, n=NUMBER, b={"type": "boolean"}, f={"type": "number"}, l=listed(TEXT), m=thing(x=TEXT))
    free = {"type": "object", "additionalProperties": TEXT}
    made = version(thing(spec=inner, free=free), selectableFields=[{"jsonPath": path} for path in paths])
    return post(DRY, definition(versions=[made]))


def converting(**conversion: Any) -> Step:
    return post(DRY, definition(versions=[version({"type": "object"})], conversion=conversion))


def hooked(**client: Any) -> Step:
    return converting(strategy="Webhook", webhook={"clientConfig": client, "conversionReviewVersions": ["v1"]})


def named(**names: Any) -> Step:
    return post(
        DRY, definition(versions=[version({"type": "object"})], names={"plural": "gadgets", "kind": "Gadget", **names})
    )


def shown(**column: Any) -> Step:
    return post(DRY, definition(versions=[version({"type": "object"}, additionalPrinterColumns=[column])]))


def scaled(**scale: Any) -> Step:
    return post(DRY, definition(versions=[version({"type": "object"}, subresources={"scale": scale})]))


PLAIN = {"type": "object"}
OFFERS = Story(
    "definition-refusals",
    (
        selectable(".spec.a", ".spec.n", ".spec.b"),
        selectable(".spec.f"),
        selectable(".spec.l"),
        selectable(".spec.m"),
        selectable(".spec.m.x"),
        selectable(".spec.none"),
        selectable("spec.a"),
        selectable(".spec.l[0]"),
        selectable(".spec."),
        selectable(""),
        selectable(".free.anything"),
        selectable(".spec.a", ".spec.a"),
        selectable(*(f".free.x{number}" for number in range(9))),
        converting(strategy="None"),
        converting(strategy="Other"),
        converting(),
        converting(strategy="Webhook"),
        converting(strategy="None", webhook={"conversionReviewVersions": ["v1"]}),
        hooked(),
        hooked(url="https://127.0.0.1/x"),
        hooked(url="http://127.0.0.1/x"),
        hooked(url="https://u:p@127.0.0.1/x?y#z"),
        hooked(service={"name": "s", "namespace": "n", "path": "x"}),
        hooked(service={"name": "s", "namespace": "n", "port": 70000}),
        hooked(service={"name": "s", "namespace": ""}),
        converting(
            strategy="Webhook",
            webhook={"clientConfig": {"url": "https://h/x"}, "conversionReviewVersions": ["v2", "v2", "V3"]},
        ),
        converting(
            strategy="Webhook", webhook={"clientConfig": {"url": "https://h/x"}, "conversionReviewVersions": []}
        ),
        named(shortNames=["Bad"]),
        named(categories=["not valid"]),
        named(singular="Bad"),
        named(kind="Bad Kind"),
        named(listKind="Gadget"),
        named(kind="x" * 64),
        shown(name="A", type="string"),
        shown(name="", type="string", jsonPath=".x"),
        shown(name="A", type="text", jsonPath=".x"),
        shown(name="A", type="string", jsonPath="x"),
        shown(name="A", type="string", jsonPath=".x", format="other"),
        scaled(specReplicasPath=".spec.n"),
        scaled(specReplicasPath=".n", statusReplicasPath=".status.n"),
        scaled(specReplicasPath=".spec.n", statusReplicasPath="status.n"),
        scaled(specReplicasPath=".spec.n", statusReplicasPath=".status.n", labelSelectorPath=".labels"),
        scaled(specReplicasPath=".spec.n", statusReplicasPath=".status.n", labelSelectorPath=".status.labels"),
        post(DRY, definition(versions=[version(PLAIN), {**version(thing(a=TEXT)), "storage": False}])),
        post(DRY, definition(versions=[version(PLAIN), {**version(thing(a=TEXT)), "name": "v2"}])),
        post(DRY, definition(versions=[{**version(PLAIN), "name": "V1"}])),
        post(DRY, definition(versions=[version(PLAIN, deprecationWarning="old")])),
        post(DRY, definition(versions=[version(PLAIN, deprecated=True, deprecationWarning="")])),
        post(DRY, definition(versions=[version(PLAIN)], preserveUnknownFields=True)),
        post(DRY, definition(versions=[version(PLAIN)], group="nodots")),
        post(DRY, definition(versions=[version(PLAIN)], group="Not.Valid")),
        post(DRY, definition(versions=[version({**PLAIN, "required": ["spec"]}, subresources={"status": {}})])),
        post(
            DEFINITIONS,
            definition(versions=[version(PLAIN), {**version(thing(a=TEXT)), "name": "v2", "storage": False}]),
        ),
        get(f"{DEFINITIONS}/gadgets.trial.example.io", until=('"Established","status":"True"',)),
        merge(f"{DEFINITIONS}/gadgets.trial.example.io", {"spec": {"versions": [{**version(PLAIN), "name": "v3"}]}}),
        merge(f"{DEFINITIONS}/gadgets.trial.example.io", {"spec": {"names": {"kind": "Other"}}}),
        merge(f"{DEFINITIONS}/gadgets.trial.example.io", {"spec": {"names": {"plural": "others"}}}),
        merge(f"{DEFINITIONS}/gadgets.trial.example.io", {"spec": {"names": {"shortNames": ["Bad"]}}}),
        merge(f"{DEFINITIONS}/gadgets.trial.example.io", {"spec": {"versions": [version(thing(a={}))]}}),
        merge(f"{DEFINITIONS}/gadgets.trial.example.io", {"spec": {"preserveUnknownFields": True}}),
        delete(f"{DEFINITIONS}/gadgets.trial.example.io"),
    ),
)


def with_spec(name: str, /, **spec: Any) -> dict[str, Any]:
    return gadget(name, spec=spec)


def tried(**spec: Any) -> Step:
    return post(f"{GADGETS}?dryRun=All", with_spec("t", **spec))


def begun(schema: Schema, **rest: Any) -> tuple[Step, ...]:
    return (
        NAMESPACE,
        post(DEFINITIONS, definition(versions=[version(schema, **rest)])),
        get(f"{DEFINITIONS}/gadgets.trial.example.io", until=('"Established","status":"True"',)),
        get(GADGETS, until=('"GadgetList"',)),
    )


END = delete(f"{DEFINITIONS}/gadgets.trial.example.io")
PART = {**thing(name=TEXT, port={**NUMBER, "default": 80}, tls=thing(on={"type": "boolean", "default": False}))}
FILLED = thing(
    size={**NUMBER, "default": 1},
    inner={**thing(a={**TEXT, "default": "x"}, b={**thing(c={**NUMBER, "default": 3}), "default": {}}), "default": {}},
    outer=thing(a={**TEXT, "default": "y"}),
    parts=listed(PART),
    named=keyed("name", items={**PART, "required": ["name"]}),
    pairs=keyed(
        "port",
        "protocol",
        items=thing(port={**NUMBER, "default": 1}, protocol={**TEXT, "default": "TCP"}, note=TEXT),
    ),
    table={"type": "object", "additionalProperties": thing(n={**NUMBER, "default": 5})},
    maybe={**TEXT, "nullable": True, "default": "z"},
    sure={**TEXT, "default": "z"},
    plain=TEXT,
    words=listed({**TEXT, "default": "w"}),
    nulls=listed({**TEXT, "nullable": True}),
    free={"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"k": PART}},
    either={"x-kubernetes-int-or-string": True, "default": "50%"},
    resource={**EMBEDDED, "properties": {"spec": thing(n={**NUMBER, "default": 7})}},
)
DEFAULTS = Story(
    "schema-defaults",
    (
        *begun(thing(spec={**FILLED, "default": {"plain": "p"}}, status=thing(phase={**TEXT, "default": "New"}))),
        post(GADGETS, {"apiVersion": "trial.example.io/v1", "kind": "Gadget", "metadata": {"name": "bare"}}),
        post(GADGETS, with_spec("empty")),
        tried(inner={"b": {}}, outer={}),
        tried(inner=None, outer=None),
        tried(parts=[{}, {"name": "a"}, {"tls": {}}, {"tls": {"on": True, "x": 1}}]),
        tried(parts=[None]),
        tried(named=[{"name": "a"}, {"name": "b", "tls": {}}]),
        tried(named=[{}]),
        tried(pairs=[{}, {"port": 2}]),
        tried(pairs=[{}, {"port": 1}]),
        tried(pairs=[{"note": "a"}, {"protocol": "UDP"}, {"protocol": "TCP"}]),
        tried(table={"a": {}, "b": {"n": 1, "x": 2}, "c": None}),
        tried(maybe=None, sure=None, plain=None),
        tried(words=[None, "a"], nulls=[None, "a"]),
        tried(free={"k": {}, "other": {"x": None}}),
        tried(either=None),
        tried(either=5),
        tried(
            resource={"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "spec": {}, "data": {"a": 1}}
        ),
        tried(resource={"kind": "ConfigMap"}),
        tried(resource={"apiVersion": "a/b/c", "kind": "Not Valid"}),
        tried(resource={"apiVersion": "v1", "kind": ""}),
        tried(resource={"apiVersion": "v1", "kind": "A", "metadata": {"labels": {"not valid": "x"}}}),
        tried(resource={"apiVersion": "v1", "kind": "A", "metadata": {"name": "a/b", "unknown": 1}}),
        post(f"{GADGETS}?fieldValidation=Strict", with_spec("t", inner={"zip": 1}, parts=[{"zap": 1}])),
        post(f"{GADGETS}?fieldValidation=Warn&dryRun=All", with_spec("t", inner={"zip": 1}, free={"k": {"zap": 1}})),
        merge(f"{GADGETS}/empty", {"spec": {"sure": None, "inner": None}}),
        apply(f"{GADGETS}/applied", with_spec("applied", parts=[{"name": "a"}], pairs=[{"port": 2}])),
        apply(f"{GADGETS}/applied", with_spec("applied", pairs=[{"port": 2, "note": "x"}]), manager="two"),
        merge(
            f"{DEFINITIONS}/gadgets.trial.example.io",
            {
                "spec": {
                    "versions": [
                        version(thing(spec=thing(size={**NUMBER, "default": 9}, late={**TEXT, "default": "l"})))
                    ]
                }
            },
        ),
        get(f"{GADGETS}/empty", until=('"late"',)),
        put(f"{GADGETS}/bare", {**with_spec("bare", late="now"), "metadata": {"name": "bare"}}),
        END,
    ),
)
LOGICAL = thing(
    one={**thing(a=TEXT, b=NUMBER), "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
    any={
        **thing(a=TEXT, b=NUMBER),
        "anyOf": [{"required": ["a"]}, {"required": ["b"], "properties": {"b": {"minimum": 5}}}],
    },
    all={**TEXT, "allOf": [{"minLength": 2}, {"pattern": "^x"}]},
    never={**TEXT, "not": {"enum": ["bad", "worse"]}},
    mixed={"x-kubernetes-int-or-string": True, "anyOf": EITHER, "pattern": "^[0-9]+%$"},
    deep={
        **thing(kind=TEXT, size=NUMBER, words=listed(TEXT)),
        "oneOf": [
            {"properties": {"kind": {"enum": ["small"]}, "size": {"maximum": 5}}},
            {"properties": {"kind": {"enum": ["big"]}, "size": {"minimum": 6}, "words": {"minItems": 1}}},
        ],
    },
    nested={**TEXT, "allOf": [{"anyOf": [{"minLength": 3}, {"enum": ["a"]}]}, {"not": {"pattern": "z"}}]},
    number={"type": "number", "multipleOf": 0.5, "minimum": 0, "exclusiveMinimum": True, "maximum": 10},
    short={"type": "integer", "format": "int32"},
    long={"type": "integer", "format": "int64", "multipleOf": 5},
    double={"type": "number", "format": "double"},
    choice={"type": "integer", "enum": [1, 2]},
    flag={"type": "boolean", "enum": [True]},
    empty={**TEXT, "nullable": True, "enum": ["a"]},
    table={"type": "object", "additionalProperties": NUMBER, "minProperties": 1, "maxProperties": 2},
    few=listed(NUMBER, minItems=2, maxItems=3),
    only=listed(TEXT, maxItems=1),
    texts=listed(TEXT, **{"x-kubernetes-list-type": "set"}),
    things=listed({**thing(a=TEXT), "x-kubernetes-map-type": "atomic"}, **{"x-kubernetes-list-type": "set"}),
)
LOGIC = Story(
    "schema-logic",
    (
        *begun(thing(spec=LOGICAL, metadata={"type": "object", "properties": {"name": {**TEXT, "maxLength": 9}}})),
        post(f"{GADGETS}?dryRun=All", with_spec("a-name-that-is-too-long")),
        tried(one={"a": "x"}),
        tried(one={}),
        tried(one={"a": "x", "b": 1}),
        tried(one={"a": 1}),
        tried(any={"b": 4}),
        tried(any={}),
        tried(any={"a": "x", "b": 4}),
        tried(all="xy"),
        tried(all="y"),
        tried(all="x"),
        tried(never="bad"),
        tried(never="good"),
        tried(mixed=5),
        tried(mixed="5%"),
        tried(mixed="x"),
        tried(mixed=1.5),
        tried(mixed=[]),
        tried(deep={"kind": "small", "size": 3}),
        tried(deep={"kind": "small", "size": 7}),
        tried(deep={"kind": "big", "size": 7, "words": []}),
        tried(deep={"kind": "other"}),
        tried(nested="z"),
        tried(nested="a"),
        tried(nested="zzz"),
        *(tried(number=value) for value in (0, 0.25, 1.5, 10, 10.5, 11, -1, "1", 1e20)),
        *(tried(short=value) for value in (2147483647, 2147483648, -2147483649, 1.0, 1.5, "1")),
        *(tried(long=value) for value in (5, 7, 7.5, 1e30)),
        *(tried(double=value) for value in (1, 1.5, "x")),
        *(tried(choice=value) for value in (1, 3, 1.0, True, "1")),
        *(tried(flag=value) for value in (True, False, 1)),
        tried(empty=None),
        tried(empty="b"),
        tried(table={}),
        tried(table={"a": 1, "b": 2, "c": 3}),
        tried(table={"a": "x"}),
        tried(few=[1]),
        tried(few=[1, 2, 3, 4]),
        tried(few=[1, "x"]),
        tried(only=["a", "b"]),
        tried(texts=["a", "b", "a", "a"]),
        tried(things=[{"a": "x"}, {"a": "x"}]),
        tried(things=[{"a": "x"}, {}]),
        END,
    ),
)
_FORMATS = {
    "date-time": ("2024-01-02T03:04:05Z", "2024-01-02T03:04:05+01:00", "2024-01-02 03:04:05Z", "2024-01-02", "x"),
    "date": ("2024-02-29", "2023-02-29", "x"),
    "duration": ("1h", "1.5h", "22 ns", "3 days", "x", ""),
    "email": ("a@b.io", "Ann <a@b.io>", "a", "@b"),
    "hostname": ("a.example.io", "a", "a_b", "-a", "a..b"),
    "ipv4": ("10.0.0.1", "010.0.0.1", "256.0.0.1", "::1"),
    "ipv6": ("::1", "fe80::1%eth0", "10.0.0.1", "x"),
    "cidr": ("10.0.0.0/8", "10.0.0.1/33", "10.0.0.0", "::/0"),
    "mac": ("00:00:5e:00:53:01", "0000.5e00.5301", "00:00", "x"),
    "uri": ("https://a.example.io/x?y=z", "/x", "x", ""),
    "uuid": ("123e4567-e89b-12d3-a456-426614174000", "123e4567e89b12d3a456426614174000", "x"),
    "uuid4": ("123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174000"),
    "byte": ("eA==", "x", "eA=", ""),
    "hexcolor": ("#fff", "fff", "#ffff"),
    "rgbcolor": ("rgb(1, 2, 255)", "rgb(256,0,0)"),
    "isbn": ("978-0321751041", "0321751043", "0321751044"),
    "creditcard": ("4111 1111 1111 1111", "4111 1111 1111 1112"),
    "ssn": ("123-45-6789", "123456789"),
    "k8s-short-name": ("a-b", "A", "a.b", "x" * 64),
    "k8s-long-name": ("a.b", "A", "a..b"),
    "password": ("x",),
    "int32": ("x",),
    "nonsense": ("x",),
}
FORMATS = Story(
    "schema-formats",
    (
        *begun(
            thing(
                spec=thing(
                    **{name.replace("-", ""): {"type": "string", "format": name} for name in _FORMATS},
                    whole={"type": "integer", "format": "date"},
                )
            )
        ),
        *(tried(**{name.replace("-", ""): value}) for name, values in _FORMATS.items() for value in values),
        tried(date=5),
        tried(date={"a": 1}),
        tried(whole=5),
        END,
    ),
)
RATCHETED = thing(
    size={**NUMBER, "maximum": 100},
    parts=keyed("name", items={**thing(name=TEXT, weight={**NUMBER, "maximum": 100}), "required": ["name"]}),
    loose=listed(thing(weight={**NUMBER, "maximum": 100})),
    choice={**thing(a=NUMBER, b=NUMBER)},
)
TIGHTER = thing(
    size={**NUMBER, "maximum": 5},
    parts=keyed("name", items={**thing(name=TEXT, weight={**NUMBER, "maximum": 5}), "required": ["name"]}),
    loose=listed(thing(weight={**NUMBER, "maximum": 5})),
    choice={**thing(a=NUMBER, b=NUMBER), "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
)
OLD = {
    "size": 50,
    "parts": [{"name": "a", "weight": 50}, {"name": "b", "weight": 1}],
    "loose": [{"weight": 50}],
    "choice": {"a": 1, "b": 2},
}
RATCHETS = Story(
    "schema-ratchets",
    (
        *begun(thing(spec=RATCHETED)),
        post(GADGETS, with_spec("g", **OLD)),
        merge(f"{DEFINITIONS}/gadgets.trial.example.io", {"spec": {"versions": [version(thing(spec=TIGHTER))]}}),
        post(f"{GADGETS}?dryRun=All", with_spec("h", size=50), until=("less than or equal to 5",)),
        merge(f"{GADGETS}/g", {"metadata": {"labels": {"a": "b"}}}),
        merge(f"{GADGETS}/g?dryRun=All", {"spec": {"size": 60}}),
        merge(f"{GADGETS}/g?dryRun=All", {"spec": {"size": 3}}),
        merge(
            f"{GADGETS}/g?dryRun=All", {"spec": {"parts": [{"name": "b", "weight": 2}, {"name": "a", "weight": 50}]}}
        ),
        merge(f"{GADGETS}/g?dryRun=All", {"spec": {"parts": [{"name": "c", "weight": 50}]}}),
        merge(f"{GADGETS}/g?dryRun=All", {"spec": {"loose": [{"weight": 50}, {"weight": 1}]}}),
        merge(f"{GADGETS}/g?dryRun=All", {"spec": {"choice": {"a": 2}}}),
        END,
    ),
)


OTHER = "/apis/trial.example.io/v2/namespaces/trial/gadgets"


def second(name: str, /, **spec: Any) -> dict[str, Any]:
    return {**with_spec(name, **spec), "apiVersion": "trial.example.io/v2"}


SERVED = Story(
    "schema-versions",
    (
        NAMESPACE,
        post(
            DEFINITIONS,
            definition(
                versions=[
                    version(thing(spec=thing(a={**TEXT, "default": "first"}, both=NUMBER, old=TEXT))),
                    {
                        **version(thing(spec=thing(b={**TEXT, "default": "second"}, both=NUMBER, new=TEXT))),
                        "name": "v2",
                        "storage": False,
                    },
                ]
            ),
        ),
        get(f"{DEFINITIONS}/gadgets.trial.example.io", until=('"Established","status":"True"',)),
        get(GADGETS, until=('"GadgetList"',)),
        get(OTHER, until=('"GadgetList"',)),
        post(GADGETS, with_spec("one", both=1, old="o")),
        get(f"{GADGETS}/one"),
        get(f"{OTHER}/one"),
        post(OTHER, second("two", both=2, new="n", old="lost")),
        get(f"{GADGETS}/two"),
        get(f"{OTHER}/two"),
        get(GADGETS),
        get(OTHER),
        merge(f"{OTHER}/one", {"spec": {"new": "here"}}),
        get(f"{GADGETS}/one"),
        merge(f"{GADGETS}/two", {"spec": {"old": "there"}}),
        get(f"{OTHER}/two"),
        apply(f"{OTHER}/three", second("three", both=3)),
        apply(f"{GADGETS}/three", with_spec("three", both=4), manager="two"),
        apply(f"{GADGETS}/three", with_spec("three", both=4), manager="two&force=true"),
        get(f"{OTHER}/three"),
        put(f"{OTHER}/one", second("one", both=9)),
        merge(f"{OTHER}/one", {"apiVersion": "trial.example.io/v1", "spec": {"both": 5}}),
        delete(f"{OTHER}/one"),
        merge(
            f"{DEFINITIONS}/gadgets.trial.example.io",
            {
                "spec": {
                    "versions": [
                        {**version(thing(spec=thing(a=TEXT, both=NUMBER, old=TEXT))), "storage": False},
                        {**version(thing(spec=thing(b=TEXT, both=NUMBER))), "name": "v2"},
                    ]
                }
            },
        ),
        get(f"{DEFINITIONS}/gadgets.trial.example.io"),
        get("/apis/trial.example.io"),
        END,
    ),
)


def asked(name: str = "h.hooks.example.io", **rest: Any) -> dict[str, Any]:
    return {
        "name": name,
        "clientConfig": {"url": "https://127.0.0.1:9/x"},
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}],
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "trial"}},
        **rest,
    }


HOOKS = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
CHANGING = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"


def configured(*hooks: dict[str, Any], path: str = HOOKS) -> Step:
    kind = "ValidatingWebhookConfiguration" if path == HOOKS else "MutatingWebhookConfiguration"
    return post(f"{path}?dryRun=All", {**typed("admissionregistration.k8s.io/v1", kind, "trial"), "webhooks": [*hooks]})


def ruled(**rule: Any) -> Step:
    return configured(asked(rules=[{**asked()["rules"][0], **rule}]))


def conditions(*expressions: str, name: str = "c") -> Step:
    return configured(
        asked(matchConditions=[{"name": f"{name}{index}", "expression": one} for index, one in enumerate(expressions)])
    )


CONFIGURED = Story(
    "webhook-refusals",
    (
        configured(asked()),
        configured(asked(), path=CHANGING),
        configured(asked("short")),
        configured(asked("Not.Valid.example.io")),
        configured(asked(), asked()),
        configured(asked(sideEffects="Some")),
        configured(asked(sideEffects=None)),
        configured(asked(timeoutSeconds=0)),
        configured(asked(timeoutSeconds=31)),
        configured(asked(failurePolicy="Maybe")),
        configured(asked(matchPolicy="Maybe")),
        configured(asked(reinvocationPolicy="Maybe"), path=CHANGING),
        configured(asked(admissionReviewVersions=[])),
        configured(asked(admissionReviewVersions=["v2"])),
        configured(asked(admissionReviewVersions=["v1", "v1"])),
        configured(asked(namespaceSelector={"matchLabels": {"not valid": "x"}})),
        configured(asked(objectSelector={"matchExpressions": [{"key": "a", "operator": "Near"}]})),
        configured(asked(clientConfig={})),
        configured(asked(clientConfig={"url": "https://h/x", "service": {"name": "s", "namespace": "n"}})),
        configured(asked(clientConfig={"url": "http://h/x"})),
        configured(asked(clientConfig={"url": "h"})),
        configured(asked(clientConfig={"url": "https://u@h/x?a=b#c"})),
        configured(asked(clientConfig={"url": "https://h/x", "caBundle": "not base64"})),
        configured(asked(clientConfig={"url": "https://h/x", "caBundle": "bm90IGEgY2VydGlmaWNhdGU="})),
        configured(asked(clientConfig={"service": {"name": "s", "namespace": "n"}})),
        configured(asked(clientConfig={"service": {"name": "s", "namespace": "n", "path": "/a//b"}})),
        configured(asked(clientConfig={"service": {"name": "s", "namespace": "n", "path": "/A_b"}})),
        configured(asked(clientConfig={"service": {"name": "s", "namespace": "n", "path": "//"}})),
        configured(asked(clientConfig={"service": {"name": "s", "namespace": "n", "port": 0}})),
        configured(asked(clientConfig={"service": {"name": "", "namespace": "n"}})),
        ruled(apiGroups=[]),
        ruled(apiGroups=["*", "apps"]),
        ruled(apiVersions=[]),
        ruled(apiVersions=[""]),
        ruled(apiVersions=["*", "v1"]),
        ruled(operations=[]),
        ruled(operations=["*", "CREATE"]),
        ruled(operations=["LOOK"]),
        ruled(resources=[]),
        ruled(resources=[""]),
        ruled(resources=["*/*", "pods"]),
        ruled(resources=["*", "pods"]),
        ruled(resources=["pods/*", "pods/log"]),
        ruled(resources=["*/log", "pods/log"]),
        ruled(scope="Everywhere"),
        conditions("request.operation == 'CREATE'", "object.metadata.name != ''"),
        conditions("nope"),
        conditions("1"),
        conditions(""),
        conditions("object.x +"),
        conditions("true", name="not valid"),
        conditions("variables.x == 1"),
        conditions("params.x == 1"),
        conditions("authorizer.group('').resource('pods').check('get').allowed()"),
        configured(asked(matchConditions=[{"name": "a", "expression": "true"}, {"name": "a", "expression": "true"}])),
        configured(asked(matchConditions=[{"name": f"c{number}", "expression": "true"} for number in range(65)])),
        conditions("[1,2,3,4,5,6,7,8,9].map(a, [1,2,3,4,5,6,7,8,9].map(b, a * b)).size() > 0"),
    ),
)
STORIES = (SHAPES, OFFERS, DEFAULTS, LOGIC, FORMATS, RATCHETS, SERVED, CONFIGURED)
