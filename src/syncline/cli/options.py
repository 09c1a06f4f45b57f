"""Options that many commands share: which cluster, which namespace, which output."""

from __future__ import annotations

import functools
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from syncline.cli.choice import Choice
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.controller.app_key import AppKey
    from syncline.controller.world import World
    from syncline.model.server_contexts import ServerContext
    from syncline.model.settings.settings import Settings
    from syncline.ports.kube import Cluster
    from syncline.verbs.applications import StoredApplication
    from syncline.verbs.home import Home
    from syncline.verbs.list import ListRequest

F = TypeVar("F", bound=Callable[..., Any])
PORT = click.IntRange(0, 65535)
_COMPLETION_PATIENCE = 3.0


def cluster_options(command: F) -> F:
    """Add the options that choose a cluster and the control-plane namespace."""
    command = click.option(
        "--kubeconfig", default="", help="Kubeconfig file (default: KUBECONFIG, then ~/.kube/config)."
    )(command)
    command = click.option("--context", default="", help="Context of the kubeconfig.")(command)
    return click.option(
        "-N", "--app-namespace", default="argocd", show_default=True, help="Namespace that holds the Applications."
    )(command)


def clusters_option(command: F) -> F:
    """Add the option that names a file of clusters, for ApplicationSets that are read from files."""
    return click.option(
        "--clusters",
        default=None,
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="File of cluster Secrets, or of maps with name, server and labels, for ApplicationSets.",
    )(command)


def build_options_option(command: F) -> F:
    """Add the option that says how kustomize is run."""
    return click.option(
        "--kustomize-build-options",
        "build_options",
        default="",
        metavar="OPTIONS",
        help="kustomize.buildOptions, such as --enable-helm (else those of the installation or the repository).",
    )(command)


def allow_local_option(command: F) -> F:
    """Add the option that permits servers of this machine; every reader of sources looks at the environment for it."""
    return click.option(
        "--allow-local",
        metavar="HOST:PORT",
        multiple=True,
        expose_value=False,
        callback=_allow_local,
        help="Server of this machine that repositories and charts may be fetched from (also: SYNCLINE_ALLOW_LOCAL).",
    )(command)


def _allow_local(context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]) -> None:
    """Add servers to those that the environment permits, for as long as the command runs."""
    if not texts:
        return
    from syncline import wiring

    try:
        wiring.local_places(texts)
    except ValueError as error:
        raise click.BadParameter(str(error), context, parameter) from None
    before = os.environ.get(wiring.ALLOW_LOCAL)
    os.environ[wiring.ALLOW_LOCAL] = ",".join((*texts, *filter(None, [before])))

    def restore() -> None:
        if before is None:
            os.environ.pop(wiring.ALLOW_LOCAL, None)
        else:
            os.environ[wiring.ALLOW_LOCAL] = before

    context.call_on_close(restore)


def customizations_option(command: F) -> F:
    """Add the option that names a folder of health checks and actions."""
    return click.option(
        "--resource-customizations",
        "customizations",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Folder of Lua checks and actions laid out as Argo CD's resource_customizations; argocd-cm takes "
        "precedence.",
    )(command)


def customized_here(settings: Settings) -> Settings:
    """Return settings with the scripts of the folder they name; where this machine has it not, that is told."""
    from syncline.model.errors import InvalidSpec

    try:
        return customized(None)(settings)
    except InvalidSpec as error:
        terminal.echo(f"{error}; checks and actions of that folder are ignored", err=True)
        return settings


def observer_ports(cluster: Cluster, settings: Settings) -> World:
    """Return the ports of a command that looks once, with the scripts of the folder that the settings name.

    Repositories are read as `syncline up` of a sandbox reads them; of another cluster only syncline.toml counts, since
    commits of a checkout need not be those that are delivered there.
    """
    from syncline import wiring

    kept = _kept_repositories()
    copies = wiring.configured_repositories() if kept is None else wiring.repositories(kept=kept)
    return wiring.observer_ports(cluster, customized_here(settings), copies)


def _kept_repositories() -> dict[str, str] | None:
    """Return the mapping of the sandbox that the running command was pointed at."""
    from syncline import wiring

    context = click.get_current_context(silent=True)
    given = context.params if context else {}
    return wiring.kept_repositories(str(given.get("kubeconfig") or ""), str(given.get("context") or ""))


def customized(folder: Path | None) -> Callable[[Settings], Settings]:
    """Return what puts the scripts of a folder into settings; what is wrong with it later goes to standard error."""
    from syncline import wiring

    return wiring.customized(folder, lambda sentence: terminal.echo(sentence, err=True))


