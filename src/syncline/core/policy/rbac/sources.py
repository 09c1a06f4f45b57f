"""From settings as written to the texts of policies: `policy.csv` first, then every `policy.<name>.csv` by name.

Handed entries by `syncline.verbs.rights` that were read from a ConfigMap, an ArgoCD resource or chart values; the
result goes to `syncline.core.policy.rbac.rights`.
"""

from __future__ import annotations

from collections.abc import Iterable

from syncline.core.policy.rbac.lines import PolicyText
from syncline.core.policy.rbac.rights import PolicySource
from syncline.core.settings.entries import SettingEntry
from syncline.core.settings.keys import Home
from syncline.model.settings.parts import MatchMode


def of_entries(entries: Iterable[SettingEntry]) -> PolicySource:
    """Return the policies that settings hold; what is not about permissions is passed over."""
    found = {entry.key: entry for entry in entries if entry.home is Home.RBAC and isinstance(entry.value, str)}
    keys = sorted(
        (key for key in found if key.startswith("policy.") and key.endswith(".csv")),
        key=lambda key: (key != "policy.csv", key),
    )
    default, mode = found.get("policy.default"), found.get("policy.matchMode")
    return PolicySource(
        tuple(_text(found[key]) for key in keys),
        default.value if default else "",
        MatchMode.REGEX if mode and mode.value == MatchMode.REGEX else MatchMode.GLOB,
    )


def _text(entry: SettingEntry) -> PolicyText:
    if entry.place is None:
        return PolicyText(entry.value, f"{entry.home} {entry.key}")
    # The text of a block begins below its key.
    return PolicyText(entry.value, entry.place.file, entry.place.line + ("\n" in entry.value))
