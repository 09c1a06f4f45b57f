"""Times health of built-in kinds and of described kinds, beside a plain walk over the same dictionaries.

Run: python -m bench engine.health
Goals: 20,000 built-in assessments a second, 20,000 by rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import resources
from typing import Any

from bench.rows import Row, seconds
from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object
from syncline.core.health import checkup, knowledge
from syncline.core.health.assess import assess
from syncline.model.health import Health
from syncline.model.settings.settings import Settings

ROUNDS = 5
COUNT = 20_000


def deployment(number: int) -> Object:
    status = {"observedGeneration": 2, "replicas": 2, "updatedReplicas": 2, "availableReplicas": number % 3}
    metadata = {"name": f"web-{number}", "namespace": "shop", "generation": 2, "uid": f"d-{number}"}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": metadata,
        "spec": {"replicas": 2},
        "status": status,
    }


def owned(api: str, kind: str, owner: Object, **rest: Any) -> Object:
    above = owner["metadata"]
    reference = {"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": above["name"], "uid": above["uid"]}
    metadata = {"name": f"{above['name']}-x", "namespace": "shop", "uid": f"{above['uid']}-x"}
    return {"apiVersion": api, "kind": kind, "metadata": {**metadata, "ownerReferences": [reference]}, **rest}


def families(count: int) -> list[Object]:
    """Return Deployments with a ReplicaSet and a pod that cannot pull its image."""
    found = []
    for number in range(count):
        top = deployment(number)
        middle = owned("apps/v1", "ReplicaSet", top, spec={"replicas": 2}, status={"replicas": 2})
        waiting = {"reason": "ImagePullBackOff", "message": "Back-off pulling image"}
        status = {"phase": "Pending", "containerStatuses": [{"name": "web", "state": {"waiting": waiting}}]}
        found += [top, middle, owned("v1", "Pod", middle, spec={}, status=status)]
    return found


def described() -> list[Object]:
    """Return the objects of all cases."""
    root = resources.files("syncline.knowledge")
    return [
        yaml.load(case.read_bytes())["object"]
        for group, kinds in knowledge.folders().items()
        for kind in kinds
        for case in root.joinpath(group, kind, "cases").iterdir()
    ]


def walk(value: Any) -> int:
    """Visit everything in an object: the least that reading it could cost."""
    if isinstance(value, dict):
        return sum(walk(one) for one in value.values())
    return sum(walk(one) for one in value) if isinstance(value, list) else 1


def _judged(objects: Sequence[Object]) -> list[Health | None]:
    judge = checkup.of_files(objects, Settings())
    return [judge.shown(obj) for obj in objects]


def _row(name: str, objects: Sequence[Object], run: Callable[[], object]) -> Row:
    return Row(
        name=name,
        figure=len(objects) / seconds(run, rounds=ROUNDS),
        unit="objects/s",
        raw=len(objects) / seconds(lambda: [walk(obj) for obj in objects], rounds=ROUNDS),
        raw_is="dictionary walk",
        at_least=20_000,
    )


def rows() -> list[Row]:
    built_in = [deployment(number) for number in range(COUNT)]
    cases = described()
    by_rules = [cases[index % len(cases)] for index in range(COUNT)]
    joined = families(COUNT // 3)
    return [
        _row("built-in health, Deployments", built_in, lambda: [assess(obj) for obj in built_in]),
        _row("health by rules, all described kinds", by_rules, lambda: [assess(obj) for obj in by_rules]),
        _row("owners joined, every app stuck", joined, lambda: _judged(joined)),
    ]
