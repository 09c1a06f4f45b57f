"""Stories about what CEL rules cost: which definitions cost too much, and which objects take too long to check."""

from __future__ import annotations

from typing import Any

from tests.contract.config import NAMESPACE
from tests.contract.custom import DEFINITIONS, definition
from tests.contract.rules import DRY, GADGET, GADGETS, gadget, version
from tests.contract.steps import Step, Story, delete, get, merge, post

TEXT = {"type": "string"}
SHORT = {"type": "string", "maxLength": 10}
NUMBER = {"type": "integer"}
QUADRATIC = "self.all(a, self.all(b, a == b))"


def many(item: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": item, **more}


def named(value: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": value, **more}


def holding(*, required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}


def ruled(schema: dict[str, Any], *rules: str | dict[str, Any]) -> dict[str, Any]:
    given = [{"rule": one} if isinstance(one, str) else one for one in rules]
    return {**schema, "x-kubernetes-validations": given}


def offered(spec: dict[str, Any]) -> Step:
    """A definition that is only tried."""
    return post(DRY, definition(versions=[version({"type": "object", "properties": {"spec": spec}})]))


def longest(item: dict[str, Any], rule: str = QUADRATIC) -> Step:
    """Shows how many such items a server thinks there can be."""
    return offered(ruled(many(item), rule))


ESTIMATED = Story(
    "rule-costs",
    (
        NAMESPACE,
        # What fits into a request bounds lists, mappings and texts; the smaller their elements must be, the more fit.
        *(
            longest(item, "self.all(a, self.all(b, true))")
            for item in (
                NUMBER,
                TEXT,
                {"type": "boolean"},
                {"type": "number"},
                {"x-kubernetes-int-or-string": True},
                {"type": "string", "format": "date"},
                {"type": "string", "format": "date-time"},
                {"type": "string", "format": "duration"},
                {"type": "string", "format": "byte"},
                many(NUMBER),
                named(NUMBER),
                holding(a=TEXT),
                holding(a=TEXT, b=NUMBER, required=("a", "b")),
                holding(a={**TEXT, "default": "x"}, b=NUMBER, required=("a", "b")),
                holding(**{"a-long-name-with-dashes": TEXT}, required=("a-long-name-with-dashes",)),
            )
        ),
        *(
            offered(ruled(holding(a=schema, b=schema), rule))
            for schema, rule in (
                (many(NUMBER), "self.a.all(x, x > 0)"),
                (many(NUMBER, maxItems=1000), "self.a.all(x, self.b.all(y, x < y))"),
                (many(NUMBER, maxItems=2000), "self.a.all(x, self.b.all(y, x < y))"),
                (many(SHORT, maxItems=1000), "self.a.all(x, self.b.exists(y, x == y))"),
                (many(TEXT, maxItems=100), "self.a.all(x, self.b.exists(y, x == y))"),
                (named(TEXT), "self.a.all(k, k in self.b && self.a[k] == self.b[k])"),
                (named(SHORT, maxProperties=900), "self.a.all(k, self.b.all(j, self.a[k] != self.b[j]))"),
                (TEXT, "self.a.contains(self.b)"),
                (TEXT, "self.a.matches(self.b)"),
                (TEXT, "self.a.split(',').all(x, x.size() > 2)"),
                (TEXT, "self.a.replace('a', 'bbbbbbbb').contains('b')"),
                ({"type": "string", "enum": ["one", "three"]}, "self.a.contains(self.b)"),
                ({"type": "string", "format": "byte", "maxLength": 4000}, "string(self.a).contains(string(self.b))"),
                ({"x-kubernetes-int-or-string": True}, "string(self.a).contains('%')"),
                (many(NUMBER, maxItems=3000), "self.a.map(x, x + 1).all(x, self.b.exists_one(y, x == y))"),
                (many(NUMBER, maxItems=3000), "self.a.filter(x, x > 1).sum() > 1 && sets.contains(self.a, self.b)"),
                (many(NUMBER, maxItems=3000), "self.a.sort() == self.b.distinct()"),
                (many(SHORT, maxItems=3000), "self.a.sortBy(x, x)[0] == self.b.join(',')"),
                (many(SHORT, maxItems=3000), "self.?a.optMap(x, x.all(y, y in self.b)).orValue(true)"),
                (many(SHORT, maxItems=3000), "self.a.transformList(i, x, x in self.b, i).all(i, i > 0)"),
                (TEXT, "self.metadata.name.contains(self.a)"),
            )
        ),
        # A rule counts as often as there can be values it is about.
        offered(holding(a=many(ruled(holding(n=TEXT), "self.n == 'x'")))),
        offered(holding(a=many(ruled(holding(n=TEXT), "self.n.startsWith('x')"), maxItems=1_000_000))),
        offered(holding(a=named(many(ruled(NUMBER, "self > 0"), maxItems=500), maxProperties=10_000))),
        offered(holding(a=named(many(ruled(NUMBER, "self > 0"), maxItems=500)))),
        offered(holding(a=named(ruled(holding(b=TEXT, required=("b",)), "self.b.size() > 3")))),
        # Messages cost too, and so do all rules together.
        offered(
            ruled(holding(a=TEXT, b=TEXT), {"rule": "true", "messageExpression": "self.a.replace(self.b, self.a)"})
        ),
        offered(ruled(holding(a=TEXT, b=TEXT), {"rule": "true", "messageExpression": "self.a + self.b"})),
        offered(ruled(holding(a=many(NUMBER, maxItems=1_100_000)), *["self.a.all(x, x > 0)"] * 21)),
        offered(ruled(holding(a=many(NUMBER)), "self.a.all(x, self.a.all(y, x < y))", "self.nope")),
        post(
            DRY,
            definition(
                versions=[version(ruled({"type": "object"}, "self.metadata.name.matches('" + "(a|b)*" * 900 + "')"))]
            ),
        ),
    ),
)

COSTLY = {
    "type": "object",
    "properties": {
        "n": ruled(many(NUMBER, maxItems=500), "self.all(a, self.all(b, a < b + 10))"),
        "budget": many(ruled(many(NUMBER, maxItems=500), "self.all(a, self.all(b, a < b + 10))"), maxItems=1),
        "worded": ruled(
            many(NUMBER, maxItems=500),
            {
                "rule": "self.size() == 0",
                "messageExpression": "string(self.map(a, self.map(b, a < b).size()).sum())",
            },
        ),
        "either": {
            "x-kubernetes-int-or-string": True,
            "x-kubernetes-validations": [{"rule": "self > 1", "message": "at least two"}],
        },
        "part": ruled(holding(a=SHORT), "self.a.startsWith('x')"),
    },
}
LENIENT = {"type": "object", "properties": {"l": many(SHORT), "s": SHORT, "t": SHORT, "w": {**SHORT, "nullable": True}}}
STRICT = {
    "type": "object",
    "properties": {
        "l": many(ruled(SHORT, {"rule": "self != 'bad'", "message": "no bad things"})),
        "s": ruled(SHORT, {"rule": "self.startsWith('a')", "messageExpression": "self + ' is not right'"}),
        "t": SHORT,
        "w": {**ruled(SHORT, "self != 'bad'"), "nullable": True},
    },
}


def kind(spec: dict[str, Any]) -> dict[str, Any]:
    return version({"type": "object", "properties": {"spec": spec}})


SPENT = Story(
    "rule-budgets",
    (
        NAMESPACE,
        post(DEFINITIONS, definition(versions=[kind(COSTLY)])),
        get(GADGET, until=('"Established"', "InitialNamesAccepted")),
        get(GADGETS, until=('"GadgetList"',)),
        *(post(f"{GADGETS}?dryRun=All", gadget("a", n=[1] * count)) for count in (300, 450)),
        post(f"{GADGETS}?dryRun=All", gadget("a", worded=[1] * 10)),
        post(f"{GADGETS}?dryRun=All", gadget("a", worded=[1] * 400)),
        post(f"{GADGETS}?dryRun=All", gadget("a", either="x")),
        post(f"{GADGETS}?dryRun=All", gadget("a", either=1)),
        post(f"{GADGETS}?dryRun=All", gadget("a", part={})),
        delete(GADGET),
    ),
)
RATCHETED = Story(
    "rule-ratchets",
    (
        NAMESPACE,
        post(DEFINITIONS, definition(versions=[kind(LENIENT)])),
        get(GADGET, until=('"Established"', "InitialNamesAccepted")),
        get(GADGETS, until=('"GadgetList"',)),
        post(GADGETS, gadget("a", l=["good", "bad"], s="b", t="x", w=None)),
        merge(GADGET, {"spec": {"versions": [kind(STRICT)]}}),
        post(f"{GADGETS}?dryRun=All", gadget("probe", s="b"), until=("is not right",)),
        # What was wrong before and did not change is only warned of.
        merge(f"{GADGETS}/a", {"spec": {"t": "y"}}),
        merge(f"{GADGETS}/a", {"spec": {"s": "c"}}),
        merge(f"{GADGETS}/a", {"spec": {"l": ["bad", "good"]}}),
        merge(f"{GADGETS}/a", {"metadata": {"labels": {"q": "r"}}}),
        merge(f"{GADGETS}/a", {"spec": {"s": "a", "l": ["good"]}}),
        delete(GADGET),
    ),
)
STORIES = (ESTIMATED, SPENT, RATCHETED)
