"""The sync and compare options that exist: where each may stand, and with which values.

Shared by the rules on options. Options are compared letter by letter, by Argo CD and by Syncline alike, so one that is
misspelt does nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind
from syncline.core.diagnose.subjects import Repo
from syncline.model import names
from syncline.model.desired import DesiredObject
from syncline.model.errors import Place
from syncline.model.sync_options import KNOWN, Level

Values = Mapping[str, tuple[str, ...]]
"""The options of one place, and the values of each."""

_SWITCH = ("true", "false")
ON_APPLICATIONS: Values = {option.name: option.values for option in KNOWN if Level.APP in option.levels}
ON_OBJECTS: Values = {option.name: option.values for option in KNOWN if Level.OBJECT in option.levels}
COMPARE_OPTIONS: Values = {"ServerSideDiff": _SWITCH, "IncludeMutationWebhook": _SWITCH}
_COMPARE_FLAGS = ("IgnoreExtraneous",)
APPLICATION = GroupKind(names.GROUP, "Application")


class Option(msgspec.Struct, frozen=True):
    """An option as somebody wrote it, where, and the options that may stand there."""

    word: str
    where: str
    place: Place
    known: Values
    flags: tuple[str, ...] = ()

    @property
    def words(self) -> list[str]:
        """All words that may stand here."""
        return [*(f"{name}={value}" for name, values in self.known.items() for value in values), *self.flags]


def manifests(repo: Repo) -> Iterator[tuple[str, DesiredObject]]:
    """Yield all that may carry options, each with a name for it: Applications, and the objects that these render."""
    for name, app in repo.by_name:
        yield name, app.manifest
        for item in app.desired.objects if app.desired is not None else ():
            if item.key.group_kind != APPLICATION:  # each of those is an app by itself
                yield f"an object of {name}", item


def options(item: DesiredObject) -> Iterator[Option]:
    """Yield the options of an Application or another object."""
    path = "spec.syncPolicy.syncOptions"
    if item.key.group_kind == APPLICATION:
        policy = (item.obj.get("spec") or {}).get("syncPolicy") or {}
        given = policy.get("syncOptions")
        for index, word in enumerate(given if isinstance(given, list) else ()):
            yield Option(str(word), path, item.origin.place(f"{path}[{index}]"), ON_APPLICATIONS)
    yield from _annotated(item, names.SYNC_OPTIONS, ON_OBJECTS)
    yield from _annotated(item, names.COMPARE_OPTIONS, COMPARE_OPTIONS, _COMPARE_FLAGS)


def _annotated(item: DesiredObject, name: str, known: Values, flags: tuple[str, ...] = ()) -> Iterator[Option]:
    text = meta.annotations(item.obj).get(name)
    if not text:
        return
    place = item.origin.place(f'metadata.annotations["{name}"]')
    for word in str(text).split(","):
        if word.strip():
            yield Option(word.strip(), name, place, known, flags)
