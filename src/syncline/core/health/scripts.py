"""Health by scripts of the settings: which script an object gets, and what its result means.

Given overrides by whoever assesses objects, which runs the chosen script behind `syncline.ports.evaluate` and hands
the result to `read`. An exact `group/Kind` wins over globs; among globs the first in alphabetical order, where Argo CD
takes any. A result without a status is no health at all: it neither counts for the app nor ends a wait.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import orjson

from syncline.apimachinery import globs, meta
from syncline.apimachinery.keys import GroupKind, Object, gvk_of
from syncline.model.health import Health, HealthCode
from syncline.model.script import Evaluated, Script, ScriptKind
from syncline.model.settings.resources import NO_CUSTOMIZATIONS, Customizations, ResourceOverride

INVALID_STATUS = "Lua returned an invalid health status"
NO_STATUS = Health(
    HealthCode.PROGRESSING, "its health check returns no status, so no sync can continue", "ScriptNoStatus"
)
"""What a sync sees of an object whose script gives no status; for the app it does not count as health."""


def choose(
    kind: GroupKind, overrides: Iterable[ResourceOverride], folder: Customizations = NO_CUSTOMIZATIONS
) -> ResourceOverride | None:
    """Return the override whose health script a kind gets; those without a script are passed over.

    Scripts of a folder come after all of the settings, which are closer to the user.
    """
    name = str(kind)
    with_script = [one for one in overrides if one.health_lua]
    for one in with_script:
        if one.pattern == name:
            return one
    matching = [one for one in with_script if globs.matches(name, one.pattern)]
    return min(matching, key=lambda one: one.pattern, default=None) or _in_folder(name, folder)


def _in_folder(name: str, folder: Customizations) -> ResourceOverride | None:
    exact = folder.exact.get(name)
    if exact is not None and exact.health_lua:
        return exact
    return next((one for one in folder.patterns if one.health_lua and globs.matches(name, one.pattern)), None)


def script(
    obj: Object,
    overrides: Iterable[ResourceOverride],
    folder: Customizations = NO_CUSTOMIZATIONS,
    cluster: str = "",
) -> Script | None:
    """Return the script to run for an object; None where neither settings nor folder have one for its kind.

    `cluster` is the address of the cluster that the object was read from; what comes from a file has none.
    """
    gvk = gvk_of(obj)
    chosen = choose(gvk.group_kind, overrides, folder)
    if chosen is None:
        return None
    return Script(
        kind=ScriptKind.HEALTH,
        text=chosen.health_lua,
        obj=obj,
        open_libraries=chosen.use_open_libs,
        version=f"{cluster} {gvk.api_version} {version_of(obj)}" if cluster else "",
    )


def version_of(obj: Object) -> str:
    """Return what tells this version of an object from others of its key on one cluster."""
    metadata = meta.metadata(obj)
    uid, version = metadata.get("uid"), metadata.get("resourceVersion")
    if uid and version:
        return f"{uid}/{version}"
    return hashlib.sha256(orjson.dumps(obj, option=orjson.OPT_SORT_KEYS)).hexdigest()


def read(evaluated: Evaluated) -> Health | None:
    """Return the health a script's result stands for; None where the script gave no status."""
    if evaluated.error:
        return Health(HealthCode.UNKNOWN, evaluated.error, "ScriptFailed")
    # An empty Lua table may come as a list, and Argo CD takes every list for an empty result.
    if evaluated.value is None or isinstance(evaluated.value, list) or evaluated.value == {}:
        return None
    if not isinstance(evaluated.value, dict):
        return Health(HealthCode.UNKNOWN, "the health script did not return a table", "ScriptFailed")
    status, message = _field(evaluated.value, "status"), _field(evaluated.value, "message")
    if not isinstance(status, str) or status not in _CODES:
        return Health(HealthCode.UNKNOWN, INVALID_STATUS, "ScriptStatusInvalid")
    if not isinstance(message, str | None):
        return Health(HealthCode.UNKNOWN, "the health script returned a message that is not a string", "ScriptFailed")
    return Health(HealthCode(status), message or "", "Script")


_CODES = frozenset(code.value for code in HealthCode)


def _field(table: dict[str, Any], name: str) -> Any:
    """Return a field by its name, written in any case, as Go reads it."""
    if name in table:
        return table[name]
    return next((value for key, value in table.items() if key.lower() == name), None)
