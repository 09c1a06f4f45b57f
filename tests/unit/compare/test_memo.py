"""What did not change is not compared again; what changed is."""

from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import Object, key_of
from syncline.core.compare.compare import Context, compare
from syncline.core.compare.ignore.rules import IgnoreRule, IgnoreRules
from syncline.core.compare.memo import ComparisonMemo
from syncline.core.compare.prepare import PreparedSet
from syncline.core.compare.schemas import SchemaCache
from syncline.model.comparison import Comparison, Verdict
from syncline.model.desired import DesiredObject
from syncline.model.settings.settings import Settings
from tests.support.objects import as_applied, config_map, context, crd, origin, prepared


def live_of(wanted: PreparedSet, **metadata: Any) -> Object:
    found = as_applied(wanted.objects[0].obj)
    return {**found, "metadata": {**found["metadata"], "uid": "u", "resourceVersion": "7", **metadata}}


def compared(wanted: PreparedSet, live: Object, memo: ComparisonMemo, given: Context | None = None) -> Comparison:
    return compare(wanted, {key_of(live): live}, frozenset(), given or context(), memo)


WANTED = prepared(config_map())
RULES = IgnoreRules((IgnoreRule(kind="ConfigMap"),))
EXPIRED = IgnoreRules((), (IgnoreRule(kind="ConfigMap"),))


@pytest.mark.parametrize(
    ("again", "live", "given", "hits"),
    [
        pytest.param(WANTED, live_of(WANTED), context(), 1, id="the same"),
        pytest.param(prepared(config_map()), live_of(WANTED), context(), 1, id="rendered again"),
        pytest.param(prepared(config_map(data={"a": "b"})), live_of(WANTED), context(), 0, id="desired"),
        pytest.param(WANTED, live_of(WANTED, resourceVersion="8"), context(), 0, id="resourceVersion"),
        pytest.param(WANTED, live_of(WANTED, uid="v"), context(), 0, id="uid"),
        pytest.param(WANTED, live_of(WANTED), context(settings=Settings(installation_id="i")), 0, id="settings"),
        pytest.param(WANTED, live_of(WANTED), context(synced_before=True), 1, id="first synced"),
        pytest.param(WANTED, live_of(WANTED), msgspec.structs.replace(context(), rules=RULES), 0, id="rules"),
        pytest.param(WANTED, live_of(WANTED), msgspec.structs.replace(context(), schemas="x"), 0, id="schemas"),
        pytest.param(WANTED, live_of(WANTED), msgspec.structs.replace(context(), rules=EXPIRED), 0, id="what expired"),
        pytest.param(WANTED, live_of(WANTED), msgspec.structs.replace(context(), cluster="https://b"), 0, id="cluster"),
        pytest.param(
            WANTED, live_of(WANTED), msgspec.structs.replace(context(), migration_managers=("x",)), 0, id="managers"),
        pytest.param(
            prepared(DesiredObject(config_map(), origin(line=9))), live_of(WANTED), context(), 0, id="line"),
    ],
)  # fmt: skip
def test_a_row_is_taken_from_memory_only_where_nothing_it_depends_on_changed(
    again: PreparedSet, live: Object, given: Context, hits: int
) -> None:
    memo = ComparisonMemo()
    compared(WANTED, live_of(WANTED), memo)
    assert memo.hits == 0
    assert compared(again, live, memo, given) == compared(again, live, ComparisonMemo(), given)
    assert memo.hits == hits


def test_a_row_with_differences_is_compared_again_after_the_first_sync() -> None:
    memo = ComparisonMemo()
    changed = live_of(prepared(config_map(data={"a": "b"})))
    for synced_before in (False, True, True):
        given = context(synced_before=synced_before)
        assert compared(WANTED, changed, memo, given) == compared(WANTED, changed, ComparisonMemo(), given)
    assert memo.hits == 1


def test_objects_without_uid_or_version_are_compared_each_time() -> None:
    memo = ComparisonMemo()
    for _ in range(2):
        compared(WANTED, as_applied(WANTED.objects[0].obj), memo)
    assert memo.hits == 0


def test_what_files_say_of_versions_is_not_believed() -> None:
    memo, of_files = ComparisonMemo(), msgspec.structs.replace(context(), cluster="")
    edited = live_of(prepared(config_map(data={"a": "b"})))
    assert compared(WANTED, live_of(WANTED), memo, of_files).verdict is Verdict.SYNCED
    assert compared(WANTED, edited, memo, of_files).verdict is Verdict.OUT_OF_SYNC


def test_what_is_gone_is_forgotten() -> None:
    memo = ComparisonMemo()
    compared(WANTED, live_of(WANTED), memo)
    compare(prepared(), {}, frozenset(), context(), memo)
    compared(WANTED, live_of(WANTED), memo)
    assert memo.hits == 0


