"""The `syncline` program: finds the command and turns errors into one sentence and an exit code.

Exit codes: 0 fine, 1 the answer is no, 2 could not answer, 130 interrupted, 141 nobody reads the output any more.
"""

from __future__ import annotations

import errno
import os
import shlex
import sys
from typing import Any

import click

from syncline import __version__
from syncline.cli import argocd
from syncline.cli.lazy import LazyGroup
from syncline.cli.show import terminal

_COMMANDS = {
    "demo": ("syncline.cli.run.demo:demo", "See it work in a minute: an embedded Kubernetes and an example app."),
    "up": ("syncline.cli.run.up:up", "Deliver continuously, to the embedded Kubernetes or to a real cluster."),
    "app": ("syncline.cli.app.group:app", "List, show, change, sync and explain Applications."),
    "appset": (
        "syncline.cli.appset.group:appset",
        "Generate, list, show, create, delete and explain ApplicationSets.",
    ),
    "render": (
        "syncline.cli.render.command:render",
        "Render a folder: plain manifests, a chart, a kustomization or Jsonnet.",
    ),
    "blame": (
        "syncline.cli.render.blame:blame",
        "Show where a field of an object comes from: file, line, values layer or patch.",
    ),
    "diagnose": (
        "syncline.cli.diagnose.command:diagnose",
        "Find the few causes behind many red apps, on a cluster or in a dump; read-only.",
    ),
    "why": ("syncline.cli.why:why", "Explain why an Application is not Synced and Healthy, on one screen."),
    "check": (
        "syncline.cli.check:check",
        "Find mistakes in a GitOps repository before they are merged, without a cluster.",
    ),
    "preview": (
        "syncline.cli.preview:preview",
        "Show what a change does to every app before it is merged, without a cluster.",
    ),
    "parity": (
        "syncline.cli.parity:parity",
        "Compare every app's render with what Argo CD rendered: equal, different, or not rendered.",
    ),
    "ci": ("syncline.cli.ci.group:ci", "Commands for pipelines: write the preview of a pull request as one comment."),
    "rule": (
        "syncline.cli.rule:rule",
        "List the rules behind findings, or explain one: what it checks, why it matters and how to fix it.",
    ),
    "doctor": (
        "syncline.cli.doctor:doctor",
        "Check this machine and the cluster: what works, what is missing, and how to fix it.",
    ),
    "repo": ("syncline.cli.repo.group:repo", "Manage the repositories Applications may come from."),
    "repocreds": (
        "syncline.cli.repo.credentials:repocreds",
        "Manage credentials for repositories with a common URL prefix.",
    ),
    "cert": ("syncline.cli.repo.certificates:cert", "Manage certificates and ssh host keys of repository servers."),
    "gpg": ("syncline.cli.repo.gpg:gpg", "Manage the public keys that commits may be signed with."),
    "cluster": (
        "syncline.cli.cluster.group:cluster",
        "List, add and remove the clusters Applications may be delivered to.",
    ),
    "proj": ("syncline.cli.proj.group:proj", "List, show and change projects, their roles and sync windows."),
    "account": (
        "syncline.cli.account.group:account",
        "List accounts, and check what an account may do under the installation's policies.",
    ),
    "login": ("syncline.cli.login.login:login", "Log in to an API server; commands use it from then on."),
    "logout": ("syncline.cli.login.logout:logout", "Log out of an API server."),
    "context": ("syncline.cli.login.context:context", "List the logins to API servers, or switch to another one."),
    "admin": ("syncline.cli.admin.group:admin", "Compare, assess, plan and check files; print CRDs."),
    "controller": (
        "syncline.cli.run.controller:controller",
        "Run only the controller: no web page, no sandbox; one Lease per shard elects a leader.",
    ),
    "server": (
        "syncline.cli.run.server:server",
        "Serve the API and the web page of an installation, on the loopback address by default.",
    ),
    "install": (
        "syncline.cli.install.command:install",
        "Install Syncline into a cluster, or with --dry-run print the manifests.",
    ),
    "sandbox": ("syncline.cli.run.sandbox:sandbox", "Serve the embedded Kubernetes and write a kubeconfig for it."),
    "shadow": (
        "syncline.cli.shadow.group:shadow",
        "Compare verdicts and decisions with those of a running Argo CD, over days.",
    ),
    "scenario": (
        "syncline.cli.scenario.group:scenario",
        "List and play the stories of broken platforms that come with Syncline.",
    ),
    "facts": (
        "syncline.cli.cluster.facts:facts",
        "Describe a cluster in one file, for check, and so that the sandbox can imitate it.",
    ),
    "snapshot": (
        "syncline.cli.diagnose.snapshot:snapshot",
        "Write everything a diagnosis sees to one file, without secrets.",
    ),
    "completion": (
        "syncline.cli.completion:completion",
        "Print the completion script of a shell, for example: source <(syncline completion bash).",
    ),
}
_BROKEN_PIPE = 128 + 13


@click.group(cls=LazyGroup, commands_by_name=_COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="syncline")
def cli() -> None:
    """GitOps delivery for Kubernetes that explains itself and speaks Argo CD."""


def main(arguments: list[str] | None = None) -> None:
    """Run the program and leave with its exit code; started as `argocd` it takes that program's scripts."""
    failed = 2
    if argocd.called_as_argocd(sys.argv[0]):
        failed = argocd.FAILED
        arguments = _as_argocd(sys.argv[1:] if arguments is None else arguments)
    try:
        # None leaves the choice to click: colours on terminals.
        colours = False if os.environ.get("NO_COLOR") else None
        code: Any = cli.main(args=arguments, standalone_mode=False, color=colours)
    except click.exceptions.Abort:
        _leave("interrupted", 130)
    except click.ClickException as error:
        error.show()
        sys.exit(failed)
    except KeyboardInterrupt:
        _leave("interrupted", 130)
    except SystemExit as end:
        # click leaves with 1 when whoever reads our output went away; other programs die of that signal.
        sys.exit(_BROKEN_PIPE if end.code == 1 else end.code)
    except Exception as error:  # noqa: BLE001 - what is not meant for people is raised again
        _leave(_sentence(error), failed)
    sys.exit(code if isinstance(code, int) else 0)


def _as_argocd(given: list[str]) -> list[str]:
    """Return the arguments for this program; what has nothing to do here is answered at once."""
    arguments, dropped = argocd.translated([*shlex.split(os.environ.get("ARGOCD_OPTS", "")), *given])
    if dropped:
        terminal.echo(f"syncline: ignored {', '.join(dropped)}: not needed here", err=True)
    answer = argocd.answer(arguments)
    if answer is not None:
        terminal.echo(answer)
        sys.exit(0)
    return argocd.unasked(arguments, terminal=sys.stdout.isatty())


def _leave(sentence: str, code: int) -> None:
    from syncline.model.logins import without_logins

    terminal.echo(f"syncline: {without_logins(sentence)}", err=True)
    sys.exit(code)


def _sentence(error: Exception) -> str:
    """Return the sentence of an error that is meant for people; anything else is a bug and is raised again."""
    from syncline.apimachinery.keys import InvalidKey
    from syncline.apimachinery.yaml import YamlError
    from syncline.model.errors import SynclineError
    from syncline.ports.kube import ApiError
    from syncline.ports.transport import TransportError

    if isinstance(error, (SynclineError, ApiError, TransportError, YamlError, InvalidKey)):
        return str(error)
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return "this port is already in use; choose another with --port"
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)
    raise error
