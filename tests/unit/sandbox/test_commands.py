"""Containers that would fail, fail: commands are read as far as their words tell, and obeyed."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.sandbox.cluster import commands
from syncline.sandbox.cluster.settings import Container, SandboxSettings
from tests.unit.sandbox.driving import PODS, Kube, play

# What a shell does with each: exit code, seconds, lines; None where it cannot be told from the words.
READ: dict[str, tuple[list[str], tuple[int, float, tuple[str, ...]] | None]] = {
    "false": (["false"], (1, 0, ())),
    "false by path": (["/bin/false"], (1, 0, ())),
    "true": (["true"], (0, 0, ())),
    "sleep": (["sleep", "5"], (0, 5, ())),
    "sleep in minutes": (["sleep", "2m"], (0, 120, ())),
    "sleep for ever": (["sleep", "infinity"], None),
    "exit code": (["sh", "-c", "exit 3"], (3, 0, ())),
    "exit code that wraps": (["sh", "-c", "exit 256"], (0, 0, ())),
    "sleep, then fail": (["sh", "-c", "sleep 4 && exit 1"], (1, 4, ())),
    "lines": (["/bin/sh", "-c", "echo one; echo 'two words' >&2; exit 2"], (2, 0, ("one", "two words"))),
    "failure goes on": (["sh", "-c", "false; echo on"], (0, 0, ("on",))),
    "failure ends it": (["sh", "-ec", "false; echo on"], (1, 0, ())),
    "set -e": (["bash", "-c", "set -e\nfalse\necho on"], (1, 0, ())),
    "set -e with or": (["bash", "-c", "set -e\nfalse || echo mended\necho on"], (0, 0, ("mended", "on"))),
    "set -e with and": (["sh", "-ec", "false && true; echo on"], (0, 0, ("on",))),
    "and is skipped": (["sh", "-c", "false && echo no"], (1, 0, ())),
    "or is skipped": (["sh", "-c", "true || exit 9"], (0, 0, ())),
    "exec": (["sh", "-c", "exec sleep 3"], (0, 3, ())),
    "another program": (["sh", "-c", "python app.py && exit 1"], None),
    "a pipe": (["sh", "-c", "echo a | grep b"], None),
    "a loop": (["sh", "-c", "while true; do sleep 1; done"], None),
    "a variable": (["sh", "-c", "exit $CODE"], None),
    "a substitution": (["sh", "-c", "sleep $(cat f)"], None),
    "an open quote": (["sh", "-c", "echo 'a"], None),
    "a script file": (["sh", "run.sh"], None),
    "the image's own": ([], None),
}


@pytest.mark.parametrize("name", READ)
def test_a_command_is_read_as_a_shell_would_run_it(name: str) -> None:
    words, expected = READ[name]
    found = commands.read("image", words)
    assert (None if found is None else (found.exit_code, found.run_seconds, found.lines)) == expected


def test_a_rule_of_the_cluster_file_goes_before_the_command_and_may_name_it() -> None:
    rules = (
        Container(image="*", command="migrate *", exit_code=4),
        Container(image="app:*", command="false", exit_code=0, run_seconds=1),
    )
    settings = SandboxSettings(containers=rules)
    migrate = commands.script_of(settings, {"name": "a", "image": "x", "command": ["migrate"], "args": ["up"]})
    false = commands.script_of(settings, {"name": "a", "image": "app:1", "command": ["false"]})
    other = commands.script_of(settings, {"name": "a", "image": "else", "command": ["false"]})
    assert [one and one.exit_code for one in (migrate, false, other)] == [4, 0, 1]


def body(command: list[str], policy: str) -> dict[str, Any]:
    containers = [{"name": "main", "image": "busybox", "command": command}]
    spec = {"restartPolicy": policy, "containers": containers}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}


def test_a_pod_fails_with_its_code_and_keeps_its_last_lines() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, body(["sh", "-c", "echo no table; exit 3"], "Never"))
        done = await kube.until(f"{PODS}/p", lambda pod: pod["status"].get("phase") == "Failed")
        log = await kube.get(f"{PODS}/p/log")
        return done, log, await kube.refusal("GET", f"{PODS}/p/log", previous="true")

    done, log, refusal = play(story)
    ended = done["status"]["containerStatuses"][0]["state"]["terminated"]
    assert (ended["exitCode"], ended["reason"], log) == (3, "Error", "no table\n")
    assert refusal[2] == 'previous terminated container "main" in pod "p" not found'


def test_a_container_that_ends_is_started_again_with_back_off_where_its_pod_says_so() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, body(["false"], "Always"))

        def crashed(pod: Any) -> bool:
            (status,) = pod["status"].get("containerStatuses") or [{}]
            reason = ((status.get("state") or {}).get("waiting") or {}).get("reason")
            return bool(reason == "CrashLoopBackOff" and status["restartCount"] >= 2)

        return await kube.until(f"{PODS}/p", crashed, seconds=120)

    (status,) = play(story)["status"]["containerStatuses"]
    assert status["lastState"]["terminated"]["exitCode"] == 1


def test_following_a_log_ends_with_the_container() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(PODS, body(["sh", "-c", "echo begun; sleep 30"], "Never"))
        await kube.until(f"{PODS}/p", lambda pod: pod["status"].get("phase") == "Running")
        begun = kube.clock.monotonic()
        return await kube.get(f"{PODS}/p/log", follow="true"), kube.clock.monotonic() - begun

    log, seconds = play(story)
    assert log == "begun\n"
    assert 28 < seconds < 32
