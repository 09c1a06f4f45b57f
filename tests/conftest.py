"""Settings that hold for every test."""

import gc
import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# The same examples in every run, so that a red run is about the change at hand; SYNCLINE_EXPLORE=1 looks for new ones.
# Machines are noisy: how long an example takes says nothing.
settings.register_profile(
    "steady",
    deadline=None,
    derandomize=not os.environ.get("SYNCLINE_EXPLORE"),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("steady")

# A shell starts what it puts into the background deaf to Ctrl-C, and programs pass that on to those they start: tests
# that press Ctrl-C would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Thousands of tests keep their modules and tables alive: looking through them for garbage so often only costs time.
gc.set_threshold(50_000, 20, 100)

# Files whose tests wait for limits to strike, run programs or read the whole tree: they have a chore of their own,
# `make test-long`, so that `make test` stays under five minutes.
LONG = (
    "tests/arch/test_unused.py::test_the_list_of_exceptions",
    "tests/component/cli/test_logins_hidden.py",
    "tests/component/controller/simulation/",
    "tests/component/controller/test_compat.py",
    "tests/component/controller/test_kill.py",
    "tests/component/controller/test_kill_deletion.py",
    "tests/component/controller/test_whole_record.py",
    "tests/component/git/test_proxies.py",
    "tests/component/git/test_signatures.py",
    "tests/component/git/test_versions.py",
    "tests/component/render/test_hostile.py",
    "tests/component/render/test_hostile_plugins.py",
    "tests/component/render/test_jsonnet.py",
    "tests/component/render/test_neighbours.py",
    "tests/component/render/test_plugins.py",
    "tests/component/render/test_render_turns.py",
    "tests/component/render/test_seeds.py",
    "tests/component/render/test_value_layers.py",
    "tests/component/sandbox/test_command.py",
    "tests/component/sandbox/test_kubectl.py",
    "tests/component/sandbox/test_python_clients.py",
    "tests/component/sandbox/test_talking_to_pods.py",
    "tests/component/scripts/test_escapes.py",
    "tests/component/scripts/test_workers.py",
    "tests/component/server/test_generated_requests.py",
    "tests/component/why/test_layers.py",
    "tests/component/why/test_repairs.py",
    "tests/contract/test_spoiled.py",
    "tests/oracle/patch/",
    "tests/properties/test_ignore_rules.py",
    "tests/properties/test_plan.py",
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that take long, before the marker expression of the command line chooses."""
    for item in items:
        if item.nodeid.startswith(LONG):
            item.add_marker(pytest.mark.long)
