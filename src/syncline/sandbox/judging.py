"""Says what an API server would refuse about an object, without a cluster: names, values and what contradicts itself.

Handed by `syncline.wiring` to whoever looks at objects in files. The rules are those that hold for writes to the
sandbox, so a real kube-apiserver has been asked about them; what depends on other objects (quotas, policies, addresses
that are taken) is left out. Fields of the wrong type are passed over: a schema says more about those.
"""

from __future__ import annotations

import orjson

from syncline.apimachinery import meta, names
from syncline.apimachinery.keys import GroupVersionKind, Object, gvk_of
from syncline.apimachinery.paths import FieldPath
from syncline.apimachinery.schema.stored import stored_form
from syncline.apimachinery.schema.validate import FieldProblem
from syncline.ports.clock import Clock, Ids
from syncline.sandbox import errors
from syncline.sandbox.api import decoding, shaping
from syncline.sandbox.api import metadata as metadata_rules
from syncline.sandbox.backend import Backend
from syncline.sandbox.cluster.settings import SandboxSettings
from syncline.sandbox.errors import FieldCause
from syncline.sandbox.hooks import Hooks
from syncline.sandbox.served.resources import Resource, ServedKinds
from syncline.sandbox.store.store import ObjectStore
from syncline.sandbox.timers import Timers

_SUFFIX = "x" * names.SUFFIX_LENGTH


class Judge:
    """An API server that is only asked and stores nothing."""

    def __init__(self, clock: Clock, ids: Ids) -> None:
        self._backend = Backend(
            clock=clock,
            ids=ids,
            chance=None,
            settings=SandboxSettings(),
            store=ObjectStore(monotonic=clock.monotonic),
            registry=ServedKinds(),
            timers=Timers(clock),
            hooks=Hooks(clock.monotonic, None),
        )

    def __call__(self, obj: Object) -> tuple[FieldProblem, ...]:
        """Return what would be refused; of custom kinds only the metadata is looked at."""
        gvk = gvk_of(obj)
        resource = self._backend.registry.of_kind(gvk)
        metadata = dict(meta.metadata(obj))
        if not metadata.get("name") and metadata.get("generateName"):
            metadata["name"] = names.generated(str(metadata["generateName"]), _SUFFIX)
        whole = {**obj, "metadata": metadata}
        causes = _of_metadata(gvk, metadata, custom=True) if resource is None else self._causes(resource, whole)
        # What reports on an object is not written by those who write objects into files.
        wanted = (one for one in dict.fromkeys(causes) if not one.field.startswith("status"))
        return tuple(FieldProblem(one.field, one.message) for one in wanted)

    def _causes(self, resource: Resource, obj: Object) -> list[FieldCause]:
        try:
            # Nearly all objects are right as they are, so what a request is put through first is left for the others.
            if not self._refused(resource, obj):
                return []
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            pass  # Something has another type than its kind says, which conforming finds out.
        try:
            # A copy: unknown fields are taken out of what is conformed.
            known, _unknown = decoding.conform(resource, orjson.loads(orjson.dumps(obj)))
        except errors.StatusError:
            return _of_metadata(resource.gvk, obj["metadata"], custom=False)
        return self._refused(resource, dict(stored_form(known, resource.node())))

    def _refused(self, resource: Resource, obj: Object) -> list[FieldCause]:
        known = {name: value for name, value in obj.items() if name != "status"}
        if resource.namespaced:
            known["metadata"] = {"namespace": "default", **known["metadata"]}
        try:
            shaped = shaping.shape(self._backend, resource, known, None)
            causes = metadata_rules.check(resource.group, resource.kind, shaped["metadata"], custom=False)
            return causes + shaping.rules_of(resource).validate(self._backend, shaped, None)
        except errors.StatusError as error:
            return [FieldCause("", error.reason, error.message)]


def _of_metadata(gvk: GroupVersionKind, metadata: Object, *, custom: bool) -> list[FieldCause]:
    for field in ("labels", "annotations"):
        for key, value in (metadata.get(field) or {}).items():
            if not isinstance(value, str):
                path = str(FieldPath(("metadata", field, str(key))))
                return [FieldCause(path, "FieldValueTypeInvalid", "must be a text: quote it")]
    return metadata_rules.check(gvk.group, gvk.kind, metadata, custom=custom)
