"""Which rules fit which objects, and what they take out of both sides."""

from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import Object
from syncline.core.compare.compare import Context, compare_object, needed_scripts
from syncline.core.compare.context import for_app
from syncline.core.compare.ignore import rules as ignoring
from syncline.core.compare.ignore.rules import IgnoreRule, IgnoreRules
from syncline.model.application import IgnoreDifference
from syncline.model.comparison import AcceptedDrift, ComparedObject, Verdict
from syncline.model.script import UNREADABLE, Evaluated, Script, ScriptKind
from syncline.model.settings.resources import CompareOptions, IgnoredFields, ResourceOverride, StatusFields
from syncline.model.settings.settings import Compat, Settings
from tests.support.objects import (
    NOW,
    as_applied,
    config_map,
    context,
    deployment,
    edited,
    node_for,
    obj,
    prepared,
    typed_application,
)

REPLICAS = "/spec/replicas"


def rule(kind: str = "Deployment", group: str = "apps", **rest: Any) -> IgnoreRule:
    fields = {name: rest.pop(name) for name in IgnoredFields.__struct_fields__ if name in rest}
    return IgnoreRule(kind=kind, group=group, fields=IgnoredFields(**fields or {"json_pointers": (REPLICAS,)}), **rest)


def with_rules(*rules: IgnoreRule, settings: Settings | None = None) -> Context:
    return msgspec.structs.replace(context(settings=settings or Settings()), rules=IgnoreRules(rules))


def row_of(wanted: Object, live: Object, given: Context) -> ComparedObject:
    return compare_object(prepared(wanted).objects[0], live, given)


def applied(wanted: Object) -> Object:
    return as_applied(prepared(wanted).objects[0].obj)


SCALED = applied(deployment(replicas=5))


@pytest.mark.parametrize(
    ("one", "fits"),
    [
        (rule(), True),
        (rule(group="*"), True),
        (rule(kind="*", group="*"), True),
        (rule(kind="Deploy*", group="app?"), True),
        (rule(kind="{Deployment,StatefulSet}"), True),
        (rule(group=""), False),
        (rule(group="apps/v1"), False),
        (rule(kind="deployment"), False),
        (rule(name="web"), True),
        (rule(name="we*"), False),
        (rule(namespace="shop"), True),
        (rule(namespace="*"), False),
        (rule(name="web", namespace="other"), False),
    ],
)
def test_group_and_kind_are_globs_and_name_and_namespace_are_exact_or_empty(one: IgnoreRule, fits: bool) -> None:
    row = row_of(deployment(replicas=1), SCALED, with_rules(one))
    assert (row.verdict is Verdict.SYNCED) is fits


@pytest.mark.parametrize("compat", Compat)
@pytest.mark.parametrize(
    "fields",
    [
        {"json_pointers": (REPLICAS,)},
        {"jq_path_expressions": (".spec.replicas",)},
        {"json_pointers": ("/spec/missing/deeper", "spec/replicas", "/spec/template/spec/containers/9/x", REPLICAS)},
        {"jq_path_expressions": (".spec.missing[].x", ".spec.replicas")},
    ],
)
def test_an_ignored_field_is_no_difference_and_a_missing_path_is_silently_skipped(
    fields: dict[str, Any], compat: Compat
) -> None:
    row = row_of(deployment(replicas=1), SCALED, with_rules(rule(**fields), settings=Settings(compat=compat)))
    assert (row.verdict, row.message) == (Verdict.SYNCED, "")


@pytest.mark.parametrize("compat", Compat)
def test_other_fields_still_differ(compat: Compat) -> None:
    given = with_rules(rule(), settings=Settings(compat=compat))
    row = row_of(deployment(image="shop/web:2", replicas=1), SCALED, given)
    assert [item.path for item in row.differences] == ["spec.template.spec.containers[name=web].image"]


@pytest.mark.parametrize(
    ("pointer", "annotation"),
    [
        ("/metadata/annotations/a~1b", "a/b"),
        ("/metadata/annotations/a~0b", "a~b"),
        ("/metadata/annotations/a~01b", "a~1b"),
    ],
)
def test_slash_and_tilde_in_names_are_written_as_escapes(pointer: str, annotation: str) -> None:
    wanted, live = config_map(annotations={annotation: "1"}), applied(config_map(annotations={annotation: "2"}))
    assert row_of(wanted, live, context()).verdict is Verdict.OUT_OF_SYNC
    given = with_rules(rule("ConfigMap", "", json_pointers=(pointer,)))
    assert row_of(wanted, live, given).verdict is Verdict.SYNCED


def test_after_an_ignored_field_is_gone_both_sides_show_its_default() -> None:
    from syncline.core.compare.sides import sides_of

    given = msgspec.structs.replace(with_rules(rule()), explain=True)
    sides = sides_of(prepared(deployment(replicas=2)).objects[0].obj, SCALED, given)
    assert (sides.before["spec"]["replicas"], sides.after["spec"]["replicas"]) == (1, 1)


