"""Single changes of a project's spec: entries of its lists, its roles, its sync windows.

Each returns a function for `syncline.verbs.projects.change_project`, and raises a sentence where it does not apply.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.apimachinery.nearest import instead
from syncline.verbs.errors import Conflict, InvalidRequest, NotFound
from syncline.verbs.projects import ProjectChange


def add(field: str, entry: Any, words: str) -> ProjectChange:
    """Return what adds an entry to a list; one that is there is refused with its words."""

    def change(spec: Object) -> None:
        entries = spec.get(field) or []
        if entry in entries:
            raise InvalidRequest(f"{words} is there already")
        spec[field] = [*entries, entry]

    return change


def remove(field: str, entry: Any, words: str) -> ProjectChange:
    """Return what removes an entry from a list; one that is not there is refused with its words."""

    def change(spec: Object) -> None:
        entries = spec.get(field) or []
        if entry not in entries:
            known = [_shown(one) for one in entries]
            raise NotFound(f"{words} is not there", hint=instead(_shown(entry), known))
        spec[field] = [one for one in entries if one != entry]

    return change


def _shown(entry: Any) -> str:
    return ",".join(str(value) for value in entry.values()) if isinstance(entry, dict) else str(entry)


def list_kind(field: str, entry: Object, *, present: bool) -> ProjectChange:
    """Return what puts a kind into a list of kinds, or takes it out; nothing changes where that is so already."""

    def change(spec: Object) -> None:
        entries = spec.get(field) or []
        if present and entry not in entries:
            spec[field] = [*entries, entry]
        elif not present and entry in entries:
            spec[field] = [one for one in entries if one != entry]

    return change


def ignore_orphan(entry: Object, *, ignored: bool) -> ProjectChange:
    """Return what adds an orphan to those that are left out, or removes it; monitoring has to be on."""

    def change(spec: Object) -> None:
        rules = spec.get("orphanedResources")
        if rules is None:
            if not ignored:
                raise NotFound("orphaned resources are not monitored")
            rules = {}
        edit = add if ignored else remove
        holder = dict(rules)
        edit("ignore", entry, f"{entry.get('group', '')}/{entry.get('kind', '')}")(holder)
        spec["orphanedResources"] = holder

    return change


def role_of(spec: Object, name: str) -> Object:
    """Return a role for changing; raises a sentence that names those there are."""
    roles = spec.get("roles") or []
    for role in roles:
        if role.get("name") == name:
            found: Object = role
            return found
    raise NotFound(f"no role named {name}", hint=instead(name, [str(role.get("name")) for role in roles]))


def create_role(name: str, description: str) -> ProjectChange:
    """Return what adds a role without policies."""

    def change(spec: Object) -> None:
        roles = spec.get("roles") or []
        if any(role.get("name") == name for role in roles):
            raise InvalidRequest(f"role '{name}' already exists")
        spec["roles"] = [*roles, {"name": name, **({"description": description} if description else {})}]

    return change


def delete_role(name: str) -> ProjectChange:
    """Return what removes a role."""

    def change(spec: Object) -> None:
        role_of(spec, name)
        spec["roles"] = [role for role in spec["roles"] if role.get("name") != name]

    return change


def in_role(name: str, field: str, entry: str, *, present: bool) -> ProjectChange:
    """Return what adds a policy or group to a role, or removes it."""

    def change(spec: Object) -> None:
        edit = add if present else remove
        edit(field, entry, f"'{entry}' of role {name}")(role_of(spec, name))

    return change


def window_at(spec: Object, number: int) -> Object:
    """Return a sync window for changing; raises a sentence that says which there are."""
    windows: list[Object] = spec.get("syncWindows") or []
    if not 0 <= number < len(windows):
        known = f"the project has 0 to {len(windows) - 1}" if windows else "the project has none"
        raise NotFound(f"no sync window {number}", hint=f"{known}; syncline proj windows list shows them")
    return windows[number]


def delete_window(number: int) -> ProjectChange:
    """Return what removes a sync window."""

    def change(spec: Object) -> None:
        window_at(spec, number)
        spec["syncWindows"] = [one for place, one in enumerate(spec["syncWindows"]) if place != number]

    return change


def set_window(number: int, values: Mapping[str, Any]) -> ProjectChange:
    """Return what sets fields of a sync window; None and False remove one."""

    def change(spec: Object) -> None:
        window = window_at(spec, number)
        for field, value in values.items():
            if value in (None, False):
                window.pop(field, None)
            else:
                window[field] = value

    return change


def set_fields(values: Mapping[str, Any]) -> ProjectChange:
    """Return what sets fields of the spec; None removes one."""

    def change(spec: Object) -> None:
        for field, value in values.items():
            if value is None:
                spec.pop(field, None)
            else:
                spec[field] = value

    return change


def replace_spec(wanted: Object, *, expected: Object) -> ProjectChange:
    """Return what replaces the whole spec, unless it is another than the expected one by now."""

    def change(spec: Object) -> None:
        if spec != expected:
            raise Conflict("someone else changed the project meanwhile, so nothing was changed", hint="edit it again")
        spec.clear()
        spec.update(wanted)

    return change
