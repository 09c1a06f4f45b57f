"""Brings one ApplicationSet to where it should be: generate, decide, act, record.

Called by `syncline.controller.appsets.applicationsets` with a key from the queue. What was generated is kept while the
set and the answers stay the same, so that a look at a set of thousands that nothing has changed about costs little.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from syncline import turns
from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.controller.app_key import APPLICATION, AppKey, application_key
from syncline.controller.appsets.act import Refusal, Writer
from syncline.controller.appsets.answering import answered
from syncline.controller.appsets.apps import LiveApps
from syncline.controller.appsets.home import read_home
from syncline.controller.appsets.keys import AppSetKey, appset_key, tenant_of
from syncline.controller.appsets.pages import Pages
from syncline.controller.appsets.projects import LiveProjects
from syncline.controller.appsets.repositories import Repositories
from syncline.controller.clusters.destinations import SECRET, Destinations
from syncline.controller.deliver.observe import PROJECT
from syncline.controller.deliver.report import Reporter
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.world import World
from syncline.core.appset import conditions, rolling
from syncline.core.appset.boundary import Bounds, is_own, refused_as_written
from syncline.core.appset.decide import AppFacts, SetDecision, SetSnapshot, decide, status_of
from syncline.core.appset.generate import PARAMETERS_FAILED, Generated, GenerationError
from syncline.core.appset.policy import policy_of
from syncline.core.appset.questions import (
    Answers,
    ClustersQuestion,
    ConfigMapQuestion,
    Failure,
    ObjectsQuestion,
    PageQuestion,
    PluginQuestion,
    Question,
)
from syncline.core.appset.requeue import requeue_after
from syncline.core.policy.set_requests import request_refusal, visible_clusters
from syncline.core.policy.set_tenancy import SetTenancy, tenancy
from syncline.model import applicationset, cluster, names
from syncline.model.errors import InvalidSpec
from syncline.model.look_again import LookAgain
from syncline.ports.kube import ApiError
from syncline.ports.transport import TransportError

_AFTER_CONFLICT = 0.05
_AFTER_FAILURE = 10.0
_AFTER_ERROR = 180.0
_AFTER_DELETION = 10.0


class _Kept(msgspec.Struct):
    """What was generated for a set, from which spec and answers, and which Applications were found to be so."""

    spec: Object
    answers: Answers
    generated: list[Generated]
    as_wanted: Mapping[str, int]


class SetReconciler:
    """Takes ApplicationSets one step further."""

    def __init__(
        self,
        world: World,
        live: LiveCluster,
        destinations: Destinations,
        repositories: Repositories,
        reporter: Reporter,
    ) -> None:
        self._world = world
        self._live = live
        self._destinations = destinations
        self._repositories = repositories
        self._reporter = reporter
        self._apps = LiveApps(live.index)
        self._projects = LiveProjects(live.index)
        self._pages = Pages(world, live)
        self._writer = Writer(world, live)
        self._kept: dict[AppSetKey, _Kept] = {}

    async def reconcile(self, key: AppSetKey) -> LookAgain:
        """Take the next step; a conflict or a lost answer means that the next pass looks again."""
        appset = self._live.index.get(appset_key(key))
        if appset is None:
            self._kept.pop(key, None)
            self._reporter.forget(_name(key))
            return LookAgain.on_change()
        if self._live.unlisted(APPLICATION) or self._live.unlisted(PROJECT):
            return LookAgain.after(_AFTER_FAILURE)
        try:
            if meta.deletion_timestamp(appset):
                return await self._let_go(appset)
            with turns.working_for(tenant_of(appset), awaited=False):
                return await self._pass(key, appset)
        except ApiError as error:
            return LookAgain.after(_AFTER_CONFLICT if error.code in (404, 409) else _AFTER_FAILURE)
        except TransportError:
            return LookAgain.after(_AFTER_FAILURE)

    async def _pass(self, key: AppSetKey, appset: Object) -> LookAgain:
        snapshot = await self._observe(key, appset)
        decision = decide(snapshot)
        while decision.pending:
            results = await self._world.evaluator.evaluate(decision.pending)
            answers = snapshot.answers.with_results(decision.pending, results)
            # Meanwhile an Application may have become another one: who owns it is read again.
            snapshot = msgspec.structs.replace(snapshot, answers=answers, apps=self._apps.of(key.namespace))
            decision = decide(snapshot)
        said, retry = decision.said, decision.refused
        if not self._world.settings.application_sets.dry_run:
            try:
                updates = policy_of(appset["spec"], self._world.settings.application_sets).update
                await self._writer.carry_out(key.namespace, decision, updates=updates)
            except Refusal as refusal:
                said, retry = conditions.failed(refusal.reason, refusal.message, generated=True), True
        self._note(key, decision)
        self._reporter.trouble(_name(key), _trouble(said))
        await self._record(snapshot, decision, said)
        return self._next(appset, decision, retry=retry)

    async def _observe(self, key: AppSetKey, appset: Object) -> SetSnapshot:
        """Return everything that the decision sees."""
        home = self._world.settings.namespace
        bounds = self._bounds(appset)
        # A set that is refused anyway asks for nothing: its questions would be asked on behalf of a project.
        generated = refused_as_written(appset, bounds) or await self._generated(key, appset, bounds.tenancy)
        kept = self._kept.get(key)

        def whole(name: str) -> Object | None:
            return self._live.index.get(application_key(AppKey(key.namespace, name)))

        return SetSnapshot(
            appset=appset,
            generated=generated,
            apps=self._apps.of(key.namespace),
            live=whole,
            unchanged=kept.as_wanted if kept is not None else {},
            projects=frozenset(one.name for one in self._live.index.keys(PROJECT, home)),
            # Projects may have changed while generators were answered.
            bounds=self._bounds(appset),
            clusters=self._destinations.known(),
            settings=self._world.settings,
            now=self._world.now(),
        )

    def _bounds(self, appset: Object) -> Bounds:
        """Return whose a set is, by the projects as they are now."""
        settings = self._world.settings
        projects = self._projects.known(settings)
        return Bounds(tenancy(appset, projects.values(), settings.namespace), projects, settings.namespace)

    async def _generated(
        self, key: AppSetKey, appset: Object, whose: SetTenancy
    ) -> Sequence[Generated] | GenerationError:
        """Return what the set generates now; equal specs and answers generate the same."""
        try:
            applicationset.parse(appset)
        except InvalidSpec as error:
            return GenerationError(PARAMETERS_FAILED, str(error))
        spec = {**appset["spec"], "namespace": key.namespace}
        kept = self._kept.get(key)
        fresh = bool(meta.annotation(appset, names.APPSET_REFRESH))
        interval = requeue_after(spec.get("generators") or (), self._requeue_default()) or 0.0
        oldest = self._world.clock.monotonic() - (0.0 if fresh else interval - 1.0)

        async def answer(question: Question) -> Any:
            if refusal := request_refusal(question, whose, self._world.settings.application_sets):
                return Failure(refusal)
            if isinstance(question, ClustersQuestion):
                return self._clusters(whose)
            if isinstance(question, ConfigMapQuestion | ObjectsQuestion):
                return await read_home(self._world, self._live, question, whose)
            if isinstance(question, PageQuestion | PluginQuestion):
                return await self._pages.answer(key.namespace, question, whose, oldest=oldest)
            return await self._repositories.answer(question, whose, oldest=oldest)

        if kept is not None and kept.spec == spec:
            asked = list(kept.answers)
            now = dict(zip(asked, await asyncio.gather(*map(answer, asked)), strict=True))
            if now == kept.answers:
                return kept.generated
        try:
            generated, answers = await answered(appset, answer)
        except GenerationError as error:
            self._kept.pop(key, None)
            return error
        self._kept[key] = _Kept(spec, answers, generated, {})
        return generated

    def _clusters(self, whose: SetTenancy) -> Any:
        """Return the clusters that Secrets describe, by the names of those; none that cannot be read is left out."""
        if self._live.unlisted(SECRET):
            return Failure(f"cluster Secrets cannot be listed: {self._live.failures.get(SECRET, 'no answer')}")
        found = []
        for secret in sorted(self._live.index.of_kind(SECRET, self._world.settings.namespace), key=meta.name):
            if cluster.is_cluster_secret(secret):
                try:
                    found.append(cluster.described(secret))
                except InvalidSpec as error:
                    # Whose cluster it is cannot be told either, and a set that shrinks deletes Applications.
                    return Failure(str(error) if whose.is_operators else "a cluster Secret cannot be read")
        return visible_clusters(found, whose)

    def _note(self, key: AppSetKey, decision: SetDecision) -> None:
        kept = self._kept.get(key)
        if kept is not None:
            kept.as_wanted = decision.as_wanted

    async def _record(self, snapshot: SetSnapshot, decision: SetDecision, said: Sequence[conditions.Said]) -> None:
        """Write down what came of the pass, and that a refresh was done."""
        appset = snapshot.appset
        change: Object = {}
        if meta.annotation(appset, names.APPSET_REFRESH):
            change["annotations"] = {names.APPSET_REFRESH: None}
        if self._wants_finalizer(appset):
            change["finalizers"] = [*meta.finalizers(appset), names.RESOURCES_FINALIZER]
        if change:
            appset = await self._writer.patch_set(appset, change)
        fresh = msgspec.structs.replace(snapshot, appset=appset)
        await self._writer.record(appset, status_of(fresh, said, decision.entries, self._owned(appset)))

    def _wants_finalizer(self, appset: Object) -> bool:
        """Whether a set has to be held back when it is deleted, so that its Applications go in order."""
        enabled = self._world.settings.application_sets.progressive_syncs
        return (
            enabled
            and rolling.deletes_in_reverse(appset["spec"])
            and names.RESOURCES_FINALIZER not in meta.finalizers(appset)
        )

    async def _let_go(self, appset: Object) -> LookAgain:
        """Do what a set that is being deleted waits for: Applications stay where its policy says so, or go in order."""
        owned = self._owned(appset)
        if names.RESOURCES_FINALIZER not in meta.finalizers(appset):
            return LookAgain.on_change()
        if not policy_of(appset["spec"], self._world.settings.application_sets).delete:
            for name in owned:
                await self._disown(appset, name)
        elif rolling.deletes_in_reverse(appset["spec"]) and owned:
            return await self._delete_last(appset, owned)
        kept = [one for one in meta.finalizers(appset) if one != names.RESOURCES_FINALIZER]
        await self._writer.patch_set(appset, {"finalizers": kept or None})
        return LookAgain.on_change()

    def _owned(self, appset: Object) -> dict[str, AppFacts]:
        """Return the Applications that a set controls."""
        return {name: facts for name, facts in self._apps.of(meta.namespace(appset)).items() if is_own(facts, appset)}

    async def _disown(self, appset: Object, name: str) -> None:
        namespace = meta.namespace(appset)
        live = self._whole(namespace, name)
        others = [one for one in meta.owner_references(live) if one.get("uid") != meta.uid(appset)]
        metadata = {"ownerReferences": others or None, "resourceVersion": meta.resource_version(live)}
        await self._writer.patch_app(namespace, name, {"metadata": metadata})

    async def _delete_last(self, appset: Object, owned: Mapping[str, AppFacts]) -> LookAgain:
        """Delete the Application of the last step, once the one before it is gone."""
        if any(facts.deleting for facts in owned.values()):
            return LookAgain.after(_AFTER_DELETION)
        namespace = meta.namespace(appset)
        apps = [self._whole(namespace, name) for name in owned]
        steps = rolling.placed(rolling.steps_of(appset["spec"]), apps)
        last = max(sorted(owned), key=lambda name: steps.get(name, len(steps)))
        await self._writer.delete_app(namespace, last, meta.uid(self._whole(namespace, last)))
        return LookAgain.after(_AFTER_DELETION)

    def _whole(self, namespace: str, name: str) -> Object:
        return self._live.index.get(ObjectKey(APPLICATION.group, APPLICATION.kind, namespace, name)) or {}

    def _requeue_default(self) -> float:
        return self._world.settings.application_sets.requeue_after

    def _next(self, appset: Object, decision: SetDecision, *, retry: bool) -> LookAgain:
        polled = requeue_after(appset["spec"].get("generators") or (), self._requeue_default())
        looks = [LookAgain.after(polled)] if polled else []
        if list(decision.entries) != list((appset.get("status") or {}).get("applicationStatus") or ()):
            # What was only recorded in this pass is acted on in the next.
            looks.append(LookAgain.now())
        if retry:
            looks.append(LookAgain.after(_AFTER_ERROR))
        return LookAgain.earliest(*looks)


def _name(key: AppSetKey) -> str:
    return f"ApplicationSet {key}"


def _trouble(said: Sequence[conditions.Said]) -> str:
    return next((one.message for one in said if one.type == conditions.ERROR and one.holds), "")
