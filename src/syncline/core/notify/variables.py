"""What triggers and templates can refer to: `app`, `context`, `secrets`, and Argo CD's `time`, `strings` and `repo`.

Made by `syncline.core.notify.due` and `syncline admin notifications` for one object. Commits are described from
outside: asking for one that is not there raises `CommitUnknown`, and whoever called describes it and asks again.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.core.appset.functions import times
from syncline.core.appset.functions.durations import GoDuration
from syncline.core.appset.functions.times import GoTime
from syncline.core.appset.gotemplate.errors import CallError
from syncline.core.appset.gotemplate.functions import Function
from syncline.core.appset.gotemplate.values import Int64, StringMap
from syncline.core.notify.errors import CommitUnknown
from syncline.model.notifications import NotificationSettings, Recipient

_SCP = re.compile(r"(?:[^@/:]+@)?([^/:]+):(?!/)(.*)")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://(?:[^@/]*@)?([^/]*)(/.*)?")
_PLAIN = re.compile(r"[^A-Za-z0-9_.~-]")
_UNITS = {"Nanosecond": 1, "Microsecond": 10**3, "Millisecond": 10**6, "Second": 10**9, "Minute": 60 * 10**9}
_LAYOUTS = {
    "Layout": "01/02 03:04:05PM '06 -0700",
    "ANSIC": "Mon Jan _2 15:04:05 2006",
    "UnixDate": "Mon Jan _2 15:04:05 MST 2006",
    "RubyDate": "Mon Jan 02 15:04:05 -0700 2006",
    "RFC822": "02 Jan 06 15:04 MST",
    "RFC822Z": "02 Jan 06 15:04 -0700",
    "RFC850": "Monday, 02-Jan-06 15:04:05 MST",
    "RFC1123": "Mon, 02 Jan 2006 15:04:05 MST",
    "RFC1123Z": "Mon, 02 Jan 2006 15:04:05 -0700",
    "RFC3339": "2006-01-02T15:04:05Z07:00",
    "RFC3339Nano": "2006-01-02T15:04:05.999999999Z07:00",
    "Kitchen": "3:04PM",
    "Stamp": "Jan _2 15:04:05",
    "StampMilli": "Jan _2 15:04:05.000",
    "StampMicro": "Jan _2 15:04:05.000000",
    "StampNano": "Jan _2 15:04:05.000000000",
}

Commits = Mapping[str, Mapping[str, Any] | None]
"""Described commits by SHA: Message, Author, Date and Tags; None where a commit cannot be described."""


def variables(
    settings: NotificationSettings,
    now: dt.datetime,
    *,
    objects: Mapping[str, Object],
    commits: Commits,
    to: Recipient | None = None,
) -> dict[str, Any]:
    """Return the variables for some objects (`app`, or `cause` and `diagnosis`) and, in templates, a recipient."""
    found: dict[str, Any] = {name: unstructured(obj) for name, obj in objects.items()}
    found["context"] = StringMap(settings.context)
    found["secrets"] = StringMap(settings.secrets)
    found["time"] = _time(now)
    found["strings"] = _STRINGS
    found["repo"] = _repo(commits)
    if to is not None:
        found["serviceType"], found["recipient"] = to.service, to.recipient
    return found


def unstructured(value: Any) -> Any:
    """Return a copy of a value as Go has objects of a cluster: whole numbers are int64."""
    if isinstance(value, Mapping):
        return {key: unstructured(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [unstructured(child) for child in value]
    return Int64(value) if type(value) is int else value


def _time(now: dt.datetime) -> dict[str, Any]:
    return {
        "Now": Function(lambda: GoTime(now.astimezone(times.UTC))),
        "Parse": Function(_parsed_time, "string"),
        **{name: GoDuration(span) for name, span in _UNITS.items()},
        "Hour": GoDuration(3600 * 10**9),
        **_LAYOUTS,
    }


def _parsed_time(text: str) -> GoTime:
    try:
        return GoTime(times.parsed(_LAYOUTS["RFC3339"], text))
    except times.Unparsed as error:
        raise CallError(str(error)) from None


_STRINGS: Mapping[str, Any] = {
    "ReplaceAll": Function(lambda text, old, new: text.replace(old, new), "string string string"),
    "ToLower": Function(str.lower, "string"),
    "ToUpper": Function(str.upper, "string"),
}


def _repo(commits: Commits) -> dict[str, Any]:
    return {
        "FullNameByRepoURL": Function(full_name, "string"),
        "GetAppDetails": Function(_no_details),
        "GetCommitMetadata": Function(_described(commits), "string"),
        "QueryEscape": Function(query_escaped, "string"),
        "RepoURLToHTTPS": Function(https_url, "string"),
    }


def _described(commits: Commits) -> Callable[[str], Mapping[str, Any]]:
    def described(sha: str) -> Mapping[str, Any]:
        if sha not in commits:
            raise CommitUnknown(sha)
        found = commits[sha]
        if found is None:
            raise CallError(f"commit {sha} of the source cannot be described")
        return found

    return described


def _no_details() -> Any:
    raise CallError("GetAppDetails is not supported: use fields of app instead")


def _host_and_path(url: str) -> tuple[str, str]:
    if found := _URL.fullmatch(url):
        return found[1], found[2] or ""
    if found := _SCP.fullmatch(url):
        return found[1], f"/{found[2]}"
    return "", url


def https_url(url: str) -> str:
    """Return a repository's address as a browser takes it."""
    host, path = _host_and_path(url)
    return f"https://{host}{path}"


def full_name(url: str) -> str:
    """Return owner and name of a repository."""
    path = _host_and_path(url)[1].removesuffix(".git")
    parts = [part for part in path.split("/") if part]
    return "/".join(parts[:2]) if len(parts) > 1 else path


def query_escaped(text: str) -> str:
    """Return a text as it may stand in the query of an address."""
    return _PLAIN.sub(
        lambda found: "+" if found[0] == " " else "".join(f"%{byte:02X}" for byte in found[0].encode()), text
    )
