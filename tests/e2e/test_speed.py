"""What people type often answers without much work; how long it takes on a quiet machine is measured by `bench`."""

import os
import pathlib
import subprocess

import pytest

from tests.e2e.demo import Demo
from tests.e2e.program import Machine, beside


def processor_seconds(command: list[str], environment: dict[str, str], folder: pathlib.Path) -> float:
    """Run a program and return the processor time that it took, whatever else the machine does."""
    process = subprocess.Popen(
        command, env=environment, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _pid, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_utime + usage.ru_stime


def test_app_list_takes_less_than_half_a_second_of_processor_time(machine: Machine, tmp_path: pathlib.Path) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    environment = {**machine.environment, "PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode")}
    # Bytecode is kept from the first run on, as it is wherever nobody forbids it.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with machine.running("sandbox", "--write-kubeconfig", kubeconfig) as running:
        running.says("Kubernetes API at https://127")
        assert machine.kubectl(kubeconfig, "apply", "-f", "-", text=machine.syncline("admin", "crds").out).code == 0
        command = [beside("syncline"), "app", "list", "--kubeconfig", str(kubeconfig)]
        processor_seconds(command, environment, tmp_path)
        assert min(processor_seconds(command, environment, tmp_path) for _ in range(3)) < 0.5


@pytest.mark.parametrize("asked", [("why", "hello"), ("diagnose",)], ids=["why", "diagnose"])
def test_an_explanation_takes_less_than_a_second_of_processor_time(
    asked: tuple[str, ...], demo: Demo, tmp_path: pathlib.Path
) -> None:
    environment = {**demo.machine.environment, "PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [beside("syncline"), *asked, "--kubeconfig", str(demo.kubeconfig)]
    processor_seconds(command, environment, tmp_path)
    assert min(processor_seconds(command, environment, tmp_path) for _ in range(3)) < 1.0
