"""Plays single containers: what they wait for, when they start, end and are tried again.

`syncline.sandbox.controllers.kubelet.kubelet` owns one `PlayedPod` per pod and calls `advance` whenever something may
be due. Times are monotonic seconds; what people read is put together in
`syncline.sandbox.controllers.kubelet.pod_status`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from syncline.apimachinery.keys import Object
from syncline.sandbox.cluster import commands, known_images
from syncline.sandbox.cluster.settings import Container, SandboxSettings
from syncline.sandbox.controllers import views
from syncline.sandbox.controllers.kubelet import probes, saying

_LONGEST_RETRY = 300.0
_ENDS_AFTER = 0.5
"""How long a container without a script runs when its pod is meant to end."""


class ContainerStage(StrEnum):
    """Where a container is in its life."""

    WAITING = "waiting"
    UNCONFIGURED = "unconfigured"
    PULLING = "pulling"
    PULL_FAILED = "pull failed"
    PULL_BACK_OFF = "pull back-off"
    STARTING = "starting"
    RUNNING = "running"
    CRASHED = "crashed"
    ENDED = "ended"


@dataclass(slots=True)
class Played:
    """One container of a pod as it is played."""

    name: str
    image: str
    init: bool
    sidecar: bool
    spec: Object
    step: ContainerStage = ContainerStage.WAITING
    due: float = 0.0
    """When the current step is over; infinite when only a change from outside ends it."""
    problem: str = ""
    pulls: int = 0
    restarts: int = 0
    started_at: str = ""
    ready_at: float = 0.0
    container_id: str = ""
    exit_code: int = 0
    exit_reason: str = ""
    exit_message: str = ""
    crashes: int = 0
    """How often it ended since it last ran for long."""
    ends: int = 0
    """How often it ended."""
    began: float = 0.0
    kill: str = ""
    """The probe that will have it killed when its time is over."""
    kill_why: str = ""
    """What that probe says."""
    unstarted: bool = False
    """Whether its startup probe never passes."""
    waiting_reason: str = ""
    last: Object | None = None
    """The state before the current one, as `lastState` shows it."""

    @property
    def succeeded(self) -> bool:
        """Whether it ended well."""
        return self.step is ContainerStage.ENDED and self.exit_code == 0

    @property
    def initialized(self) -> bool:
        """Whether containers after it may start: it ended well, or is a sidecar that has started."""
        return self.succeeded or (self.sidecar and self.step is ContainerStage.RUNNING and not self.unstarted)


@dataclass(slots=True)
class PlayedPod:
    """One pod as it is played."""

    containers: list[Played]
    stopping_at: float | None = None
    mounted: bool = False
    address: str = ""
    ends_at: float = float("inf")
    """When its deadline is over."""
    failure: str = ""
    """The reason for which the kubelet ended it."""
    unready: str = ""
    """Why all readiness probes fail right now."""


Tell = Callable[[Played, str, str, str], None]
"""Called with container, event type, reason and message."""


@dataclass(slots=True)
class Play:
    """What a step needs to know: settings, time, names, and how to tell people."""

    settings: SandboxSettings
    now: float
    stamp: str
    restart_policy: str
    new_id: Callable[[], str]
    problem_of: Callable[[Played], str]
    pull_problem: Callable[[str], str]
    """Asked why an image cannot be pulled."""
    answers: Callable[[str], bool]
    """Asked whether a Service of the pod's namespace has a ready endpoint."""
    permits: Callable[[str], bool]
    """Asked whether the pod's account may do something, such as `get pods`."""
    present: set[str]
    tell: Tell
    pod_words: str

    def script(self, played: Played) -> Container | None:
        """Return what a container does."""
        found = commands.script_of(self.settings, {**played.spec, "image": played.image})
        if found is not None and found.runs and played.ends >= found.runs:
            found = None
        if found is not None and found.needs and self.answers(found.needs):
            found = None
        if found is not None and found.forbidden and self.permits(found.forbidden):
            found = None
        if found is None and self.restart_policy != "Always" and not played.sidecar:
            return Container(image=played.image, exit_code=0, run_seconds=_ENDS_AFTER)
        if found is None and played.init and not played.sidecar:
            return Container(image=played.image, exit_code=0, run_seconds=_ENDS_AFTER / 5)
        return found


def advance(played: Played, play: Play) -> None:
    """Take every step that is due."""
    while played.due <= play.now and played.step is not ContainerStage.ENDED:
        _STEPS[played.step](played, play)


