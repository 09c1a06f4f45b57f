"""Takes URLs apart and puts them together as Go's net/url does.

Part of the table in `syncline.core.appset.functions`.
"""

from __future__ import annotations

import re
from typing import Any

from syncline.core.appset.gotemplate.errors import CallError
from syncline.core.appset.gotemplate.functions import Function
from syncline.core.appset.gotemplate.quoting import from_bytes, quote, to_bytes
from syncline.core.appset.gotemplate.values import kind_name

_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
_KEPT = {
    "path": frozenset(_LETTERS + b"$&+/:=@,;"),
    "user": frozenset(_LETTERS + b"$&+,;="),
    "fragment": frozenset(_LETTERS + b"$&+,/:;=?@!()*"),
    "host": frozenset(_LETTERS + b"!$&'()*+,;=:[]<>\""),
}
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*")
_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})")
_PORT = re.compile(r"(?::[0-9]*)?")
_USER = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*")


class _Invalid(Exception):
    """What Go says is wrong with a URL."""


def _unescaped(text: str, what: str) -> str:
    if "%" not in text:
        return text
    wrong = _ESCAPE.search(text)
    if wrong:
        raise _Invalid(f"invalid URL escape {quote(text[wrong.start() : wrong.start() + 3])}")
    data = bytearray()
    row = to_bytes(text)
    at = 0
    while at < len(row):
        if row[at] == 37:
            data.append(int(row[at + 1 : at + 3], 16))
            if what == "host" and data[-1] < 128 and row[at : at + 3] != b"%25":
                raise _Invalid(f"invalid URL escape {quote(from_bytes(row[at : at + 3]))}")
            at += 3
        else:
            data.append(row[at])
            at += 1
    return from_bytes(bytes(data))


def _escaped(text: str, what: str) -> str:
    kept = _KEPT[what]
    return "".join(chr(byte) if byte in kept else f"%{byte:02X}" for byte in to_bytes(text))


def _host(text: str) -> str:
    if text.startswith("["):
        end = text.rfind("]")
        if end < 0:
            raise _Invalid("missing ']' in host")
        port = text[end + 1 :]
    else:
        colon = text.rfind(":")
        port = text[colon:] if colon >= 0 else ""
    if port and not (port[0] == ":" and _PORT.fullmatch(port)):
        raise _Invalid(f"invalid port {quote(port)} after host")
    for char in text:
        if char in ' "<>' and char == " ":
            raise _Invalid(f"invalid character {quote(char)} in host name")
    return _unescaped(text, "host")


def _split(url: str) -> dict[str, Any]:
    rest, mark, fragment = url.partition("#")
    parts = dict.fromkeys(("scheme", "host", "hostname", "path", "query", "opaque", "fragment", "userinfo"), "")
    if any(char < " " or char == "\x7f" for char in rest):
        raise _Invalid("net/url: invalid control character in URL")
    parts["fragment"] = _unescaped(fragment, "fragment") if mark else ""
    if rest == "*":
        return {**parts, "path": "*"}
    rest = _take_scheme(rest, parts)
    rest, _, parts["query"] = rest.partition("?")
    if not rest.startswith("/"):
        if parts["scheme"]:
            return {**parts, "opaque": rest}
        if ":" in rest.partition("/")[0]:
            raise _Invalid("first path segment in URL cannot contain colon")
    if rest.startswith("//") and not (not parts["scheme"] and rest.startswith("///")):
        authority, slash, path = rest[2:].partition("/")
        rest = slash + path
        _take_authority(authority, parts)
    parts["path"] = _unescaped(rest, "path")
    return parts


def _take_scheme(rest: str, parts: dict[str, Any]) -> str:
    if rest.startswith(":"):
        raise _Invalid("missing protocol scheme")
    found = _SCHEME.match(rest)
    if found and rest[found.end() : found.end() + 1] == ":":
        parts["scheme"] = found[0].lower()
        return rest[found.end() + 1 :]
    return rest


def _take_authority(authority: str, parts: dict[str, Any]) -> None:
    user, at, host = authority.rpartition("@")
    if at:
        if not _USER.fullmatch(user):
            raise _Invalid("net/url: invalid userinfo")
        name, colon, password = user.partition(":")
        parts["userinfo"] = _escaped(_unescaped(name, "user"), "user")
        if colon:
            parts["userinfo"] += ":" + _escaped(_unescaped(password, "user"), "user")
    parts["host"] = _host(host)
    bare = parts["host"]
    if bare.startswith("[") and "]" in bare:
        parts["hostname"] = bare[1 : bare.rfind("]")]
    else:
        name, colon, port = bare.rpartition(":")
        parts["hostname"] = name if colon and (not port or port.isdecimal()) else bare


def _parse(url: str) -> dict[str, Any]:
    try:
        return _split(url)
    except _Invalid as error:
        raise CallError(f"unable to parse url: parse {quote(url)}: {error}") from None


def _text(parts: dict[str, Any], key: str) -> str:
    value = parts.get(key, "")
    if not isinstance(value, str):
        if value is None:
            raise CallError("runtime error: invalid memory address or nil pointer dereference")
        raise CallError(f"unable to parse {key} key, must be of type string, but {kind_name(value)} found")
    return value


def _joined(parts: dict[str, Any]) -> str:
    keys = ("scheme", "host", "path", "query", "opaque", "fragment", "userinfo")
    scheme, host, path, query, opaque, fragment, userinfo = (_text(parts, key) for key in keys)
    user = ""
    if userinfo:
        try:
            user = _split(f"proto://{userinfo}@host")["userinfo"]
        except _Invalid as error:
            told = f"parse {quote(f'proto://{userinfo}@host')}: {error}"
            raise CallError(f"unable to parse userinfo in dict: {told}") from None
    made = f"{scheme}:" if scheme else ""
    if opaque:
        made += opaque
    else:
        if scheme or host or user:
            made += _authority(host, path, user, userinfo)
        escaped = "*" if path == "*" else _escaped(path, "path")
        if escaped and escaped[0] != "/" and host:
            made += "/"
        if not made and ":" in escaped.partition("/")[0]:
            made += "./"
        made += escaped
    made += f"?{query}" if query else ""
    return made + (f"#{_escaped(fragment, 'fragment')}" if fragment else "")


def _authority(host: str, path: str, user: str, userinfo: str) -> str:
    made = "//" if host or path or userinfo else ""
    if userinfo:
        made += f"{user}@"
    return made + (_escaped(host, "host") if host else "")


URLS: dict[str, Function] = {
    "urlJoin": Function(_joined, "dict"),
    "urlParse": Function(_parse, "string"),
}
