"""Plays the rules of operators: waits, looks for what objects depend on, makes other objects, sets status.

One of the controllers that `syncline.sandbox.controllers.catalog` lists. Shipped rules are read when the first object
of one of their groups shows up, so that a sandbox without any pays nothing. A condition keeps its transition time while
its status stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from syncline.apimachinery.keys import GroupKind, Object
from syncline.apimachinery.patch import json_merge
from syncline.sandbox.backend import Backend
from syncline.sandbox.behaviours import dependencies, shipped, templates
from syncline.sandbox.behaviours import rules as reading
from syncline.sandbox.behaviours.dependencies import Missing, WatchedDependency
from syncline.sandbox.behaviours.rules import BehaviourRule, Depends, ObjectChange, RecordedEvent
from syncline.sandbox.controllers.client import Client, owner_reference
from syncline.sandbox.errors import StatusError
from syncline.sandbox.served.resources import Resource
from syncline.sandbox.store.store import Bucket, RowKey, StoreEvent

MODE: Final = "sandbox.syncline.io/mode"
"""The annotation that chooses the failure mode of an object."""
_DEPLOYMENTS: Final = Bucket("apps", "deployments")


class Behaviours:
    """All rules of one sandbox."""

    name = "behaviours"
    buckets = None

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._clients: dict[tuple[str, str], Client] = {}
        self._client = Client(backend, component="operator", manager="operator")
        self._seen: dict[tuple[str, str], tuple[Any, float]] = {}
        self._rules: dict[GroupKind, list[BehaviourRule]] = {}
        self._read: set[str] = set()
        self._watched: dict[WatchedDependency, dict[RowKey, None]] = {}
        self._watching: dict[RowKey, set[WatchedDependency]] = {}
        self._gates = {one.name: one.deployment for one in backend.settings.operators if one.deployment}
        self._gated: dict[str, str] = {}
        texts = enumerate(backend.settings.behaviours, start=1)
        for number, text in texts:
            self._add("", reading.load(text, f"setting {number}").rules)
        for operator in backend.settings.operators:
            self._read_shipped(operator.name)

    def _add(self, operator: str, rules: Iterable[BehaviourRule]) -> None:
        for rule in rules:
            self._rules.setdefault(GroupKind(rule.match.group, rule.match.kind), []).append(rule)
            if operator in self._gates:
                self._gated[rule.name] = self._gates[operator]

    def _read_shipped(self, name: str) -> None:
        if name not in self._read:
            self._read.add(name)
            self._add(name, shipped.operator(name).rules)

    def places(self, event: StoreEvent) -> Iterable[RowKey]:
        """Look at matching objects, and at those that may have waited for the changed one."""
        resource = self._backend.registry.of_bucket(event.row.place.bucket)
        if resource is None:
            return
        if resource.custom is not None:
            for name in shipped.for_group(resource.group):
                self._read_shipped(name)
        if not self._rules:
            return
        if resource.gvk.group_kind in self._rules:
            if event.type == "DELETED":
                self._forget(event)
            else:
                yield event.row.place
        yield from self._waiting_for(resource, event)

    def _forget(self, event: StoreEvent) -> None:
        for key in [key for key in self._seen if key[0] == event.row.uid]:
            del self._seen[key]
        for watched in self._watching.pop(event.row.place, ()):
            self._watched[watched].pop(event.row.place, None)

    def _waiting_for(self, resource: Resource, event: StoreEvent) -> Iterator[RowKey]:
        """Yield whose rules looked for the changed object, or run in the Deployment it is."""
        place = event.row.place
        for name in (place.name, dependencies.ANY):
            yield from tuple(
                self._watched.get(WatchedDependency(resource.group, resource.kind, place.namespace, name), ())
            )
        if not self._gated or resource.bucket != _DEPLOYMENTS:
            return
        gate = f"{place.namespace}/{place.name}"
        for kind, rules in self._rules.items():
            waiting = self._backend.registry.preferred(kind.group, kind.kind)
            if waiting is not None and any(self._gated.get(rule.name) == gate for rule in rules):
                yield from (row.place for row in self._backend.store.rows(waiting.bucket))

    def _missing(self, wanted: list[Depends], place: RowKey, facts: dict[str, Any]) -> Missing | None:
        def note(watched: WatchedDependency) -> None:
            self._watched.setdefault(watched, {})[place] = None
            self._watching.setdefault(place, set()).add(watched)

        return dependencies.first_missing(self._backend, wanted, facts, note)

    def reconcile(self, place: RowKey) -> float | None:
        """Play the first rule that is for an object."""
        resource = self._backend.registry.of_bucket(place.bucket)
        obj = self._client.get(place)
        if obj is None or resource is None or "deletionTimestamp" in obj["metadata"]:
            return None
        rule = self._rule_for(resource, obj)
        if rule is None or not self._is_up(self._gated.get(rule.name, "")):
            return None
        facts: dict[str, Any] = {**obj, "now": self._backend.timestamp()}
        left = self._left(rule, obj, facts)
        if left > 0:
            return left
        missing = self._missing(rule.depends, place, facts)
        if missing is not None:
            return self._wait(rule, resource, obj, missing)
        try:
            return self._play(rule, resource, obj, facts)
        except StatusError as error:
            if error.reason != "Conflict":
                self._as(rule).record(obj, "Warning", "RuleFailed", f'rule "{rule.name}": {error.message}')
            raise

    def _wait(self, rule: BehaviourRule, resource: Resource, obj: Object, missing: Missing) -> float | None:
        waiting = missing.wanted.waiting or rule.waiting
        if self._set_status(rule, resource, obj, templates.fill(waiting, missing.facts)):
            self._tell(rule, obj, missing.wanted.events, missing.facts)
        return _again(rule, missing.facts)

    def _play(self, rule: BehaviourRule, resource: Resource, obj: Object, facts: dict[str, Any]) -> float | None:
        changed = False
        for template in rule.create:
            changed |= self._keep(rule, obj, templates.fill(template, facts))
        if rule.merge:
            before = obj["metadata"]["resourceVersion"]
            obj = self._as(rule).update(json_merge.apply(obj, templates.fill(rule.merge, facts)))
            changed |= obj["metadata"]["resourceVersion"] != before
        place = self._backend.place(resource, obj["metadata"].get("namespace", ""), obj["metadata"]["name"])
        missing = self._missing(rule.then, place, facts)
        if missing is not None:
            return self._wait(rule, resource, obj, missing)
        for template in rule.finish:
            changed |= self._keep(rule, obj, templates.fill(template, facts))
        for one in rule.change:
            self._change(rule, one, facts)
        if rule.tidy:
            self._tidy(rule, obj, [templates.fill(one, facts) for one in (*rule.create, *rule.finish)])
        changed |= self._set_status(rule, resource, obj, templates.fill(rule.status, facts))
        if changed:
            self._tell(rule, obj, rule.events, facts)
        return _again(rule, facts)

    def _rule_for(self, resource: Resource, obj: Object) -> BehaviourRule | None:
        metadata = obj["metadata"]
        mode = (metadata.get("annotations") or {}).get(MODE) or self._backend.settings.mode(
            resource.kind, metadata.get("namespace", ""), metadata["name"]
        )
        rules = self._rules.get(resource.gvk.group_kind, ())
        fitting = [one for one in rules if all(dependencies.holds(when, obj, obj) for when in one.when)]
        chosen = next((one for one in fitting if mode and one.mode == mode), None)
        return chosen or next((one for one in fitting if not one.mode), None)

    def _is_up(self, deployment: str) -> bool:
        """Tell whether the Deployment an operator runs in is available; one that is in none always is."""
        if not deployment:
            return True
        namespace, _, name = deployment.partition("/")
        row = self._backend.store.get(_DEPLOYMENTS, namespace, name)
        return row is not None and bool((row.decode().get("status") or {}).get("availableReplicas"))

    def _left(self, rule: BehaviourRule, obj: Object, facts: dict[str, Any]) -> float:
        """Return how long the rule still waits for this generation of an object."""
        wait = templates.seconds(templates.fill(rule.after, facts))
        key, now = (obj["metadata"]["uid"], rule.name), self._backend.clock.monotonic()
        generation = obj["metadata"].get("generation")
        seen = self._seen.get(key)
        if seen is None or seen[0] != generation:
            seen = self._seen[key] = (generation, now)
        return seen[1] + wait - now

    def _as(self, rule: BehaviourRule) -> Client:
        key = (rule.component, rule.manager)
        if key not in self._clients:
            self._clients[key] = Client(self._backend, component=rule.component, manager=rule.manager)
        return self._clients[key]

    def _tell(self, rule: BehaviourRule, obj: Object, events: list[RecordedEvent], facts: dict[str, Any]) -> None:
        for one in events:
            message = str(templates.fill(one.message, facts))
            self._as(rule).record(obj, one.type, str(templates.fill(one.reason, facts)), message)

    def _keep(self, rule: BehaviourRule, owner: Object, wanted: Object) -> bool:
        """Make an object, or bring it back to what is wanted; returns whether anything was written."""
        group = wanted["apiVersion"].rpartition("/")[0]
        resource = self._backend.registry.preferred(group, wanted["kind"])
        metadata = dict(wanted["metadata"])
        if resource is None or not metadata.get("name"):
            return False  # its kind is not installed, or the field with its name is empty
        home = owner["metadata"].get("namespace", "")
        namespace = metadata.pop("namespace", "") or home if resource.namespaced else ""
        if namespace == home or not home:
            metadata["ownerReferences"] = [owner_reference(owner)]
        client = self._as(rule)
        live = client.get(self._backend.place(resource, namespace, metadata["name"]))
        if live is not None and wanted["kind"] == "Pod":
            return False  # a pod is never changed, only made
        status = wanted.get("status")
        body = {key: value for key, value in wanted.items() if key != "status"} | {"metadata": metadata}
        before = live["metadata"]["resourceVersion"] if live is not None else ""
        if live is None:
            live = client.create(group, wanted["kind"], namespace, body)
        else:
            live = client.update(json_merge.apply(live, {**body, "apiVersion": live["apiVersion"]}))
        if status:
            self._set_status(rule, resource, live, status)
        return bool(live["metadata"]["resourceVersion"] != before)

    def _change(self, rule: BehaviourRule, wanted: ObjectChange, facts: dict[str, Any]) -> None:
        resource = self._backend.registry.preferred(wanted.group, wanted.kind)
        namespace, name = (str(templates.fill(text, facts) or "") for text in (wanted.namespace, wanted.name))
        other = self._client.get(self._backend.place(resource, namespace, name)) if resource is not None else None
        if resource is None or other is None:
            return
        if wanted.merge:
            other = self._as(rule).update(json_merge.apply(other, templates.fill(wanted.merge, facts)))
        self._set_status(rule, resource, other, templates.fill(wanted.status, facts))

    def _tidy(self, rule: BehaviourRule, owner: Object, wanted: list[Object]) -> None:
        """Delete what was made for an earlier generation."""
        kinds = {one["kind"] for one in wanted}
        names = {(one["kind"], one["metadata"].get("name")) for one in wanted}
        for row in self._backend.store.owned_by(owner["metadata"]["uid"]):
            resource = self._backend.registry.of_bucket(row.place.bucket)
            if resource is not None and resource.kind in kinds and (resource.kind, row.place.name) not in names:
                self._as(rule).delete(resource.decode(row))

    def _set_status(self, rule: BehaviourRule, resource: Resource, obj: Object, wanted: Object) -> bool:
        if not wanted:
            return False
        before = obj.get("status") or {}
        status = {**before, **wanted}
        if "conditions" in wanted:
            known = {one.get("type"): one for one in before.get("conditions") or ()}
            status["conditions"] = [self._condition(one, known.get(one.get("type"))) for one in wanted["conditions"]]
        if status == before:
            return False
        self._as(rule).update({**obj, "status": status}, subresource="status" if resource.has_status else "")
        return True

    def _condition(self, wanted: Object, before: Object | None) -> Object:
        kept = before is not None and before.get("status") == wanted.get("status")
        moment = (before or {}).get("lastTransitionTime") if kept else None
        return {**wanted, "lastTransitionTime": moment or self._backend.timestamp()}


def _again(rule: BehaviourRule, facts: dict[str, Any]) -> float | None:
    return templates.seconds(templates.fill(rule.again, facts)) or None
