"""Options that many commands share: which cluster, which namespace, which output."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
PORT = click.IntRange(0, 65535)


def cluster_options(command: F) -> F:
    """Add the options that choose a cluster and the control-plane namespace."""
    command = click.option("--kubeconfig", default="", help="Kubeconfig file (else KUBECONFIG, else the usual place).")(
        command
    )
    command = click.option("--context", default="", help="Context of the kubeconfig.")(command)
    return click.option(
        "-N", "--app-namespace", default="argocd", show_default=True, help="Namespace that holds the Applications."
    )(command)


def output_option(*formats: str) -> Callable[[F], F]:
    """Add `-o` with the formats that fit a command; the first is the default."""
    return click.option(
        "-o", "--output", type=click.Choice(formats), default=formats[0], show_default=True, help="Output format."
    )
