"""What a decision is given: every field of a snapshot is filled by the controller at some time, so none is for show."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import Object
from syncline.controller.deliver import reconcile
from syncline.core.assess import Assessment, AssessmentCache, assess_app
from syncline.model import names, snapshot
from syncline.model.script import Evaluated, Script
from syncline.model.settings.resources import ResourceOverride
from syncline.model.snapshot import Snapshot
from tests.support import manifests
from tests.support.event_stories import claim_file, storage_class
from tests.support.loops.simulated import run_simulated
from tests.support.played import PickyBed, config
from tests.support.world import SETTINGS, Bed, default_project

CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.io}
spec:
  group: example.io
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
"""
SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: front}
spec: {ports: [{port: 80}]}
"""
FILES = {
    "apps/web/a.yaml": config("one"),
    "apps/web/data.yaml": claim_file("nowhere"),
    "apps/web/service.yaml": SERVICE,
    "apps/custom/crd.yaml": CRD,
    "apps/custom/widget.yaml": "apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: w}\n",
    "apps/again/a.yaml": config("one"),
    "apps/asked/a.yaml": config("two"),
    "apps/asked/b.yaml": manifests.deployment("fixed"),
}
OTHER_SELECTOR = manifests.deployment("fixed").replace("app: fixed", "app: changed")
LUA = ResourceOverride(pattern="ConfigMap", health_lua="return {status = 'Healthy'}")


class Content:
    """Runs scripts without processes, which virtual time could not wait for: all is well with every object."""

    async def evaluate(self, batch: Sequence[Script]) -> Sequence[Evaluated]:
        return [Evaluated(value={"status": "Healthy"}) for _ in batch]

    async def close(self) -> None:
        """Nothing runs."""


def app(bed: Bed, name: str, path: str, branch: str = "main", **annotations: str) -> Object:
    found = bed.application(name, automated={})
    found["spec"]["source"] |= {"path": path, "targetRevision": branch}
    found["metadata"]["annotations"] = annotations
    return found


async def eventful_life(bed: PickyBed) -> None:
    """Let apps meet with everything that a snapshot has a word for."""
    project = default_project(bed.control)
    project["spec"]["orphanedResources"] = {"warn": True}
    await bed.apply(project)
    await bed.apply(storage_class("somewhere"))
    bed.source.commit(FILES)
    bed.source.commit(FILES, branch="short-lived")
    server_side = {names.COMPARE_OPTIONS: "ServerSideDiff=true,IncludeMutationWebhook=true"}
    await bed.apply(app(bed, "web", "apps/web", **{names.MANIFEST_GENERATE_PATHS: "."}))
    await bed.apply(app(bed, "custom", "apps/custom", "short-lived"))
    await bed.apply(app(bed, "again", "apps/again"))
    await bed.apply(app(bed, "asked", "apps/asked", **server_side))
    await bed.apply(app(bed, "lost", "apps/web") | {"spec": {**app(bed, "", "")["spec"], "project": "unheard-of"}})
    await bed.clock.sleep(60)
    stray = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "stray", "namespace": bed.target}}
    await bed.apply(stray)
    await bed.patch("ConfigMap", "two", {"data": {"colour": "red"}}, "v1")
    bed.source.delete_branch("short-lived")
    bed.source.commit({**FILES, "docs/readme": "hello", "apps/asked/b.yaml": OTHER_SELECTOR})
    await bed.clock.sleep(60)
    mark = {"metadata": {"annotations": {names.TRACKING_ID: f"stranger:/ConfigMap:{bed.target}/two"}}}
    await bed.patch("ConfigMap", "two", mark, "v1")
    project["spec"]["namespaceResourceBlacklist"] = [{"group": "apps", "kind": "Deployment"}]
    await bed.apply(project)
    await bed.clock.sleep(60)


def filled(structs: Iterable[msgspec.Struct]) -> dict[type, set[str]]:
    """Return the fields that were not at their default in some value, by type."""
    found: dict[type, set[str]] = defaultdict(set)
    for one in structs:
        for field in msgspec.structs.fields(type(one)):
            if field.required or getattr(one, field.name) != default(field):
                found[type(one)].add(field.name)
    return found


def default(field: msgspec.structs.FieldInfo) -> Any:
    return field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()


# Layers of values, logs of pods, and what may not be read are looked at when somebody asks why; `tests.component.why`
# fills them.
_ASKED_FOR = {"Snapshot": {"layers", "logs", "unreadable"}}


def parts(seen: Snapshot) -> Iterable[msgspec.Struct]:
    """Return a snapshot and the values of its own module in it."""
    yield seen
    for field in msgspec.structs.fields(Snapshot):
        value = getattr(seen, field.name)
        for one in value if isinstance(value, tuple) else ():
            if type(one).__module__ == snapshot.__name__:
                yield one


def test_the_controller_fills_every_field_of_a_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Snapshot] = []

    def noted(found: Snapshot, cache: AssessmentCache) -> Assessment:
        seen.append(found)
        return assess_app(found, cache)

    async def main() -> None:
        settings = msgspec.structs.replace(SETTINGS, overrides=(LUA,), refresh_interval=5.0)
        bed = PickyBed(settings, [("GET", "/services")], Content())
        await bed.start()
        controller = bed.controller()
        await controller.start()
        await eventful_life(bed)
        assert not bed.failures
        await controller.stop()
        await bed.stop()

    monkeypatch.setattr(reconcile, "assess_app", noted)
    run_simulated(main)
    declared = {
        one: {field.name for field in msgspec.structs.fields(one)}
        for one in vars(snapshot).values()
        if isinstance(one, type) and issubclass(one, msgspec.Struct) and one.__module__ == snapshot.__name__
    }
    found = filled(part for one in seen for part in parts(one))
    left = {one.__name__: declared[one] - found[one] for one in declared if one.__name__ != "PodLog"}
    missing = {name: sorted(fields - _ASKED_FOR.get(name, set())) for name, fields in left.items()}
    assert missing == {name: [] for name in left}
