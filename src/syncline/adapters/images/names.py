"""Reads the name of an image and the logins of a pull secret, as container runtimes do.

Used by `syncline.adapters.images.lookup`. A name without a registry is one of the Docker Hub.
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import Any

import msgspec

_HUB = "docker.io"
_HUB_PLACE = "registry-1.docker.io"
_TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


class ImageName(msgspec.Struct, frozen=True):
    """The parts of an image's name."""

    registry: str
    repository: str
    reference: str

    @property
    def place(self) -> str:
        """Host and port that answer for the registry."""
        return _HUB_PLACE if self.registry == _HUB else self.registry


class Login(msgspec.Struct, frozen=True):
    """User and password for a registry, or for a part of it."""

    registry: str
    path: str
    username: str
    password: str

    def __repr__(self) -> str:
        return f"Login({self.registry}/{self.path})"


def parse_image(text: str) -> ImageName | None:
    """Return the parts of a name, or None where it is none; a digest counts before a tag."""
    name, _, digest = text.partition("@")
    first, slash, rest = name.partition("/")
    if not slash:
        registry, path = _HUB, f"library/{name}"
    elif "." in first or ":" in first or first == "localhost":
        registry, path = first.lower(), rest
    else:
        registry, path = _HUB, name
    head, colon, tag = path.rpartition(":")
    repository = head if colon and "/" not in tag else path
    reference = digest or (tag if colon and "/" not in tag else "latest")
    if not repository or not (_TAG.fullmatch(reference) or _DIGEST.fullmatch(reference)):
        return None
    return ImageName(registry, repository, reference)


def parse_logins(text: str) -> list[Login]:
    """Return the logins of a `.dockerconfigjson`; what cannot be read is left out."""
    try:
        auths = msgspec.json.decode(text, type=dict[str, Any]).get("auths")
    except (msgspec.DecodeError, msgspec.ValidationError, RecursionError):
        return []
    if not isinstance(auths, dict):
        return []
    return [login for place, entry in auths.items() if (login := _login(str(place), entry)) is not None]


def login_for(image: ImageName, logins: list[Login]) -> Login | None:
    """Return the login of the longest path that an image lies below."""
    fitting = [
        login
        for login in logins
        if login.registry == image.registry
        and f"{image.repository}/".startswith(f"{login.path}/" if login.path else "")
    ]
    return max(fitting, key=lambda login: len(login.path), default=None)


def _login(place: str, entry: Any) -> Login | None:
    if not isinstance(entry, dict):
        return None
    username, password = str(entry.get("username") or ""), str(entry.get("password") or "")
    if not username and entry.get("auth"):
        try:
            username, _, password = base64.b64decode(str(entry["auth"]), validate=True).decode().partition(":")
        except (binascii.Error, ValueError):
            return None
    registry, _, path = place.partition("://")[2].partition("/") if "://" in place else place.partition("/")
    registry = _HUB if registry in ("index.docker.io", _HUB_PLACE) else registry.lower()
    path = "" if path.strip("/") in ("v1", "v2") else path.strip("/")
    return Login(registry, path, username, password) if username else None
