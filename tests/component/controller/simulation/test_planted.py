"""Each invariant notices a bug of its kind: one is planted, and a few runs must turn it up.

A simulation that finds nothing proves nothing until it has been seen to find something.
"""

from collections.abc import Callable
from typing import Any, cast

import msgspec
import pytest

from syncline.controller.deliver import act, apply, observe, record, status
from syncline.controller.deliver.outcome import Outcome
from syncline.controller.live import following
from syncline.core import assess, operating
from syncline.core.compare import owners, tracking
from syncline.core.sync import task_results
from syncline.model.claims import Standing
from syncline.model.desired import Desired
from syncline.model.health import Health, HealthCode
from syncline.model.operation import OperationPhase, OperationState
from syncline.model.result import ResultCode
from syncline.ports.kube import ApiError
from tests.support.simulation.run import simulate

_SERVER_ERRORS = ("simulated InternalError", "simulated TooManyRequests")
Plant = Callable[[pytest.MonkeyPatch], None]


def everything_is_ours(patch: pytest.MonkeyPatch) -> None:
    """Count every ConfigMap of the namespace as the app's own."""
    real = tracking.owner_of

    def careless(obj: Any, settings: Any) -> str:
        mine = obj.get("kind") == "ConfigMap" and (obj.get("metadata") or {}).get("namespace") == "web"
        return "web" if mine else real(obj, settings)

    patch.setattr(tracking, "owner_of", careless)


def nobody_owns_anything(patch: pytest.MonkeyPatch) -> None:
    """Let every app write and prune what it likes, whoever else desires it."""
    patch.setattr(assess, "_owners", lambda *_arguments: {})
    patch.setattr(act.Actor, "_may_write", lambda *_arguments: True)


def what_is_not_known_is_taken(patch: pytest.MonkeyPatch) -> None:
    """Take what an app holds that has yet to be looked at, or that cannot be rendered."""

    def careless(former: Any, claims: Any) -> bool:
        return former.standing is Standing.KNOWN and any(claim.app == former.title for claim in claims)

    patch.setattr(owners, "_keeps", careless)


def a_failed_render_is_partial(patch: pytest.MonkeyPatch) -> None:
    """Leave out of a render the file that cannot be read, as if it were not there."""
    real = observe.Observer._desired
    last: list[Any] = []

    async def careless(*arguments: Any) -> Any:
        desired, newest, troubles = await real(*arguments)
        if not troubles:
            last.append(desired)
        elif newest and last:
            return Desired(objects=last[-1].objects[:-1], revisions=newest), newest, []
        return desired, newest, troubles

    patch.setattr(observe.Observer, "_desired", careless)


def nothing_is_waited_for(patch: pytest.MonkeyPatch) -> None:
    """Call every object healthy as soon as it was written."""
    patch.setattr(operating, "gate", lambda _assessment: lambda _obj: Health(HealthCode.HEALTHY))


def _anew(job: Any) -> Any:
    """Return a Job as one would write it, without what the server filled in."""
    metadata = {name: job["metadata"][name] for name in ("name", "namespace", "annotations")}
    pods = {"spec": job["spec"]["template"]["spec"]}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": {"template": pods}}


def a_hook_is_made_anew_when_its_answer_was_lost(patch: pytest.MonkeyPatch) -> None:
    """Delete the hook a dead predecessor made in this attempt, and create another."""

    real = apply.TaskRunner._adopt_hook
    remade: set[str] = set()

    async def careless(self: Any, task: Any, resource: Any, stamp: str, error: ApiError) -> Any:
        found = await self._cluster.get(resource, task.key.namespace, task.key.name)
        if found is None or stamp in remade:
            return await real(self, task, resource, stamp, error)
        remade.add(stamp)
        gone = {"metadata": {"finalizers": None}}
        await self._cluster.patch(resource, task.key.namespace, task.key.name, gone, manager="x")
        uid = found["metadata"]["uid"]
        await self._cluster.delete(resource, task.key.namespace, task.key.name, uid=uid, propagation="Background")
        return await self.create_hook(task, _anew(found), stamp)

    patch.setattr(apply.TaskRunner, "_adopt_hook", careless)


