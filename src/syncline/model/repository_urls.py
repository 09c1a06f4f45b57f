"""Tells when two spellings of a repository's address mean the same, and which template an address falls under.

Used by `syncline.model.repository` to find credentials, and by whoever maps addresses to folders on this machine.
Two measures: `normalized` is Argo CD's (scheme and user count), for credentials; `spelling` is wider, for mirrors:
`git@host:team/shop.git`, `ssh://git@host:22/team/shop` and `https://host/team/shop/` are one repository.
"""

from __future__ import annotations

import re

_SSH = re.compile(r"(?:ssh://)?[^/:]*?@[^@]+")
_PARTS = re.compile(
    r"(?:(?P<scheme>[a-z][a-z0-9+.-]*)://)?(?:[^/@]*@)?(?P<host>\[[^\]]*\]|[^/:]*)(?::(?P<port>\d+)(?=/|$))?(?P<rest>.*)",
    re.DOTALL,
)
_USUAL_PORTS = {"22", "80", "443", "9418", ""}


def normalized(url: str) -> str:
    """Return the form in which Argo CD compares addresses: lower case, no `.git`, one form for ssh."""
    text = url.strip().lower()
    if _SSH.fullmatch(text) and not text.startswith("ssh://"):
        text = text.replace(":", "/", 1)
    return text.removesuffix(".git").removeprefix("ssh://")


def same(left: str, right: str) -> bool:
    """Whether two addresses are the same to Argo CD."""
    return normalized(left) != "" and normalized(left) == normalized(right)


def host(url: str) -> str:
    """Return the host of an address in lower case, without user and port; empty for paths of this machine."""
    text = url.strip().lower()
    if text.startswith(("/", "file:", "./", "../")):
        return ""
    found = _PARTS.fullmatch(text)
    return found["host"].strip("[]") if found else ""


def is_below(url: str, prefix: str) -> bool:
    """Whether an address starts with a prefix, and has the same host: `https://git.example` is not `….example.evil`."""
    start = normalized(prefix)
    return start != "" and normalized(url).startswith(start) and host(url) == host(prefix)


def spelling(url: str) -> str:
    """Return what all spellings of one repository's address have in common: host, unusual port and path."""
    text = url.strip()
    if text.startswith(("/", "file:")):
        return "file:" + (text.removeprefix("file://").rstrip("/").removesuffix("/.git").removesuffix(".git") or "/")
    found = _PARTS.fullmatch(text.lower())
    if found is None:
        return text.lower()
    port = "" if (found["port"] or "") in _USUAL_PORTS else f":{found['port']}"
    rest = found["rest"]
    if rest.startswith(":") and found["scheme"] is None:
        rest = rest[1:]
    path = "/".join(step for step in rest.split("/") if step)
    return f"{found['host']}{port}/{path.removesuffix('.git')}".rstrip("/")