@dataclass(frozen=True, slots=True)
class Chosen:
    """The cluster or server, and the namespace, a command was pointed at; `named` where somebody said the latter."""

    kubeconfig: str = ""
    context: str = ""
    namespace: str = "argocd"
    named: bool = False
    server: ServerContext | None = None
    insecure: bool = False
    """Whether certificates of servers are not checked, also of one that another option names."""

    def connected(self) -> AbstractAsyncContextManager[tuple[Cluster, str]]:
        """Connect to the Kubernetes API; yields the cluster's client, and the words for it."""
        from syncline import wiring

        self.refuse_server()
        return wiring.connected(kubeconfig=self.kubeconfig, context=self.context)

    def refuse_server(self, what: str = "this command") -> None:
        """Raise a sentence where a server is selected, for what only the Kubernetes API can do."""
        from syncline.model.errors import NeedsUser

        if self.server is not None:
            raise NeedsUser(
                f"{what} works on the Kubernetes API, and the server {self.server.server} is selected",
                hint="add --core to use your kubeconfig",
            )

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Home]:
        """Reach the installation: through the selected server, or by the Kubernetes API."""
        from syncline import wiring

        if self.server is not None:
            async with wiring.served_home(self.server) as served:
                yield served
            return
        async with self.connected() as (cluster, words):
            yield wiring.direct_home(cluster, words, self.namespace, observer_ports)

    def key(self, text: str) -> AppKey:
        """Return which Application `name` or `namespace/name` means."""
        from syncline.controller.app_key import AppKey

        first, slash, rest = text.partition("/")
        return AppKey(first, rest) if slash else AppKey(self.namespace, text)

    def key_at(self, home: Home, text: str) -> AppKey:
        """Return the same in an installation, which knows its namespace where nobody said one."""
        key = self.key(text)
        return key if self.named or "/" in text else type(key)(home.namespace, text)

    async def find(self, cluster: Cluster, text: str, home: Home | None = None) -> AppKey:
        """Return which Application a text means; one whose namespace nobody said is looked for in the others too."""
        from syncline.verbs.applications import locate

        key = self.key(text) if home is None else self.key_at(home, text)
        return key if self.named or "/" in text else await locate(cluster, key)

    async def find_exactly(self, home: Home, text: str) -> AppKey:
        """Return the same for a command that deletes: one in another namespace has to be named with it."""
        from syncline.verbs.errors import NotFound

        key = self.key_at(home, text)
        if (found := await self.find(home.cluster, text, home)) != key:
            raise NotFound(f"Application {key.name} not found in namespace {key.namespace}", hint=f"there is {found}")
        return key

    async def applications(self, cluster: Cluster, request: ListRequest) -> list[StoredApplication]:
        """Return the Applications of an installation that match: of all its namespaces, unless somebody named one."""
        from syncline.verbs.list import list_applications, list_installation

        if self.server is not None:
            # A server has none but those of its installation.
            return await list_applications(cluster, self.namespace if self.named else "", request)
        if self.named:
            return await list_applications(cluster, self.namespace, request)
        return await list_installation(cluster, self.namespace, request)


def chosen_cluster(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of `cluster_options` and those of a server; the command takes them as one `chosen`."""
    from syncline.cli.servers import ServerFlags, selected, server_options

    @functools.wraps(command)
    def with_cluster(
        *args: Any, kubeconfig: str, context: str, app_namespace: str, reached: ServerFlags, **options: Any
    ) -> Any:
        source = click.get_current_context().get_parameter_source("app_namespace")
        named = source is not click.core.ParameterSource.DEFAULT
        server = selected(reached, by_kubeconfig=bool(kubeconfig or context))
        return command(
            *args, chosen=Chosen(kubeconfig, context, app_namespace, named, server, reached.insecure), **options
        )

    return cluster_options(server_options(with_cluster))


def app_argument(parameter: str = "name", *, several: bool = False) -> Callable[[F], F]:
    """Add the argument that names an Application, or several; shells complete it from the cluster."""
    return click.argument(parameter, nargs=-1 if several else 1, shell_complete=_app_names)


def _app_names(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Return the Applications whose names begin like that, for a shell; nothing where they cannot be read quickly."""
    import asyncio

    from syncline.verbs.list import ListRequest

    given = {name: str(ctx.params.get(name) or "") for name in ("kubeconfig", "context", "app_namespace")}
    chosen = Chosen(given["kubeconfig"], given["context"], given["app_namespace"] or Chosen().namespace)

    async def names() -> list[str]:
        async with asyncio.timeout(_COMPLETION_PATIENCE), chosen.opened() as home:
            found = await chosen.applications(home.cluster, ListRequest())
        return [name for one in found for name in _spellings(one.key, chosen) if name.startswith(incomplete)]

    try:
        return asyncio.run(names())
    except Exception:  # noqa: BLE001 - nobody wants an error in the middle of a line that is being typed
        return []


def _spellings(key: AppKey, chosen: Chosen) -> list[str]:
    """Return how an Application may be named: bare in the chosen namespace, with its namespace elsewhere."""
    return [key.name if key.namespace == chosen.namespace else str(key)]


def compat_option(command: F) -> F:
    """Add `--compat`: whose behaviour to follow; without it the settings decide."""
    return click.option(
        "--compat",
        type=Choice(("syncline", "argocd")),
        help="Whose behaviour to follow where Syncline differs from Argo CD (default: the setting, then Syncline's).",
    )(command)


def output_option(*formats: str) -> Callable[[F], F]:
    """Add `-o` with the formats that fit a command; the first is the default."""
    return click.option(
        "-o", "--output", type=Choice(formats), default=formats[0], show_default=True, help="Output format."
    )


def output_file_option(command: F) -> F:
    """Add the option that sends the output to a file."""
    return click.option(
        "--output-file",
        default=None,
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write to this file instead of standard output.",
    )(command)
