"""Reads the index of a Helm repository: the versions of one chart, where each is and its digest.

Given the text by `syncline.adapters.charts.helm`. Indexes are long (tens of megabytes) and written by a program, all in
one form: the part of the chart in question is cut out by its indentation and read alone, by the real YAML reader. Where
that does not come out right, the whole text is read, slowly.
"""

from __future__ import annotations

import difflib
import re
from typing import Any

import msgspec

from syncline.apimachinery import yaml
from syncline.model.errors import SourceError

# One entry may be long, but not as long as what a server may send.
_LIMITS = yaml.YamlLimits(max_bytes=128 * 1024 * 1024, max_nodes=20_000_000)
_ENTRIES = re.compile(r"^entries:[ \t]*\r?\n", re.MULTILINE)
_NEXT_TOP = re.compile(r"^[^\s#-]", re.MULTILINE)
_NAME = re.compile(r"^  ([^\s#'\"-][^\n]*?):[ \t]*\r?$", re.MULTILINE)


class ChartVersion(msgspec.Struct, frozen=True):
    """One published version of a chart."""

    version: str
    urls: tuple[str, ...]
    digest: str = ""


def versions(text: str, chart: str, repository: str) -> list[ChartVersion]:
    """Return all versions of a chart; raises `SourceError` naming what there is when the chart is unknown."""
    found = _cut(text, chart)
    names: list[str] = _NAME.findall(text)
    if found is None:
        entries = _whole(text, repository)
        found, names = entries.get(chart), list(entries)
    if not isinstance(found, list):
        close = difflib.get_close_matches(chart, names, 1, 0.6)
        hint = f"did you mean {close[0]}?" if close else f"{repository} has {len(names)} charts"
        raise SourceError(f"chart '{chart}' not found in {repository}", hint=hint)
    return [version for entry in found if (version := _version(entry)) is not None]


def charts(text: str, repository: str) -> dict[str, tuple[str, ...]]:
    """Return the versions of every chart, by name; raises `SourceError` for what is not an index."""
    found = {}
    for name, entries in sorted(_whole(text, repository).items()):
        known = [_version(entry) for entry in entries] if isinstance(entries, list) else []
        found[str(name)] = tuple(one.version for one in known if one is not None)
    return found


def _cut(text: str, chart: str) -> Any:
    """Return the entries of a chart from an index of the usual form, or None."""
    begin = _ENTRIES.search(text)
    if begin is None:
        return None
    end = _NEXT_TOP.search(text, begin.end())
    body = text[begin.end() : end.start() if end else len(text)]
    start = re.search(rf"^  {re.escape(chart)}:[ \t]*\r?\n", body, re.MULTILINE)
    if start is None:
        return None
    following = _NAME.search(body, start.end())
    part = body[start.start() : following.start() if following else len(body)]
    try:
        read = yaml.load(part, source="index.yaml", limits=_LIMITS)
    except yaml.YamlError:
        return None
    found = read.get(chart) if isinstance(read, dict) else None
    usual = isinstance(found, list) and all(isinstance(entry, dict) and entry.get("version") for entry in found)
    return found if usual else None


def _whole(text: str, repository: str) -> dict[str, Any]:
    try:
        content = yaml.load(text, source="index.yaml", limits=_LIMITS)
    except yaml.YamlError as error:
        raise SourceError(f"the index of {repository} cannot be read: {error}") from None
    entries = content.get("entries") if isinstance(content, dict) else None
    if not isinstance(entries, dict):
        raise SourceError(f"the index of {repository} has no entries", hint="is this a Helm repository?")
    return entries


def _version(entry: Any) -> ChartVersion | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("version"), str):
        return None
    places = entry.get("urls")
    urls = tuple(str(url) for url in places) if isinstance(places, list) else ()
    return ChartVersion(entry["version"], urls, str(entry.get("digest") or ""))