def hpa_scaled() -> Object:
    live = applied(deployment(replicas=1))
    return edited(live, {**live, "spec": {**live["spec"], "replicas": 5}}, manager="autoscaler")


@pytest.mark.parametrize("compat", Compat)
@pytest.mark.parametrize(("manager", "ignored"), [("autoscaler", True), ("kubectl-edit", False)])
def test_fields_that_a_trusted_manager_changed_do_not_count(compat: Compat, manager: str, ignored: bool) -> None:
    given = with_rules(rule(managed_fields_managers=(manager,)), settings=Settings(compat=compat))
    assert (row_of(deployment(replicas=1), hpa_scaled(), given).verdict is Verdict.SYNCED) is ignored


def test_other_fields_than_those_a_trusted_manager_owns_still_differ() -> None:
    given = with_rules(rule(managed_fields_managers=("autoscaler",)))
    row = row_of(deployment(image="shop/web:2", replicas=1), hpa_scaled(), given)
    assert [item.path for item in row.differences] == ["spec.template.spec.containers[name=web].image"]


def override(pattern: str, *pointers: str) -> ResourceOverride:
    return ResourceOverride(pattern=pattern, ignore_differences=IgnoredFields(json_pointers=pointers))


@pytest.mark.parametrize(
    ("pattern", "wanted", "live", "pointer"),
    [
        ("apps/Deployment", deployment(), SCALED, REPLICAS),
        ("*/*", deployment(), SCALED, REPLICAS),
        ("apps/*", deployment(), SCALED, REPLICAS),
        ("ConfigMap", config_map(data={"a": "1"}), applied(config_map(data={"a": "2"})), "/data/a"),
        ("*/*", config_map(data={"a": "1"}), applied(config_map(data={"a": "2"})), "/data/a"),
    ],
)
def test_rules_of_the_settings_hold_for_every_app_and_all_covers_core_kinds_too(
    pattern: str, wanted: Object, live: Object, pointer: str
) -> None:
    settings = Settings(overrides=(override(pattern, pointer),))
    given = for_app(typed_application(), settings, node_for, NOW)
    assert row_of(wanted, live, given).verdict is Verdict.SYNCED
    assert row_of(wanted, live, context()).verdict is Verdict.OUT_OF_SYNC


def test_rules_of_the_app_come_before_those_of_the_settings() -> None:
    app = typed_application(ignoreDifferences=[{"group": "apps", "kind": "Deployment", "jsonPointers": ["/a"]}])
    found = ignoring.rules_of(app, Settings(overrides=(override("apps/Deployment", "/b"),)))
    assert [(one.source, one.fields.json_pointers) for one in found.of(deployment())] == [
        ("spec.ignoreDifferences[0]", ("/a",)),
        ("resource.customizations.ignoreDifferences.apps/Deployment", ("/b",)),
    ]


@pytest.mark.parametrize(
    ("expires", "counts"),
    [("", True), ("2026-03-01", True), ("2026-02-28", False), ("2026-03-01T08:29:59Z", False), ("2027", True)],
)
def test_accepted_drift_counts_until_it_expires(expires: str, counts: bool) -> None:
    entry = IgnoreDifference(group="apps", kind="Deployment", json_pointers=(REPLICAS,))
    drift = AcceptedDrift(entry=entry, reason="scaled by hand for the fair", expires=expires)
    given = for_app(typed_application(), Settings(), node_for, "2026-03-01T08:30:00Z", [drift])
    assert (row_of(deployment(), SCALED, given).verdict is Verdict.SYNCED) is counts


HARD = '.spec | to_entries[] | select(.key == "replicas")'


def test_what_needs_jq_is_listed_until_all_of_it_is_answered() -> None:
    """The second expression is asked about what the first one left."""
    wanted = prepared(deployment())
    given = with_rules(rule(jq_path_expressions=("first(.spec.paused)", "first(.spec.replicas)")))
    live = {wanted.objects[0].key: SCALED}
    rounds: list[list[str]] = []
    while scripts := needed_scripts(wanted, live, given):
        rounds.append([script.text for script in scripts])
        results = [Evaluated(value=_without_replicas(script)) for script in scripts]
        given = msgspec.structs.replace(given, answers=given.answers.with_results(scripts, results))
    can_they_be_read = ["first(.spec.paused)", "first(.spec.replicas)"]
    assert rounds == [[*can_they_be_read, *["first(.spec.paused)"] * 2], ["first(.spec.replicas)"] * 2]
    assert compare_object(wanted.objects[0], SCALED, given).verdict is Verdict.SYNCED


