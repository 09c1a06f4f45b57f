"""Puts entries together into one `Settings`, and says what could not be used.

Called by `syncline.core.settings.parse` with everything that was read. Of two entries for one key the later wins. An
environment variable counts where its key is absent from the ConfigMaps, as in the deployments of Argo CD. A value that
cannot be read leaves the default in force.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, NamedTuple

import msgspec

from syncline.apimachinery.schema import builtin
from syncline.core.settings import blocks, check, nearest, overrides, values
from syncline.core.settings.entries import SettingEntry
from syncline.core.settings.keys import Home, SettingKey, ValueKind, catalogue
from syncline.core.settings.report import ProblemCode, Restart, SettingProblem
from syncline.model.errors import InvalidSpec
from syncline.model.finding import Severity
from syncline.model.settings.parts import KustomizeVersion
from syncline.model.settings.settings import Settings

_COMPONENTS: Final = frozenset({"controller", "server", "reposerver", "applicationsetcontroller"})
_CUSTOMIZATIONS: Final = "resource.customizations"
_SHOWN: Final = 40
_UNUSED: Final = "controller.self.heal.backoff.cooldown.seconds"


class Assembled(NamedTuple):
    """Settings, and what is to be said about the entries they are made of."""

    settings: Settings
    problems: list[SettingProblem]
    restart: list[Restart]


class _Set(NamedTuple):
    key: SettingKey
    entry: SettingEntry
    text: str


def assemble(entries: Iterable[SettingEntry], start: Settings) -> Assembled:
    """Return the settings that the entries make of `start`."""
    problems: list[SettingProblem] = []
    chosen = _chosen(entries, problems)
    settings = _plain(chosen.values(), start, problems)
    settings = _blocks(chosen.values(), settings, problems)
    settings = _overrides(chosen.values(), settings, problems)
    settings = _kustomize(chosen.values(), settings)
    settings = _policies(chosen.values(), settings)
    restart = [
        Restart(key=one.entry.key, home=one.entry.home, place=one.entry.place)
        for one in chosen.values()
        if one.key.restart
    ]
    return Assembled(settings, problems, restart)


def _chosen(entries: Iterable[SettingEntry], problems: list[SettingProblem]) -> dict[tuple[Home, str], _Set]:
    """Return the entries that count, by home and name of their key."""
    by_key: dict[tuple[Home, str], _Set] = {}
    by_variable: dict[tuple[Home, str], _Set] = {}
    for entry in entries:
        if entry.value is None:
            continue
        key = check.identify(entry)
        if isinstance(key, SettingProblem):
            problems.append(key)
        elif key is not None and entry.home is not Home.SECRET and _concerns(entry, key):
            text = _text(entry, problems)
            if text is not None:
                name = key.name if entry.home is Home.ENV else entry.key
                place = by_variable if entry.home is Home.ENV else by_key
                place[key.home, name] = _Set(key, entry, text)
    return {**by_variable, **by_key}


def _concerns(entry: SettingEntry, key: SettingKey) -> bool:
    """Whether a variable in some process's environment is about this key: processes share names."""
    owner = key.name.partition(".")[0]
    return not entry.component or owner not in _COMPONENTS or owner == entry.component


def _text(entry: SettingEntry, problems: list[SettingProblem]) -> str | None:
    if isinstance(entry.value, bool):
        return "true" if entry.value else "false"
    if isinstance(entry.value, (str, int, float)):
        return str(entry.value)
    problems.append(_unreadable(entry, "is not a string", fix=f"write `{entry.key}: |` and indent the rest below it"))
    return None


def _plain(chosen: Iterable[_Set], settings: Settings, problems: list[SettingProblem]) -> Settings:
    for one in chosen:
        if one.key.name == _UNUSED:
            problems.append(_without_effect(one.entry, "is read but no longer has any effect", "remove it"))
        if "{{" in one.text or one.key.name.startswith(_CUSTOMIZATIONS):
            continue
        try:
            value = values.read(one.key, one.text.strip() if one.key.type is not ValueKind.TEXT else one.text)
        except values.InvalidValue as error:
            shown = f" ({one.text!r})" if len(one.text) <= _SHOWN else ""
            problems.append(_unreadable(one.entry, f"{error}{shown}{_stays(one.key)}"))
            if not one.key.field or one.key.default is None:
                continue
            value = values.read(one.key, one.key.default)
        if one.key.field and not one.key.is_family:
            settings = with_field(settings, one.key.field, value)
    return settings


def _stays(key: SettingKey) -> str:
    """Return what holds where a value cannot be read: the program's own default, whatever a chart would have set."""
    return f"; {key.default or 'nothing'} is used instead" if key.default is not None else ""


def with_field(settings: Settings, path: str, value: Any) -> Settings:
    """Return the settings with one field changed; `!` before the path turns a boolean round."""
    if path.startswith("!"):
        path, value = path[1:], not value
    head, _, rest = path.partition(".")
    holder = getattr(settings, head) if rest else settings
    kind = next(field.type for field in msgspec.structs.fields(holder) if field.name == (rest or head))
    changed = msgspec.structs.replace(holder, **{rest or head: msgspec.convert(value, kind)})
    return msgspec.structs.replace(settings, **{head: changed}) if rest else changed


