"""Reads settings from the ConfigMaps (and the one Secret) of an installation.

Called by `syncline.core.settings.parse` with an object; of a Secret only the names of keys are looked at.
"""

from __future__ import annotations

from typing import Any, Final

from syncline.core.settings import nearest
from syncline.core.settings.entries import CONFIG_MAP, ParsedSettings, Places, SettingEntry
from syncline.core.settings.keys import Home
from syncline.core.settings.report import ProblemCode, SettingProblem
from syncline.model.finding import Severity

_OTHERS: Final = frozenset(
    {
        "argocd-ssh-known-hosts-cm",
        "argocd-tls-certs-cm",
        "argocd-gpg-keys-cm",
        "argocd-notifications-cm",
        "argocd-cmp-cm",
    }
)
_HOMES: Final = {home.value: home for home in (Home.CM, Home.PARAMS, Home.RBAC)}


def read(obj: dict[str, Any], places: Places) -> ParsedSettings | None:
    """Return the settings of an object, or None when it holds none."""
    name = _name(obj)
    if obj.get("kind") == "Secret":
        return ParsedSettings(CONFIG_MAP, _entries(obj, Home.SECRET, places)) if name == Home.SECRET else None
    if name in _HOMES:
        return ParsedSettings(CONFIG_MAP, _entries(obj, _HOMES[name], places), whole_cm=name == Home.CM)
    meant = nearest.likely_typo(name, _HOMES)
    if meant and name not in _OTHERS:
        return ParsedSettings(CONFIG_MAP, problems=(_misnamed(name, meant, places),))
    return None


def _name(obj: dict[str, Any]) -> str:
    metadata = obj.get("metadata")
    return str(metadata.get("name") or "") if isinstance(metadata, dict) else ""


def _entries(obj: dict[str, Any], home: Home, places: Places) -> tuple[SettingEntry, ...]:
    found = []
    for part in ("data", "stringData"):
        content = obj.get(part)
        if isinstance(content, dict):
            for key, value in content.items():
                hidden = "" if home is Home.SECRET else value
                found.append(SettingEntry(home=home, key=str(key), value=hidden, place=places((part, key))))
    return tuple(found)


def _misnamed(name: str, meant: str, places: Places) -> SettingProblem:
    return SettingProblem(
        kind=ProblemCode.UNREAD,
        severity=Severity.WARNING,
        key=name,
        home=name,
        message=f"no component reads a ConfigMap named {name}",
        nearest=meant,
        right_home=meant,
        fix=f"name it {meant}",
        place=places(("metadata", "name")),
    )
