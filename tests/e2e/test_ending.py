"""How `syncline` ends: on Ctrl-C, by itself, and what it leaves behind."""

import os
import pathlib
import subprocess
import urllib.request

from tests.e2e.demo import signed_in
from tests.e2e.program import PATIENCE, WEB, Machine, beside
from tests.e2e.terminal import CONTROL_C, on_terminal

REPOSITORY = pathlib.Path(__file__).parents[2]


def test_control_c_ends_the_demo_quietly(machine: Machine, tmp_path: pathlib.Path) -> None:
    with machine.running("demo", "--data", tmp_path / "demo") as running:
        running.says("sync to .* started")
        assert (running.interrupt(), running.err) == (130, "")


def test_make_run_says_again_what_to_try_when_all_is_well_and_ends_without_an_error_of_make(
    machine: Machine, tmp_path: pathlib.Path
) -> None:
    command = ("make", "run", f"ARGS=--data {tmp_path / 'demo'}")
    with on_terminal(*command, environment=machine.environment, folder=REPOSITORY, columns=200) as terminal:
        page = terminal.says(r"web page +(http://127\.0\.0\.1:\d+)")[1]
        terminal.says("Everything is Synced and Healthy[^$]*Ctrl-C ends the demo")
        again = terminal.written.partition("Everything is Synced and Healthy")[2]
        assert [page in again, "delete deployment web" in again, "hello:broken" in again] == [True, True, True]
        terminal.press(CONTROL_C)
        terminal.ended()
        rest = terminal.written.partition("Everything is Synced and Healthy")[2]
        assert "make: " not in rest
        assert rest.endswith("^C")


def test_control_c_is_quiet_while_a_browser_looks_on(machine: Machine, tmp_path: pathlib.Path) -> None:
    with machine.running("demo", "--data", tmp_path / "demo") as running:
        link = running.says(r"web page +((http://127\.0\.0\.1:\d+)/login/once\?code=\S+)")
        session = {"Cookie": signed_in(link[1])}
        asked = urllib.request.Request(f"{link[2]}/api/v1/stream/applications", headers=session)
        with WEB.open(asked, timeout=10) as stream:
            assert b"demo" in stream.readline()
            assert (running.interrupt(), running.err) == (130, "")


def test_control_c_before_anything_happened_is_quiet_too(machine: Machine, tmp_path: pathlib.Path) -> None:
    with machine.running("sandbox", "--write-kubeconfig", tmp_path / "kubeconfig") as running:
        running.says("Kubernetes API at https://127")
        assert (running.interrupt(), running.err) == (130, "")


def test_demo_once_ends_when_everything_is_well_and_uses_its_repository_again(
    machine: Machine, tmp_path: pathlib.Path
) -> None:
    said = []
    for _ in range(2):
        with machine.running("demo", "--data", tmp_path / "demo", "--once") as running:
            assert (running.ended(), running.err) == (0, "")
        said.append(running.out)
    # The second time the cluster is as it was left: there is nothing to tell.
    assert ["✔ Synced, Healthy" in one for one in said] == [True, False]
    log = machine.run("git", "-C", tmp_path / "demo/repo", "log", "--oneline").out
    assert len(log.splitlines()) == 1


def test_a_reader_that_went_away_ends_it_quietly(machine: Machine) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [beside("syncline"), "completion", "bash"],
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            env=machine.environment,
            timeout=PATIENCE,
            check=False,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")
