"""The rule of each kind of mistake in settings, for `admin settings validate`, which has settings and no repository."""

from __future__ import annotations

from collections.abc import Mapping

from syncline.core.diagnose.rule import Rule
from syncline.core.diagnose.rules.settings import unknown_field, unread_setting, unreadable_value, without_effect
from syncline.core.settings.report import ProblemCode

RULES: Mapping[ProblemCode, Rule] = {
    ProblemCode.UNREAD: unread_setting.RULE,
    ProblemCode.UNKNOWN_FIELD: unknown_field.RULE,
    ProblemCode.UNREADABLE: unreadable_value.RULE,
    ProblemCode.NO_EFFECT: without_effect.RULE,
}
