"""Starts git: an argv list, no shell, no terminal, nobody's configuration, a time limit and an output limit.

Called by `syncline.adapters.git.cache` and `syncline.adapters.git.source`. Which protocols git may speak is
decided here: http, https and ssh, and local files only where the caller allows them. The limits are kept by
`syncline.processes`.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence

from syncline import processes

_PASSED_ON = (
    "PATH",
    "HOME",
    "SSH_AUTH_SOCK",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
)
_FIXED = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ASKPASS": "true",
    "GIT_SSH_COMMAND": "ssh -o BatchMode=yes",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "credential.helper=",
    "fetch.recurseSubmodules=false",
    # Packs only: libgit2 reads a loose object that was cut short for ever, a pack it refuses.
    "fetch.unpackLimit=1",
    "gc.auto=0",
    "maintenance.auto=false",
    "http.lowSpeedLimit=1000",
    "http.lowSpeedTime=30",
)


class GitFailed(Exception):
    """Git ended badly, was not found, took too long or printed too much; the text is what it said."""


async def run(
    arguments: Sequence[str],
    *,
    local: bool = False,
    environment: Mapping[str, str] | None = None,
    limits: processes.ProcessLimits | None = None,
) -> bytes:
    """Run git and return what it printed; `local` lets it read repositories on this machine's disk."""
    settings = [text for setting in _SETTINGS for text in ("-c", setting)]
    return await _printed(("git", *settings, *arguments), _environment(environment or {}, local=local), limits)


async def run_ssh(place: Sequence[str], command: Sequence[str], environment: Mapping[str, str]) -> bytes:
    """Run a command on an ssh server as git would; `place` are the arguments that name it."""
    ssh = shlex.split(environment.get("GIT_SSH_COMMAND", _FIXED["GIT_SSH_COMMAND"]))
    words = (*ssh, *place, " ".join(shlex.quote(word) for word in command))
    return await _printed(words, _environment(environment, local=False))


async def _printed(
    words: Sequence[str], environment: Mapping[str, str], limits: processes.ProcessLimits | None = None
) -> bytes:
    """Run a program and return what it printed; raises `GitFailed` in the words git would use."""
    try:
        ended = await processes.run(words, environment=environment, limits=limits)
    except processes.NotStarted:
        raise GitFailed(f"fatal: the program {words[0]} was not found: install it") from None
    except processes.OverLimit as over:
        raise GitFailed(f"fatal: {words[0]} {over}") from None
    if ended.code != 0:
        raise GitFailed(ended.complaint())
    return ended.output


def _environment(extra: Mapping[str, str], *, local: bool) -> dict[str, str]:
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    protocols = "http:https:ssh:file" if local else "http:https:ssh"
    return {**passed_on, **_FIXED, "GIT_ALLOW_PROTOCOL": protocols, **extra}
