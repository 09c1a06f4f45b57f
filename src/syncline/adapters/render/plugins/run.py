"""Renders a source by a config management plugin: `init`, then `generate`, in a private copy of the repository.

Used by `syncline.adapters.render.means`, through which the renderer reaches it. A plugin is a program of the operator:
it gets PATH and the variables of the build, nothing else of this machine's environment, and no network unless its file
says so. Time, memory and output are limited; it is killed together with all it started.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence

import msgspec
import orjson

from syncline import processes
from syncline.adapters.render import rendered, workspace
from syncline.adapters.render.build_environment import build_environment, substitute
from syncline.adapters.render.choice import RenderChoice, relative
from syncline.adapters.render.desired import digest
from syncline.adapters.render.helm import path_globs
from syncline.adapters.render.plugins.specs import ManagementPlugin
from syncline.adapters.render.programs import ProgramFailed, Programs, plain_environment
from syncline.adapters.render.tools import Tool
from syncline.adapters.render.workspace import Workspace
from syncline.model.desired import Desired, Input
from syncline.model.errors import Place, RenderError
from syncline.model.sources.source import PluginParameter, PluginSource
from syncline.ports.render import RenderRequest
from syncline.ports.source import Tree

_APART = ("unshare", "--map-root-user", "--pid", "--fork", "--kill-child")
"""What it starts dies with it, whatever group or session that has made itself a member of."""
_ISOLATED = (*_APART, "--net")
_MAX_PROCESSES = 1024
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MAX = 500


class Plugins:
    """The plugins of an installation."""

    def __init__(self, plugins: Sequence[ManagementPlugin] = ()) -> None:
        self._plugins = tuple(plugins)
        self._isolates: bool | None = None

    def __bool__(self) -> bool:
        return bool(self._plugins)

    @property
    def fingerprint(self) -> str:
        """What the plugins are, as a text that changes with them."""
        return msgspec.json.encode(self._plugins).decode() if self._plugins else ""

    async def find(
        self, request: RenderRequest, choice: RenderChoice, tree: Tree, programs: Programs
    ) -> ManagementPlugin | None:
        """Return the plugin a source names, or without a name the first one that says the folder is its own."""
        name = choice.source.plugin.name if choice.source.plugin else ""
        if name:
            found = next((one for one in self._plugins if name in (one.full_name, one.name)), None)
            if found is None:
                known = ", ".join(one.full_name for one in self._plugins) or "none"
                what = f"plugin with name {name} not found"
                raise RenderError(what, place=choice.place, hint=f"known plugins: {known}")
            return found
        for plugin in self._plugins:
            if await self._is_for(plugin, request, choice, tree, programs):
                return plugin
        if choice.source.plugin is not None:
            known = ", ".join(one.full_name for one in self._plugins) or "none"
            raise RenderError("no plugin matches this folder", place=choice.place, hint=f"known plugins: {known}")
        return None

    async def render(
        self, request: RenderRequest, choice: RenderChoice, tree: Tree, plugin: ManagementPlugin, programs: Programs
    ) -> Desired:
        """Return the objects that a plugin prints."""
        async with workspace.opened() as space:
            await workspace.in_thread(lambda: space.put_folder(tree, ""))
            if plugin.spec.init.argv:
                await self._run(plugin, plugin.spec.init.argv, request, choice, tree, space, programs)
            output = await self._run(plugin, plugin.spec.generate.argv, request, choice, tree, space, programs)
        repeated: list[str] = []
        name = f"plugin {plugin.full_name}"
        found = await programs.parse(
            len(output), lambda: rendered.read(output, name, lambda _line: choice.folder, repeated)
        )
        repo_url = choice.source.shown_url
        objects = [rendered.desired(obj, repo_url, tree.revision, Place(choice.folder)) for _file, obj in found]
        return Desired(
            tuple(objects),
            revisions=(tree.revision,),
            source_types=(Tool.PLUGIN.value,),
            warnings=(
                *repeated,
                *rendered.odd(objects),
                *(() if plugin.network or self._isolates else (_not_isolated(plugin),)),
            ),
            manifest_warnings=tuple(repeated),
            digest=digest(objects),
            # A plugin may look at anything in the repository, and be told its revision.
            inputs=(Input("", tree.digest_of("")),),
        )

    async def _is_for(
        self, plugin: ManagementPlugin, request: RenderRequest, choice: RenderChoice, tree: Tree, programs: Programs
    ) -> bool:
        discover = plugin.spec.discover
        names = [relative(file.path, choice.folder) for file in tree.files()]
        for pattern in filter(None, (discover.file_name.removeprefix("./"), discover.find.glob.removeprefix("./"))):
            if path_globs.matching(pattern, names):
                return True
        if not discover.find.argv:
            return False
        async with workspace.opened() as space:
            await workspace.in_thread(lambda: space.put_folder(tree, ""))
            try:
                printed = await self._run(plugin, discover.find.argv, request, choice, tree, space, programs)
            except RenderError:
                return False
        return bool(printed.strip())

    async def _run(
        self,
        plugin: ManagementPlugin,
        argv: Sequence[str],
        request: RenderRequest,
        choice: RenderChoice,
        tree: Tree,
        space: Workspace,
        programs: Programs,
    ) -> bytes:
        variables = build_environment(request, choice.source, tree.revision)
        environment = environment_of(choice.source.plugin or PluginSource(), variables, space, network=plugin.network)
        limits = processes.ProcessLimits(
            seconds=min(plugin.seconds, programs.limits.seconds),
            output=programs.limits.output,
            memory=min(plugin.memory, programs.limits.memory or plugin.memory),
            file_size=programs.limits.file_size,
        )
        command = tuple(argv)
        if await self._can_isolate():
            # Limits that are set from outside do not reach what was forked before.
            bounds = (
                f"--as={limits.memory}",
                f"--fsize={limits.file_size or 'unlimited'}",
                f"--nproc={_MAX_PROCESSES}",
            )
            command = (*(_APART if plugin.network else _ISOLATED), "--", "prlimit", *bounds, "--", *argv)
        name = f"plugin {plugin.full_name}"
        try:
            return await programs.run_command(
                command, name, space, choice.folder, environment=environment, limits=limits
            )
        except ProgramFailed as failure:
            lines = [line.strip() for line in failure.complaint.splitlines() if line.strip()]
            cause = "; ".join(lines[-3:])[-_MAX:] or "it gave no reason"
            raise RenderError(f"`{argv[0]}` of {name} failed: {cause}", place=choice.place, passing=True) from None

    async def _can_isolate(self) -> bool:
        """Whether programs can be shut in here; tried once."""
        if self._isolates is None:
            path = processes.found_on_path(_ISOLATED[0])
            self._isolates = False
            if path:
                try:
                    ended = await processes.run(
                        (*_ISOLATED, "--", "prlimit", "--", "true"),
                        environment={"PATH": os.environ.get("PATH") or os.defpath},
                        limits=processes.ProcessLimits(seconds=10.0),
                    )
                    self._isolates = ended.code == 0
                except (processes.NotStarted, processes.OverLimit):
                    self._isolates = False
        return self._isolates


def environment_of(
    source: PluginSource, variables: Mapping[str, str], space: Workspace, *, network: bool
) -> dict[str, str]:
    """Return what a plugin finds in its environment."""
    environment = plain_environment(space)
    if network:
        environment = {name: value for name, value in environment.items() if not name.lower().endswith("_proxy")}
    environment |= {**variables, "PATH": os.environ.get("PATH") or os.defpath}
    for entry in source.env:
        if not _NAME.fullmatch(entry.name) or "\0" in entry.value:
            raise RenderError(f"invalid name of a plugin's variable: {entry.name[:80]!r}")
        environment[f"ARGOCD_ENV_{entry.name}"] = substitute(entry.value, variables)
    environment["ARGOCD_APP_PARAMETERS"] = orjson.dumps(msgspec.to_builtins(source.parameters)).decode()
    for parameter in source.parameters:
        environment |= _parameter(parameter)
    return environment


def _parameter(parameter: PluginParameter) -> dict[str, str]:
    """Return a parameter as variables: `PARAM_NAME`, `PARAM_NAME_0`, `PARAM_NAME_KEY`."""
    name = f"PARAM_{_upper(parameter.name)}"
    found: dict[str, str] = {}
    if parameter.string is not None:
        found[name] = parameter.string
    found |= {f"{name}_{index}": item for index, item in enumerate(parameter.array or ())}
    found |= {f"{name}_{_upper(key)}": value for key, value in (parameter.map or {}).items()}
    if any("\0" in value for value in found.values()):
        raise RenderError(f"invalid value of the plugin's parameter {parameter.name[:80]!r}")
    return found


def _upper(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]", "_", text).upper()


def _not_isolated(plugin: ManagementPlugin) -> str:
    return f"plugin {plugin.full_name} ran with network: `unshare` does not work here"
