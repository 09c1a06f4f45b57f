"""The `syncline` program: finds the command and turns errors into one sentence and an exit code.

Exit codes: 0 fine, 1 the answer is no, 2 could not answer, 130 interrupted.
"""

from __future__ import annotations

import errno
import sys
from typing import Any

import click

from syncline import __version__
from syncline.cli.lazy import LazyGroup

_COMMANDS = {
    "demo": ("syncline.cli.demo:demo", "See it work in a minute: an embedded Kubernetes and an example app."),
    "up": ("syncline.cli.up:up", "Deliver continuously, to the embedded Kubernetes or to a real cluster."),
    "app": ("syncline.cli.app:app", "List, show, sync and explain Applications."),
    "why": ("syncline.cli.app:why", "Say why an Application is not Synced and Healthy, on one screen."),
    "admin": ("syncline.cli.admin:admin", "Compare, assess, plan and check files; print CRDs."),
    "sandbox": ("syncline.cli.sandbox:sandbox", "Serve the embedded Kubernetes and write a kubeconfig for it."),
}


@click.group(cls=LazyGroup, commands_by_name=_COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="syncline")
def cli() -> None:
    """GitOps delivery for Kubernetes that explains itself, in Argo CD's own language."""


def main(arguments: list[str] | None = None) -> None:
    """Run the program and leave with its exit code."""
    try:
        code: Any = cli.main(args=arguments, standalone_mode=False)
    except click.exceptions.Abort:
        _leave("interrupted", 130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except KeyboardInterrupt:
        _leave("interrupted", 130)
    except Exception as error:  # noqa: BLE001 - what is not meant for people is raised again
        _leave(_sentence(error), 2)
    sys.exit(code if isinstance(code, int) else 0)


def _leave(sentence: str, code: int) -> None:
    click.echo(f"syncline: {sentence}", err=True)
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
        return "another program uses this port already; choose another with --port"
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else str(error)
    raise error
