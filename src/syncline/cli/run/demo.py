"""`syncline demo`: an embedded Kubernetes, an example repository, and apps that go from Git to Healthy by waves."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import click

from syncline.cli.options import PORT
from syncline.cli.run.sandbox_options import SandboxOptions, sandbox_options
from syncline.cli.show import terminal


@click.command()
@click.argument("story", required=False, default="")
@sandbox_options
@click.option("--port", type=PORT, default=0, help="Port of the web page on the loopback address (0: any free one).")
@click.option("--once", is_flag=True, help="Stop as soon as everything is Synced and Healthy.")
def demo(story: str, options: SandboxOptions, port: int, *, once: bool) -> int:
    """See it work in a minute: an embedded Kubernetes and an example app.

    Its repository and kubeconfig are in --data, or in syncline-demo. With STORY (`syncline scenario list`) you get
    a platform that is broken in many places, and repair it step by step; its files are in --data, or in
    syncline-demo-STORY.
    """
    if story:
        return _story(story, options, port, once=once)
    return asyncio.run(_demo(options, port, once=once))


def _story(name: str, options: SandboxOptions, port: int, *, once: bool) -> int:
    from syncline import wiring
    from syncline.cli.scenario.live import live
    from syncline.scenarios import shipped

    if flag := options.given():
        raise click.UsageError(f"{flag} is for the demo without a story: a story brings its own cluster")
    told = shipped.get(name)
    data = options.data or Path(f"syncline-demo-{told.name}")
    return wiring.run_in_virtual_time(live(told, data, port, once=once))


async def _demo(options: SandboxOptions, port: int, *, once: bool) -> int:
    from syncline import wiring
    from syncline.cli.run.demo_breaks import DemoBreaks, left_broken
    from syncline.cli.run.example_repo import prepare_repository
    from syncline.cli.run.install import create, for_argocd_cli, missing
    from syncline.cli.run.operator_hints import operator_hints
    from syncline.cli.run.session import Session, SessionOptions
    from syncline.model.settings.settings import Settings

    data = options.data or Path("syncline-demo")
    repository = await prepare_repository(data / "repo")
    if left_broken(repository):
        undo = f"git -C {repository} revert --no-edit HEAD"
        terminal.echo(f"hello is still broken by a commit of an earlier run; to undo it: {undo}", err=True)
    kubeconfig = data / "kubeconfig"
    home = data / "cluster" if options.data else None
    sandbox = options.build(home, demo=True)
    settings = Settings(refresh_interval=1.0, refresh_jitter=0.0)
    async with wiring.serving(sandbox, kubeconfig, home=home) as address:
        cluster = wiring.client(sandbox.transport(user="syncline"))
        await create(cluster, await missing(cluster, settings.namespace, for_argocd_cli(settings.namespace)))
        await create(cluster, [_application(repository, settings.namespace)])
        hints = operator_hints(options)
        manner = SessionOptions(local_folders=[str(data.resolve())], on_change=hints)
        session = Session(cluster, settings, manner)
        async with session.served(port) as served:
            served.backend.demo = DemoBreaks(cluster, served.backend.live, repository)
            terminal.echo(_welcome(address, served.link(), repository, kubeconfig))
            # By then the first link may be used already.
            good = partial(_well, repository=repository, kubeconfig=kubeconfig)
            return await session.follow(once=once, when_good=lambda: terminal.echo(good(served.link())))


def _application(repository: Path, namespace: str) -> dict[str, object]:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {
            "name": "demo",
            "namespace": namespace,
            "finalizers": ["resources-finalizer.argocd.argoproj.io"],
        },
        "spec": {
            "project": "default",
            "source": {"repoURL": str(repository.resolve()), "path": "root", "targetRevision": "HEAD"},
            "destination": {"server": "https://kubernetes.default.svc", "namespace": namespace},
            "syncPolicy": {"automated": {"prune": True, "selfHeal": True}},
        },
    }


def _welcome(address: str, page: str, repository: Path, kubeconfig: Path) -> str:
    kubectl, program = _programs()
    return f"""\
Syncline demo: an embedded Kubernetes, and one Application, demo, that delivers three others from Git, wave by wave:
platform (Kustomize), then hello (plain files, hooks and waves), then shop (Helm).
  web page    {page}
  Kubernetes  {address}
  repository  {repository}

In another terminal:
  export KUBECONFIG={kubeconfig.resolve()}
  {kubectl} get applications -n argocd
  {program} why hello
{_breaks(repository)}"""


def _well(page: str, repository: Path, kubeconfig: Path) -> str:
    """Return what to do next; by then the first words have scrolled away."""
    return f"""
Everything is Synced and Healthy.
  web page    {page}
  terminal    export KUBECONFIG={kubeconfig.resolve()}
{_breaks(repository)}"""


def _breaks(repository: Path) -> str:
    kubectl, program = _programs()
    return f"""\
Two ways to break it:
  1. with kubectl, and see it explained and fixed:
     {kubectl} delete deployment web -n hello
  2. with a commit, and see why it does not become healthy:
     sed -i s/hello:1.0/hello:broken/ {repository}/apps/hello/web.yaml
     git -C {repository} commit -am "a tag nobody pushed"; sleep 5; {program} why hello
     git -C {repository} revert --no-edit HEAD          # a newer commit takes over immediately, nothing to terminate
Ctrl-C ends the demo; the repository stays, and with --data the cluster too.
"""


def _programs() -> tuple[str, str]:
    from syncline.cli.tools import kubectl_path, program_path

    return kubectl_path(), program_path("syncline") or "syncline"
