"""Lets scripts written for `argocd` run unchanged: a program of that name that is really this one.

Opt-in: `ln -s "$(command -v syncline)" ~/bin/argocd`. `syncline.cli.main` asks `called_as_argocd`, hands the arguments
through `translated`, and leaves with Argo CD's exit code for errors. Only what talks to the Kubernetes API directly
(`argocd --core`) has a meaning here; flags about an API server that is not there are dropped with a word, and there is
nothing to log in to. What `argocd` does without asking is not asked either.
"""

from __future__ import annotations

from pathlib import PurePath

from syncline import __version__

FAILED = 20
"""What `argocd` exits with when it could not answer."""
_FLAGS = frozenset({"--core", "--grpc-web", "--insecure", "--plaintext", "--port-forward", "--prompts-enabled"})
_VALUES = frozenset(
    {
        "--auth-token",
        "--argocd-context",
        "--core-config",
        "--redis-compress",
        "--redis-url",
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
_LOGINS = ("login", "logout", "relogin", "context")
_NEVER_ASKED = (("app", "delete-resource"), ("cluster", "rm"))
"""What `argocd` does at once."""
_ASKED_ON_A_TERMINAL = (("app", "delete"), ("cluster", "add"))
"""What `argocd` asks about only where somebody sees the question."""


def called_as_argocd(program: str) -> bool:
    """Whether the program was started under the name `argocd`."""
    return PurePath(program).name in ("argocd", "argocd.exe")


def answer(arguments: list[str]) -> str | None:
    """Return what to say to a command that has nothing to do here, and to `version`; None for all others."""
    if arguments[:1] == ["version"]:
        return f"argocd: v{__version__} (syncline)"
    if arguments[:1] and arguments[0] in _LOGINS:
        return "nothing to log in to: the Kubernetes API is used directly, with your kubeconfig"
    return None


def unasked(arguments: list[str], *, terminal: bool) -> list[str]:
    """Return the arguments with `--yes` where `argocd` would not ask."""
    verb = tuple(one for one in arguments if not one.startswith("-"))[:2]
    if verb in _NEVER_ASKED or (verb in _ASKED_ON_A_TERMINAL and not terminal):
        place = arguments.index("--") if "--" in arguments else len(arguments)
        return [*arguments[:place], "--yes", *arguments[place:]]
    return arguments


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
        elif name in _FLAGS and (not equals or value.lower() in ("true", "false")):
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
