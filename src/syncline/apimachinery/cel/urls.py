"""URLs in expressions, taken apart as Go's `url.ParseRequestURI` does."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Final

from syncline.apimachinery.cel.overloads import Functions
from syncline.apimachinery.cel.regexes import quoted
from syncline.apimachinery.cel.values import Fault, Opaque

FUNCTIONS: Final = Functions()
_add = FUNCTIONS.add
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):", re.ASCII)
_BAD_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2}).{0,2}")
_ENCODED: Final = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:@\[\]%/]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Url(Opaque):
    """An absolute URL, or an absolute path."""

    type_name: ClassVar[str] = "kubernetes.URL"
    scheme: str
    host: str
    path: str
    query: str

    @property
    def hostname(self) -> str:
        """The host without its port."""
        if self.host.startswith("["):
            return self.host[1:].partition("]")[0]
        return self.host.partition(":")[0]

    @property
    def port(self) -> str:
        """The port alone."""
        return self.host.rpartition("]")[2].rpartition(":")[2] if ":" in self.host.rpartition("]")[2] else ""


def parse(text: str) -> Url:
    """Take a URL apart; raises ValueError in Go's words."""
    if any(ord(letter) < 0x20 or letter == "\x7f" for letter in text):
        raise ValueError("net/url: invalid control character in URL")
    if not text:
        raise ValueError("empty url")
    rest, scheme = text, ""
    found = _SCHEME.match(rest)
    if found is not None:
        scheme, rest = found[1].lower(), rest[found.end() :]
    elif rest.startswith(":"):
        raise ValueError("missing protocol scheme")
    rest, _, query = rest.partition("?")
    if not rest.startswith("/"):
        if scheme:
            return Url(scheme, "", "", query)
        raise ValueError("invalid URI for request")
    host = ""
    if scheme and rest.startswith("//") and not rest.startswith("///"):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
        host = _host(authority.rpartition("@")[2])
    bad = _BAD_ESCAPE.search(rest)
    if bad:
        raise ValueError(f"invalid URL escape {quoted(bad[0])}")
    return Url(scheme, host, rest, query)


def _host(text: str) -> str:
    if text.startswith("["):
        inner, closed, after = text.partition("]")
        if not closed:
            raise ValueError("missing ']' in host")
        name, port = inner, after
    else:
        name, colon, number = text.partition(":")
        port = colon + number
    if not re.fullmatch(r"(:\d*)?", port, re.ASCII):
        raise ValueError(f"invalid port {quoted(port)} after host")
    wrong = re.search(r"[ \"<>\\^`{|}]", name)
    if wrong:
        raise ValueError(f"invalid character {quoted(wrong[0])} in host name")
    return text


def _url(text: str) -> Url:
    try:
        return parse(text)
    except ValueError as error:
        raise Fault(f"URL parse error during conversion from string: parse {quoted(text)}: {error}") from None


def _is_url(text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


def _unquoted(text: str) -> str:
    parts = re.split(r"%([0-9A-Fa-f]{2})", text)
    raw = b"".join(bytes.fromhex(part) if place % 2 else part.encode() for place, part in enumerate(parts))
    return raw.decode(errors="replace")


def _escaped(path: str) -> str:
    if _ENCODED.fullmatch(path):
        return path
    kept = re.compile(rb"[A-Za-z0-9\-._~$&+,/:;=@]")
    raw = _unquoted(path).encode()
    return "".join(chr(one) if kept.fullmatch(bytes([one])) else f"%{one:02X}" for one in raw)


def _query(text: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for part in text.split("&"):
        if part:
            name, _, value = part.replace("+", " ").partition("=")
            found.setdefault(_unquoted(name), []).append(_unquoted(value))
    return found


_add("isURL", "(string) bool", does=_is_url)
_add("url", "(string) kubernetes.URL", does=_url)
_add("getScheme", "kubernetes.URL.() string", does=lambda a: a.scheme)
_add("getHost", "kubernetes.URL.() string", does=lambda a: a.host)
_add("getHostname", "kubernetes.URL.() string", does=lambda a: a.hostname)
_add("getPort", "kubernetes.URL.() string", does=lambda a: a.port)
_add("getEscapedPath", "kubernetes.URL.() string", does=lambda a: _escaped(a.path))
_add(
    "getQuery",
    "kubernetes.URL.() map(string, list(string))",
    does=lambda a: _query(a.query),
)
