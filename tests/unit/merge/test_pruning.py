"""The short way of pruning gives what the long way over whole objects gives."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from syncline.apimachinery import merge
from syncline.apimachinery.merge import managers, pruning, typed
from syncline.apimachinery.merge.versions import Versions
from tests.unit.merge.kinds import NODE, Object, thing

V1 = "example.com/v1"
TEXTS = st.sampled_from(["1", "2"])
NAMES = st.sampled_from(["a", "b", "c"])


def name_of(item: Any) -> str:
    return str(item["name"])


ITEMS = st.lists(
    st.fixed_dictionaries(
        {"name": NAMES},
        optional={
            "value": TEXTS,
            "nested": st.fixed_dictionaries({}, optional={"x": TEXTS, "y": TEXTS}),
            "tags": st.lists(NAMES, unique=True),
        },
    ),
    unique_by=name_of,
)
PORTS = st.lists(
    st.fixed_dictionaries({"port": st.integers(1, 3)}, optional={"name": NAMES}), unique_by=lambda port: port["port"]
)
SPECS = st.fixed_dictionaries(
    {},
    optional={
        "text": TEXTS,
        "atomic": st.lists(NAMES),
        "sealed": st.dictionaries(NAMES, TEXTS),
        "tags": st.lists(NAMES, unique=True),
        "labels": st.dictionaries(NAMES, TEXTS),
        "struct": st.fixed_dictionaries({}, optional={"a": TEXTS, "b": TEXTS}),
        "items": ITEMS,
        "ports": PORTS,
        "free": st.dictionaries(NAMES, st.one_of(TEXTS, st.dictionaries(NAMES, TEXTS))),
    },
)


def owner(manager: str, operation: str) -> managers.OwnerId:
    return managers.owner_id(manager, operation, V1, "")


def updated_fields(before: Object, after: Object) -> merge.FieldSet:
    comparison = typed.compare(before, after, NODE)
    return comparison.added.union(comparison.modified)


@settings(deadline=None)
@given(live=SPECS, last=SPECS, now=SPECS, other=SPECS, update=SPECS)
def test_the_short_way_prunes_like_the_long_way(
    live: Object, last: Object, now: Object, other: Object, update: Object
) -> None:
    before = typed.combine(typed.combine(thing(live), thing(last), NODE), thing(other), NODE)
    written = typed.combine(before, thing(update), NODE)
    merged = typed.combine(written, thing(now), NODE)
    applier = owner("one", "Apply")
    owners = {
        applier: managers.Owner(merge.set_of(thing(now), NODE), V1),
        owner("two", "Apply"): managers.Owner(merge.set_of(thing(other), NODE), V1),
        owner("three", "Update"): managers.Owner(updated_fields(before, written), V1),
    }
    had = managers.Owner(merge.set_of(thing(last), NODE).difference(merge.set_of(thing(), NODE)), V1)
    versions = Versions(V1, NODE)
    assert pruning.prune(merged, owners, applier, had, versions) == pruning.prune_converted(
        merged, owners, had, V1, versions
    )
