"""Stories about bodies that say too much: keys given twice, wrong times, too many bytes; and versions to come."""

from __future__ import annotations

from typing import Any

from tests.contract.config import NAMESPACE
from tests.contract.steps import Step, Story, apply, get, merge, obj, post, put, strategic

MAPS = "/api/v1/namespaces/trial/configmaps"
TWICE = '{"metadata": {"name": "%s"}, "data": {"a": "1", "b": "3", "a": "2"}}'
POD = (
    '{"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "x", "image": "y",'
    ' "env": [{"name": "A", "name": "B", "name": "C"}]}]}}'
)


def at(time: str, field: str = "creationTimestamp") -> Step:
    return post(f"{MAPS}?dryRun=All", obj("t", metadata={field: time}))


def filled(name: str, letters: int) -> Step:
    return post(f"{MAPS}?dryRun=All", obj(name, data={"a": "x" * letters}))


STRICT = Story(
    "strictness",
    (
        NAMESPACE,
        post(f"{MAPS}?fieldValidation=Strict", TWICE % "a"),
        post(f"{MAPS}?fieldValidation=Warn", TWICE % "a"),
        post(f"{MAPS}?fieldValidation=Ignore", TWICE % "b"),
        post(MAPS, TWICE % "c"),
        post(MAPS, '{"metadata":{"name":"d","name":"e"}}'),
        post(f"{MAPS}?fieldValidation=Strict", '{"metadata":{"name":"d"},"data":{"a":"1"},"data":{}}'),
        put(f"{MAPS}/c?fieldValidation=Strict", TWICE % "c"),
        put(f"{MAPS}/c", TWICE % "c"),
        post("/api/v1/namespaces/trial/pods?fieldValidation=Strict", POD),
        *(
            at(time)
            for time in (
                *("yesterday", "2020-01-01", "2020-01-01T00:00:00", "2020-01-01 00:00:00Z", "2020-01-01T00:00:00Zx"),
                *("2020-13-01T00:00:00Z", "2020-02-31T00:00:00Z", "2020-01-01T25:00:00Z", "2020-01-01T00:60:00Z"),
                *("", "2020-01-01T00:00:00.123+01:00", "20-01-01T00:00:00Z", "2020-1-1T00:00:00Z"),
            )
        ),
        at("2020-01-01", "deletionTimestamp"),
        filled("big", 1_100_000),
        filled("huge", 3_300_000),
        get(f"{MAPS}?resourceVersion=99999999"),
        get(f"{MAPS}?resourceVersion=99999999&resourceVersionMatch=Exact"),
        get(f"{MAPS}/a?resourceVersion=99999999"),
    ),
)
DEPLOYMENTS = "/apis/apps/v1/namespaces/trial/deployments"
SERVICES = "/api/v1/namespaces/trial/services"
BUDGETS = "/apis/policy/v1/namespaces/trial/poddisruptionbudgets"
DRY = "?dryRun=All"
EITHER: tuple[Any, ...] = (1.5, True, "30%", 2, "2", [], {})
"""Tried where a whole number or a text stands."""


def deployment(amount: Any = "1", **spec: Any) -> dict[str, Any]:
    """Return a Deployment with an amount wherever a quantity may stand."""
    container = {
        "name": "c",
        "image": "x",
        "resources": {"limits": {"cpu": amount}},
        "env": [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": 1}}}],
    }
    pod = {"containers": [container], "volumes": [{"name": "v", "emptyDir": {"sizeLimit": amount}}]}
    template = {"metadata": {"labels": {"a": "b"}}, "spec": pod}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "d"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template, **spec},
    }


def named(body: dict[str, Any]) -> dict[str, Any]:
    """Return a Deployment that is not there yet."""
    return {**body, "metadata": {"name": "e"}}


def amounts(*tried: Any) -> tuple[Step, ...]:
    """Write each amount in every way there is."""
    found: list[Step] = []
    for amount in tried:
        changed = {"spec": {"template": deployment(amount)["spec"]["template"]}}
        found += [
            post(DEPLOYMENTS + DRY, named(deployment(amount))),
            apply(f"{DEPLOYMENTS}/e{DRY}", named(deployment(amount))),
            merge(f"{DEPLOYMENTS}/d{DRY}", changed),
            strategic(f"{DEPLOYMENTS}/d{DRY}", changed),
        ]
    return tuple(found)


def counts(*tried: dict[str, Any]) -> tuple[Step, ...]:
    """Write fields that are whole numbers, or whole numbers or texts."""
    found: list[Step] = []
    for spec in tried:
        found += [
            post(DEPLOYMENTS + DRY, named(deployment(**spec))),
            apply(f"{DEPLOYMENTS}/e{DRY}", named(deployment(**spec))),
        ]
    return tuple(found)


NUMBERS = Story(
    "numbers",
    (
        NAMESPACE,
        post(DEPLOYMENTS, deployment()),
        *amounts(70, 0.5, 0, 1.5, 12345678, "070", "0.0001"),
        apply(f"{DEPLOYMENTS}/e{DRY}", named(deployment(True))),
        apply(f"{DEPLOYMENTS}/e{DRY}", named(deployment("abc"))),
        *(post(DEPLOYMENTS + DRY, named(deployment(amount))) for amount in (True, "abc", "1.2.3")),
        *counts(
            *({"replicas": amount} for amount in (1.5, "2", True)),
            *({"strategy": {"rollingUpdate": {"maxSurge": amount}}} for amount in EITHER),
        ),
        *(post(DEPLOYMENTS + DRY, named(deployment(replicas=amount))) for amount in (2.0, 99999999999)),
        apply(f"{DEPLOYMENTS}/e{DRY}", named(deployment(replicas=2.0))),
        merge(f"{DEPLOYMENTS}/d{DRY}", {"spec": {"replicas": 2.0}}),
        strategic(f"{DEPLOYMENTS}/d{DRY}", {"spec": {"replicas": 2.0}}),
        *(
            post(SERVICES + DRY, obj("s", spec={"ports": [{"port": 80, "targetPort": port}]}))
            for port in (80, "80", "http", 80.0, 80.5, True, 99999999999)
        ),
        *(post(BUDGETS + DRY, obj("b", spec={"minAvailable": amount})) for amount in (1, "1", "50%", 0.5, False)),
        post(
            f"/api/v1/namespaces/trial/resourcequotas{DRY}",
            obj("q", spec={"hard": {"pods": 10, "cpu": 2, "requests.memory": 1.5}}),
        ),
        post(
            f"/api/v1/namespaces/trial/limitranges{DRY}",
            obj("l", spec={"limits": [{"type": "Container", "max": {"cpu": 2}, "default": {"cpu": 0.25}}]}),
        ),
        post(
            f"/api/v1/namespaces/trial/persistentvolumeclaims{DRY}",
            obj("p", spec={"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": 1000}}}),
        ),
        apply(
            f"/api/v1/namespaces/trial/secrets/s{DRY}",
            {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "data": {"a": "%%"}},
        ),
        apply(f"{DEPLOYMENTS}/e{DRY}", {**deployment(), "metadata": {"name": "e", "creationTimestamp": "yesterday"}}),
    ),
)
STORIES = (STRICT, NUMBERS)
