"""Objects with one field spoiled: each field of `specimens.yaml` is taken away, emptied, doubled or made nonsense.

Which of them a real kube-apiserver refuses is recorded in recorded/spoiled.txt (`python -m tests.real.test_spoiled`
renews it). The sandbox must refuse the same: what it takes and a real cluster does not is proven in vain. Only whether
an object is refused is compared, not in which words.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from syncline.apimachinery import yaml

SPECIMENS = Path(__file__).with_name("specimens.yaml")
RECORD = Path(__file__).parent / "recorded" / "spoiled.txt"
_OF_ALL = frozenset(
    {
        *("ClusterRole", "CustomResourceDefinition", "IngressClass", "Namespace", "PersistentVolume", "PriorityClass"),
        *("StorageClass", "ValidatingWebhookConfiguration"),
    }
)
_GONE, _TWICE = object(), object()
_TEXTS = ("", "Not Valid", "x" * 70, "/abs")
_NUMBERS = (-1, 0, 70_000)
# A real server breaks the connection over these.
_FATAL = re.compile(
    r"CustomResourceDefinition .*(schema = \{\}|openAPIV3Schema = gone|preserve-unknown-fields = False)"
)
KNOWN = (
    ("An empty text counts as none, also where a real server tells them apart.", r".* = ''"),
    ("The real server has no ServiceAccount admission here.", r"Pod web spec\.serviceAccountName = .*"),
    ("Files of one projected volume may have the same path.", r"Pod web spec\.volumes\.7\.projected\..*items = twice"),
    ("Allowed topologies that are the same are not refused.", r"StorageClass fast allowedTopologies.* = twice"),
    ("A ratio of limits may be as high as it likes.", r"LimitRange limits .*maxLimitRequestRatio\.cpu = 70000"),
    (
        "Measures of autoscalers need no qualified name, targets no group, and empty policies are filled.",
        (
            r"HorizontalPodAutoscaler web spec\.(metrics\.4\.containerResource\.name|scaleTargetRef\.apiVersion"
            r"|behavior\.scale(Up|Down)\.policies(\.0)?) = .*"
        ),
    ),
    # Refused without need, which proves nothing wrong.
    ("Budgets get the names of other objects.", r"PodDisruptionBudget web metadata\.name = .*"),
    ("A dry run asks for node ports too.", r"Service web spec\.ports\.0\.nodePort = .*"),
    ("Every count is held to zero.", r"StatefulSet db spec\.revisionHistoryLimit = -1"),
    ("A data source without a name is refused whatever its kind.", r"PersistentVolumeClaim data spec\.dataSource = .*"),
)


class Spoiled(NamedTuple):
    """One object, where it is sent, and what is wrong with it."""

    title: str
    path: str
    body: dict[str, Any]


def cases() -> Iterator[Spoiled]:
    """Return every object, first as it is, then spoiled in each field."""
    for document in yaml.load_documents(SPECIMENS.read_text(encoding="utf-8")):
        whole: Any = copy.deepcopy(document.value)
        path = _path(whole)
        named = f"{whole['kind']} {whole['metadata']['name']}"
        yield Spoiled(named, path, whole)
        for place, value in _places(whole, ()):
            for junk in _junk(value) if place[0] not in ("apiVersion", "kind") else ():
                told = {id(_GONE): "gone", id(_TWICE): "twice"}.get(id(junk), repr(junk)[:12])
                title = f"{named} {'.'.join(map(str, place))} = {told}"
                if not _FATAL.fullmatch(title):
                    yield Spoiled(title, path, _spoiled(whole, place, junk))


def _path(obj: dict[str, Any]) -> str:
    version, kind = obj["apiVersion"], obj["kind"]
    plural = re.sub("ss$", "sses", re.sub("y$", "ie", kind.lower()))
    plural = plural if plural.endswith("sses") else f"{plural}s"
    scope = "" if kind in _OF_ALL else "/namespaces/trial"
    return f"/{'api' if version == 'v1' else 'apis'}/{version}{scope}/{plural}?dryRun=All"


def _places(value: Any, place: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if place:
        yield place, value
    inner: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    for key, item in inner:
        yield from _places(item, (*place, key))


def _junk(value: Any) -> Iterator[Any]:
    yield _GONE
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from _NUMBERS
    elif isinstance(value, str):
        yield from _TEXTS
    elif isinstance(value, list):
        yield []
        if value:
            yield _TWICE
    elif isinstance(value, dict):
        yield {}


def _spoiled(whole: dict[str, Any], place: tuple[Any, ...], junk: Any) -> dict[str, Any]:
    made = copy.deepcopy(whole)
    holder: Any = made
    for key in place[:-1]:
        holder = holder[key]
    last = place[-1]
    if junk is _GONE:
        del holder[last]
    elif junk is _TWICE:
        holder[last] = [*holder[last], copy.deepcopy(holder[last][0])]
    else:
        holder[last] = copy.deepcopy(junk)
    return made


def recorded() -> set[str]:
    """Return the titles of what a real server refuses."""
    return set(RECORD.read_text(encoding="utf-8").splitlines())


def is_known(title: str) -> bool:
    """Tell whether the sandbox may see it otherwise."""
    return any(fits(pattern, title) for _, pattern in KNOWN)


def fits(pattern: str, title: str) -> bool:
    """Tell whether a reason is about an object."""
    return re.fullmatch(pattern, title) is not None
