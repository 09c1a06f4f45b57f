"""Starts git: an argv list, no shell, no terminal, nobody's configuration, a time limit and an output limit.

Called by `syncline.adapters.git.cache` and `syncline.adapters.git.source`. Which protocols git may speak is
decided here: http, https and ssh, and local files only where the caller allows them. Every call that runs
over its limits, or whose caller goes away, is killed together with all its children.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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
_MAX_ERRORS = 64 * 1024
_DRAIN_SECONDS = 5.0


class GitFailed(Exception):
    """Git ended badly, was not found, took too long or printed too much; the text is what it said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one call may cost."""

    seconds: float = 90.0
    output: int = 64 * 1024 * 1024


async def run(
    arguments: Sequence[str],
    *,
    local: bool = False,
    environment: Mapping[str, str] | None = None,
    limits: Limits | None = None,
) -> bytes:
    """Run git and return what it printed; `local` lets it read repositories on this machine's disk."""
    limits = limits or Limits()
    settings = [text for setting in _SETTINGS for text in ("-c", setting)]
    try:
        process = await asyncio.create_subprocess_exec(
            "git",
            *settings,
            *arguments,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=_environment(environment or {}, local=local),
            start_new_session=True,
        )
    except FileNotFoundError:
        raise GitFailed("fatal: the program git was not found: install it") from None
    try:
        output, errors = await asyncio.wait_for(_outputs(process, limits), limits.seconds)
    except TimeoutError:
        await _end(process)
        raise GitFailed(f"fatal: no answer within {limits.seconds:g} seconds") from None
    except BaseException:
        await _end(process)
        raise
    if process.returncode != 0:
        raise GitFailed(errors.decode("utf-8", "replace"))
    return output


def _environment(extra: Mapping[str, str], *, local: bool) -> dict[str, str]:
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    protocols = "http:https:ssh:file" if local else "http:https:ssh"
    return {**passed_on, **_FIXED, "GIT_ALLOW_PROTOCOL": protocols, **extra}


async def _outputs(process: asyncio.subprocess.Process, limits: Limits) -> tuple[bytes, bytes]:
    output, errors = process.stdout, process.stderr
    if output is None or errors is None:
        raise GitFailed("fatal: git was started without pipes")
    telling = asyncio.create_task(_told(errors))
    try:
        printed = await _printed(output, limits.output)
        told = await telling
    finally:
        telling.cancel()
    await process.wait()
    return printed, told


async def _printed(stream: asyncio.StreamReader, limit: int) -> bytes:
    parts: list[bytes] = []
    left = limit
    while piece := await stream.read(65536):
        left -= len(piece)
        if left < 0:
            raise GitFailed(f"fatal: git printed more than {limit} bytes")
        parts.append(piece)
    return b"".join(parts)


async def _told(stream: asyncio.StreamReader) -> bytes:
    """Keep the end of what git complains about: the cause comes last."""
    kept = b""
    while piece := await stream.read(65536):
        kept = (kept + piece)[-_MAX_ERRORS:]
    return kept


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill git and whatever it started; the group is still there when git itself has ended and a helper hangs."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_DRAIN_SECONDS):
            # The event loop counts a process as ended only when its pipes were read to their end.
            for stream in (process.stdout, process.stderr):
                while stream is not None and await stream.read(65536):
                    pass
            await process.wait()
