"""How `syncline` ends: on Ctrl-C, by itself, and what it leaves behind."""

import os
import pathlib
import subprocess

from tests.e2e.program import PATIENCE, WEB, Machine, beside


def test_control_c_ends_the_demo_quietly(machine: Machine, tmp_path: pathlib.Path) -> None:
    with machine.running("demo", "--data", tmp_path / "demo") as running:
        running.says("sync to .* started")
        assert (running.interrupt(), running.err) == (130, "")


def test_control_c_is_quiet_while_a_browser_looks_on(machine: Machine, tmp_path: pathlib.Path) -> None:
    with machine.running("demo", "--data", tmp_path / "demo") as running:
        page = running.says(r"web page +(http://127\.0\.0\.1:\d+)")[1]
        with WEB.open(f"{page}/api/v1/stream/applications", timeout=10) as stream:
            assert b"demo" in stream.readline()
            assert (running.interrupt(), running.err) == (130, "")


def test_control_c_before_anything_happened_is_quiet_too(machine: Machine, tmp_path: pathlib.Path) -> None:
    with machine.running("sandbox", "--write-kubeconfig", tmp_path / "kubeconfig") as running:
        running.says("Kubernetes API at https://127")
        assert (running.interrupt(), running.err) == (130, "")


def test_demo_once_ends_when_everything_is_well_and_uses_its_repository_again(
    machine: Machine, tmp_path: pathlib.Path
) -> None:
    for _ in range(2):
        with machine.running("demo", "--data", tmp_path / "demo", "--once") as running:
            assert (running.ended(), running.err) == (0, "")
        assert "✔ Synced, Healthy" in running.out
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
