"""Takes Applications over from Argo CD and gives them back, for `syncline up`."""

from __future__ import annotations

from collections.abc import Sequence

from syncline.apimachinery.keys import Object
from syncline.apimachinery.nearest import instead
from syncline.cli.asking import agreed
from syncline.cli.show import terminal
from syncline.controller.coexistence import ownership as beside
from syncline.controller.settings import read_settings
from syncline.core.policy import namespaces
from syncline.model.errors import NeedsUser
from syncline.ports.kube import Cluster
from syncline.verbs.applications import application_resource


async def take(cluster: Cluster, namespace: str, wanted: Sequence[str], *, words: str, ask: bool) -> None:
    """Take Applications over, after asking where that is called for."""
    apps = [app for app in await _chosen(cluster, namespace, wanted) if not beside.is_paused(app)]
    new = [app for app in apps if not beside.is_taken_over(app)]
    if new and ask and not agreed(f"{words}: take {_counted(new)} over from Argo CD ({_named(new)})?"):
        raise NeedsUser("nothing was taken over", hint="answer yes, or pass --yes")
    done = await beside.take_over(cluster, apps)
    terminal.echo(f"took over {_counted(done.changed)}; --hand-back returns them", err=True)


async def give_back(cluster: Cluster, namespace: str, wanted: Sequence[str]) -> int:
    """Give Applications back."""
    done = await beside.hand_back(cluster, await _chosen(cluster, namespace, wanted))
    terminal.echo(f"gave {_counted(done.changed)} back to Argo CD")
    for name in done.changed:
        terminal.echo(f"  {name}")
    return 0


async def _chosen(cluster: Cluster, namespace: str, wanted: Sequence[str]) -> list[Object]:
    """Return the Applications that names stand for; `*` stands for all."""
    await application_resource(cluster)
    settings = (await read_settings(cluster, namespace)).settings
    listed = (await cluster.list(beside.APPLICATIONS)).items
    found = {
        f"{app['metadata']['namespace']}/{app['metadata']['name']}": app
        for app in listed
        if namespaces.permitted(app["metadata"]["namespace"], settings)
    }
    if "*" in wanted:
        return [found[name] for name in sorted(found)]
    names = [name if "/" in name else f"{namespace}/{name}" for name in wanted]
    for name in names:
        if name not in found:
            raise NeedsUser(f"no Application named {name}", hint=instead(name, found))
    return [found[name] for name in names]


def _counted(apps: Sequence[object]) -> str:
    return f"{len(apps)} Application{'' if len(apps) == 1 else 's'}"


def _named(apps: Sequence[Object]) -> str:
    names = [str(app["metadata"]["name"]) for app in apps]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
