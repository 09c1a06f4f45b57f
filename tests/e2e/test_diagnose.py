"""`syncline diagnose` in processes of its own: watched on a terminal and through a pipe, ended by Ctrl-C."""

import json
import pathlib
from typing import Any

from tests.e2e.program import Machine, beside
from tests.e2e.terminal import CONTROL_C, on_terminal


def workload(*, ready: bool) -> dict[str, Any]:
    waiting = {"reason": "ImagePullBackOff", "message": 'Back-off pulling image "web:2": not found'}
    state = {"running": {"startedAt": "2026-01-01T00:00:00Z"}} if ready else {"waiting": waiting}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web", "namespace": "shop", "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"nodeName": "one", "containers": [{"name": "main", "image": "web:2"}]},
        "status": {
            "phase": "Running" if ready else "Pending",
            "containerStatuses": [
                {"name": "main", "image": "web:2", "ready": ready, "restartCount": 0, "state": state}
            ],
        },
    }
    return {"apiVersion": "v1", "kind": "List", "items": [pod]}


def dump(folder: pathlib.Path, *, ready: bool) -> pathlib.Path:
    folder.mkdir(exist_ok=True)
    made = folder / "new"
    made.write_text(json.dumps(workload(ready=ready)))
    made.rename(folder / "all.json")
    return folder


def test_through_a_pipe_changes_are_lines_and_control_c_ends_with_130(machine: Machine, tmp_path: pathlib.Path) -> None:
    folder = dump(tmp_path / "dump", ready=False)
    with machine.running("diagnose", "--from", folder, "--watch", "--every", "1") as running:
        running.says(r"\d\d:\d\d:\d\d  1 of 1 workload not OK · 1 cause")
        running.says(r"new    [0-9a-f]{8}  1 workload: image web:2")
        dump(folder, ready=True)
        running.says(r"gone   [0-9a-f]{8}  .*1 of 1 recovered")
        assert running.interrupt() == 130
    assert "\x1b" not in running.out
    assert running.out.count("new    ") == 1


def test_on_a_terminal_the_screen_is_drawn_again_in_place(machine: Machine, tmp_path: pathlib.Path) -> None:
    folder = dump(tmp_path / "dump", ready=False)
    command = (beside("syncline"), "diagnose", "--from", folder, "--watch", "--every", "1")
    with on_terminal(*command, environment=machine.environment, folder=tmp_path, columns=100) as terminal:
        terminal.says(r"1 of 1 workload not OK")
        terminal.says(r"again every 1 s, Ctrl-C ends")
        dump(folder, ready=True)
        terminal.says(r"\x1b\[\d+A\r[^$]*nothing to repair")
        terminal.press(CONTROL_C)
        assert terminal.ended() == 130
    assert "Traceback" not in terminal.written
