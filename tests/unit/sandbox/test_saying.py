"""The Event about the start of a container says what is simulated."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.sandbox.cluster import commands
from syncline.sandbox.cluster.settings import Container, SandboxSettings
from syncline.sandbox.controllers.kubelet import saying

RULED = SandboxSettings(containers=(Container(image="example/broken*", exit_code=7),))


@pytest.mark.parametrize(
    ("container", "told"),
    [
        ({"image": "nginx"}, "simulated, it runs until it is stopped"),
        (
            {"image": "nginx", "command": ["serve", "--all"]},
            "simulated, its command is not run: it runs until it is stopped",
        ),
        (
            {"image": "busybox", "command": ["sh", "-c", "sleep 8; exit 3"]},
            "simulated, its command ends with exit code 3 after 8 s",
        ),
        ({"image": "example/broken:1", "command": ["true"]}, "simulated, as containers in the cluster file says"),
    ],
)
def test_a_container_that_goes_on(container: dict[str, Any], told: str) -> None:
    script = commands.script_of(RULED, container)
    assert saying.simulated(RULED, container, script) == told


def test_a_container_of_a_pod_that_is_meant_to_end() -> None:
    script = Container(image="nginx", exit_code=0, run_seconds=1)
    assert saying.simulated(RULED, {"image": "nginx"}, script) == "simulated, it ends with exit code 0 after 1 s"
