"""Finds charts that come out differently each time: chance, time, and questions to a cluster.

Called by `syncline.adapters.render.helm.template` around a render. Templates are searched for the functions that do it;
only then is a chart rendered twice. `lookup` finds nothing in a render without a cluster, so what hangs on it is never
what the chart's author saw.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from syncline.adapters.render.helm import chart_files
from syncline.adapters.render.workspace import Workspace
from syncline.apimachinery.diff import diff
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.model.desired import Desired, ValuesLayer

_CHANCE = (
    *("randAlphaNum", "randAlpha", "randAscii", "randNumeric", "randBytes", "randInt", "shuffle", "uuidv4"),
    *("genPrivateKey", "genCA", "genCAWithKey", "genSelfSignedCert", "genSignedCert", "htpasswd", "bcrypt"),
    *("encryptAES", "now", "ago", "date", "dateInZone", "htmlDate"),
)
_NAME = re.compile(rf"\b(?:{'|'.join((*_CHANCE, 'lookup'))})\b")
_NEVER_RENDERED = (".md", ".gotmpl", ".png", ".svg", ".json")
_LONGEST_ACTION = 2_000
_MAX_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Suspect:
    """A call in a template that may give something else next time."""

    file: str
    line: int
    function: str

    @property
    def changes(self) -> bool:
        """Whether a second render may differ; `lookup` always finds nothing."""
        return self.function != "lookup"

    def __str__(self) -> str:
        return f"{self.function} at {self.file}:{self.line}"


def suspects(space: Workspace, folder: str, layers: Sequence[ValuesLayer] = ()) -> tuple[Suspect, ...]:
    """Return the calls in the templates of a chart on disk, in order; values and packed subcharts may hold some too."""
    found: list[Suspect] = []
    for path, content in (*_texts(space, folder), *((layer.name, layer.text) for layer in layers)):
        if b"{{" not in content:
            continue
        text = content.decode("utf-8", "replace")
        found += [
            Suspect(path, text.count("\n", 0, name.start()) + 1, name[0])
            for name in _NAME.finditer(text)
            if _is_in_action(text, name.start())
        ]
    return tuple(found)


def _texts(space: Workspace, folder: str) -> Iterator[tuple[str, bytes]]:
    prefix = f"{folder}/" if folder else ""
    for path in sorted(space.written):
        if not path.startswith(prefix) or path.endswith(_NEVER_RENDERED):
            continue
        if path.endswith(".tgz"):
            for name, content in chart_files.members(space.read(path), lambda name: "templates/" in name):
                yield f"{path}/{name}", content
        else:
            yield path, space.read(path)


def _is_in_action(text: str, at: int) -> bool:
    """Whether a place in a template lies between `{{` and `}}`; looked for backwards, so that no text is slow."""
    start = max(0, at - _LONGEST_ACTION)
    return text.rfind("{{", start, at) > text.rfind("}}", start, at)


def warnings(found: Sequence[Suspect]) -> tuple[str, ...]:
    """Return a sentence about `lookup`, where it is called."""
    asked = [one for one in found if not one.changes]
    if not asked:
        return ()
    return (f"{', '.join(map(str, asked[:_MAX_SHOWN]))}: finds nothing here, because no cluster is queried",)


def differences(first: Desired, second: Desired, found: Sequence[Suspect]) -> tuple[str, ...]:
    """Return one sentence per object that a second render made differently."""
    again: dict[ObjectKey, list[Object]] = {}
    for item in second.objects:
        again.setdefault(item.key, []).append(item.obj)
    sentences: list[str] = []
    for item in first.objects:
        # An object may be there twice: each is compared with its own second version.
        others = again.get(item.key)
        changed = [change.path for change in diff(item.obj, others.pop(0) if others else {})]
        if not changed:
            continue
        here = [one for one in found if one.changes and one.file == item.origin.file]
        causes = here or [one for one in found if one.changes]
        more = " …" if len(changed) > _MAX_SHOWN else ""
        sentences.append(
            f"{item.key.kind}/{item.key.name} differs with every render: {', '.join(changed[:_MAX_SHOWN])}{more}"
            f" ({', '.join(map(str, causes[:_MAX_SHOWN]))})"
        )
    return tuple(sentences)
