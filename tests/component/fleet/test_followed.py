"""What `diagnose` prints is done, word by word, and the apps recover: broken, printed, carried out, read again."""

from __future__ import annotations

import contextlib
import dataclasses
import re
from datetime import datetime

import click
import msgspec
import pytest

from syncline.adapters.kube.client import KubeCluster
from syncline.apimachinery import times
from syncline.cli.show import terminal
from syncline.cli.show.diagnosis import screen
from syncline.cli.show.diagnosis.report import Report
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model.diagnosis import Diagnosis
from syncline.ports.kube import ClusterReader
from syncline.sandbox.cluster.settings import FailureMode, OperatorSpec
from syncline.verbs.errors import Refused
from syncline.verbs.fleet.hub import Contexts, FleetWish, read_fleet
from syncline.verbs.fleet.rendering import with_rendered
from tests.support import breakages
from tests.support.breakages import AUTO, BREAKAGES, EXTERNAL, LOGIN, PLAYED, Breakage
from tests.support.loops.simulated import run_simulated
from tests.support.manifests import deployment
from tests.support.more_breakages import MORE
from tests.support.oncall_breakages import ON_CALL
from tests.support.repairs import Repairs
from tests.support.sets import app_spec, appset, listed, start
from tests.support.world import SandboxBed

STATEFUL = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 1
  serviceName: db
  updateStrategy: {type: OnDelete}
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      nodeSelector: {disk: DISK}
      containers: [{name: main, image: "example/db:1"}]
