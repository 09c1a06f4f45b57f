"""Decides which repository addresses are read, and keeps credentials out of everything that is shown.

Used by everything in `syncline.adapters.git`. An address comes from an Application, which strangers may
write: what is no plain http, https, ssh or permitted local address is refused before git starts. Credentials
inside an address go to git through its environment and are part of the cache's key, so that nobody reads a
private cache without them.
"""

from __future__ import annotations

import base64
import hashlib
import pathlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit, urlunsplit

from syncline.model.errors import SourceError

_SCP = re.compile(r"(?:[A-Za-z0-9._~+-]+@)?[A-Za-z0-9][A-Za-z0-9.-]*:(?!/?/)[^:]\S*")
_USER_INFO = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*://)[^/\s'\"]*@")
_PAIRS = re.compile(r"(?i)\b((?:access_|private_|api_)?(?:token|password|passwd|secret|key)=)[^&\s'\"]+")
_TOKENS = re.compile(
    r"\b(?:gh[a-z]_[A-Za-z0-9]{16,}|github_pat_\w{20,}|glpat-[\w-]{16,}|(?:Bearer|Basic) [\w.~+/=-]{8,})"
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def scrub(text: str) -> str:
    """Return the text without what looks like a credential."""
    text = _USER_INFO.sub(r"\1", text)
    text = _PAIRS.sub(r"\1***", text)
    return _TOKENS.sub("***", text)


@dataclass(frozen=True, slots=True)
class Address:
    """A repository git may be asked for."""

    url: str
    """As given to git: without credentials."""
    key: str
    """Name of the cache folder."""
    local: bool = False
    environment: dict[str, str] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        return self.url


def parse(text: str, *, local_folders: Sequence[str] = ()) -> Address:
    """Return the address, or raise `SourceError` saying why this one is never read."""
    if not text:
        raise SourceError("repoURL is empty")
    if _CONTROL.search(text) or text != text.strip():
        raise SourceError(f"invalid repoURL {scrub(text)!r}: spaces around it and control characters are not allowed")
    if text.startswith("-"):
        raise SourceError(f"invalid repoURL {scrub(text)!r}: it may not start with a dash")
    if text.startswith(("http://", "https://", "ssh://")):
        return _network(text)
    if text.startswith(("/", "file:///")):
        return _local(text, local_folders)
    if "::" not in text and "://" not in text and _SCP.fullmatch(text):
        return Address(text, _key(text))
    raise SourceError(f"invalid repoURL {scrub(text)!r}: write an https://, http:// or ssh:// address")


def _network(text: str) -> Address:
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise SourceError(f"invalid repoURL {scrub(text)!r}: host or port cannot be read") from None
    if not host or host.startswith("-") or (parts.username or "").startswith("-"):
        raise SourceError(f"invalid repoURL {scrub(text)!r}: it names no host")
    # Credentials differ, access differs: the digest of the address covers them.
    address = f"[{host}]" if ":" in host else host
    address = f"{address}:{port}" if port else address
    key = _key(urlunsplit((parts.scheme, f"{parts.username}:{parts.password}@{address}", parts.path, parts.query, "")))
    if parts.scheme == "ssh":
        user = f"{parts.username}@" if parts.username else ""
        return Address(urlunsplit(("ssh", user + address, parts.path, "", "")), key)
    url = urlunsplit((parts.scheme, address, parts.path, parts.query, ""))
    return Address(url, key, environment=_login(url, parts.username, parts.password))


def _login(url: str, user: str | None, password: str | None) -> dict[str, str]:
    if user is None and password is None:
        return {}
    pair = f"{unquote(user or '')}:{unquote(password or '')}"
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"http.{url}.extraHeader",
        "GIT_CONFIG_VALUE_0": f"Authorization: Basic {base64.b64encode(pair.encode()).decode()}",
    }


def _local(text: str, folders: Sequence[str]) -> Address:
    path = pathlib.Path(unquote(text.removeprefix("file://")) if text.startswith("file:") else text).resolve()
    if not any(path.is_relative_to(pathlib.Path(folder).resolve()) for folder in folders):
        hint = "only repositories reached over https, http or ssh are allowed here"
        raise SourceError(f"repository not permitted: {text} is a local path", hint=hint)
    return Address(str(path), _key(str(path)), local=True)


def _key(text: str) -> str:
    normal = text.rstrip("/").removesuffix(".git")
    return hashlib.sha256(normal.encode()).hexdigest()
