"""Stories about admission policies: which are taken, what they warn of, what they are given, and what they change."""

from __future__ import annotations

from typing import Any

from tests.contract.config import MAPS, NAMESPACE
from tests.contract.policies import BINDINGS, GROUP, HERE, POLICIES, RULE, entries
from tests.contract.steps import Step, Story, delete, merge, obj, post, put

MUTATING = f"{GROUP}/mutatingadmissionpolicies"
MUTATING_BINDINGS = f"{GROUP}/mutatingadmissionpolicybindings"
DRY = f"{MAPS}?dryRun=All"
MATCHED = {"resourceRules": [RULE]}
WRITTEN = {"resourceRules": [{**RULE, "operations": ["CREATE", "UPDATE"]}]}


def tried(path: str, **spec: Any) -> Step:
    return post(f"{path}?dryRun=All", obj("trial-tried", spec=spec))


def validated(*validations: Any, **spec: Any) -> Step:
    given = [{"expression": one} if isinstance(one, str) else one for one in validations]
    return tried(POLICIES, matchConstraints=MATCHED, validations=given, **spec)


TAKING = Story(
    "policy-refusals",
    (
        tried(POLICIES),
        tried(POLICIES, matchConstraints=MATCHED),
        tried(POLICIES, matchConstraints={}, validations=[{"expression": "true"}]),
        validated("object.a", "1", "foo(1)", "bar == 1", "self == 1", "params.x == 1", "variables.x == 1"),
        validated("request.nope == 1", "namespaceObject.nope == 1", "1 == 'a'", "[1, 'a'] == []", "has(object)"),
        validated(
            "object.a ==", "object. == 1", "(object.a", "object.a b", "math.abs(1) == 1", "cel.bind(x, 1, x > 0)"
        ),
        validated("isIP('1')", "'a'.matches('[')", "timestamp('x') > timestamp('y')", "'%d'.format(['a']) == ''"),
        validated(
            {"expression": "true", "messageExpression": "1"},
            {"expression": "true", "messageExpression": "foo"},
            {"expression": "true", "messageExpression": " "},
            {"expression": "true", "message": "a\nb"},
            {"expression": "true", "message": " "},
            {"expression": "true", "reason": "Nope"},
        ),
        validated(
            "variables.a == 'x'",
            variables=[
                {"name": "b", "expression": "foo"},
                {"name": "a", "expression": "1"},
                {"name": "x-y", "expression": "1"},
                {"name": "", "expression": ""},
            ],
        ),
        validated(
            "true",
            matchConditions=[
                {"name": "a", "expression": "foo"},
                {"name": "a", "expression": "1"},
                {"name": "", "expression": ""},
            ],
        ),
        tried(
            POLICIES,
            matchConstraints=MATCHED,
            auditAnnotations=[{"key": "a", "valueExpression": "1"}, {"key": "a b", "valueExpression": "'x'"}],
        ),
        validated("true", failurePolicy="Nope"),
        validated("true", paramKind={"apiVersion": "", "kind": ""}),
        tried(POLICIES, matchConstraints={**MATCHED, "matchPolicy": "Nope"}, validations=[{"expression": "true"}]),
        tried(BINDINGS, policyName="", validationActions=["Nope", "Deny", "Deny"], paramRef={}),
        tried(BINDINGS, policyName="x", validationActions=["Warn", "Deny"]),
        tried(BINDINGS, policyName="x"),
        tried(
            BINDINGS,
            policyName="x",
            validationActions=["Deny"],
            paramRef={"name": "a", "selector": {}, "parameterNotFoundAction": "Allow"},
        ),
        tried(MUTATING, matchConstraints=MATCHED, reinvocationPolicy="Never"),
        tried(MUTATING, matchConstraints=WRITTEN, mutations=[{"patchType": "JSONPatch"}, {"patchType": "Nope"}]),
        tried(
            MUTATING,
            matchConstraints=WRITTEN,
            reinvocationPolicy="Never",
            mutations=[
                {"patchType": "JSONPatch", "jsonPatch": {"expression": "1"}},
                {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "{}"}},
                {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Object{spec: foo}"}},
            ],
        ),
        tried(MUTATING_BINDINGS),
    ),
)


def ruled(name: str, *validations: Any, rule: dict[str, Any] = RULE, **spec: Any) -> tuple[Step, ...]:
    """A policy that holds in the story's namespace."""
    actions = spec.pop("actions", ["Deny"])
    bound = {key: spec.pop(key) for key in ("paramRef",) if key in spec}
    given = [{"expression": one} if isinstance(one, str) else one for one in validations]
    rules = {"resourceRules": [rule], **spec.pop("matching", {})}
    return (
        post(POLICIES, obj(name, spec={"matchConstraints": rules, "validations": given, **spec})),
        post(
            BINDINGS,
            obj(name, spec={"policyName": name, "validationActions": actions, "matchResources": HERE, **bound}),
        ),
    )


def gone(*names: str) -> tuple[Step, ...]:
    return tuple(delete(f"{path}/{name}") for name in names for path in (BINDINGS, POLICIES))


