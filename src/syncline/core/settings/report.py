"""What reading settings came to: the value, what is wrong, and what takes a restart.

Made by `syncline.core.settings.parse`, printed by the command line, turned into findings by whoever diagnoses.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from syncline.core.settings.keys import Home
from syncline.model.errors import Place
from syncline.model.finding import Severity
from syncline.model.settings.settings import Settings


class ProblemCode(StrEnum):
    """What is wrong with a setting; each has a rule, in `syncline.core.diagnose.setting_rules`."""

    UNREAD = "unread"
    UNKNOWN_FIELD = "unknown field"
    UNREADABLE = "unreadable"
    NO_EFFECT = "no effect"


class SettingProblem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One mistake: what stands where, and the key that was meant with the home it is read from."""

    kind: ProblemCode
    key: str
    home: str
    message: str
    severity: Severity = Severity.ERROR
    nearest: str = ""
    right_home: str = ""
    fix: str = ""
    place: Place | None = None


class Restart(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A setting that is read only when its process starts."""

    key: str
    home: Home
    place: Place | None = None


class SettingsReport(msgspec.Struct, frozen=True, kw_only=True):
    """The settings in force, with defaults for what is absent or unreadable. `inputs` counts what held settings."""

    settings: Settings
    problems: tuple[SettingProblem, ...] = ()
    restart: tuple[Restart, ...] = ()
    inputs: int = 0
