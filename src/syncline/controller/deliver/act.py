"""Carries out a decision: every write to objects happens below here.

`act` is called by `syncline.controller.deliver.reconcile`; what came of it goes to
`syncline.controller.deliver.record`. Writes are safe to repeat, because a process killed before recording does them
again: applies change nothing the second time, and hooks are recognised by their stamp.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from functools import partial
from itertools import groupby

import msgspec

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.controller.app_key import AppKey
from syncline.controller.deliver.apply import TaskRunner
from syncline.controller.deliver.dry_runs import DryRuns
from syncline.controller.deliver.outcome import Outcome
from syncline.controller.deliver.report import Reporter
from syncline.controller.deliver.teardown import run_teardown
from syncline.controller.deliver.writing import ObjectWriter
from syncline.controller.live.cluster import CRD_KIND, LiveCluster
from syncline.controller.live.interest import Interest
from syncline.controller.sources.ahead import comparing
from syncline.controller.world import World
from syncline.core import defined_kinds, operating
from syncline.core.assess import Assessment
from syncline.core.compare import adoption, tracking
from syncline.core.compare.ignore.respect import desired_respecting_ignores
from syncline.core.compare.memo import ComparisonMemo
from syncline.core.health import others
from syncline.core.policy import projects
from syncline.core.sync import hooks, retry, task_results
from syncline.model import names
from syncline.model.application import ApplicationSpec
from syncline.model.decision import Decision, DecisionKind, Step, StepKind
from syncline.model.health import HealthCode
from syncline.model.look_again import LookAgain
from syncline.model.operation import Info, Operation, OperationPhase, OperationState, SyncOperationResult
from syncline.model.plan import Task
from syncline.model.reason import Reason
from syncline.model.result import TaskResult
from syncline.model.settings.settings import Compat
from syncline.model.snapshot import DryRun
from syncline.ports.kube import ApiResource
from syncline.ports.transport import TransportError

_PARALLEL_WRITES = 20
_RESERVED_WRITES = 10
"""Besides those, for Applications that somebody waits for."""
_CRD_PATIENCE = 10.0
_UNTIL_GONE = 1.0
"""Seconds after hooks were deleted before the cluster is looked at again, should nothing tell that they are gone."""

_UNTIL_WRITTEN = 0.5
"""Seconds until it is looked again whose an object is that another app may just have written."""
NAMESPACE_KIND = GroupKind("", "Namespace")


class Actor:
    """Acts on one cluster."""

    def __init__(
        self,
        world: World,
        live: LiveCluster,
        interest: Interest,
        reporter: Reporter,
        is_awaited: Callable[[AppKey], bool] = lambda _app: False,
    ) -> None:
        self._world = world
        self._live = live
        self._interest = interest
        self._report = reporter
        self._is_awaited = is_awaited
        self._slots = asyncio.Semaphore(_PARALLEL_WRITES)
        self._reserved = asyncio.Semaphore(_RESERVED_WRITES)
        self._dry_runs = DryRuns(world, live)

    async def act(self, decision: Decision, assessment: Assessment, memo: ComparisonMemo | None = None) -> Outcome:
        """Do what was decided; what is written meanwhile is compared ahead of time where there is a memo."""
        match decision.kind:
            case DecisionKind.REST:
                return Outcome(state=assessment.app.status.operation_state)
            case DecisionKind.START:
                return self._start(decision, assessment)
            case DecisionKind.PROCEED:
                return await self._proceed(decision, assessment, memo)
            case DecisionKind.TEAR_DOWN:
                return await self._tear_down(decision, assessment)

    def _start(self, decision: Decision, assessment: Assessment) -> Outcome:
        """Return the operation as started; it is written down before anything is done."""
        requested = decision.operation or Operation()
        identity = Info(names.OPERATION_ID_INFO, self._world.ids.uid()[:8])
        info = tuple(item for item in requested.info if item.name != names.OPERATION_ID_INFO)
        operation = msgspec.structs.replace(requested, info=(*info, identity))
        spec = assessment.app.spec
        state = OperationState(
            operation=operation,
            phase=OperationPhase.RUNNING,
            started_at=assessment.snapshot.as_of,
            message="waiting for the first step",
            sync_result=_bound(_unbound(spec, operation), _delivered(assessment)),
        )
        self._report.started(assessment, decision.reason, state)
        return Outcome(state=state, look_again=LookAgain.now())

    async def _proceed(self, decision: Decision, assessment: Assessment, memo: ComparisonMemo | None) -> Outcome:
        state, step = assessment.app.status.operation_state, decision.step
        if state is None or step is None:
            return Outcome(state=state)
        if step.reason is not Reason.WAITING_FOR_RETRY:
            state = _pinned(state, _delivered(assessment))
        results = {result.identity: result for result in (*task_results.recorded(state), *step.settled)}
        if step.kind is StepKind.WAIT:
            self._report.waiting(assessment, step)
            if step.reason is Reason.WAITING_FOR_RETRY:
                return Outcome(state=state)
            return Outcome(state=_running(state, step.message, results.values()))
        if step.kind is StepKind.FINISH and step.settled and step.delete_hooks:
            # The end of a hook is written down before its object goes: a kill in between must not run it twice.
            return Outcome(state=_running(state, step.message, results.values()), look_again=LookAgain.now())
        runner = self._runner(assessment, state.started_at)
        carry_out = self._try_out if step.trial else self._carry_out
        ahead = memo if len(step.apply) > _PARALLEL_WRITES else None
        async with comparing(assessment, ahead, runner.written, self._world.clock):
            done = await carry_out(step, assessment, state, runner)
        results |= {result.identity: result for result in done}
        if step.kind is StepKind.FINISH:
            return self._finish(step, state, tuple(results.values()), assessment, runner)
        outcome = self._after_acting(step, state, tuple(results.values()), assessment, runner)
        if self._world.settings.compat is Compat.ARGOCD and done and not outcome.finished:
            # Argo CD lets controllers react before it looks whether a wave is healthy.
            await self._world.clock.sleep(self._world.settings.wave_delay)
        return outcome

    def _after_acting(
        self,
        step: Step,
        state: OperationState,
        results: tuple[TaskResult, ...],
        assessment: Assessment,
        runner: TaskRunner,
    ) -> Outcome:
        """Finish at once when nothing is left to do or to wait for; else write down how far it got."""
        seen = msgspec.structs.replace(assessment, live={**assessment.live, **runner.written})
        following = operating.step_of(seen, state, results)
        if following.kind is StepKind.FINISH and not following.delete_hooks and not following.release_hooks:
            merged = {result.identity: result for result in (*results, *following.settled)}
            return self._finish(following, state, tuple(merged.values()), assessment, runner)
        running = _running(state, following.message, results)
        if runner.held_up:
            return Outcome(state=running, written=runner.written, look_again=LookAgain.after(_UNTIL_WRITTEN))
        if step.delete_hooks:
            # Their going wakes the app. Until the view shows it, looking again would only delete them again.
            return Outcome(state=running, written=runner.written, look_again=LookAgain.after(_UNTIL_GONE))
        # One that waits until a certain time is looked at once more, because only that pass says when.
        timed = following.kind is not StepKind.WAIT or following.look_again != LookAgain.on_change()
        look_again = LookAgain.now() if timed else LookAgain.on_change()
        return Outcome(state=running, written=runner.written, look_again=look_again)

    def _finish(
        self,
        step: Step,
        state: OperationState,
        results: tuple[TaskResult, ...],
        assessment: Assessment,
        runner: TaskRunner,
    ) -> Outcome:
        now = self._world.now()
        ended = msgspec.structs.replace(
            _running(state, step.message, results), phase=step.phase, finished_at=now, message=step.message
        )
        if step.reason in (Reason.TASK_FAILED, Reason.CANNOT_COMPARE) and retry.may_retry(state):
            count = state.retry_count + 1
            when = self._kitchen(retry.pause(state.operation, count))
            message = f"{step.message}. Retrying attempt #{count} at {when}."
            retrying = msgspec.structs.replace(ended, phase=OperationPhase.RUNNING, retry_count=count, message=message)
            # The pass that follows says when to look again; nothing else might wake the app.
            return Outcome(state=_refreshed(retrying), written=runner.written, look_again=LookAgain.now())
        if state.retry_count and step.reason in (Reason.TASK_FAILED, Reason.CANNOT_COMPARE):
            words = f"{step.message} (retried {state.retry_count} times)."
            ended = msgspec.structs.replace(ended, message=words)
        self._report.finished(assessment, ended)
        # The end wakes nobody else: what is next (a newer revision, self-heal) is decided in a pass of its own.
        return Outcome(state=ended, finished=True, written=runner.written, look_again=LookAgain.now())

    def _kitchen(self, seconds: float) -> str:
        """Return the time so many seconds from now as Argo CD prints it: 3:04PM."""
        then = self._world.clock.now() + timedelta(seconds=seconds)
        return f"{then.hour % 12 or 12}:{then:%M}{'AM' if then.hour < 12 else 'PM'}"

    async def _tear_down(self, decision: Decision, assessment: Assessment) -> Outcome:
        step, state = decision.step, assessment.app.status.operation_state
        if step is None:
            return Outcome(state=state)
        return await run_teardown(step, assessment, self._runner(assessment), self._report)

    def _runner(self, assessment: Assessment, since: str = "") -> TaskRunner:
        manager, home = self._world.settings.field_manager, self._world.home

        def writing(*, trial: bool) -> ObjectWriter:
            return ObjectWriter(
                home,
                manager=manager,
                node_for=assessment.context.node_for,
                sleep=self._world.clock.sleep,
                earlier_managers=assessment.context.migration_managers,
                since=since,
                trial=trial,
            )

        return TaskRunner(
            home,
            self._resource,
            manager=manager,
            writing=writing(trial=False),
            trial=writing(trial=True),
            health_of=operating.gate(assessment),
            may_write=partial(self._may_write, assessment),
            denied=partial(_denied, assessment),
        )

    def _may_write(self, assessment: Assessment, key: ObjectKey, live: Object | None) -> bool:
        """Whether an object still is whose it was when it was decided that this app writes it.

        Other apps are delivered at the same time; whoever comes second looks again, and finds an owner.
        """
        settings, metadata = self._world.settings, assessment.app.metadata
        if live is not None and not adoption.may_take(assessment.app, assessment.adoptions, key, live, settings):
            return False
        if settings.compat is Compat.ARGOCD:
            return True
        if not self._interest.hold(key, AppKey(metadata.namespace, metadata.name)):
            return False
        myself = tracking.instance_name(metadata.namespace, metadata.name, settings)
        seen = assessment.live.get(key)
        expected = {"", myself, tracking.owner_of(seen, settings) if seen is not None else ""}
        now = tracking.owner_of(live, settings) if live is not None else ""
        return {now, self._live.index.instance_of(key)} <= expected

    def _resource(self, task: Task) -> ApiResource | None:
        return self._live.resource(task.key.group_kind, task.version)

    async def _carry_out(
        self, step: Step, assessment: Assessment, state: OperationState, runner: TaskRunner
    ) -> list[TaskResult]:
        results = await self._let_go(step, assessment, state, runner)
        if step.prune or step.apply:
            self._report.wave(assessment, step)
        for task in step.prune:
            result = await self._prune(task, assessment, runner)
            results += [result] if result else []
        stamp = hooks.stamp(operating.operation_id(state), state.retry_count)
        for kind, group in groupby(step.apply, key=lambda task: task.key.group_kind):
            results += await self._apply_group(list(group), assessment, stamp, runner)
            if kind == CRD_KIND:
                await self._established([task.key.name for task in step.apply if task.key.group_kind == kind])
        for result in results:
            self._report.changed(assessment, result)
        return results

    async def _let_go(
        self, step: Step, assessment: Assessment, state: OperationState, runner: TaskRunner
    ) -> list[TaskResult]:
        """Release and delete hook objects; what the server refuses is an error of the hook, not of the pass."""
        known = {result.identity: result for result in task_results.recorded(state)}
        refused: dict[Task, str] = {}
        for task in step.release_hooks:
            refused[task] = await runner.release_hook(task, assessment.live[task.key])
        for task in step.delete_hooks:
            words = await runner.delete_hook(task, runner.written.get(task.key) or assessment.live[task.key])
            refused[task] = words or refused.get(task, "")
        return [
            task_results.not_released(task, words, known.get((task.key, task.phase)))
            for task, words in refused.items()
            if words
        ]

    async def _try_out(
        self, step: Step, assessment: Assessment, _state: OperationState, runner: TaskRunner
    ) -> list[TaskResult]:
        """Have the server say what it would do with every object of a dry run."""
        objects = operating.objects_of(assessment)
        coming = {task.key.name for task in step.apply if task.key.group_kind == NAMESPACE_KIND}
        coming = {name for name in coming if ObjectKey("", "Namespace", "", name) not in assessment.live}

        async def one(task: Task) -> TaskResult:
            async with self._slots:
                desired, live = objects[task.source_key or task.key], assessment.live.get(task.key)
                untried = task.how.dry_run_skipped
                if task.key.namespace in coming:
                    untried = f"namespace {task.key.namespace} is created by this sync"
                return await runner.try_out(task, _respecting(task, desired, live, assessment), live, untried)

        return list(await asyncio.gather(*(one(task) for task in step.apply)))

    async def predict(self, assessment: Assessment) -> tuple[DryRun, ...]:
        """Return the server's word on the objects whose comparison wants it."""
        return await self._dry_runs.answers(assessment)

    def forget(self, app: ObjectKey) -> None:
        """Ask the server again about the objects of an Application."""
        self._dry_runs.forget(app)

    async def _prune(self, task: Task, assessment: Assessment, runner: TaskRunner) -> TaskResult | None:
        if not task.prune_allowed:
            return task_results.skipped(task)
        return await runner.prune(task, assessment.live.get(task.key))

    async def _apply_group(
        self, tasks: Sequence[Task], assessment: Assessment, stamp: str, runner: TaskRunner
    ) -> list[TaskResult]:
        """Apply objects of one kind side by side; when the cluster goes away, keep what was done."""
        objects, slots = operating.objects_of(assessment), self._slots_for(assessment)

        async def one(task: Task) -> TaskResult | None:
            async with slots:
                desired = objects[task.source_key or task.key]
                if task.is_hook:
                    return await runner.create_hook(task, desired, hooks.for_phase(stamp, task.phase))
                live = assessment.live.get(task.key)
                return await runner.apply(task, _respecting(task, desired, live, assessment), live)

        done = await asyncio.gather(*(one(task) for task in tasks), return_exceptions=True)
        lost = [item for item in done if isinstance(item, BaseException)]
        for error in lost:
            if not isinstance(error, TransportError):
                raise error
        results = [item for item in done if isinstance(item, TaskResult)]
        if lost and not results:
            raise lost[0]
        return results

    def _slots_for(self, assessment: Assessment) -> asyncio.Semaphore:
        """Return whose turn a write waits for: those that somebody waits for have turns of their own."""
        metadata = assessment.app.metadata
        return self._reserved if self._is_awaited(AppKey(metadata.namespace, metadata.name)) else self._slots

    async def _established(self, crds: Sequence[str]) -> None:
        """Wait until new kinds are served, so that their objects can follow in the same sync.

        A definition is established a little before discovery lists its kind.
        """
        resource = self._live.resource(CRD_KIND)
        deadline = self._world.clock.monotonic() + _CRD_PATIENCE
        coming: list[GroupKind] = []
        for name in crds:
            while resource is not None and self._world.clock.monotonic() < deadline:
                crd = await self._world.home.get(resource, "", name)
                if crd is not None and others.custom_resource_definition(crd).status is HealthCode.HEALTHY:
                    kind = defined_kinds.defined_kind(crd)
                    coming += [kind] if kind is not None else []
                    break
                await self._world.clock.sleep(0.1)
        await self._live.rediscover()
        while any(self._live.resource(kind) is None for kind in coming) and self._world.clock.monotonic() < deadline:
            await self._world.clock.sleep(0.1)
            await self._live.rediscover()


