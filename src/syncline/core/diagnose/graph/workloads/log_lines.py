"""The line of a log that tells why a program ended, and what such a line is about.

Shared by the checks on containers that crash. Lines are read from the end: the last complaint is the nearest to the
end, and stack traces, which follow it, say where and not why.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import Any

import msgspec


class About(Enum):
    """What a program complains about."""

    UNREACHABLE = auto()
    LOGIN = auto()
    PERMISSION = auto()
    FORBIDDEN = auto()
    FULL = auto()
    PORT = auto()
    COMMAND = auto()
    PLATFORM = auto()
    CONFIG = auto()
    OTHER = auto()


class Told(msgspec.Struct, frozen=True):
    """A telling line, what it is about, and the host and port that it names."""

    line: str
    about: About
    host: str = ""
    port: str = ""


# Neither the time of a line (`09:54:39`) nor a place in a program (`main.go:190`) is a host.
_SOURCES = "".join(rf"(?<!\.{ending})" for ending in ("go", "py", "js", "ts", "rb", "rs", "cpp", "java"))
_HOST = rf"(?P<host>(?!\d+\b(?!\.))[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?{_SOURCES})"
_LOOKUPS = (
    re.compile(
        rf"(?:could not translate host name|resolve|getaddrinfo)[^\w]*{_HOST}.*Temporary failure in name resolution"
    ),
    re.compile(rf"lookup {_HOST}[: ](?:.*?)(?:no such host|server misbehaving|i/o timeout)"),
    re.compile(rf"getaddrinfo (?:ENOTFOUND|EAI_AGAIN) {_HOST}"),
    re.compile(rf"could not translate host name \"{_HOST}\""),
    re.compile(rf"UnknownHostException: {_HOST}"),
    re.compile(rf"Unknown MySQL server host '{_HOST}'"),
    re.compile(rf"Failed to resolve '{_HOST}'"),
    re.compile(rf"(?:cannot|could not|couldn't|failed to) resolve (?:host(?:name)? )?[\"']?{_HOST}", re.IGNORECASE),
    re.compile(rf"(?:bad address|nc: bad address) '?{_HOST}'?"),
)
_NUMBERED = r"(?:\d{1,3}\.){3}\d{1,3}"
_DIALS = (
    # Java and Netty write a name and what it was resolved to: `redis/10.96.3.14:6379`.
    re.compile(rf"{_HOST}/(?:<unresolved>|{_NUMBERED}):(?P<port>\d+)"),
    re.compile(rf"dial tcp: lookup {_HOST}: .*?(?:connection refused|i/o timeout|no route to host)"),
    re.compile(rf"dial tcp(?: {_HOST}:(?P<port>\d+))?.*?(?:connection refused|i/o timeout|no route to host)"),
    re.compile(rf"connect ECONNREFUSED {_HOST}:(?P<port>\d+)"),
    re.compile(rf"connection to server at \"{_HOST}\".*?port (?P<port>\d+) failed: (?:Connection refused|timeout)"),
    re.compile(rf"Can't connect to MySQL server on '{_HOST}(?::(?P<port>\d+))?'"),
    re.compile(
        rf"(?:[Cc]onnection refused|ConnectException|timed out)(?:.*?(?:to |at |: )/?|[ (]+){_HOST}"
        r"[:/](?P<port>\d+)(?!\.?\d)"
    ),
    re.compile(rf"{_HOST}:(?P<port>\d+)[^\w]*.*?(?:[Cc]onnection refused|ECONNREFUSED|timed out|timeout)"),
    re.compile(rf"(?:redis|amqp|mongodb|postgres(?:ql)?|mysql|http|https)://(?:[^@/\s]*@)?{_HOST}:(?P<port>\d+)"),
)
_WORDS = (
    (
        About.FORBIDDEN,
        re.compile(
            r"is forbidden: User \"system:serviceaccount:[^\"]+\" cannot|serviceaccounts? .* forbidden", re.IGNORECASE
        ),
    ),
    (
        About.LOGIN,
        re.compile(
            r"password authentication failed|access denied for user|authentication failed"
            r"|invalid (?:user|username|password|credentials)"
            r"|WRONGPASS|NOAUTH|ACCESS_REFUSED|login failed|role \"[^\"]+\" does not exist|unauthorized|401 ",
            re.IGNORECASE,
        ),
    ),
    (About.FULL, re.compile(r"no space left on device|ENOSPC|disk full", re.IGNORECASE)),
    (
        About.PORT,
        re.compile(
            r"address already in use|EADDRINUSE|port is already allocated|bind: permission denied", re.IGNORECASE
        ),
    ),
    (About.PLATFORM, re.compile(r"exec format error", re.IGNORECASE)),
    (
        About.COMMAND,
        re.compile(
            r"executable file not found|exec: \"[^\"]*\": (?:stat|permission denied)|no such file or directory: unknown"
            r"|can't open file|Cannot find module|Could not find or load main class|unable to start container process",
            re.IGNORECASE,
        ),
    ),
    (
        About.PERMISSION,
        re.compile(r"permission denied|EACCES|read-only file system|EROFS|Operation not permitted", re.IGNORECASE),
    ),
    (
        About.CONFIG,
        re.compile(
            r"(?:required|missing|undefined|unknown|invalid|unrecognized"
            r"|cannot parse|failed to parse|must be set|is not set|not defined"
            r"|no such (?:option|flag)|unknown flag|KeyError|yaml: |toml: |syntax error|unmarshal)",
            re.IGNORECASE,
        ),
    ),
)
_TROUBLE = re.compile(
    r"error|fatal|panic|fail|exception|refused|denied|cannot|could not|unable|traceback|invalid|missing", re.IGNORECASE
)
_TRACE = re.compile(r"^\s+at |^\s+File \"|^goroutine |^\s*\.\.\.|^\s*$|^\t(?!\* )")
_TIMES = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?[.,]?\d*Z?|\b\d\d:\d\d:\d\d\b[.,]?\d*")
_NESTED = 3
_LONGEST = 300
_SAID = ("msg", "message", "error", "err", "errmsg", "exception", "reason", "@mt", "@m", "@x")
"""Under these names programs that print JSON put what happened."""
_DEEP = 40


def is_trace(line: str) -> bool:
    """Whether a line belongs to a stack trace, which says where and not why."""
    return bool(_TRACE.search(line))


def unescaped(line: str) -> str:
    """Return a line as the program meant it, where it is printed as JSON with quotes inside of quotes."""
    return line.replace('\\"', '"') if line.lstrip().startswith("{") else line


def plain(line: str) -> str:
    """Return what a line says to people: of one printed as JSON the message and the error, of any other all of it."""
    said = ""
    if line.lstrip().startswith("{"):
        try:
            said = ": ".join(dict.fromkeys(_said(msgspec.json.decode(line))))
        except msgspec.DecodeError:
            said = ""
    shown = said or unescaped(line)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


def _said(fields: Any, depth: int = 0) -> Iterator[str]:
    """Yield the words of a line printed as JSON: those at the top first, then those inside."""
    if not isinstance(fields, dict) or depth > _NESTED:
        return
    yield from (str(fields[name]) for name in _SAID if isinstance(fields.get(name), str) and fields[name])
    for member in fields.values():
        yield from _said(member, depth + 1)


def without_times(line: str) -> str:
    """Return a line without the times in it, which look like a host with a port."""
    return _TIMES.sub(" ", line)


def telling(lines: Sequence[str]) -> Told | None:
    """Return the line that tells most; None where no line complains."""
    recent = [line for line in lines[-_DEEP:] if not _TRACE.search(line)]
    for line in reversed(recent):
        found = _sorted(line)
        if found is not None and found.about is not About.CONFIG:
            return found
    complaints = [line for line in recent if _TROUBLE.search(line)]
    for line in reversed(complaints):
        found = _sorted(line)
        if found is not None:
            return found
    return Told(plain(complaints[-1]), About.OTHER) if complaints else None


def _sorted(printed: str) -> Told | None:
    """Return what a line is about; None where it tells nothing of the sort."""
    found = _sorted_words(unescaped(printed))
    return msgspec.structs.replace(found, line=plain(printed)) if found is not None else None


def _sorted_words(line: str) -> Told | None:
    for words in _LOOKUPS:
        if found := words.search(line):
            return Told(line, About.UNREACHABLE, found["host"])
    for about, words in _WORDS[:2]:
        if words.search(line):
            return Told(line, about)
    if re.search(r"refused|timed? ?out|no route|unreachable|deadline exceeded", line, re.IGNORECASE):
        spoken = without_times(line)
        for words in _DIALS:
            found = words.search(spoken)
            if found and found["host"]:
                return Told(line, About.UNREACHABLE, found["host"], found.groupdict().get("port") or "")
    for about, words in _WORDS[2:]:
        if words.search(line):
            return Told(line, about)
    return None
