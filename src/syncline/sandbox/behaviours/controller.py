"""Plays the rules of operators: waits, looks for what objects depend on, makes other objects, sets status.

One of the controllers that `syncline.sandbox.controllers.catalog` lists. Shipped rules are read when the first object
of a custom kind shows up, so that a sandbox without any pays nothing. A condition keeps its transition time while its
status stays.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from typing import Any

from syncline.apimachinery.keys import GroupKind, Object
from syncline.apimachinery.patch import json_merge
from syncline.sandbox.backend import Backend
from syncline.sandbox.behaviours import rules as reading
from syncline.sandbox.behaviours import templates
from syncline.sandbox.behaviours.rules import Depends, Rule, When
from syncline.sandbox.controllers.client import Client, owner_reference
from syncline.sandbox.resources import Resource
from syncline.sandbox.store import Event, Place


class Behaviours:
    """All rules of one sandbox."""

    name = "behaviours"
    buckets = None

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._client = Client(backend, component="operator", manager="operator")
        self._seen: dict[str, tuple[Any, float]] = {}
        self._started = False
        texts = enumerate(backend.settings.behaviours, start=1)
        self._own = [rule for number, text in texts for rule in reading.load(text, f"setting {number}")]

    @functools.cached_property
    def _rules(self) -> dict[GroupKind, list[Rule]]:
        found: dict[GroupKind, list[Rule]] = {}
        for rule in (*self._own, *reading.shipped()):
            found.setdefault(GroupKind(rule.match.group, rule.match.kind), []).append(rule)
        return found

    def places(self, event: Event) -> Iterable[Place]:
        """Look at matching objects, and at those that may have waited for the changed one."""
        resource = self._backend.registry.of_bucket(event.row.place.bucket)
        if resource is None or (resource.custom is None and not self._started):
            return
        self._started = True
        if resource.gvk.group_kind in self._rules:
            if event.type == "DELETED":
                self._seen.pop(event.row.uid, None)
            yield event.row.place
        yield from self._waiting_for(resource)

    def _waiting_for(self, resource: Resource) -> Iterator[Place]:
        for kind, rules in self._rules.items():
            known = any(one.group == resource.group for rule in rules for one in rule.depends)
            waiting = self._backend.registry.preferred(kind.group, kind.kind) if known else None
            if waiting is not None and waiting.bucket != resource.bucket:
                yield from (row.place for row in self._backend.store.rows(waiting.bucket))

    def reconcile(self, place: Place) -> float | None:
        """Play the first rule that is for an object."""
        obj = self._client.get(place)
        resource = self._backend.registry.of_bucket(place.bucket)
        if obj is None or resource is None or "deletionTimestamp" in obj["metadata"]:
            return None
        rules = self._rules.get(resource.gvk.group_kind, ())
        rule = next((one for one in rules if all(_holds(when, obj) for when in one.when)), None)
        if rule is None:
            return None
        left = self._left(rule, obj)
        if left > 0:
            return left
        facts = {**obj, "now": self._backend.timestamp()}
        if not all(self._there(one, facts) for one in rule.depends):
            self._set_status(resource, obj, templates.fill(rule.waiting, facts))
            return None
        for template in rule.create:
            self._keep(obj, templates.fill(template, facts))
        if rule.merge:
            obj = self._client.update(json_merge.apply(obj, templates.fill(rule.merge, facts)))
        self._set_status(resource, obj, templates.fill(rule.status, facts))
        return None

    def _left(self, rule: Rule, obj: Object) -> float:
        """Return how long the rule still waits for this generation of an object."""
        uid, now = obj["metadata"]["uid"], self._backend.clock.monotonic()
        generation = obj["metadata"].get("generation")
        seen = self._seen.get(uid)
        if seen is None or seen[0] != generation:
            seen = self._seen[uid] = (generation, now)
        return seen[1] + rule.after - now

    def _there(self, wanted: Depends, facts: Object) -> bool:
        group, kind = (str(templates.fill(text, facts)) for text in (wanted.group, wanted.kind))
        resource = self._backend.registry.preferred(group, kind)
        if resource is None:
            return False
        namespace, name = (str(templates.fill(text, facts) or "") for text in (wanted.namespace, wanted.name))
        other = self._client.get(self._backend.place(resource, namespace, name))
        if other is None or not wanted.condition:
            return other is not None
        conditions = (other.get("status") or {}).get("conditions") or ()
        return any(one.get("type") == wanted.condition and one.get("status") == "True" for one in conditions)

    def _keep(self, owner: Object, wanted: Object) -> None:
        group = wanted["apiVersion"].rpartition("/")[0]
        resource = self._backend.registry.preferred(group, wanted["kind"])
        namespace = owner["metadata"].get("namespace", "")
        metadata = {**wanted["metadata"], "ownerReferences": [owner_reference(owner)]}
        if resource is None or not metadata.get("name"):
            return  # its kind is not installed, or the field with its name is empty
        live = self._client.get(self._backend.place(resource, namespace, metadata["name"]))
        if live is None:
            self._client.create(group, wanted["kind"], namespace, {**wanted, "metadata": metadata})
        else:
            self._client.update(json_merge.apply(live, {**wanted, "metadata": metadata}))

    def _set_status(self, resource: Resource, obj: Object, wanted: Object) -> None:
        if not wanted:
            return
        before = obj.get("status") or {}
        status = {**before, **wanted}
        if "conditions" in wanted:
            known = {one.get("type"): one for one in before.get("conditions") or ()}
            status["conditions"] = [self._condition(one, known.get(one.get("type"))) for one in wanted["conditions"]]
        if status != before:
            self._client.update({**obj, "status": status}, subresource="status" if resource.has_status else "")

    def _condition(self, wanted: Object, before: Object | None) -> Object:
        kept = before is not None and before.get("status") == wanted.get("status")
        moment = (before or {}).get("lastTransitionTime") if kept else None
        return {**wanted, "lastTransitionTime": moment or self._backend.timestamp()}


def _holds(when: When, obj: Object) -> bool:
    value = templates.at(obj, when.path)
    if when.equals is not None:
        return bool(value == when.equals)
    if when.one_of:
        return value in when.one_of
    return (value is not None) is when.exists
