"""Lets scripts written for `argocd` run unchanged: a program of that name that is really this one.

Opt-in: `ln -s "$(command -v syncline)" ~/bin/argocd`. `syncline.cli.main` asks `called_as_argocd`, hands the arguments
through `translated`, and leaves with Argo CD's exit code for errors. A script that names its server, by a flag, by the
environment or by a login, is never run anywhere else; without any of them the Kubernetes API is used, as with
`argocd --core`. Flags about how `argocd` talks to its server are dropped with a word. What `argocd` does without asking
is not asked either.
"""

from __future__ import annotations

from pathlib import PurePath

from syncline import __version__

FAILED = 20
"""What `argocd` exits with when it could not answer."""
_FLAGS = frozenset({"--grpc-web", "--prompts-enabled"})
_SERVER_FLAGS = frozenset({"--core", "--insecure", "--plaintext"})
_SERVER_VALUES = frozenset({"--auth-token", "--argocd-context", "--server"})
"""What chooses the server: `argocd` takes it anywhere, a command of ours behind its name."""
_VALUES = frozenset(
    {
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
        "--redis-haproxy-name",
        "--redis-name",
        "--repo-server-name",
        "--server-crt",
        "--server-name",
    }
)
_RENAMED = {"--kube-context": "--context"}
_NEVER_ASKED = (("app", "delete-resource"), ("cluster", "rm"))
"""What `argocd` does at once."""
_ASKED_ON_A_TERMINAL = (("app", "delete"), ("cluster", "add"))
"""What `argocd` asks about only where somebody sees the question."""


def called_as_argocd(program: str) -> bool:
    """Whether the program was started under the name `argocd`."""
    return PurePath(program).name in ("argocd", "argocd.exe")


def answer(arguments: list[str]) -> str | None:
    """Return what to say to `version`, and to a login to no server; None for all others."""
    if arguments[:1] == ["version"]:
        return f"argocd: v{__version__} (syncline)"
    if arguments[:1] == ["login"] and "--core" in arguments:
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
    moved: list[str] = []
    behind: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        name, equals, value = argument.partition("=")
        is_switch = not equals or value.lower() in ("true", "false")
        if argument == "--":
            behind = [argument, *rest]
        elif name in _FLAGS and is_switch:
            dropped.append(name)
        elif name in _SERVER_FLAGS and is_switch:
            moved += [] if value.lower() == "false" else [name]
        elif name in _VALUES:
            dropped.append(name)
            if not equals:
                next(rest, None)
        elif name in _RENAMED or name in _SERVER_VALUES:
            moved += [_RENAMED.get(name, name), value if equals else next(rest, "")]
        else:
            kept.append(argument)
    return [*kept, *moved, *behind], dropped
