"""Breaks apps, asks `why`, does what is printed and nothing else, and sees whether they recover.

All breakages share one sandbox and one controller in virtual time. Whoever repairs reads the screen: edits are made to
the line that they name, commands are carried out by a small kubectl over the same API, decisions by what the breakage
says that somebody decided, at the place that is printed.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import re
import shlex
from collections.abc import Sequence

import click

from syncline.adapters.kube.client import KubeCluster
from syncline.apimachinery.keys import GroupKind, split_api_version
from syncline.cli.show import terminal
from syncline.cli.show.why_screen import screen
from syncline.controller.app_key import AppKey
from syncline.model import names
from syncline.sandbox.behaviours.controller import MODE
from syncline.sandbox.cluster.controls import Controls
from syncline.verbs.applications import annotate
from syncline.verbs.explain import explain
from syncline.verbs.look import looking
from syncline.verbs.sync import SyncRequest, sync
from tests.support.breakages import AUTO, PLAYED, Breakage
from tests.support.loops.hybrid import run_hybrid
from tests.support.loops.simulated import run_simulated
from tests.support.world import SandboxBed, default_project

_LABEL = re.compile(r"^    (?P<label>fix |then|or  |    )  (?P<text>\S.*)$")
_EDIT = re.compile(r"^(?P<file>\S+?):(?P<line>\d+): (?P<before>.+) → (?P<after>.+)$")
_ADDITION = re.compile(r"^(?P<file>\S+?):(?P<line>\d+): add below: (?P<added>.+)$")
_DELETION = re.compile(r"^(?P<file>\S+?):(?P<line>\d+): delete (?P<before>.+)$")
_PROGRAMS = ("kubectl ", "syncline ")
_LATER = 400.0


@dataclasses.dataclass
class Way:
    """One way out as it is printed."""

    edits: list[re.Match[str]] = dataclasses.field(default_factory=list)
    commands: list[str] = dataclasses.field(default_factory=list)
    words: list[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Told:
    """What became of one breakage: the first screen, and how the app was in the end."""

    shown: str = ""
    commands: list[str] = dataclasses.field(default_factory=list)
    after: tuple[str, str] = ("", "")
    shown_after: str = ""

    @property
    def words(self) -> str:
        return " ".join(self.shown.split())


def ways(shown: str) -> list[Way]:
    """Read the ways out of the first finding that has any."""
    found: list[Way] = []
    for line in shown.splitlines():
        match = _LABEL.match(line)
        if match is None:
            if found and line[:1] not in (" ", ""):
                break
            continue
        label, text = match["label"].strip(), match["text"]
        if label in ("fix", "or"):
            found.append(Way())
        if found:
            _add(found[-1], text)
    return found


def _add(way: Way, text: str) -> None:
    if edit := _ADDITION.match(text) or _EDIT.match(text) or _DELETION.match(text):
        way.edits.append(edit)
    elif text.startswith(_PROGRAMS):
        way.commands.append(text)
    else:
        way.words.append(text)


class Repairs:
    """Somebody who reads the screen and acts."""

    def __init__(self, bed: SandboxBed, breakages: Sequence[Breakage]) -> None:
        self.bed = bed
        self.breakages = breakages
        self.files: dict[str, str] = {}
        self.told = {one.name: Told() for one in breakages}

    async def break_all(self) -> None:
        bed = self.bed
        bed.sandbox.controls = Controls(admission=tuple(rule for one in self.breakages for rule in one.admission))
        nightly = default_project(bed.control)
        nightly["metadata"]["name"] = "nightly"
        nightly["spec"]["syncWindows"] = [
            {"kind": "deny", "schedule": "0 0 * * *", "duration": "23h", "applications": ["*"]}
        ]
        await bed.apply(nightly)
        for one in self.breakages:
            for app, files in {one.name: one.files, **one.others}.items():
                self.files |= {f"apps/{app}/{name}": text for name, text in files.items()}
        self._commit()
        for one in self.breakages:
            for obj in one.objects:
                await bed.apply(obj)
            for app in (one.name, *one.others):
                await self._create(one, app)
        await bed.clock.sleep(60)
        for one in self.breakages:
            await self._change(one)
        self._commit()
        await bed.clock.sleep(900)

    async def _create(self, one: Breakage, name: str) -> None:
        app = self.bed.application(name, automated=None if name in one.by_hand else AUTO)
        app["spec"]["destination"]["namespace"] = one.name
        app["spec"]["source"]["path"] = f"apps/{name}"
        if name == one.name:
            app["spec"] |= one.spec
            app["spec"]["source"] |= one.source
        await self.bed.apply(app)
        if one.others:
            await self.bed.clock.sleep(2)

    async def _change(self, one: Breakage) -> None:
        if one.later is not None:
            for name in one.files:
                del self.files[f"apps/{one.name}/{name}"]
            self.files |= {f"apps/{one.name}/{name}": text for name, text in one.later.items()}
        if one.held:
            kind, _, name = one.held.partition("/")
            await self.bed.patch(kind, name, {"metadata": {"finalizers": ["example.io/guard"]}}, namespace=one.name)
            await self.bed.delete("Namespace", one.name, "v1")

    def _commit(self) -> None:
        self.bed.source.commit(self.files)

    async def shown(self, name: str) -> str:
        """Return what `why` prints about an app, on a wide terminal."""
        bed = self.bed
        async with looking(bed.user, bed.control, lambda _cluster, _settings: bed.world(bed.transport())) as view:
            found = await explain(view, await bed.app(name))
        text = screen(found.explanation, bed.clock.now(), width=200, height=60)
        return click.unstyle(terminal.coloured(text))

    async def ask_all(self) -> None:
        for one in self.breakages:
            self.told[one.name].shown = await self.shown(one.about or one.name)

    async def repair_all(self) -> None:
        """Do what is printed for all: commands, edits in one commit, and the commands that come after edits."""
        chosen: list[tuple[Breakage, Way]] = []
        for one in self.breakages:
            found = ways(self.told[one.name].shown)
            if one.heals and one.way < len(found):
                chosen.append((one, found[one.way]))
        for one in self.breakages:
            await self._read_logs(one)
        for one, way in chosen:
            if not way.edits and not (one.decided and way.commands):
                await self._command(one, way)
            self._edit(one, way)
        self._commit()
        await self.bed.clock.sleep(10)
        for one, way in chosen:
            if way.edits or one.decided:
                await self._command(one, way)
        await self.bed.clock.sleep(_LATER)
        for one in self.breakages:
            self.told[one.name].after = await self.bed.status(one.name)
            self.told[one.name].shown_after = await self.shown(one.name)

    async def _command(self, one: Breakage, way: Way) -> None:
        for command in way.commands:
            self.told[one.name].commands.append(command)
            given = functools.reduce(lambda text, pair: text.replace(*pair), one.gives.items(), command)
            for part in given.split(" && "):
                await self._run(shlex.split(part))

    async def _read_logs(self, one: Breakage) -> None:
        """Read what the commands for logs show, while the pods are there."""
        for line in self.told[one.name].shown.splitlines():
            if line.startswith("    more  "):
                await self._run(shlex.split(line.removeprefix("    more  ")))

    def _edit(self, one: Breakage, way: Way) -> None:
        for edit in way.edits:
            lines = self.files[edit["file"]].splitlines(keepends=True)
            at = int(edit["line"]) - 1
            if added := edit.groupdict().get("added"):
                # Beside what stands there, as whoever types it would.
                lines.insert(at + 1, lines[at][: len(lines[at]) - len(lines[at].lstrip(" "))] + added + "\n")
                self.files[edit["file"]] = "".join(lines)
                continue
            assert edit["before"] in lines[at], f"{edit['file']}:{edit['line']} does not say {edit['before']}"
            after = edit.groupdict().get("after", "")
            lines[at] = lines[at].replace(edit["before"], after, 1)
            if not lines[at].strip():
                del lines[at]
            self.files[edit["file"]] = "".join(lines)
        if one.decided is not None:
            name, before, after = one.decided
            path = f"apps/{one.name}/{name}"
            assert before in self.files[path]
            assert path in self.told[one.name].shown, f"{path} is not named"
            self.files[path] = self.files[path].replace(before, after)

    async def run(self, command: str) -> None:
        """Carry out one printed command."""
        await self._run(shlex.split(command))

    async def _run(self, words: list[str]) -> None:
        if words[:3] == ["syncline", "app", "sync"]:
            for name in words[3:]:
                await sync(self.bed.user, SyncRequest(app=AppKey(self.bed.control, name)))
        elif words[:3] == ["syncline", "app", "get"] and words[4:] == ["--refresh"]:
            await annotate(self.bed.user, AppKey(self.bed.control, words[3]), {names.REFRESH: "normal"})
        elif words[:3] == ["syncline", "app", "set"]:
            await self._set(words[3], words[4:])
        elif words[:2] == ["syncline", "why"]:
            await self._follow(words[2])
        elif words[0] == "kubectl":
            await Kubectl(self.bed.user).run(words[1:])
        else:
            raise AssertionError(f"nobody has a program for {words}")

    async def _set(self, name: str, flags: list[str]) -> None:
        fields = {"--path": "path", "--revision": "targetRevision"}
        given = dict(zip(flags[::2], flags[1::2], strict=True))
        spec: dict[str, object] = {"source": {fields[flag]: value for flag, value in given.items() if flag in fields}}
        if "--project" in given:
            spec["project"] = given.pop("--project")
        assert set(given) <= set(fields), given
        await self.bed.patch("Application", name, {"spec": spec}, "argoproj.io/v1alpha1", self.bed.control)

    async def _follow(self, name: str) -> None:
        """Ask about another app, and do what is said there."""
        for command in ways(await self.shown(name))[0].commands:
            await self._run(shlex.split(command))


class Kubectl:
    """As much of kubectl as is ever printed; anything else is an error of whoever printed it."""

    def __init__(self, user: KubeCluster) -> None:
        self._user = user

    async def run(self, words: list[str]) -> None:
        verb, rest = words[0], words[1:]
        options = {
            word.partition("=")[0]: word.partition("=")[2] for word in rest if word.startswith("--") and "=" in word
        }
        namespace, plain, taken = "", [], iter(rest)
        for word in taken:
            if word in ("-n", "-p", "--type", "-c"):
                value = next(taken)
                namespace = value if word == "-n" else namespace
                options[word] = value
            elif not word.startswith("-"):
                plain.append(word)
        await getattr(self, f"_{verb}")(plain, namespace, options, rest)

    async def _find(self, kind: str) -> object:
        name, _dot, group = kind.lower().partition(".")
        short = {"pvc": "persistentvolumeclaim", "applications": "application"}
        resources = (await self._user.discover()).resources
        return next(
            one
            for one in resources
            if one.gvk.kind.lower() == short.get(name, name) and (not group or one.gvk.group == group)
        )

    async def _delete(self, plain: list[str], namespace: str, options: dict[str, str], _rest: list[str]) -> None:
        resource = await self._find(plain[0])
        propagation = {"orphan": "Orphan", "": "Background"}[options.get("--cascade", "")]
        for name in plain[1:]:
            await self._user.delete(resource, namespace, name, propagation=propagation)  # type: ignore[arg-type]

    async def _patch(self, plain: list[str], namespace: str, options: dict[str, str], _rest: list[str]) -> None:
        resource, patch = await self._find(plain[0]), json.loads(options["-p"])
        assert options["--type"] == "merge"
        await self._user.patch(resource, namespace, plain[1], patch, manager="kubectl-patch")  # type: ignore[arg-type]

    async def _create(self, plain: list[str], namespace: str, _options: dict[str, str], rest: list[str]) -> None:
        kind, name = plain[0], plain[-1]
        if kind in ("namespace", "serviceaccount"):
            gvk = {"namespace": "Namespace", "serviceaccount": "ServiceAccount"}[kind]
            made = {"apiVersion": "v1", "kind": gvk, "metadata": {"name": name, "namespace": namespace}}
            served = (await self._user.discover()).find(GroupKind("", gvk))
            assert served is not None
            await self._user.create(served, made, manager="kubectl-create")
            return
        literals = dict(word.split("=", 2)[1:] for word in rest if word.startswith("--from-literal="))
        field = "stringData" if kind == "secret" else "data"
        gvk = {"secret": "Secret", "configmap": "ConfigMap"}[kind]
        obj = {"apiVersion": "v1", "kind": gvk, "metadata": {"name": name, "namespace": namespace}, field: literals}
        found = (await self._user.discover()).find(GroupKind(split_api_version("v1")[0], gvk))
        assert found is not None
        await self._user.create(found, obj, manager="kubectl-create")

    async def _uncordon(self, plain: list[str], _namespace: str, _options: dict[str, str], _rest: list[str]) -> None:
        resource, patch = await self._find("node"), {"spec": {"unschedulable": None}}
        await self._user.patch(resource, "", plain[0], patch, manager="kubectl")  # type: ignore[arg-type]

    async def _logs(self, plain: list[str], namespace: str, options: dict[str, str], rest: list[str]) -> None:
        asked = {"container": options["-c"]} | ({"previous": "true"} if "--previous" in rest else {})
        lines = [line async for line in self._user.logs(namespace, plain[0], asked)]
        assert lines, f"the log of {plain[0]} is empty"

    async def _exec(self, plain: list[str], namespace: str, _options: dict[str, str], rest: list[str]) -> None:
        """Type the keys at the prompt of the one command that asks for some; a terminal has to be asked for."""
        pod, *command = plain
        assert command == ["vault", "operator", "unseal"], command
        assert "-it" in rest
        found = await self._user.get(await self._find("pod"), namespace, pod)  # type: ignore[arg-type]
        assert found is not None
        assert [one["name"] for one in found["spec"]["containers"]] == ["vault"], "which container is not said"
        unsealed = {"metadata": {"annotations": {MODE: "unsealed"}}}
        await self._user.patch(await self._find("pod"), namespace, pod, unsealed, manager="vault")  # type: ignore[arg-type]

    async def _edit(self, _plain: list[str], _namespace: str, _options: dict[str, str], _rest: list[str]) -> None:
        raise AssertionError("an editor is no way out that can be followed")


def play(breakages: Sequence[Breakage], *, with_tools: bool = False) -> dict[str, Told]:
    """Break, explain, repair; return what became of each. `with_tools` lets the real helm and kustomize render."""

    async def main() -> dict[str, Told]:
        bed = SandboxBed(played=PLAYED)
        await bed.start()
        controller = bed.controller()
        await controller.start()
        repairs = Repairs(bed, breakages)
        await repairs.break_all()
        await repairs.ask_all()
        await repairs.repair_all()
        assert not bed.failures, bed.failures
        await controller.stop()
        await bed.stop()
        return repairs.told

    return run_hybrid(main()) if with_tools else run_simulated(main)
