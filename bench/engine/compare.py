"""Times the first comparison of an app and the next ones, beside JSON round trips of the same objects.

Run: python -m bench engine.compare
Goals: 3,000 objects/s compared for the first time; 10,000 unchanged objects in less than 50 ms.
"""

from __future__ import annotations

from typing import Any

import orjson

from bench.rows import Row, seconds
from syncline.apimachinery import merge
from syncline.apimachinery.keys import GroupKind, GroupVersionKind, Object, ObjectKey, gvk_of, key_of
from syncline.apimachinery.schema import builtin, defaults
from syncline.apimachinery.schema.node import ANY, Node
from syncline.core.compare.compare import Context, compare
from syncline.core.compare.memo import ComparisonMemo
from syncline.core.compare.prepare import PreparedSet, prepare
from syncline.model import application
from syncline.model.comparison import Comparison, Verdict
from syncline.model.desired import Desired, DesiredObject
from syncline.model.settings.settings import Settings

ROUNDS = 5
SETTINGS = Settings()
NOW = "2026-03-01T08:30:00Z"


def deployment(number: int) -> Object:
    labels = {"app": f"web-{number}", "tier": "front"}
    container: dict[str, Any] = {
        "name": "web",
        "image": f"shop/web:{number}",
        "env": [{"name": "LEVEL", "value": "info"}, {"name": "PORT", "value": "8080"}],
        "ports": [{"containerPort": 8080}],
        "resources": {"limits": {"cpu": "500m", "memory": "256Mi"}},
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": f"web-{number}", "namespace": "shop", "labels": labels},
        "spec": {
            "replicas": 2,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    }


def config_map(number: int) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": f"settings-{number}", "namespace": "shop"},
        "data": {f"key-{index}": f"value {index} of {number}" for index in range(8)},
    }


def node_for(gvk: GroupVersionKind) -> Node:
    return builtin.for_kind(gvk) or ANY


def app(count: int) -> PreparedSet:
    objects = [deployment(number) if number % 2 else config_map(number) for number in range(count)]
    scopes = {GroupKind("apps", "Deployment"): True, GroupKind("", "ConfigMap"): True}
    obj = {
        "metadata": {"name": "shop", "namespace": "argocd"},
        "spec": {"source": {"repoURL": "x"}, "destination": {"server": "y", "namespace": "shop"}},
    }
    return prepare(Desired(tuple(map(DesiredObject, objects))), application.parse(obj), SETTINGS, scopes)


def applied(obj: Object) -> Object:
    """Return the object as the server stores it after our apply."""
    gvk = gvk_of(obj)
    live = merge.apply(None, obj, manager=SETTINGS.field_manager, node=node_for(gvk), force=True, now=NOW).obj
    stored: Object = orjson.loads(orjson.dumps(defaults.apply(live, gvk)))
    return stored


def compared(prepared: PreparedSet, live: dict[ObjectKey, Object]) -> Comparison:
    context = Context(settings=SETTINGS, node_for=node_for, as_of=NOW)
    return compare(prepared, live, frozenset(live), context)


def rows() -> list[Row]:
    prepared = app(1_000)
    live = {key_of(obj): obj for obj in (applied(item.obj) for item in prepared.objects)}
    assert compared(prepared, live).verdict is Verdict.SYNCED
    encoded = [orjson.dumps(obj) for obj in live.values()]
    copying = seconds(lambda: [orjson.dumps(orjson.loads(text)) for text in encoded], rounds=ROUNDS)
    synced = seconds(lambda: compared(prepared, live), rounds=ROUNDS)
    other = app(1_000)
    changed = {key: _drifted(obj) for key, obj in live.items()}
    differing = seconds(lambda: compared(other, changed), rounds=ROUNDS)
    return [
        _comparison("first comparison, all Synced", synced, copying),
        _comparison("first comparison, one field each", differing, copying),
        *_unchanged(),
    ]


def _unchanged() -> list[Row]:
    """Compare 10,000 objects again, nothing having changed: with the very same desired ones, and rendered anew."""
    big = app(10_000)
    live = {}
    for number, item in enumerate(big.objects):
        stored = applied(item.obj)
        stored["metadata"].update(uid=f"uid-{number}", resourceVersion=str(number + 1))
        live[key_of(stored)] = stored
    encoded = [orjson.dumps(obj) for obj in live.values()]
    copying = seconds(lambda: [orjson.dumps(orjson.loads(text)) for text in encoded], rounds=ROUNDS)
    memo = ComparisonMemo()
    context = Context(settings=SETTINGS, node_for=node_for, as_of=NOW, cluster="https://kubernetes.default.svc")
    owned = frozenset(live)

    def again(prepared: PreparedSet) -> None:
        compare(prepared, live, owned, context, memo)
        assert memo.hits == 10_000

    compare(big, live, owned, context, memo)
    other = app(10_000)
    times = [
        ("10,000 unchanged objects", seconds(lambda: again(big), rounds=ROUNDS), 50),
        ("10,000 unchanged objects, rendered anew", seconds(lambda: again(other), rounds=ROUNDS), 200),
    ]
    return [
        Row(name=name, figure=seconds * 1e3, unit="ms", raw=copying * 1e3, raw_is="JSON round trip", at_most=limit)
        for name, seconds, limit in times
    ]


def _comparison(name: str, seconds: float, copying: float) -> Row:
    return Row(
        name=name,
        figure=1_000 / seconds,
        unit="objects/s",
        raw=1_000 / copying,
        raw_is="JSON round trip",
        at_least=3_000,
    )


def _drifted(obj: Object) -> Object:
    if "data" in obj:
        return {**obj, "data": {**obj["data"], "key-0": "drifted"}}
    return {**obj, "spec": {**obj["spec"], "replicas": 7}}
