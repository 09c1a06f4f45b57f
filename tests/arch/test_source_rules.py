"""House rules that no linter knows: time, chance, shells, and names in docstrings."""

import ast
import pathlib
from collections.abc import Callable, Iterator

import pytest

from tests.arch import source_rules

Rule = Callable[[ast.Module], Iterator[tuple[int, str]]]

# These may ask the machine for time and chance: they implement or choose what everybody else is handed. Look-alikes of
# stories draw from a seed that is handed to them.
MAY_ASK = ("syncline/adapters/", "syncline/wiring", "syncline/scenarios/draw.py")


def broken(rule: Rule, *, except_in: tuple[str, ...] = ()) -> list[str]:
    """Return file, line and name of each breach in src."""
    found = []
    for path in source_rules.modules():
        place = path.relative_to(source_rules.SOURCE).as_posix()
        if not place.startswith(except_in or ("\0",)):
            tree = source_rules.parsed(path)
            found += [f"{place}:{line} {name}" for line, name in rule(tree)]
    return found


def test_time_and_chance_are_asked_for_only_at_the_edge() -> None:
    assert broken(source_rules.asked_for_time_or_chance, except_in=MAY_ASK) == []


def test_nothing_goes_through_a_shell() -> None:
    assert broken(source_rules.asked_for_a_shell) == []


def test_every_task_has_an_owner_for_its_exception() -> None:
    assert broken(source_rules.started_tasks, except_in=("syncline/tasks.py",)) == []


# One runner keeps the limits, and has programs that render started by the warden, which the enclosure starts. The
# worker for scripts lives on between scripts, the demo makes its own repository, a story runs the scripts of its
# repairs, and Dex runs for as long as the server does.
MAY_START = (
    "syncline/processes.py",
    "syncline/enclosure.py",
    "syncline/enclosure_warden.py",
    "syncline/adapters/auth/dex.py",
    "syncline/adapters/scripts/process.py",
    "syncline/cli/run/example_repo.py",
    "syncline/cli/scenario/repairing.py",
)


def test_programs_are_started_in_one_place() -> None:
    assert broken(source_rules.started_a_program, except_in=MAY_START) == []


@pytest.mark.parametrize("folder", ["src/syncline", "tests"])
def test_names_in_docstrings_lead_somewhere(folder: str) -> None:
    wrong = []
    for path in source_rules.modules(source_rules.ROOT / folder):
        names = source_rules.dotted_names(source_rules.parsed(path))
        wrong += [f"{path.relative_to(source_rules.ROOT)}: {name}" for name in names if not source_rules.resolves(name)]
    assert wrong == [], "\n".join(wrong)


def test_whoever_is_said_to_call_a_module_imports_it() -> None:
    wrong = []
    for path in source_rules.modules():
        module = ".".join(path.relative_to(source_rules.SOURCE).with_suffix("").parts).removesuffix(".__init__")
        callers = source_rules.said_callers(source_rules.parsed(path))
        wrong += [f"{module}: {one}" for one in callers if not source_rules.depends_on(one, module)]
    assert wrong == [], "\n".join(wrong)


@pytest.mark.parametrize(
    ("text", "callers"),
    [
        ("Called by `syncline.a` and `syncline.b.C`.", ["syncline.a", "syncline.b.C"]),
        ("Used by `syncline.a`, `syncline.b` and `syncline.c`.", ["syncline.a", "syncline.b", "syncline.c"]),
        ("Called by `syncline.a` for bodies and by `syncline.b` for\nlists.", ["syncline.a", "syncline.b"]),
        ("Called by `syncline.a` with what `syncline.b` found; hands it to `syncline.c`.", ["syncline.a"]),
        ("Given a.py, asked by `syncline.a`. `syncline.b` is told.", ["syncline.a"]),
        ("Called by everybody who has `syncline.a`.", []),
        ("Used by ssh and by `syncline admin crds`.", []),
    ],
)
def test_callers_are_read_from_sentences(text: str, callers: list[str]) -> None:
    assert source_rules.said_callers(ast.parse(f'"""{text}"""')) == callers


@pytest.mark.parametrize(
    ("caller", "module", "there"),
    [
        ("syncline.wiring.clusters", "syncline.adapters.clock", True),
        ("syncline.core.holding.standing", "syncline.core.policy.windows", True),
        ("syncline.wiring", "syncline.adapters.clock", True),
        ("syncline.adapters.scripts.process", "syncline.adapters.scripts.worker", True),
        ("syncline.ports.clock", "syncline.adapters.clock", False),
    ],
)
def test_an_import_or_a_started_program_is_a_dependency(caller: str, module: str, there: bool) -> None:
    assert source_rules.depends_on(caller, module) is there


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import datetime\ndatetime.datetime.now()", ["datetime.datetime.now"]),
        ("from datetime import datetime as when\nwhen.now(None)", ["datetime.datetime.now"]),
        ("from time import monotonic\nmonotonic()", ["time.monotonic"]),
        ("import time\nkey = time.time", ["time.time"]),
        ("import uuid\nuuid.uuid4()", ["uuid.uuid4"]),
        ("from random import choice\nchoice([1])", ["random.choice"]),
        ("import os\nos.urandom(1)", ["os.urandom"]),
        ("def f(clock):\n    return clock.now()", []),
        ("from datetime import datetime\ndef f(at: datetime) -> datetime:\n    return at", []),
        ("import uuid\nuuid.UUID('x')", []),
    ],
)
def test_the_rule_on_time_and_chance_sees_through_aliases(source: str, names: list[str]) -> None:
    assert [name for _, name in source_rules.asked_for_time_or_chance(ast.parse(source))] == names


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import subprocess\nsubprocess.run('x', shell=True)", ["shell="]),
        ("import subprocess\nsubprocess.run('x', shell=flag)", ["shell="]),
        ("import subprocess\nsubprocess.run(['x'], shell=False)", []),
        ("import os\nos.system('x')", ["os.system"]),
        ("import asyncio\nasyncio.create_subprocess_shell('x')", ["asyncio.create_subprocess_shell"]),
        ("import asyncio\nasyncio.create_subprocess_exec('x')", []),
    ],
)
def test_the_rule_on_shells_knows_them_all(source: str, names: list[str]) -> None:
    assert [name for _, name in source_rules.asked_for_a_shell(ast.parse(source))] == names


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("syncline.ports", True),
        ("syncline.ports.clock", True),
        ("syncline.ports.clock.Clock", True),
        ("syncline.ports.clock.Clock.now", True),
        ("syncline.__version__", True),
        ("tests.support.loops.hybrid.run_hybrid", True),
        ("syncline.ports.clock.Clock.then", False),
        ("syncline.ports.calendar", False),
        ("syncline.nowhere.at_all", False),
    ],
)
def test_names_are_looked_up_to_the_member(name: str, there: bool) -> None:
    assert source_rules.resolves(name) is there


def test_docstrings_are_read_wherever_they_stand() -> None:
    text = (
        '"""See `syncline.a`, not `syncline.io`."""\nclass C:\n    def m(self):\n        """Calls `tests.b.c()`."""\n'
    )
    assert list(source_rules.dotted_names(ast.parse(text))) == ["syncline.a", "tests.b.c"]


def test_source_is_found() -> None:
    assert source_rules.SOURCE / pathlib.Path("syncline/__init__.py") in source_rules.modules()
