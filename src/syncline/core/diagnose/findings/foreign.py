"""What a reader gets of causes that lead to objects they have no right to: kind, name and reason, and nothing else.

A diagnosis reasons over every object of every cluster. Called by `syncline.server.insight.readers` before a cause or a
finding is shown to somebody who may not see all of them. Two things make a finding foreign: it is about a foreign
object (or rests on evidence about one), or its words have something in them that only foreign objects, their Events
and their logs have. Of a foreign finding only the texts of its rule are left, which are the same for everybody.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from syncline.apimachinery.keys import Object, ObjectKey, key_of
from syncline.core.diagnose import registry
from syncline.model.diagnosis import Diagnosis, Link, RootCause, Thing
from syncline.model.finding import Finding, Fix
from syncline.model.fleet import FleetSnapshot

Seen = tuple[str, ObjectKey | None]
"""The cluster and the object that a word was seen on; None where nobody can tell whose an Event is."""
Permits = Callable[[str, ObjectKey], bool]
"""Whether a reader may see an object of a cluster, by the name of the cluster and the key of the object."""

_WORD = re.compile(r"\w+")
_KIND_AND_NAME = re.compile(r"[A-Z][A-Za-z0-9]*/[a-z0-9.:-]{1,253}")
_SHORTEST = 3
_CUT = "…"


class Reader(msgspec.Struct, frozen=True):
    """What somebody may see, and on which objects the words of the texts for them were seen."""

    permits: Permits
    sightings: Mapping[str, frozenset[Seen]] = {}

    def may_see(self, seen: Seen) -> bool:
        """Whether what was seen there may be shown."""
        cluster, key = seen
        return key is not None and self.permits(cluster, key)

    def reveals(self, text: str) -> bool:
        """Whether a text has a word in it that only foreign objects have."""
        return any(self._is_foreign(word) for word in words(text))

    def _is_foreign(self, word: str) -> bool:
        places = self.sightings.get(word, frozenset())
        return bool(places) and word not in vocabulary() and not any(map(self.may_see, places))


def words(text: str) -> set[str]:
    """Return the words of a text that could be a value of an object; letters of any case count as the same."""
    return {word.lower() for word in _WORD.findall(text) if len(word) >= _SHORTEST}


@functools.lru_cache(maxsize=1)
def vocabulary() -> frozenset[str]:
    """Return the words that rules use for everybody."""
    texts = (text for rule in registry.rules() for text in (rule.name, rule.summary, rule.fix, rule.why))
    return frozenset(word for text in texts for word in words(text))


def texts_of(finding: Finding) -> Iterator[str]:
    """Yield all texts of a finding that were made from what was seen."""
    yield from (finding.subject, finding.message, finding.effect_of)
    for fix in (finding.fix, *finding.options):
        if fix is not None:
            yield from (fix.text, fix.command, *map(str, fix.edits))
    for evidence in finding.evidence:
        yield from (evidence.text, evidence.path)


def texts_of_cause(cause: RootCause) -> Iterator[str]:
    """Yield all texts of a cause that were made from what was seen."""
    yield from texts_of(cause.finding)
    yield from (
        cause.thing.name,
        str(cause.thing.key or ""),
        *cause.assumptions,
        *cause.afterwards,
        *(link.state for link in cause.chain),
    )


def texts_of_diagnosis(diagnosis: Diagnosis) -> Iterator[str]:
    """Yield all texts of a diagnosis that were made from what was seen."""
    for cause in diagnosis.causes:
        yield from texts_of_cause(cause)
    for finding in diagnosis.unexplained:
        yield from texts_of(finding)


def sightings(texts: Iterable[str], fleet: FleetSnapshot) -> dict[str, frozenset[Seen]]:
    """Return on which objects the words of some texts were seen: in the objects, their Events, or their logs.

    A word that was cut off in a text counts as each one that begins with it.
    """
    listed = list(texts)
    wanted = {word for text in listed for word in words(text)}
    cut = {word for text in listed for word in _cut_words(text)}
    found: dict[str, set[Seen]] = {}
    for seen, there in _material(fleet):
        for word in (there & wanted) | {part for part in cut if any(one.startswith(part) for one in there)}:
            found.setdefault(word, set()).add(seen)
    return {word: frozenset(places) for word, places in found.items()}


def _cut_words(text: str) -> Iterator[str]:
    for piece in text.split(_CUT)[:-1]:
        if match := re.search(r"\w+$", piece):
            yield match[0].lower()


def _material(fleet: FleetSnapshot) -> Iterator[tuple[Seen, set[str]]]:
    """Yield what was seen where, word by word; what a source renders was seen on its Application."""
    for cluster in fleet.clusters:
        for obj in cluster.objects:
            yield (cluster.name, key_of(obj)), _words_in(obj)
        for event in cluster.events:
            yield (cluster.name, _subject(event)), _words_in(event)
        for log in cluster.logs:
            yield (cluster.name, log.pod), _words_in(list(log.lines))
    home = fleet.clusters[0].name if fleet.clusters else ""
    for rendered in fleet.rendered:
        objects = rendered.desired.objects if rendered.desired is not None else ()
        for item in objects:
            yield (home, rendered.app), _words_in(item.obj)


def _words_in(value: Any) -> set[str]:
    """Return the words of every key and value of an object."""
    found: set[str] = set()
    queue: list[Any] = [value]
    while queue:
        part = queue.pop()
        if isinstance(part, dict):
            queue += (*part.keys(), *part.values())
        elif isinstance(part, list | tuple):
            queue += part
        elif part is not None:
            found |= words(str(part))
    return found


def _subject(event: Object) -> ObjectKey | None:
    about = event.get("involvedObject") or event.get("regarding")
    if not isinstance(about, dict):
        return None
    metadata = {"name": about.get("name"), "namespace": about.get("namespace")}
    return key_of({"apiVersion": about.get("apiVersion"), "kind": about.get("kind"), "metadata": metadata})


def redact_cause(cause: RootCause, reader: Reader) -> RootCause:
    """Return a cause as a reader may see it."""
    thing = cause.thing
    finding = redact_finding(cause.finding, thing, reader)
    is_whole = finding is cause.finding
    kept = all(not reader.reveals(text) for text in (*cause.assumptions, *cause.afterwards)) and is_whole
    return msgspec.structs.replace(
        cause,
        finding=finding,
        thing=thing if is_whole else _bare(thing, reader),
        chain=tuple(_link(link, reader) for link in cause.chain),
        assumptions=cause.assumptions if kept else (),
        afterwards=cause.afterwards if kept else (),
    )


def redact_finding(finding: Finding, thing: Thing, reader: Reader) -> Finding:
    """Return a finding as a reader may see it: the very same where nothing of it is foreign."""
    is_own = thing.key is None or reader.permits(thing.cluster, thing.key)
    about = [evidence.subject for evidence in finding.evidence if evidence.subject is not None]
    rests_on_own = all(reader.permits(thing.cluster, subject) for subject in about)
    if is_own and rests_on_own and not any(map(reader.reveals, texts_of(finding))):
        return finding
    return plain(finding, _named(finding, thing, reader))


def _named(finding: Finding, thing: Thing, reader: Reader) -> str:
    """Return kind and name of what a finding is about; of something absent that only foreign objects name, the kind."""
    if thing.key is None:
        return finding.subject if _KIND_AND_NAME.fullmatch(finding.subject) else ""
    return thing.key.kind if thing.absent and reader.reveals(thing.key.name) else thing.key.short


def plain(finding: Finding, subject: str) -> Finding:
    """Return of a finding what may be shown to everybody: kind, name and reason, in the words of its rule."""
    rule = registry.find(finding.code)
    reason = rule.summary if rule is not None else finding.name
    return Finding(
        code=finding.code,
        name=finding.name,
        severity=finding.severity,
        subject=subject,
        message=f"{subject}: {reason}" if subject else reason,
        confidence=finding.confidence,
        fix=Fix(text=rule.fix) if rule is not None and rule.fix else None,
        count=finding.count,
    )


def _bare(thing: Thing, reader: Reader) -> Thing:
    """Return what a cause is about without what is not its kind and name; an own one stays."""
    if thing.key is None:
        return Thing(
            cluster=thing.cluster, outside=thing.outside, name="" if reader.reveals(thing.name) else thing.name
        )
    group, kind, name = thing.key.group, thing.key.kind, thing.key.name
    if thing.absent and reader.reveals(name):
        return Thing(key=ObjectKey(group, kind, "", ""), absent=True)
    if reader.permits(thing.cluster, thing.key):
        return Thing(cluster=thing.cluster, key=thing.key, absent=thing.absent)
    return Thing(key=ObjectKey(group, kind, "", name), absent=thing.absent)


def _link(link: Link, reader: Reader) -> Link:
    own = tuple(
        one
        for one in link.examples
        if one.key is not None and reader.permits(one.cluster, one.key) and not reader.reveals(one.key.name)
    )
    return msgspec.structs.replace(link, state="" if reader.reveals(link.state) else link.state, examples=own)
