"""The condition that tells of health checks that failed: the objects are Unknown, and the app says why.

Called by `syncline.core.assess` after all objects were assessed. Argo CD names the last failure only; here all are
named, since each has to be repaired on its own.
"""

from __future__ import annotations

from collections.abc import Mapping

from syncline.apimachinery.keys import ObjectKey
from syncline.model.application import Condition
from syncline.model.condition import ConditionType
from syncline.model.health import Health

FAILED = frozenset(("ScriptFailed", "VersionUnsupported", "Malformed"))
"""Reasons that mean that the check could not be made, not that the object is unwell."""


def conditions(healths: Mapping[ObjectKey, Health]) -> tuple[Condition, ...]:
    """Return one ComparisonError that names every object whose check failed; nothing where all checks could be made."""
    failed = sorted(((key, one) for key, one in healths.items() if one.reason in FAILED), key=lambda item: item[0])
    if not failed:
        return ()
    text = f"error setting app health: {'; '.join(_told(*one) for one in failed)}"
    return (Condition(ConditionType.COMPARISON_ERROR, text),)


def _told(key: ObjectKey, health: Health) -> str:
    # What a script says about a Secret may quote its values.
    said = "the check of a Secret failed" if key.group == "" and key.kind == "Secret" else health.message
    return (
        f'failed to get resource health for "{key.kind}" with name "{key.name}" in namespace "{key.namespace}": {said}'
    )
