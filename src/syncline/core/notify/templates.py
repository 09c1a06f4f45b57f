"""Fills in the templates of a notification, by the interpreter of Go templates that ApplicationSets have.

Called by `syncline.core.notify.due`; the sections go to `syncline.core.notify.services`. Of several templates the later
wins where it says something; all sections of Slack, PagerDuty and webhooks are replaced whole, as in Argo CD.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from syncline.core.appset import engine
from syncline.core.appset.gotemplate.errors import GoTemplateError
from syncline.core.appset.limits import Limits
from syncline.core.notify.errors import NotifyError
from syncline.model.notifications import NotificationSettings

LIMITS = Limits(max_input=256 * 1024, max_output=256 * 1024, max_steps=200_000)
"""Messages are short; what is longer is a mistake."""
_KEEPS_FIRST = frozenset({"email", "teams", "teams-workflows"})
_NOT_FILLED = frozenset({"method", "notifyBroadcast", "deliveryPolicy"})

Filled = dict[str, Any]
"""The message and the sections of a notification, filled in."""


def fill(
    settings: NotificationSettings, names: Sequence[str], variables: Mapping[str, Any], now: dt.datetime
) -> Filled:
    """Return a notification that some templates make, in this order."""
    made: Filled = {}
    for name in names:
        template = settings.templates.get(name)
        if template is None:
            raise NotifyError(f"template {name} does not exist: add template.{name}")
        filling = _Filling(name, dict(variables), now)
        if message := filling.text("message", template.get("message")):
            made["message"] = message
        for section, fields in template.items():
            if isinstance(fields, Mapping):
                _put(made, section, filling.fields(section, fields))
    return made


def _put(made: Filled, section: str, filled: Mapping[str, Any]) -> None:
    before = made.get(section, {})
    if section == "webhook":
        made[section] = {**before, **filled}
    elif section in _KEEPS_FIRST:
        made[section] = {**before, **{key: value for key, value in filled.items() if value}}
    else:
        made[section] = filled


class _Filling:
    """One template with its variables."""

    def __init__(self, name: str, variables: dict[str, Any], now: dt.datetime) -> None:
        self._name = name
        self._variables = variables
        self._now = now

    def fields(self, section: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return a section with its texts filled in."""
        made: dict[str, Any] = {}
        for key, value in fields.items():
            where = f"{section}.{key}"
            if isinstance(value, Mapping):
                made[key] = self.fields(where, value)
            else:
                made[key] = value if key in _NOT_FILLED else self.text(where, value)
        return made

    def text(self, where: str, value: Any) -> Any:
        """Return one text filled in; what is not a text stays."""
        if not isinstance(value, str) or "{{" not in value:
            return value
        try:
            return engine.render(value, self._variables, options=(), limits=LIMITS, now=self._now)
        except GoTemplateError as error:
            raise NotifyError(f"template {self._name}: {where}: {error}") from None