STATUS_RULE = {
    "apiGroups": ["apps"],
    "apiVersions": ["v1"],
    "operations": ["UPDATE"],
    "resources": ["deployments/status", "deployments/scale"],
}
TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
DEPLOYMENTS = "/apis/apps/v1/namespaces/trial/deployments"
SELECTOR = {"matchLabels": {"a": "b"}}
DOING = Story(
    "policy-effects",
    (
        NAMESPACE,
        *ruled(
            "trial-warns",
            {"expression": "!has(object.data) || size(object.data) < 2", "message": "many entries"},
            "object.metadata.name != 'evil'",
            actions=["Warn", "Audit"],
        ),
        post(DRY, entries("probe", a="1", b="2"), warned="many entries"),
        post(MAPS, entries("evil", a="1", b="2")),
        post(MAPS, entries("good", a="1")),
        *gone("trial-warns"),
        *ruled(
            "trial-functions",
            {"expression": "isIP(object.data.address)", "messageExpression": "object.data.address + ' is no address'"},
            "cidr('10.0.0.0/8').containsIP(object.data.address)",
            "quantity(object.data.size).isLessThan(quantity('2Gi'))",
            "semver(object.data.version, true).major() == 1",
            "object.data.all(k, v, k != v)",
            "url(object.data.url).getScheme() == 'https'",
            "!format.dns1123Label().validate(object.data.name).hasValue()",
            "sets.contains(['a', 'b'], object.data.list.split(','))",
            variables=[{"name": "unused", "expression": "object.data.nope"}],
            matchConditions=[{"name": "asked", "expression": "object.metadata.name.startsWith('f')"}],
        ),
        post(DRY, entries("f0", address="x"), until=("is no address",)),
        *(
            post(DRY, entries("f1", **given))
            for given in (
                {"address": "11.0.0.1"},
                {"address": "10.0.0.1", "size": "2Gi"},
                {"address": "10.0.0.1", "size": "many"},
                {"address": "10.0.0.1", "size": "1Gi", "version": "v2"},
                {"address": "10.0.0.1", "size": "1Gi", "version": "v1", "a": "a"},
                {"address": "10.0.0.1", "size": "1Gi", "version": "v1", "url": "http://a"},
                {"address": "10.0.0.1", "size": "1Gi", "version": "v1", "url": "https://a", "name": "A"},
                {"address": "10.0.0.1", "size": "1", "version": "1", "url": "https://a", "name": "a", "list": "a,c"},
                {"address": "10.0.0.1", "size": "1", "version": "1", "url": "https://a", "name": "a", "list": "a,b"},
            )
        ),
        post(DRY, entries("other", address="x")),
        *gone("trial-functions"),
        *ruled(
            "trial-request",
            "request.operation == 'CREATE' || request.name == 'good'",
            "request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps'",
            "request.userInfo.username == 'trial-dev'",
            "'system:authenticated' in request.userInfo.groups",
            "request.dryRun",
            "namespaceObject.metadata.name == request.namespace",
            {"expression": "oldObject == null || oldObject.data.a != object.data.a", "reason": "Forbidden"},
            matchConditions=[{"name": "asked", "expression": "object != null && object.metadata.name != 'free'"}],
        ),
        post(DRY, entries("probe", a="1"), until=("trial-dev",)),
        post(MAPS, entries("free", a="1")),
        merge(f"{MAPS}/good", {"data": {"a": "2"}}),
        *gone("trial-request"),
        *ruled(
            "trial-params",
            "int(object.data.count) <= int(params.data.most)",
            paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
            paramRef={"name": "limits", "parameterNotFoundAction": "Deny"},
            matchConditions=[{"name": "asked", "expression": "object.metadata.name.startsWith('p')"}],
        ),
        post(DRY, entries("p1", count="3"), until=("no params found",)),
        post(MAPS, entries("limits", most="2")),
        post(DRY, entries("p1", count="3"), until=("failed expression",)),
        post(DRY, entries("p1", count="2")),
        *gone("trial-params"),
        *ruled(
            "trial-many",
            "int(object.data.count) <= int(params.data.most)",
            paramKind={"apiVersion": "v1", "kind": "ConfigMap"},
            paramRef={"selector": {"matchLabels": {"limits": "yes"}}, "parameterNotFoundAction": "Allow"},
            matchConditions=[{"name": "asked", "expression": "object.metadata.name.startsWith('p')"}],
        ),
        post(DRY, entries("p1", count="9"), until=('"count"',)),
        post(MAPS, obj("more", metadata={"labels": {"limits": "yes"}}, data={"most": "5"})),
        post(DRY, entries("p1", count="9"), until=("failed expression",)),
        post(DRY, entries("p1", count="4")),
        *gone("trial-many"),
        *ruled("trial-quiet", "object.data.nope == 'x'", "object.metadata.name != 'evil'", failurePolicy="Ignore"),
        post(DRY, entries("evil", b="1"), until=("failed expression",)),
        post(DRY, entries("quiet", b="1")),
        *gone("trial-quiet"),
        *ruled(
            "trial-loud",
            "variables.odd == 'x'",
            variables=[{"name": "odd", "expression": "object.data.odd"}],
            matchConditions=[{"name": "asked", "expression": "object.data.asked == 'yes'"}],
        ),
        post(DRY, entries("loud", b="1"), until=("no such key: asked",)),
        post(DRY, entries("loud", asked="yes")),
        post(DRY, entries("loud", asked="yes", odd="x")),
        post(DRY, entries("loud", asked="no")),
        *gone("trial-loud"),
        *ruled(
            "trial-rights",
            "authorizer.group('').resource('secrets').namespace('trial').check('create').allowed()",
            "!authorizer.serviceAccount('trial', 'x').group('').resource('secrets').check('get').allowed()",
            "authorizer.path('/healthz').check('get').allowed()",
            "authorizer.requestResource.check('shout').allowed()",
            "object.metadata.name != 'evil'",
        ),
        post(DRY, entries("evil", b="1"), until=("failed expression",)),
        post(DRY, entries("rights", b="1")),
        *gone("trial-rights"),
        *ruled("trial-parts", "request.subResource in ['status', 'scale'] && false", rule=STATUS_RULE),
        post(DEPLOYMENTS, obj("web", spec={"selector": SELECTOR, "template": TEMPLATE})),
        merge(f"{DEPLOYMENTS}/web/status?dryRun=All", {"status": {"replicas": 1}}, until=("failed expression",)),
        merge(f"{DEPLOYMENTS}/web/scale?dryRun=All", {"spec": {"replicas": 1}}),
        merge(f"{DEPLOYMENTS}/web?dryRun=All", {"spec": {"replicas": 1}}),
        *gone("trial-parts"),
        *ruled("trial-labels", "false", matching={"objectSelector": {"matchLabels": {"app": "web"}}}),
        post(DRY, obj("web", metadata={"labels": {"app": "web"}}), until=("failed expression",)),
        post(DRY, obj("web", metadata={"labels": {"app": "db"}})),
        *gone("trial-labels"),
        *ruled("trial-excluded", "false", matching={"excludeResourceRules": [{**RULE, "resourceNames": ["kept"]}]}),
        post(DRY, entries("lost"), until=("failed expression",)),
        post(DRY, entries("kept")),
        delete(f"{MAPS}/good"),
        *gone("trial-excluded"),
    ),
)