def _without_replicas(script: Script) -> Object:
    assert script.kind is ScriptKind.DELETE
    if "replicas" not in script.text:
        return script.obj
    spec = script.obj.get("spec", {})
    return {**script.obj, "spec": {name: part for name, part in spec.items() if name != "replicas"}}


@pytest.mark.parametrize("live", [None, SCALED])
def test_an_expression_that_is_none_leaves_its_objects_uncompared(live: Object | None) -> None:
    """Whether live or not: what it was meant to ignore would be written over."""
    wanted = prepared(deployment())
    given = with_rules(rule(jq_path_expressions=(".spec[[",), source="spec.ignoreDifferences[0]"))
    scripts = needed_scripts(wanted, {wanted.objects[0].key: live} if live else {}, given)
    results = [
        Evaluated(error=f"the jq path expression {script.text} {UNREADABLE}: syntax error") for script in scripts
    ]
    given = msgspec.structs.replace(given, answers=given.answers.with_results(scripts, results))
    row = compare_object(wanted.objects[0], live, given)
    assert (row.verdict, row.live) == (Verdict.UNKNOWN, live is not None)
    assert row.message.startswith("spec.ignoreDifferences[0]: the jq path expression .spec[[ cannot be parsed")


def test_a_rule_that_fails_is_told_and_the_verdict_stands() -> None:
    wanted, given = (
        prepared(deployment()),
        with_rules(rule(jq_path_expressions=(HARD,), source="spec.ignoreDifferences[0]")),
    )
    row = compare_object(wanted.objects[0], SCALED, given)
    assert (row.verdict, row.message) == (Verdict.OUT_OF_SYNC, f"the jq path expression {HARD} was not evaluated")
    scripts = needed_scripts(wanted, {wanted.objects[0].key: SCALED}, given)
    failed = given.answers.with_results(scripts, [Evaluated(error="it took longer than 1 s")] * len(scripts))
    row = compare_object(wanted.objects[0], SCALED, msgspec.structs.replace(given, answers=failed))
    text = f"spec.ignoreDifferences[0]: the jq path expression {HARD} failed: it took longer than 1 s"
    assert (row.verdict, row.message) == (Verdict.OUT_OF_SYNC, text)


def test_a_path_that_does_not_fit_the_object_is_told() -> None:
    row = row_of(deployment(), SCALED, with_rules(rule(jq_path_expressions=(".spec.replicas.x",))))
    assert row.message == 'the jq path expression .spec.replicas.x failed: Cannot index number with "x"'


def status(options: CompareOptions, wanted: Object, live: Object) -> Verdict:
    return row_of(wanted, live, context(settings=Settings(compare=options))).verdict


@pytest.mark.parametrize(
    ("option", "deployed", "defined"),
    [
        (StatusFields.ALL, Verdict.SYNCED, Verdict.SYNCED),
        (StatusFields.CRD, Verdict.OUT_OF_SYNC, Verdict.SYNCED),
        (StatusFields.NONE, Verdict.OUT_OF_SYNC, Verdict.OUT_OF_SYNC),
    ],
)
def test_status_in_git_is_ignored_for_all_kinds_for_definitions_or_for_none(
    option: StatusFields, deployed: Verdict, defined: Verdict
) -> None:
    from tests.support.objects import crd

    options = CompareOptions(ignore_status=option)
    assert status(options, {**deployment(), "status": {"replicas": 3}}, applied(deployment())) is deployed
    names = {"kind": "Widget", "plural": "widgets"}
    assert status(options, {**crd(), "status": {"acceptedNames": names}}, applied(crd())) is defined


def role(rules: Any, *, aggregated: bool = True) -> Object:
    selectors = {"clusterRoleSelectors": [{"matchLabels": {"a": "b"}}]}
    rest: dict[str, Any] = {"aggregationRule": selectors} if aggregated else {}
    return obj("ClusterRole", "all", api="rbac.authorization.k8s.io/v1", rules=rules, **rest)


POD_RULE = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}


@pytest.mark.parametrize("compat", Compat)
@pytest.mark.parametrize(
    ("ignored", "aggregated", "verdict"),
    [(True, True, Verdict.SYNCED), (False, True, Verdict.OUT_OF_SYNC), (True, False, Verdict.OUT_OF_SYNC)],
)
def test_rules_of_aggregated_roles_are_ignored_where_settings_say_so(
    ignored: bool, aggregated: bool, verdict: Verdict, compat: Compat
) -> None:
    settings = Settings(compare=CompareOptions(ignore_aggregated_roles=ignored), compat=compat)
    live = applied(role([POD_RULE], aggregated=aggregated))
    other = {**POD_RULE, "verbs": ["list"]}
    assert row_of(role([other], aggregated=aggregated), live, context(settings=settings)).verdict is verdict