def _denied(assessment: Assessment, key: ObjectKey) -> str:
    """Return why the project permits no write to an object; asked at every write, whatever was planned."""
    if assessment.project is None:
        return ""
    where = assessment.snapshot.destination or assessment.app.spec.destination
    return str(projects.object_denial(key, where, assessment.project) or "")


def _respecting(task: Task, desired: Object, live: Object | None, assessment: Assessment) -> Object:
    """Return what to apply: with RespectIgnoreDifferences, ignored fields keep the values they have live."""
    if not task.how.keep_ignored:
        return desired
    return desired_respecting_ignores(desired, live, assessment.context).obj


def _refreshed(state: OperationState) -> OperationState:
    """Return a failed attempt as it waits for the next one, which takes the newest revision if that is asked for."""
    if state.operation.retry is None or not state.operation.retry.refresh or state.sync_result is None:
        return state
    sync, operation = state.operation.sync, state.operation
    if sync is not None:
        operation = msgspec.structs.replace(operation, sync=msgspec.structs.replace(sync, revision="", revisions=()))
    return msgspec.structs.replace(state, operation=operation, sync_result=_bound(state.sync_result, ()))


def _delivered(assessment: Assessment) -> tuple[str, ...]:
    """Return the revisions an operation is bound to; none where only an earlier render is at hand."""
    return () if assessment.snapshot.desired_stale else assessment.revisions


