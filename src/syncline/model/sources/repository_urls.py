"""Tells when two spellings of a repository's address mean the same, and which template an address falls under.

Used by `syncline.model.sources.access` to find credentials, and by whoever maps addresses to folders on this machine.
Two measures: `normalized` is Argo CD's (scheme and user count), for credentials; `spelling` is wider, for mirrors:
`git@host:team/shop.git`, `ssh://git@host:22/team/shop` and `https://host/team/shop/` are one repository.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

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


def place(url: str, *, plain_http: bool = False) -> tuple[str, int] | None:
    """Return host and port of the server of an address; None for paths of this machine."""
    name, found = host(url), _PARTS.fullmatch(url.strip().lower())
    if not name or found is None:
        return None
    if _kind(url) == "ssh" and (not found["port"] or found["scheme"] is None):
        return name, 22
    if found["port"]:
        return name, int(found["port"])
    # A registry has no scheme, or one that does not tell.
    plain = found["scheme"] == "http" or (plain_http and found["scheme"] in (None, "oci"))
    return name, 80 if plain else 443


def is_below(url: str, prefix: str) -> bool:
    """Whether an address starts with a prefix, on the same host: `https://git.example` is not `….example.evil`.

    A prefix with a port is for this port alone: `https://git.example:80` is not `https://git.example:8080`.
    """
    start = normalized(prefix)
    if start == "" or not normalized(url).startswith(start) or host(url) != host(prefix):
        return False
    wanted = _PARTS.fullmatch(prefix.strip().lower())
    return wanted is None or not wanted["port"] or place(url) == place(prefix)


@functools.lru_cache(maxsize=1024)
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


def mirrors(folders: Mapping[str, str]) -> dict[str, str]:
    """Return folders by everything that `mirror` looks for, given them by the addresses they stand in for."""
    found: dict[str, str] = {}
    for url, folder in folders.items():
        for kind in ("ssh", "web"):
            if kind != _kind(url) != "":
                found[f"{kind} {_without_port(spelling(url))}"] = folder
    return found | {spelling(url): folder for url, folder in folders.items()}


def mirror(known: Mapping[str, str], url: str) -> str:
    """Return the folder that stands in for an address, or nothing.

    Ports are compared between addresses of one kind only: a server has one for ssh and another one for https.
    """
    return known.get(spelling(url)) or known.get(f"{_kind(url)} {_without_port(spelling(url))}") or ""


def _kind(url: str) -> str:
    text = url.strip().lower()
    if text.startswith(("http://", "https://")):
        return "web"
    return "ssh" if text.startswith("ssh://") or ("://" not in text and _SSH.fullmatch(text)) else ""


def _without_port(text: str) -> str:
    place, slash, path = text.partition("/")
    return re.sub(r":\d+$", "", place) + slash + path


def login_hint(url: str) -> str:
    """Say what to do where a server wants a login; of servers whose passwords are not what they seem, say that too."""
    place = host(url)
    if place.endswith(".amazonaws.com") and ".dkr.ecr." in place:
        return "use the user AWS and the output of `aws ecr get-login-password`, valid for 12 hours; roles are not used"
    if place.endswith(".amazonaws.com") and place.startswith("git-codecommit"):
        return "use the HTTPS Git credentials of an IAM user; roles are not used"
    return "add credentials for this repository, or check the existing ones"