def an_end_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    """Start the next operation without ending the last, whenever one is two passes old."""
    real: Any = act.Actor._proceed
    seen: dict[str, int] = {}

    async def careless(self: Any, decision: Any, assessment: Any, *rest: Any) -> Outcome:
        state = assessment.app.status.operation_state
        identity = operating.operation_id(state)
        seen[identity] = seen.get(identity, 0) + 1
        if seen[identity] == 2:
            started: Outcome = self._start(decision, assessment)
            return started
        outcome: Outcome = await real(self, decision, assessment, *rest)
        return outcome

    patch.setattr(act.Actor, "_proceed", careless)


def an_end_is_taken_back(patch: pytest.MonkeyPatch) -> None:
    """Write Running over the end of an operation."""
    real = record.build_patch

    def careless(assessment: Any, decision: Any, outcome: Outcome, *rest: Any) -> Any:
        state = assessment.app.status.operation_state
        if state is not None and state.phase is OperationPhase.SUCCEEDED and outcome.state is state:
            running = msgspec.structs.replace(cast("OperationState", state), phase=OperationPhase.RUNNING)
            outcome = msgspec.structs.replace(outcome, state=running)
        return real(assessment, decision, outcome, *rest)

    patch.setattr(record, "build_patch", careless)


def everything_is_fine(patch: pytest.MonkeyPatch) -> None:
    """Claim Synced whatever was found."""
    real = status.status_of

    def careless(*arguments: Any) -> Any:
        told = real(*arguments)
        return {**told, "sync": {**told["sync"], "status": "Synced"}}

    patch.setattr(record, "status_of", careless)


def a_server_error_is_recorded_as_synced(patch: pytest.MonkeyPatch) -> None:
    """Record an object as Synced when the server answered the apply with 5xx."""
    real = apply.TaskRunner.apply

    async def careless(self: Any, task: Any, desired: Any, live: Any) -> Any:
        found = await real(self, task, desired, live)
        lost = found is not None and found.code is ResultCode.SYNC_FAILED and found.message in _SERVER_ERRORS
        return task_results.done(task, ResultCode.SYNCED, "configured") if lost else found

    patch.setattr(apply.TaskRunner, "apply", careless)


def nobody_rests_after_a_failure(patch: pytest.MonkeyPatch) -> None:
    """Ask again at once whenever a list fails or a watch is cut."""
    for pause in ("_PAUSE_AFTER_FAILURE", "_LONGEST_PAUSE", "_PAUSE_AFTER_CUT", "_LONGEST_AFTER_CUT"):
        patch.setattr(following, pause, 0.0)


PLANTED: list[tuple[str, Plant]] = [
    ("I1", everything_is_ours),
    ("I1", nobody_owns_anything),
    ("I1", what_is_not_known_is_taken),
    ("I2", a_failed_render_is_partial),
    ("I3", nothing_is_waited_for),
    ("I4", a_hook_is_made_anew_when_its_answer_was_lost),
    ("I5", an_end_is_forgotten),
    ("I5", an_end_is_taken_back),
    ("I6", everything_is_fine),
    ("I6", a_server_error_is_recorded_as_synced),
    ("I10", nobody_rests_after_a_failure),
]


@pytest.mark.seeds
@pytest.mark.timeout(300)
@pytest.mark.parametrize(("invariant", "plant"), PLANTED, ids=lambda value: getattr(value, "__name__", value))
def test_a_planted_bug_is_noticed(invariant: str, plant: Plant, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    for seed in range(32):
        if any(found.startswith(f"{invariant} ") for found in simulate(seed, storm=120.0)):
            return
    pytest.fail(f"the first 32 runs did not notice: {plant.__doc__}")