"""
VAULT = """\
apiVersion: v1
kind: Service
metadata: {name: vault}
spec: {selector: {app: vault}, ports: [{port: 8200}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: vault}
spec:
  replicas: 2
  serviceName: vault
  podManagementPolicy: Parallel
  selector: {matchLabels: {app: vault}}
  template:
    metadata: {labels: {app: vault, app.kubernetes.io/name: vault, component: server}}
    spec:
      containers:
        - name: vault
          image: hashicorp/vault:1.20
          readinessProbe: {exec: {command: [vault, status]}}
"""
STORED = """\
apiVersion: external-secrets.io/v1
kind: SecretStore
metadata: {name: vault}
spec: {provider: {vault: {server: "http://vault.sealed.svc.cluster.local:8200", path: secret}}}
"""
SEALED = Breakage(
    name="sealed",
    files={"vault.yaml": VAULT},
    others={
        "keyless": {"store.yaml": STORED, "login.yaml": EXTERNAL, "web.yaml": breakages.deployment(container=LOGIN)}
    },
    says=(),
)
STUCK = Breakage(
    name="stuck",
    files={"db.yaml": STATEFUL.replace("DISK", "floppy")},
    later={"db.yaml": STATEFUL.replace("DISK", "ssd")},
    says=(),
)
CLAIMS = Breakage(
    name="claims",
    files={"claim.yaml": breakages.CLAIM},
    others={"claims-too": {"other.yaml": breakages.CLAIM.replace("name: data", "name: more")}},
    says=(),
)
SHARED = (
    "label",
    "cpu",
    "class",
    "kind",
    "path",
    "branch",
    "chosen",
    "mode",
    "small",
    "cores",
    "template",
    "project",
    "limited",
)
FOLLOWED = {
    "label": ("WKL-001", "nodes disk=sdd"),
    "cpu": ("WKL-001", "nodes node-d"),
    "class": ("WKL-101", "StorageClass/fast-ssd"),
    "kind": ("LIV-105", "sync policy by hand"),
    "path": ("APP-003", "Application/path in argocd"),
    "branch": ("APP-001", "Application/branch in argocd"),
    "chosen": ("LIV-109", "Deployment/web in chosen"),
    "mode": ("LIV-109", "PersistentVolumeClaim/data in mode"),
    "small": ("WKL-004", "ResourceQuota/small in small"),
    "cores": ("SRC-013", "Deployment/web in cores"),
    "project": ("APP-005", "Application/project in argocd"),
    "limited": ("WKL-106", "Deployment/web in limited"),
    "stuck": ("WKL-007", "StatefulSet/db in stuck"),
    "sealed": ("SEC-205", "StatefulSet/vault in sealed"),
    "orphan": ("APS-201", "ApplicationSet/shops in argocd"),
}
WITH_VAULT = msgspec.structs.replace(
    PLAYED,
    operators=(*PLAYED.operators, OperatorSpec(name="vault")),
    modes=(FailureMode(kind="Pod", namespace="sealed", name="vault-*", mode="sealed"),),
)
_LABEL = re.compile(r"^    (?P<label>\w*) +(?P<text>\S.*)$")
_EDIT = re.compile(r"^(?P<file>\S+?):(?P<line>\d+): (?P<before>.+) → (?P<after>.+)$")


def nowhere(context: str) -> contextlib.AbstractAsyncContextManager[ClusterReader]:
    raise AssertionError(f"{context} is not to be opened")


@dataclasses.dataclass
class Played:
    """What was found before and after, and what was done in between."""

    before: Diagnosis
    after: Diagnosis
    done: list[str]


class Engineer:
    """Somebody who reads the screen of `diagnose` and does what it says, one cause after the other."""

    def __init__(self, bed: SandboxBed) -> None:
        self.bed = bed
        self.done: list[str] = []
        wanted = [one for one in (*BREAKAGES, *MORE, *ON_CALL) if one.name in SHARED]
        self.repairs = Repairs(bed, [*wanted, STUCK, SEALED, CLAIMS])

    async def break_all(self) -> None:
        """Break everything, and leave an app that nobody generates any more."""
        self.repairs.files["apps/orphan/web.yaml"] = deployment(image="example/web:missing")
        self.repairs.files["apps/kept/web.yaml"] = deployment(image="example/web:1")
        spec = app_spec(path="apps/{{name}}", syncPolicy={"automated": AUTO, "syncOptions": ["CreateNamespace=true"]})
        spec["destination"]["namespace"] = "{{name}}"
        template = {"metadata": {"name": "{{name}}"}, "spec": spec}
        kept = {"syncPolicy": {"applicationsSync": "create-update"}}
        await self.bed.apply(appset(listed("kept", "orphan"), name="shops", template=template, **kept))
        await self.repairs.break_all()
        await self.bed.apply(appset(listed("kept"), name="shops", template=template, **kept))
        await self.bed.clock.sleep(60)

    async def asked(self) -> Diagnosis:
        """Return what `diagnose` says now, with what the sources render."""
        bed = self.bed
        as_of = times.format_time(bed.clock.now())
        wish = FleetWish(name="home", server="https://10.0.0.1", as_of=as_of, namespaces=(bed.control,))
        reader = KubeCluster(bed.sandbox.transport("reader", ("system:masters",)))
        read = await read_fleet(reader, wish, Contexts({}, nowhere))
        return diagnose(await with_rendered(read.snapshot, bed.world(bed.transport()), lambda _url: True))

    async def follow(self, found: Diagnosis, now: datetime) -> None:
        """Make the edits that are printed, commit them, and carry out the commands."""
        report = Report(diagnosis=found, words="", read_seconds=0, seconds=0, now=now)
        later: list[str] = []
        for cause in found.causes:
            shown = click.unstyle(terminal.coloured(screen.one(report, cause, width=200)))
            later += self._read(shown)
        self.bed.source.commit(self.repairs.files)
        # Whoever follows the screen types the command right after the commit: nobody has noticed that one yet.
        await self.bed.clock.sleep(1)
        for command in later:
            self.done.append(command)
            # The commit of the edits may have begun the very sync that is asked for; the screen says so.
            for part in command.split(" && "):
                with contextlib.suppress(Refused):
                    await self.repairs.run(part)
        await self.bed.clock.sleep(400)

    def _read(self, shown: str) -> list[str]:
        """Make the edits of one cause's fix, and return the commands of the fix and what comes then."""
        label, commands = "", []
        for line in shown.splitlines():
            found = _LABEL.match(line)
            label = (found["label"] or label) if found else ""
            if found is None or label not in ("fix", "then"):
                continue
            text = found["text"]
            if edit := _EDIT.match(text):
                self._edit(edit)
            elif text.startswith(("kubectl ", "syncline app ")):
                commands.append(text)
        return commands

    def _edit(self, edit: re.Match[str]) -> None:
        lines = self.repairs.files[edit["file"]].splitlines(keepends=True)
        at = int(edit["line"]) - 1
        assert edit["before"] in lines[at]
        lines[at] = lines[at].replace(edit["before"], edit["after"], 1)
        self.repairs.files[edit["file"]] = "".join(lines)
        self.done.append(edit.string)


async def play() -> Played:
    bed = SandboxBed(played=WITH_VAULT)
    await start(bed)
    controller = bed.controller()
    await controller.start()
    engineer = Engineer(bed)
    await engineer.break_all()
    before = await engineer.asked()
    await engineer.follow(before, bed.clock.now())
    after = await engineer.asked()
    assert not bed.failures, bed.failures
    await controller.stop()
    await bed.stop()
    return Played(before, after, engineer.done)


@pytest.fixture(scope="module")
def played() -> Played:
    return run_simulated(play)


def test_what_is_broken_is_named_and_nothing_else(played: Played) -> None:
    named = {(cause.finding.code, str(cause.thing)) for cause in played.before.causes}
    assert named == set(FOLLOWED.values())


def test_everything_recovers_by_what_is_printed(played: Played) -> None:
    assert [cause.finding.message for cause in played.after.causes] == [], played.done
    assert (played.after.good, played.after.unexplained) == (played.after.total, ())


def test_as_many_are_good_and_gone_as_was_promised(played: Played) -> None:
    promised = played.before.repairs[-1]
    assert (played.after.good, played.before.total - played.after.total) == (promised.good_after, promised.gone_after)
