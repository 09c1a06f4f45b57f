"""Stories about policies that name another version of what is written, what they audit, and what they may cost."""

from __future__ import annotations

from typing import Any

from tests.contract.config import NAMESPACE
from tests.contract.custom import DEFINITIONS, definition
from tests.contract.policies import entries
from tests.contract.policing import DRY, changing, gone, patched, ruled, unchanging
from tests.contract.steps import Step, Story, delete, get, obj, post, typed

SCALERS = "/apis/autoscaling/{}/namespaces/trial/horizontalpodautoscalers?dryRun=All"
TARGET = {"kind": "Deployment", "name": "web", "apiVersion": "apps/v1"}
SHOWN = (
    "object.apiVersion + ' ' + request.kind.version + ' ' + request.resource.version + ' ' + "
    "request.requestKind.version + ' ' + request.requestResource.version + ' ' + "
    "(has(object.spec.metrics) ? 'metrics' : has(object.spec.targetCPUUtilizationPercentage) ? 'share' : 'nothing')"
)
SHARE = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}}


def scaling(version: str) -> dict[str, Any]:
    return {
        "apiGroups": ["autoscaling"],
        "apiVersions": [version],
        "operations": ["CREATE", "UPDATE"],
        "resources": ["horizontalpodautoscalers"],
    }


def scaled(version: str, *, until: tuple[str, ...] = (), **spec: Any) -> Step:
    given = {"maxReplicas": 3, "scaleTargetRef": TARGET, **spec}
    body = typed(f"autoscaling/{version}", "HorizontalPodAutoscaler", "web", spec=given)
    return post(SCALERS.format(version), body, until=until)


def told(name: str, version: str, **matching: Any) -> tuple[Step, ...]:
    """A policy that refuses everything and says what it was shown."""
    return ruled(
        name,
        {"expression": "false", "messageExpression": SHOWN},
        rule=scaling(version),
        matching=matching,
    )


def toy(version: str, **rest: Any) -> dict[str, Any]:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {"name": version, "served": True, "storage": version == "v1", "schema": {"openAPIV3Schema": schema}, **rest}


TOYS = {"apiGroups": ["trial.example.io"], "apiVersions": ["v1"], "operations": ["*"], "resources": ["gadgets"]}
GADGETS = "/apis/trial.example.io/{}/namespaces/trial/gadgets?dryRun=All"


def made(version: str, name: str = "g", *, until: tuple[str, ...] = ()) -> Step:
    body = typed(f"trial.example.io/{version}", "Gadget", name, spec={"size": 1})
    return post(GADGETS.format(version), body, until=until)


MATCHING = Story(
    "policy-versions",
    (
        NAMESPACE,
        *told("trial-older", "v1"),
        scaled("v1", until=("-older' with",)),
        scaled("v2", metrics=[SHARE]),
        scaled("v2"),
        *gone("trial-older"),
        *told("trial-newer", "v2", matchPolicy="Equivalent"),
        scaled("v2", until=("-newer' with",)),
        scaled("v1", targetCPUUtilizationPercentage=50),
        *gone("trial-newer"),
        *told("trial-exact", "v1", matchPolicy="Exact"),
        scaled("v1", until=("-exact' with",)),
        scaled("v2", metrics=[SHARE]),
        *gone("trial-exact"),
        *told("trial-excluded", "*", matchPolicy="Exact", excludeResourceRules=[scaling("v1")]),
        scaled("v2", until=("-excluded' with",)),
        scaled("v1"),
        *gone("trial-excluded"),
        *changing(
            "trial-changes",
            patched("[JSONPatch{op: 'add', path: '/spec/targetCPUUtilizationPercentage', value: 70}]"),
            matchConstraints={"resourceRules": [scaling("v1")]},
        ),
        scaled("v1", until=(":70",)),
        scaled("v2", metrics=[SHARE]),
        *unchanging("trial-changes"),
        post(DEFINITIONS, definition(versions=[toy("v1"), toy("v2")])),
        get(f"{DEFINITIONS}/gadgets.trial.example.io", until=('"Established","status":"True"',)),
        get(GADGETS.format("v2"), until=('"GadgetList"',)),
        *ruled("trial-toys", {"expression": "false", "messageExpression": SHOWN}, rule=TOYS),
        made("v1", until=("-toys' with",)),
        made("v2"),
        *gone("trial-toys"),
        delete(f"{DEFINITIONS}/gadgets.trial.example.io"),
    ),
)
CHECK = "!authorizer.group('').resource('secrets').namespace('trial').check('shout').allowed()"
SPENDING = Story(
    "policy-budgets",
    (
        NAMESPACE,
        *ruled("trial-dear", f"{CHECK} || true", f"[1, 2, 3].all(x, {CHECK} || true)", "object.metadata.name != 'b'"),
        post(DRY, entries("b"), until=("-dear' with",)),
        *gone("trial-dear"),
        *ruled("trial-many", *[f"[1, 2].all(x, {CHECK} || true)"] * 15, "object.metadata.name != 'b'"),
        post(DRY, entries("b"), until=("-many' with",)),
        *gone("trial-many"),
        *ruled(
            "trial-variables",
            "variables.a || variables.b || true",
            *[f"[1, 2].all(x, {CHECK} || true)"] * 14,
            variables=[{"name": one, "expression": f"[1, 2].exists(x, !({CHECK}))"} for one in ("a", "b")],
        ),
        post(DRY, entries("b"), until=("-variables' with",)),
        *gone("trial-variables"),
        *ruled(
            "trial-conditions",
            "object.metadata.name != 'b'",
            matchConditions=[{"name": f"c{at}", "expression": f"{CHECK} || true"} for at in range(8)],
        ),
        post(DRY, entries("b"), until=("-conditions' with",)),
        *gone("trial-conditions"),
        *ruled(
            "trial-audits",
            "object.metadata.name != 'b'",
            actions=["Deny", "Audit"],
            auditAnnotations=[
                {"key": "first", "valueExpression": "'entry ' + object.data.x"},
                {"key": "none", "valueExpression": "object.metadata.name == 'a' ? '' : 'x'"},
            ],
        ),
        post(DRY, entries("b", x="1"), until=("-audits' with",)),
        post(DRY, entries("a", x="1")),
        post(DRY, entries("a")),
        *gone("trial-audits"),
        *ruled(
            "trial-quiet",
            "object.metadata.name != 'b'",
            failurePolicy="Ignore",
            auditAnnotations=[{"key": "first", "valueExpression": "'entry ' + object.data.x"}],
        ),
        post(DRY, entries("b"), until=("-quiet' with",)),
        post(DRY, obj("a")),
        *gone("trial-quiet"),
    ),
)
STORIES = (MATCHING, SPENDING)