_BLOCKS: Final[dict[tuple[Home, str], tuple[str, Callable[[str], blocks.Block[Any]]]]] = {
    (Home.CM, "resource.exclusions"): ("resource_exclusions", blocks.filters),
    (Home.CM, "resource.inclusions"): ("resource_inclusions", blocks.filters),
    (Home.CM, "resource.compareoptions"): ("compare", blocks.compare_options),
    (Home.CM, "globalProjects"): ("global_projects", blocks.global_projects),
    (Home.RBAC, "scopes"): ("permissions.scopes", lambda text: blocks.Block(blocks.scopes(text))),
}


def _blocks(chosen: Iterable[_Set], settings: Settings, problems: list[SettingProblem]) -> Settings:
    for one in chosen:
        if one.key.type is not ValueKind.YAML or one.key.name.startswith(_CUSTOMIZATIONS) or "{{" in one.text:
            continue
        field, read = _BLOCKS.get((one.key.home, one.key.name), ("", blocks.anything))
        try:
            block = read(one.text)
        except values.InvalidValue as error:
            problems.append(_unreadable(one.entry, str(error)))
            continue
        problems += [_unknown_field(one.entry, name, block.known) for name in block.unknown]
        if block.complaint:
            problems.append(_unreadable(one.entry, block.complaint))
        if field == "permissions.scopes":
            permissions = msgspec.structs.replace(settings.permissions, scopes=block.value)
            settings = msgspec.structs.replace(settings, permissions=permissions)
        elif field:
            settings = msgspec.structs.replace(settings, **{field: block.value})
    return settings


def _overrides(chosen: Iterable[_Set], settings: Settings, problems: list[SettingProblem]) -> Settings:
    """Add what is special about kinds; one key that cannot be read does not lose the others."""
    usable: dict[str, str] = {}
    for one in chosen:
        if one.key.home is Home.CM and one.key.name.startswith(_CUSTOMIZATIONS):
            try:
                overrides.parse({one.entry.key: one.text})
            except InvalidSpec as error:
                message = error.what.removeprefix(one.entry.key).strip(": ")
                problems.append(_unreadable(one.entry, message, fix=error.hint))
            else:
                usable[one.entry.key] = one.text
                problems += _unknown_types(one)
    if not usable:
        return settings
    return msgspec.structs.replace(settings, overrides=overrides.parse(usable))


def _unknown_types(one: _Set) -> Iterator[SettingProblem]:
    """Tell of knownTypeFields whose type does not exist; such a field is compared as it is written."""
    for override in overrides.parse({one.entry.key: one.text}):
        for field in override.known_type_fields:
            if builtin.for_type(field.type) is None:
                meant = nearest.nearest_of(field.type, builtin.types())
                message = f"says that {field.field} is a {field.type}, which is not a supported type"
                yield _unreadable(one.entry, message, fix=f"write {meant}" if meant else "")


def _kustomize(chosen: Iterable[_Set], settings: Settings) -> Settings:
    """Gather the versions of Kustomize from the keys that name their programs and flags."""
    programs: dict[str, dict[str, str]] = {}
    for one in chosen:
        field = _KUSTOMIZE.get(one.key.name)
        if field:
            programs.setdefault(one.entry.key.removeprefix(one.key.stem), {})[field] = one.text
    if not programs:
        return settings
    found = tuple(KustomizeVersion(name=name, **fields) for name, fields in sorted(programs.items()))
    tools = msgspec.structs.replace(settings.tools, kustomize_versions=found)
    return msgspec.structs.replace(settings, tools=tools)


_KUSTOMIZE: Final = {
    "kustomize.path.<version>": "path",
    "kustomize.version.<version>": "path",
    "kustomize.buildOptions.<version>": "build_options",
}


def _policies(chosen: Iterable[_Set], settings: Settings) -> Settings:
    """Put the permissions one after the other: `policy.csv`, then the others by name."""
    texts = {one.entry.key: one.text for one in chosen if one.key.type is ValueKind.RULES}
    if not texts:
        return settings
    ordered = sorted(texts, key=lambda name: (name != "policy.csv", name))
    permissions = msgspec.structs.replace(settings.permissions, policy="\n".join(texts[name] for name in ordered))
    return msgspec.structs.replace(settings, permissions=permissions)


def _unreadable(entry: SettingEntry, message: str, *, fix: str = "") -> SettingProblem:
    return SettingProblem(
        kind=ProblemCode.UNREADABLE,
        key=entry.key,
        home=entry.home,
        message=f"{entry.key} {message}",
        fix=fix,
        place=entry.place,
    )


def _unknown_field(entry: SettingEntry, name: str, known: tuple[str, ...]) -> SettingProblem:
    family = next((key.name for _, key in catalogue().families if key.stem.endswith(f".{name}.")), "")
    meant = family or nearest.nearest_of(name, known)
    return SettingProblem(
        kind=ProblemCode.UNKNOWN_FIELD,
        key=entry.key,
        home=entry.home,
        message=f"{name} is not a field of {entry.key}; it is dropped silently",
        nearest=meant,
        right_home=entry.home if meant else "",
        fix=f"set {family}" if family else f"write {meant}" if meant else f"the fields are {', '.join(known)}",
        place=entry.place,
    )


def _without_effect(entry: SettingEntry, message: str, fix: str) -> SettingProblem:
    return SettingProblem(
        kind=ProblemCode.NO_EFFECT,
        severity=Severity.WARNING,
        key=entry.key,
        home=entry.home,
        message=f"{entry.key} {message}",
        fix=fix,
        place=entry.place,
    )
