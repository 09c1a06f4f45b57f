"""Options that many commands share: which cluster, which namespace, which output."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from syncline.ports.kube import Cluster

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


@dataclass(frozen=True, slots=True)
class Chosen:
    """The cluster and the control-plane namespace a command was pointed at."""

    kubeconfig: str = ""
    context: str = ""
    namespace: str = "argocd"

    def connected(self) -> AbstractAsyncContextManager[tuple[Cluster, str]]:
        """Connect; yields the cluster's client, and the words for it."""
        from syncline import wiring

        return wiring.connected(kubeconfig=self.kubeconfig, context=self.context)


def chosen_cluster(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of `cluster_options`; the command takes them as one `chosen`."""

    @functools.wraps(command)
    def with_cluster(*args: Any, kubeconfig: str, context: str, app_namespace: str, **options: Any) -> Any:
        return command(*args, chosen=Chosen(kubeconfig, context, app_namespace), **options)

    return cluster_options(with_cluster)


def compat_option(command: F) -> F:
    """Add `--compat`: whose behaviour to follow; without it the settings decide."""
    return click.option(
        "--compat",
        type=click.Choice(("syncline", "argocd")),
        help="Whose behaviour to follow where Syncline differs from Argo CD (else what the settings say, else ours).",
    )(command)


def output_option(*formats: str) -> Callable[[F], F]:
    """Add `-o` with the formats that fit a command; the first is the default."""
    return click.option(
        "-o", "--output", type=click.Choice(formats), default=formats[0], show_default=True, help="Output format."
    )
