"""A story about ValidatingAdmissionPolicies: what bound expressions deny, in which words, and which are taken."""

from __future__ import annotations

from typing import Any

from tests.contract.config import MAPS, NAMESPACE
from tests.contract.steps import Step, Story, delete, merge, obj, post

GROUP = "/apis/admissionregistration.k8s.io/v1"
POLICIES = f"{GROUP}/validatingadmissionpolicies"
BINDINGS = f"{GROUP}/validatingadmissionpolicybindings"
RULE = {
    "apiGroups": [""],
    "apiVersions": ["v1"],
    "operations": ["CREATE", "UPDATE", "DELETE"],
    "resources": ["configmaps"],
}
HERE = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "trial"}}}
WHO = (
    "request.userInfo.username != 'x' && request.operation in ['CREATE', 'UPDATE', 'DELETE'] && "
    "request.namespace == namespaceObject.metadata.name"
)


def policy(name: str, *validations: dict[str, str], **spec: Any) -> Step:
    rules = {"resourceRules": [RULE]}
    given = {"failurePolicy": "Fail", "matchConstraints": rules, "validations": list(validations), **spec}
    return post(POLICIES, obj(name, spec=given))


def bind(name: str) -> Step:
    spec = {"policyName": name, "validationActions": ["Deny"], "matchResources": HERE}
    return post(BINDINGS, obj(name, spec=spec))


def entries(name: str, /, **data: str) -> dict[str, Any]:
    return obj(name, data=data)


DRY = f"{MAPS}?dryRun=All"
DENYING = Story(
    "policies",
    (
        NAMESPACE,
        policy(
            "trial-size",
            {"expression": "object == null || size(object.data) <= 1", "message": "one entry is enough"},
            {"expression": "object == null || object.metadata.name != 'evil'"},
            {
                "expression": "object == null || object.metadata.name != 'odd'",
                "messageExpression": "'odd name ' + object.metadata.name",
                "reason": "Forbidden",
            },
        ),
        bind("trial-size"),
        # Policies are read from a cache that follows a moment later.
        post(DRY, entries("probe", a="1", b="2"), until=("one entry is enough",)),
        post(MAPS, entries("ok", a="1")),
        post(MAPS, entries("evil", a="1")),
        post(MAPS, entries("odd", a="1")),
        merge(f"{MAPS}/ok", {"data": {"b": "2"}}),
        post("/api/v1/namespaces/trial/secrets", obj("free", data={})),
        policy(
            "trial-change",
            {
                "expression": "object == null || oldObject == null || object.data == oldObject.data",
                "message": "data is fixed",
            },
            {"expression": "object != null || oldObject.metadata.name != 'ok'", "message": "this one stays"},
            {"expression": WHO},
            {"expression": "variables.few"},
            variables=[{"name": "few", "expression": "object == null || size(object.data) < 5"}],
            matchConditions=[{"name": "ok", "expression": "request.name.startsWith('ok')"}],
        ),
        bind("trial-change"),
        merge(f"{MAPS}/ok?dryRun=All", {"data": {"a": "2"}}, until=("data is fixed",)),
        post(DRY, entries("other", a="1")),
        delete(f"{MAPS}/ok"),
        policy("trial-bad", {"expression": "object.nope("}),
        policy("trial-bad", {"expression": ""}),
        policy("trial-fails", {"expression": "object.data.missing == 'x'"}),
        bind("trial-fails"),
        post(DRY, entries("again", a="1"), until=("no such key",)),
        *(delete(f"{BINDINGS}/trial-{name}") for name in ("fails", "change", "size")),
        *(delete(f"{POLICIES}/trial-{name}") for name in ("fails", "change", "size")),
    ),
)
STORIES = (DENYING,)
