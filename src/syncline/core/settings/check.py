"""Says which key an entry is, or why nobody reads it and what was meant.

Called by `syncline.core.settings.assemble` for every entry. argocd-secret may hold anything: other settings refer to
its keys by name. Environment variables are complained about only when they are a slip away from one that is known,
since processes have many of their own.
"""

from __future__ import annotations

from syncline.core.settings import nearest
from syncline.core.settings.entries import SettingEntry
from syncline.core.settings.keys import Home, SettingKey, catalogue
from syncline.core.settings.report import ProblemCode, SettingProblem
from syncline.model.finding import Severity


def identify(entry: SettingEntry) -> SettingKey | SettingProblem | None:
    """Return the key, what is wrong with it, or None for what is nobody's business."""
    known = catalogue()
    if entry.home is Home.ENV:
        return known.by_env.get(entry.key) or _variable(entry)
    key = known.find(entry.home, entry.key)
    if key is not None or entry.home is Home.SECRET:
        return key
    if entry.key in known.removed:
        return _removed(entry)
    other = known.elsewhere(entry.home, entry.key)
    if other is not None:
        return _misplaced(entry, other)
    return _unknown(entry)


def _unknown(entry: SettingEntry) -> SettingProblem:
    found = nearest.nearest(entry.key, entry.home)
    if found is None:
        return _unread(entry, f"{entry.key} is not a setting; nothing reads it", fix="remove it")
    name, key = found
    fix = f"set {name} in {entry.form.where(key.home)}"
    if key.instead:
        fix += f", or {key.instead}"
    if key.restart:
        fix += "; it requires a restart"
    return _unread(entry, f"{entry.key} is not a setting; nothing reads it", nearest=name, right_home=key.home, fix=fix)


def _misplaced(entry: SettingEntry, key: SettingKey) -> SettingProblem:
    return _unread(
        entry,
        f"{entry.key} is read from {_source(key.home)}, not from {entry.home}; nothing reads it here",
        nearest=entry.key,
        right_home=key.home,
        fix=f"move it to {entry.form.where(key.home)}" + ("; it requires a restart" if key.restart else ""),
    )


def _removed(entry: SettingEntry) -> SettingProblem:
    removed = catalogue().removed[entry.key]
    return _unread(
        entry,
        f"{entry.key} has not been read since Argo CD {removed.since}",
        fix=f"remove it; instead: {removed.instead}",
    )


def _variable(entry: SettingEntry) -> SettingProblem | None:
    meant = nearest.likely_typo(entry.key, catalogue().by_env) if entry.key.startswith(("ARGOCD_", "ARGO_CD_")) else ""
    if not meant:
        return None
    message = f"the environment variable {entry.key} is not known; {meant} is"
    return SettingProblem(
        kind=ProblemCode.UNREAD,
        key=entry.key,
        home=entry.home,
        message=message,
        severity=Severity.WARNING,
        nearest=meant,
        right_home=Home.ENV,
        fix=f"write {meant}",
        place=entry.place,
    )


def _unread(
    entry: SettingEntry, message: str, *, nearest: str = "", right_home: str = "", fix: str = ""
) -> SettingProblem:
    return SettingProblem(
        kind=ProblemCode.UNREAD,
        key=entry.key,
        home=entry.home,
        message=message,
        nearest=nearest,
        right_home=right_home,
        fix=fix,
        place=entry.place,
    )


def _source(home: Home) -> str:
    return "the environment" if home is Home.ENV else str(home)