def _configure(played: Played, play: Play) -> None:
    problem = known_images.misnamed(played.image)
    if problem:
        if played.problem != problem:
            play.tell(played, "Warning", "InspectFailed", problem)
            play.tell(played, "Warning", "Failed", "Error: InvalidImageName")
        played.step, played.problem, played.due = ContainerStage.UNCONFIGURED, problem, float("inf")
        played.waiting_reason = "InvalidImageName"
        return
    problem = play.problem_of(played)
    if problem:
        if played.problem != problem:
            play.tell(played, "Warning", "Failed", f"Error: {problem}")
        played.step, played.problem, played.due = ContainerStage.UNCONFIGURED, problem, float("inf")
        played.waiting_reason = "CreateContainerConfigError"
        return
    played.problem = ""
    policy = played.spec.get("imagePullPolicy") or "IfNotPresent"
    if played.image in play.present and policy != "Always":
        text = f'Container image "{played.image}" already present on machine'
        play.tell(played, "Normal", "Pulled", text)
        played.step, played.due = ContainerStage.STARTING, play.now + play.settings.speeds.start
        return
    if policy == "Never":
        text = f'Container image "{played.image}" is not present with pull policy of Never'
        played.waiting_reason = "ErrImageNeverPull"
        play.tell(played, "Warning", "ErrImageNeverPull", text)
        played.step, played.problem, played.due = ContainerStage.UNCONFIGURED, text, float("inf")
        return
    play.tell(played, "Normal", "Pulling", f'Pulling image "{played.image}"')
    played.step, played.due = ContainerStage.PULLING, play.now + play.settings.speeds.pull


def _pull(played: Played, play: Play) -> None:
    image = played.image
    problem = play.pull_problem(image)
    if not problem:
        took = f"{int(play.settings.speeds.pull * 1000)}ms"
        text = f'Successfully pulled image "{image}" in {took} ({took} including waiting). Image size: 52428800 bytes.'
        play.tell(played, "Normal", "Pulled", text)
        play.present.add(image)
        played.step, played.due = ContainerStage.STARTING, play.now + play.settings.speeds.start
        return
    played.problem = problem
    play.tell(played, "Warning", "Failed", f'Failed to pull image "{image}": {played.problem}')
    play.tell(played, "Warning", "Failed", "Error: ErrImagePull")
    played.pulls += 1
    played.step, played.due = ContainerStage.PULL_FAILED, play.now + min(play.settings.speeds.image_retry, 2.0)


def _back_off_pull(played: Played, play: Play) -> None:
    play.tell(played, "Normal", "BackOff", f'Back-off pulling image "{played.image}"')
    play.tell(played, "Warning", "Failed", "Error: ImagePullBackOff")
    wait = min(play.settings.speeds.image_retry * 2 ** (played.pulls - 1), _LONGEST_RETRY)
    played.step, played.due = ContainerStage.PULL_BACK_OFF, play.now + wait


def _retry_pull(played: Played, play: Play) -> None:
    play.tell(played, "Normal", "Pulling", f'Pulling image "{played.image}"')
    played.step, played.due = ContainerStage.PULLING, play.now + play.settings.speeds.pull


def _start(played: Played, play: Play) -> None:
    script = play.script(played)
    play.tell(played, "Normal", "Created", f"Created container: {played.name}")
    played.started_at, played.container_id, played.began = play.stamp, play.new_id(), play.now
    if script is not None and script.start_error:
        play.tell(played, "Warning", "Failed", f"Error: {script.start_error}")
        played.exit_code, played.exit_reason, played.exit_message = 128, "StartError", script.start_error
        _stop(played, play)
        return
    played.problem = ""
    what = saying.simulated(play.settings, {**played.spec, "image": played.image}, script)
    play.tell(played, "Normal", "Started", f"Started container {played.name} ({what})")
    if probes.hook_fails(played.spec):
        play.tell(played, "Warning", "FailedPostStartHook", "PostStartHook failed")
        play.tell(played, "Normal", "Killing", "FailedPostStartHook")
        played.exit_code, played.exit_reason, played.exit_message = 137, "Error", ""
        _stop(played, play)
        return
    run_on(played, play)