def _pinned(state: OperationState, revisions: tuple[str, ...]) -> OperationState:
    """Return the operation bound to revisions, where a retry let go of those it had."""
    result = state.sync_result
    if result is None or result.all_revisions:
        return state
    return msgspec.structs.replace(state, sync_result=_bound(result, revisions))


def _unbound(spec: ApplicationSpec, operation: Operation) -> SyncOperationResult:
    """Return the result an operation starts with; the namespace metadata it applies is compared with later on."""
    managed = spec.sync_policy.managed_namespace_metadata if spec.sync_policy else None
    sync = operation.sync
    named = sync if sync is not None and (sync.source or sync.sources) else spec
    return SyncOperationResult("", source=named.source, sources=named.sources, managed_namespace_metadata=managed)


def _bound(result: SyncOperationResult, revisions: tuple[str, ...]) -> SyncOperationResult:
    """Return the result of an operation on these revisions: a list for several sources, else one text."""
    if result.sources:
        return msgspec.structs.replace(result, revision="", revisions=revisions)
    return msgspec.structs.replace(result, revision=revisions[0] if revisions else "", revisions=())


def _running(state: OperationState, message: str, results: Iterable[TaskResult]) -> OperationState:
    rows = tuple(task_results.to_row(result) for result in results)
    result = state.sync_result or SyncOperationResult(revision="")
    return msgspec.structs.replace(
        state,
        message=message,
        finished_at=None,
        sync_result=msgspec.structs.replace(result, resources=rows),
    )
