"""The table of messages and methods says what Argo CD's compiled .proto files say: names, numbers, types, ways."""

from typing import Any

import pytest

from syncline.server.grpcweb import methods, schema
from syncline.server.grpcweb.methods import METHODS, REFUSED, Method
from tests.argocd.descriptors import SHORT, TYPES, Compiled, compiled, short, wanted

FULL = {value: key for key, value in SHORT.items()}


@pytest.fixture(scope="module")
def theirs() -> Compiled:
    return compiled()


def full(name: str) -> str:
    package, _, rest = name.partition(".")
    return f"{FULL.get(package, package)}.{rest}"


def test_the_table_has_these_messages_and_no_others(theirs: Compiled) -> None:
    ours = schema.shipped().messages
    assert sorted(ours) == sorted(wanted(theirs)), "python -m tests.argocd.descriptors writes the table again"


@pytest.mark.parametrize("name", sorted(schema.shipped().messages))
def test_the_runtime_knows_each_field_as_theirs_is_compiled(name: str, theirs: Compiled) -> None:
    """What counts is what the runtime was told, not what our file says."""
    ours = schema.shipped().packed(name).DESCRIPTOR.fields
    assert {one.number: said(one) for one in ours} == {
        one.number: (one.name, TYPES[one.type], one.label == 2, one.label == 3, kind(one.type_name[1:], theirs))
        for one in theirs.messages[full(name)].field
    }


def said(field: Any) -> tuple[object, ...]:
    below = field.message_type
    inner: tuple[str, ...]
    if below is not None and below.GetOptions().map_entry:
        key, value = below.fields_by_name["key"], below.fields_by_name["value"]
        inner = (TYPES[key.type], TYPES[value.type], value.message_type.name if value.message_type else "")
    else:
        inner = (below.name if below is not None else "",)
    return field.name, TYPES[field.type], field.is_required, field.is_repeated, inner


def kind(name: str, theirs: Compiled) -> tuple[str, ...]:
    """Return what a field holds: a message, or of a map both sides."""
    if not name:
        return ("",)
    entry = theirs.messages[name]
    if not entry.options.map_entry:
        return (short(name, theirs.packages).replace(".", "_"),)
    key, value = entry.field
    below = short(value.type_name[1:], theirs.packages).replace(".", "_") if value.type_name else ""
    return TYPES[key.type], TYPES[value.type], below


def test_json_calls_fields_what_the_tags_of_gos_types_say(theirs: Compiled) -> None:
    expected = {
        name: {one.number: (one.json, one.pointer) for one in said.fields} for name, said in wanted(theirs).items()
    }
    ours = schema.shipped().messages
    assert {
        name: {one.number: (one.json, one.pointer) for one in said.fields} for name, said in ours.items()
    } == expected
    # Four that are known, and none without a tag but times, so that a reading that missed some would be noticed.
    typed = {name: full(name) for name in ours if name.partition(".")[0] in ("v1alpha1", "meta", "core")}
    untagged = [
        name
        for name, long in typed.items()
        if {one.number for one in ours[name].fields} - set(theirs.tags.get(long, ()))
    ]
    assert untagged == ["meta.Time"]
    assert expected["v1alpha1.SyncPolicyAutomated"][4] == ("enabled", True)
    assert expected["v1alpha1.SyncPolicyAutomated"][1] == ("prune", False)
    assert expected["v1alpha1.SyncStrategyHook"][1] == ("", False)
    assert expected["v1alpha1.OverrideIgnoreDiff"][1] == ("jsonPointers", False)


@pytest.mark.parametrize("method", METHODS, ids=lambda one: one.name)
def test_each_method_takes_its_annotated_way(method: Method, theirs: Compiled) -> None:
    other = theirs.methods[method.name]
    assert (full(method.request), full(method.response)) == (other.input_type[1:], other.output_type[1:])
    assert (method.stream, False) == (other.server_streaming, other.client_streaming)
    assert (method.verb, method.path, method.body) in theirs.http(method.name)


def test_what_is_refused_by_name_exists(theirs: Compiled) -> None:
    assert set(REFUSED) <= set(theirs.methods)
    assert not set(REFUSED) & {one.name for one in methods.METHODS}