def run_on(played: Played, play: Play) -> None:
    """Let a container run, and work out when it is ready and when it ends, counted from now."""
    script = play.script(played)
    played.step, played.due, played.kill, played.began = ContainerStage.RUNNING, float("inf"), "", play.now
    if script is not None and (script.exit_code is not None or _too_large(played, script)):
        played.due = play.now + script.run_seconds
    deaf = commands.is_deaf(play.settings, {**played.spec, "image": played.image})
    course = probes.course(played.spec, script, deaf=deaf)
    if play.now + course.kill_after < played.due:
        played.due, played.kill, played.kill_why = play.now + course.kill_after, course.kill, course.why
    for text in course.told:
        play.tell(played, "Warning", "Unhealthy", text)
    played.ready_at, played.unstarted = play.now + course.ready_after, course.unstarted


def _too_large(played: Played, script: Container) -> bool:
    limit = ((played.spec.get("resources") or {}).get("limits") or {}).get("memory")
    return bool(script.memory and limit) and views.milli(script.memory) > views.milli(limit)


def _end(played: Played, play: Play) -> None:
    script = play.script(played)
    code = script.exit_code if script is not None and script.exit_code is not None else 0
    played.exit_reason = (script.reason if script is not None else "") or ("Error" if code else "Completed")
    played.exit_message = script.message if script is not None else ""
    if script is not None and _too_large(played, script):
        code, played.exit_reason = 137, "OOMKilled"
    if played.kill:
        if played.kill == "liveness":  # one that keeps it from getting ready was told when it began to fail
            play.tell(played, "Warning", "Unhealthy", f"Liveness probe failed: {played.kill_why}")
        text = f"Container {played.name} failed {played.kill} probe, will be restarted"
        play.tell(played, "Normal", "Killing", text)
        code, played.exit_reason = 137, "Error"
    played.exit_code = 137 if played.exit_reason == "OOMKilled" and not code else code
    _stop(played, play)


def _stop(played: Played, play: Play) -> None:
    """Note how a container ended, and when it is tried again."""
    played.ends += 1
    again = (
        played.sidecar
        or (play.restart_policy == "Always" and not played.init)
        or (played.exit_code != 0 and play.restart_policy != "Never")
    )
    played.last = terminated(played, play.stamp)
    if not again:
        played.step, played.due = ContainerStage.ENDED, float("inf")
        return
    if play.now - played.began >= 2 * _LONGEST_RETRY:
        played.crashes = 0
    played.crashes += 1
    if played.crashes == 1:  # the first time it is started again at once
        played.step, played.due = ContainerStage.CRASHED, play.now
        played.problem = ""
        return
    wait = min(play.settings.speeds.crash_retry * 2 ** (played.crashes - 2), _LONGEST_RETRY)
    text = f"Back-off restarting failed container {played.name} in pod {play.pod_words}"
    play.tell(played, "Warning", "BackOff", text)
    seconds = f"{int(wait // 60)}m{int(wait % 60)}s" if wait >= 60 else f"{int(wait)}s"
    played.problem = f"back-off {seconds} restarting failed container={played.name} pod={play.pod_words}"
    played.step, played.due = ContainerStage.CRASHED, play.now + wait


def _restart(played: Played, play: Play) -> None:
    played.restarts += 1
    text = f'Container image "{played.image}" already present on machine'
    play.tell(played, "Normal", "Pulled", text)
    _start(played, play)


_STEPS: dict[ContainerStage, Callable[[Played, Play], None]] = {
    ContainerStage.WAITING: _configure,
    ContainerStage.UNCONFIGURED: _configure,
    ContainerStage.PULLING: _pull,
    ContainerStage.PULL_FAILED: _back_off_pull,
    ContainerStage.PULL_BACK_OFF: _retry_pull,
    ContainerStage.STARTING: _start,
    ContainerStage.RUNNING: _end,
    ContainerStage.CRASHED: _restart,
}


def end_by_signal(played: Played, stamp: str) -> None:
    """End a container that the kubelet kills for good."""
    played.exit_code, played.exit_reason = 137, "Error"
    played.last = terminated(played, stamp)
    played.step, played.due = ContainerStage.ENDED, float("inf")


def terminated(played: Played, finished: str) -> Object:
    """Return the `terminated` state of a container that just ended."""
    ended: Object = {"exitCode": played.exit_code, "reason": played.exit_reason}
    if played.exit_message:
        ended["message"] = played.exit_message
    ended |= {"startedAt": played.started_at, "finishedAt": finished, "containerID": played.container_id}
    return {"terminated": ended}
