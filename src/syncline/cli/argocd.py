"""Lets scripts written for `argocd` run unchanged: a program of that name that is really this one.

Opt-in: `ln -s "$(command -v syncline)" ~/bin/argocd`. `syncline.cli.main` asks `called_as_argocd`, hands the arguments
through `translated`, and leaves with Argo CD's exit code for errors. Only what talks to the Kubernetes API directly
(`argocd --core`) has a meaning here; flags about an API server that is not there are dropped with a word.
"""

from __future__ import annotations

from pathlib import PurePath

FAILED = 20
"""What `argocd` exits with when it could not answer."""
_FLAGS = frozenset({"--core", "--grpc-web", "--insecure", "--plaintext", "--port-forward", "--prompts-enabled"})
_VALUES = frozenset(
    {
        "--auth-token",
        "--argocd-context",
        "--client-crt",
        "--client-crt-key",
        "--config",
        "--controller-name",
        "--grpc-web-root-path",
        "--header",
        "-H",
        "--http-retry-max",
        "--logformat",
        "--loglevel",
        "--port-forward-namespace",
        "--redis-haproxy-name",
        "--redis-name",
        "--repo-server-name",
        "--server",
        "--server-crt",
        "--server-name",
    }
)
_RENAMED = {"--kube-context": "--context"}


def called_as_argocd(program: str) -> bool:
    """Whether the program was started under the name `argocd`."""
    return PurePath(program).name in ("argocd", "argocd.exe")


def translated(arguments: list[str]) -> tuple[list[str], list[str]]:
    """Return the arguments for this program, and the flags that were dropped because nothing here needs them."""
    kept: list[str] = []
    dropped: list[str] = []
    renamed: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        if argument == "--":
            kept += [argument, *rest]
        elif name in _FLAGS:
            dropped += [] if name == "--core" else [name]
        elif name in _VALUES:
            dropped.append(name)
            if not equals:
                next(rest, None)
        elif name in _RENAMED:
            renamed += [_RENAMED[name], value if equals else next(rest, "")]
        else:
            kept.append(argument)
    return [*kept, *renamed], dropped
