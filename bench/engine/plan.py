"""Times planning and stepping a big app, beside JSON round trips of the same objects.

Run: python -m bench engine.plan
Goals: a plan of 5,000 objects in less than 300 ms, also when many namespaces and CRDs are pulled forward or a self-heal
names every object; the next step of it in less than 100 ms.
"""

from __future__ import annotations

import orjson

from bench.engine.compare import ROUNDS, app, compared
from bench.rows import Row, seconds
from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.core.compare.prepare import PreparedSet, prepare
from syncline.core.sync.plan import PlanContext, make_plan
from syncline.core.sync.step import Observed, next_step
from syncline.model import application
from syncline.model.comparison import Comparison
from syncline.model.desired import Desired, DesiredObject
from syncline.model.operation import OperationPhase, SyncOperation, SyncOperationResource
from syncline.model.result import ResultCode, TaskResult
from syncline.model.settings.settings import Settings

COUNT = 5_000
PROVIDERS = 250
NOTHING: dict[ObjectKey, Object] = {}


def planned(wanted: PreparedSet, comparison: Comparison, sync: SyncOperation) -> object:
    return make_plan(wanted, comparison, NOTHING, PlanContext(sync=sync, destination_namespace="shop"))


def platform() -> PreparedSet:
    """Return an app whose namespaces and CRDs all come in a later wave than what lives in them."""
    objects: list[Object] = []
    for number in range(PROVIDERS):
        late = {"argocd.argoproj.io/sync-wave": "5"}
        group, kind = f"example-{number}.com", "Widget"
        objects.append(
            {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": f"n-{number}", "annotations": late}}
        )
        spec = {"group": group, "scope": "Namespaced", "names": {"kind": kind, "plural": "widgets"}, "versions": []}
        metadata = {"name": f"widgets.{group}", "annotations": late}
        objects.append(
            {
                "apiVersion": "apiextensions.k8s.io/v1",
                "kind": "CustomResourceDefinition",
                "metadata": metadata,
                "spec": spec,
            }
        )
    for number in range(COUNT - len(objects)):
        place = number % PROVIDERS
        metadata = {"name": f"w-{number}", "namespace": f"n-{place}"}
        objects.append({"apiVersion": f"example-{place}.com/v1", "kind": "Widget", "metadata": metadata})
    scopes = {
        GroupKind("", "Namespace"): False,
        GroupKind("apiextensions.k8s.io", "CustomResourceDefinition"): False,
    }
    spec = {"source": {"repoURL": "x"}, "destination": {"server": "y", "namespace": "shop"}}
    shop = application.parse({"metadata": {"name": "shop", "namespace": "argocd"}, "spec": spec})
    return prepare(Desired(tuple(DesiredObject(obj) for obj in objects)), shop, Settings(), scopes)


def rows() -> list[Row]:
    big = app(COUNT)
    comparison = compared(big, {})
    encoded = [orjson.dumps(item.obj) for item in big.objects]
    raw = seconds(lambda: [orjson.dumps(orjson.loads(text)) for text in encoded], rounds=ROUNDS) * 1e3
    plain = SyncOperation(prune=True)
    named = SyncOperation(
        resources=tuple(
            SyncOperationResource(group=item.key.group, kind=item.key.kind, name=item.key.name, namespace="shop")
            for item in big.objects
        )
    )
    crowded = platform()
    pulled = compared(crowded, {})
    figures = {
        "plan of 5,000 objects": seconds(lambda: planned(big, comparison, plain), rounds=ROUNDS),
        "plan of 5,000 objects named one by one": seconds(lambda: planned(big, comparison, named), rounds=ROUNDS),
        "plan of 5,000 with 500 pulled forward": seconds(lambda: planned(crowded, pulled, plain), rounds=ROUNDS),
    }
    found = [
        Row(name=name, figure=seconds * 1e3, unit="ms", raw=raw, raw_is="JSON round trip", at_most=300)
        for name, seconds in figures.items()
    ]
    return [*found, _step(big, comparison, raw)]


def _step(big: PreparedSet, comparison: Comparison, raw: float) -> Row:
    """Time a pass in the middle of the operation: all objects written, half of them done."""
    made = make_plan(big, comparison, NOTHING, PlanContext(sync=SyncOperation(), destination_namespace="shop"))
    results = tuple(
        TaskResult(
            key=task.key,
            version=task.version,
            phase=task.phase,
            code=ResultCode.SYNCED,
            hook_phase=OperationPhase.SUCCEEDED if number % 2 else OperationPhase.RUNNING,
        )
        for number, task in enumerate(made.tasks)
    )
    live = {item.key: item.obj for item in big.objects}
    observed = Observed(
        results=results, live=live, stamp="x.0", as_of="2026-03-01T08:30:00Z", started_at="2026-03-01T08:00:00Z"
    )
    figure = seconds(lambda: next_step(made, observed), rounds=ROUNDS) * 1e3
    return Row(
        name="step among 5,000 results", figure=figure, unit="ms", raw=raw, raw_is="JSON round trip", at_most=100
    )
