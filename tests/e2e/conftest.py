"""Marks the tests of this folder `e2e` and starts what they share: a machine, and one demo for many tests."""

import pathlib
from collections.abc import Iterator

import pytest

from tests.e2e.demo import Demo
from tests.e2e.program import Machine

HERE = pathlib.Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.e2e)
            item.add_marker(pytest.mark.timeout(240))


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    return Machine(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="session")
def shared_demo(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Demo]:
    folder = tmp_path_factory.mktemp("demo")
    with machine.running("demo", "--data", folder, "--port", "0") as running:
        demo = Demo(machine, running, folder)
        running.says(r"shop +✔ Synced, Healthy")
        running.says(r"demo +✔ Synced, Healthy")
        yield demo


@pytest.fixture
def demo(shared_demo: Demo) -> Iterator[Demo]:
    """The running demo, Synced and Healthy; each test leaves it like that."""
    shared_demo.settle()
    shared_demo.running.mark()
    yield shared_demo
    shared_demo.settle()