def changing(name: str, *mutations: dict[str, Any], **spec: Any) -> tuple[Step, ...]:
    given = {"matchConstraints": WRITTEN, "reinvocationPolicy": "Never", "mutations": list(mutations), **spec}
    return (
        post(MUTATING, obj(name, spec=given)),
        post(MUTATING_BINDINGS, obj(name, spec={"policyName": name, "matchResources": HERE})),
    )


def applied(expression: str) -> dict[str, Any]:
    return {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}


def patched(expression: str) -> dict[str, Any]:
    return {"patchType": "JSONPatch", "jsonPatch": {"expression": expression}}


def unchanging(*names: str) -> tuple[Step, ...]:
    return tuple(delete(f"{path}/{name}") for name in names for path in (MUTATING_BINDINGS, MUTATING))


CHANGING = Story(
    "policy-changes",
    (
        NAMESPACE,
        *changing(
            "trial-labels",
            applied("Object{metadata: Object.metadata{labels: {'team': 'a', 'kind': request.kind.kind}}}"),
            patched(
                "[JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('a/b'), value: 'c'},"
                " JSONPatch{op: 'test', path: '/metadata/labels/team', value: 'a'}]"
            ),
            matchConditions=[{"name": "asked", "expression": "object != null && object.metadata.name.startsWith('m')"}],
        ),
        post(DRY, entries("m1", x="1"), until=('"team"',)),
        post(MAPS, entries("m2", x="1")),
        post(MAPS, obj("m3")),
        post(MAPS, entries("other", x="1")),
        put(f"{MAPS}/m2", entries("m2", y="1")),
        merge(f"{MAPS}/m2", {"metadata": {"labels": {"team": "b"}}}),
        *unchanging("trial-labels"),
        *changing(
            "trial-first",
            applied("Object{data: {'seen': string(has(object.data.late))}}"),
            reinvocationPolicy="IfNeeded",
        ),
        *changing("trial-second", patched("[JSONPatch{op: 'add', path: '/data/late', value: 'yes'}]")),
        post(DRY, entries("again", x="1"), until=('"late"', '"seen"')),
        *unchanging("trial-first", "trial-second"),
        *changing("trial-fails", applied("Object{data: {'x': object.data.nope}}")),
        post(DRY, entries("fails", x="1"), until=("no such key",)),
        *unchanging("trial-fails"),
        *changing("trial-quiet", applied("Object{data: {'x': object.data.nope}}"), failurePolicy="Ignore"),
        post(DRY, entries("quiet", x="1"), until=('"data"',)),
        *unchanging("trial-quiet"),
    ),
)
STORIES = (TAKING, DOING, CHANGING)