def test_a_row_that_tells_of_a_passing_trouble_is_not_remembered() -> None:
    from syncline.model.settings.resources import IgnoredFields

    hard = IgnoreRule(kind="ConfigMap", fields=IgnoredFields(jq_path_expressions=("first(.data)",)))
    given = msgspec.structs.replace(context(), rules=IgnoreRules((hard,)))
    wanted, memo = prepared(config_map(data={"a": "b"})), ComparisonMemo()
    for _ in range(2):
        row = compared(wanted, live_of(WANTED), memo, given).rows[0]
        assert (row.verdict, row.message != "") == (Verdict.OUT_OF_SYNC, True)
    assert memo.hits == 0


def test_schemas_of_custom_kinds_are_read_once_for_each_version_of_their_definition() -> None:
    from syncline.apimachinery.keys import GroupVersionKind

    def definition(version: str) -> Object:
        found = crd(schema={"type": "object", "properties": {f"spec{version}": {"type": "object"}}})
        return {**found, "metadata": {**found["metadata"], "uid": "u", "resourceVersion": version}}

    cache, kind, here = SchemaCache(), GroupVersionKind("example.com", "v1", "Widget"), "https://a"
    first, again, changed = (cache.of([definition(version)], here) for version in ("1", "1", "2"))
    assert first.digest == again.digest != changed.digest
    cache = SchemaCache()
    node = cache.of([definition("1")], here).node_for(kind)
    assert cache.of([definition("1")], here).node_for(kind) is node
    assert cache.of([definition("2")], here).node_for(kind) is not node


@pytest.mark.parametrize(("one", "other"), [("https://a", "https://b"), ("", "")], ids=["two clusters", "two files"])
def test_definitions_with_the_same_uid_and_version_are_told_apart(one: str, other: str) -> None:
    from syncline.apimachinery.keys import GroupVersionKind

    def definition(field: str) -> Object:
        found = crd(schema={"type": "object", "properties": {field: {"type": "object"}}})
        return {**found, "metadata": {**found["metadata"], "uid": "u", "resourceVersion": "7"}}

    cache, kind = SchemaCache(), GroupVersionKind("example.com", "v1", "Widget")
    first, second = cache.of([definition("left")], one), cache.of([definition("right")], other)
    assert first.digest != second.digest
    assert ["left" in first.node_for(kind).fields, "left" in second.node_for(kind).fields] == [True, False]


def test_schemas_of_apps_that_take_turns_are_kept_and_those_not_used_for_longest_are_not() -> None:
    from syncline.apimachinery.keys import GroupVersionKind
    from syncline.apimachinery.schema import crd as reading

    def definition(number: int) -> Object:
        found = crd(schema={"type": "object", "properties": {f"f{number}": {"type": "object"}}})
        return {**found, "metadata": {**found["metadata"], "uid": f"u{number}", "resourceVersion": "1"}}

    cache, kind, here = SchemaCache(kept=2), GroupVersionKind("example.com", "v1", "Widget"), "https://a"
    read = [cache.of([definition(number)], here).node_for(kind) for number in (1, 2, 3, 2)]
    assert read[3] is read[1]
    reading._roots.clear()
    assert cache.of([definition(3)], here).node_for(kind) is read[2]
    assert cache.of([definition(1)], here).node_for(kind) is not read[0]


def test_jq_is_asked_only_about_what_changed() -> None:
    from syncline.core.compare.compare import needed_scripts
    from syncline.model.script import Evaluated
    from syncline.model.settings.resources import IgnoredFields

    hard = IgnoreRule(kind="ConfigMap", fields=IgnoredFields(jq_path_expressions=("first(.data)",)))
    given = msgspec.structs.replace(context(), rules=IgnoreRules((hard,)))
    wanted, live, memo = prepared(config_map(data={"a": "b"})), live_of(WANTED), ComparisonMemo()
    present = {key_of(live): live}
    scripts = needed_scripts(wanted, present, given, memo)
    assert [script.text for script in scripts] == ["first(.data)"] * 3  # the first: can it be read?
    results = [Evaluated(value={**script.obj, "data": {}}) for script in scripts]
    answered = msgspec.structs.replace(given, answers=given.answers.with_results(scripts, results))
    assert compare(wanted, present, frozenset(), answered, memo).verdict is Verdict.SYNCED
    assert needed_scripts(wanted, present, given, memo) == ()
    assert compare(wanted, present, frozenset(), given, memo).verdict is Verdict.SYNCED


def test_rules_that_become_unused_are_told_although_no_row_changed() -> None:
    memo = ComparisonMemo()
    first = compared(WANTED, live_of(WANTED), memo)
    rules = IgnoreRules((IgnoreRule(kind="Service", source="spec.ignoreDifferences[0]"),))
    given = msgspec.structs.replace(context(), rules=rules)
    assert first.unused_rules == ()
    assert [rule.rule for rule in compared(WANTED, live_of(WANTED), memo, given).unused_rules] == [
        "spec.ignoreDifferences[0]"
    ]
    assert compared(WANTED, live_of(WANTED), memo).unused_rules == ()
