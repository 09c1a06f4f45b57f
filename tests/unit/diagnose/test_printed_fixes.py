"""Every command that `diagnose` prints can be carried out: it parses, and names objects that are there."""

import shlex
from collections.abc import Callable, Iterator

import click
import pytest

from syncline.apimachinery.keys import ObjectKey
from syncline.cli.main import cli
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model.diagnosis import Diagnosis
from syncline.model.finding import EvidenceKind
from tests.support.planted import FAULTS, SHOW_WITHOUT_APPS, out_of_memory
from tests.support.sick_fleet import Fleet, condition
from tests.unit.diagnose import test_graph_edges as edges
from tests.unit.diagnose import test_one_incident as incident

Plant = Callable[[Fleet], object]
_SHORT = {"applications.argoproj.io": "Application", "pvc": "PersistentVolumeClaim"}
_READ = ("describe", "logs", "get", "exec")
_VERBS = (*_READ, "delete", "uncordon", "patch", "create", "auth")


def faulty(fault: Callable[[Fleet, str], object]) -> Plant:
    def plant(fleet: Fleet) -> None:
        fault(fleet, "web")

    plant.__name__ = fault.__name__
    return plant


def sealed(fleet: Fleet) -> None:
    fleet.app("db")
    fleet.deploy("db", app="db")
    pod = incident.vault(fleet, **{"vault-sealed": "true"})
    pod["status"]["conditions"] = [condition("PodScheduled", "True"), condition("Ready", "False")]
    incident.store(fleet, ready=False)


def orphaned(fleet: Fleet) -> None:
    out_of_memory(fleet, "web")
    incident.generated(fleet, "api")


def gave_up(fleet: Fleet) -> None:
    fleet.app("db")
    fleet.deploy("db", app="db")
    incident.store(fleet, ready=True)
    incident.failed_by_health(fleet, "web", incident.external_secret(fleet, "web", ready=True))


PLANTS: tuple[Plant, ...] = (
    *edges.EDGES,
    *(faulty(one) for one in FAULTS if one not in SHOW_WITHOUT_APPS),
    sealed,
    orphaned,
    gave_up,
)


def commands(found: Diagnosis) -> Iterator[str]:
    for cause in found.causes:
        finding = cause.finding
        for fix in (finding.fix, *finding.options):
            yield from fix.command.split(" && ") if fix is not None and fix.command else ()
        yield from (one.text for one in finding.evidence if one.kind is EvidenceKind.COMMAND)
        yield from cause.afterwards


def check_syncline(words: list[str], fleet: Fleet) -> None:
    """Parse a command of ours as the command line does, and look for the apps that it names."""
    command: click.Command = cli
    rest = words
    while isinstance(command, click.Group):
        _name, found, rest = command.resolve_command(click.Context(command), rest)
        assert found is not None, words
        command = found
    given = command.make_context("fix", list(rest)).params
    apps = given.get("apps") or given.get("app") or ()
    for app in (apps,) if isinstance(apps, str) else apps:
        assert ObjectKey("argoproj.io", "Application", "argocd", str(app)) in fleet.objects, words


def check_kubectl(words: list[str], fleet: Fleet) -> None:
    """Look for what a command of kubectl is about: its namespace, and every object that it names."""
    verb, rest = words[0], words[1 : words.index("--")] if "--" in words else words[1:]
    assert verb in _VERBS, words
    plain, namespace, taken = [], "", iter(rest)
    for word in taken:
        if word in ("-n", "-c", "-p", "--type", "--as"):
            value = next(taken)
            namespace = value if word == "-n" else namespace
        elif not word.startswith("-"):
            plain.append(word)
    kind, names = {
        "logs": ("Pod", plain),
        "exec": ("Pod", plain),
        "uncordon": ("Node", plain),
    }.get(verb, (_SHORT.get(plain[0], plain[0]), plain[1:]))
    if verb in ("create", "auth"):
        return
    assert names, words
    short, _dot, group = kind.lower().partition(".")
    for name in names:
        there = [key for key in fleet.objects if key.name == name and key.kind.lower() == short]
        assert all(key.group == group for key in there if group), (words, there)
        assert [key for key in there if key.namespace == namespace], (words, there)


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.__name__)
def test_every_printed_command_parses_and_names_what_is_there(plant: Plant) -> None:
    fleet = edges.small()
    plant(fleet)
    found = diagnose(fleet.snapshot())
    assert (
        [cause.id for cause in found.causes if cause.finding.fix is not None] == [one.id for one in found.causes] != []
    )
    for command in commands(found):
        program, *words = shlex.split(command)
        {"kubectl": check_kubectl, "syncline": check_syncline}[program](words, fleet)


def test_the_check_sees_a_command_that_names_nothing() -> None:
    fleet = edges.small()
    with pytest.raises(AssertionError):
        check_kubectl(["delete", "pod", "-n", "shop", "nobody"], fleet)
    with pytest.raises(AssertionError):
        check_syncline(["app", "sync", "nobody"], fleet)
    with pytest.raises(click.UsageError):
        check_syncline(["app", "sync", "web", "--no-such-flag"], fleet)