@pytest.mark.parametrize("compat", Compat)
def test_empty_rules_of_a_role_are_no_rules(compat: Compat) -> None:
    wanted, live = role([], aggregated=False), applied(role(None, aggregated=False))
    assert row_of(wanted, live, context(settings=Settings(compat=compat))).verdict is Verdict.SYNCED


@pytest.mark.parametrize("compat", Compat)
def test_subsets_of_endpoints_are_compared_in_one_order_with_tcp_as_the_default(compat: Compat) -> None:
    addresses = [{"ip": "10.0.0.1"}, {"ip": "10.0.0.2"}]
    first = {"addresses": addresses, "ports": [{"port": 80}, {"port": 81}]}
    second = {"addresses": [{"ip": "10.0.0.3"}], "ports": [{"port": 82}]}
    turned = {"addresses": addresses[::-1],
              "ports": [{"port": 81, "protocol": "TCP"}, {"port": 80, "protocol": "TCP"}]}  # fmt: skip
    settings = Settings(exclusions=(), compat=compat)
    item = prepared(obj("Endpoints", "web", subsets=[first, second]), settings=settings).objects[0]
    live = as_applied({**item.obj, "subsets": [second, turned]})
    assert compare_object(item, live, context(settings=settings)).verdict is Verdict.SYNCED


def rollout(cpu: str, **rest: Any) -> Object:
    pod = {"containers": [{"name": "web", "resources": {"limits": {"cpu": cpu}}, **rest}]}
    return obj("Rollout", "web", api="argoproj.io/v1alpha1", spec={"template": {"spec": pod}})


@pytest.mark.parametrize("compat", Compat)
def test_the_pod_of_a_rollout_is_known_to_be_a_pod_spec(compat: Compat) -> None:
    given = context(settings=Settings(compat=compat))
    assert row_of(rollout("1000m", args=[]), applied(rollout("1")), given).verdict is Verdict.SYNCED
    assert row_of(rollout("2"), applied(rollout("1")), given).verdict is Verdict.OUT_OF_SYNC


@pytest.mark.parametrize(
    ("field", "type_", "written", "stored"),
    [
        ("spec.limits", "core/v1/ResourceList", {"cpu": "1000m"}, {"cpu": "1"}),
        ("spec.size", "core/Quantity", "1024Mi", "1Gi"),
        ("spec.every", "meta/v1/Duration", "90s", "1m30s"),
        ("spec.pods.spec", "core/v1/PodSpec", {"nodeName": "a", "hostNetwork": False}, {"nodeName": "a"}),
    ],
)
def test_known_type_fields_of_custom_kinds_are_compared_as_their_type(
    field: str, type_: str, written: Any, stored: Any
) -> None:
    from syncline.core.compare.placing import put
    from syncline.model.settings.resources import KnownTypeField

    base = obj("Widget", "one", api="example.com/v1", spec={"a": 1})
    wanted, live = (put(base, tuple(field.split(".")), value) for value in (written, stored))
    known = ResourceOverride(pattern="example.com/Widget", known_type_fields=(KnownTypeField(field, type_),))
    assert row_of(wanted, applied(live), context()).verdict is Verdict.OUT_OF_SYNC
    given = context(settings=Settings(overrides=(known,)))
    assert row_of(wanted, applied(live), given).verdict is Verdict.SYNCED


def test_trusted_managers_are_those_of_the_kind_of_all_kinds_and_of_the_app_together() -> None:
    """Three fields, each changed by a manager that another place trusts; a fourth manager is trusted by none."""

    def managers(pattern: str, *found: str) -> ResourceOverride:
        return ResourceOverride(pattern=pattern, ignore_differences=IgnoredFields(managed_fields_managers=found))

    live = applied(config_map(data={"a": "1", "b": "1", "c": "1", "d": "1"}))
    for key, manager in (("a", "of-kind"), ("b", "of-all"), ("c", "of-app"), ("d", "of-none")):
        live = edited(live, {**live, "data": {**live["data"], key: "2"}}, manager=manager)
    app = typed_application(ignoreDifferences=[{"kind": "ConfigMap", "managedFieldsManagers": ["of-app"]}])
    settings = Settings(overrides=(managers("ConfigMap", "of-kind"), managers("*/*", "of-all")))
    wanted = config_map(data={"a": "1", "b": "1", "c": "1", "d": "1"})
    row = row_of(wanted, live, for_app(app, settings, node_for, NOW))
    assert [item.path for item in row.differences] == ["data.d"]


@pytest.mark.parametrize("compat", Compat)
def test_a_null_value_of_a_secret_is_an_empty_one(compat: Compat) -> None:
    given, live = context(settings=Settings(compat=compat)), applied(obj("Secret", "keys", data={"a": ""}))
    assert row_of(obj("Secret", "keys", data={"a": None}), live, given).verdict is Verdict.SYNCED
