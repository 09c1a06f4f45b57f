"""The sentences that every form of a preview begins with: counts first, and what could not be looked at among them."""

from __future__ import annotations

import msgspec

from syncline.core.diagnose.findings.joined import joined
from syncline.model.finding import Finding, Severity
from syncline.model.preview import AppAction, Effect, EffectKind, Preview

LABELS = {
    EffectKind.DANGER: "DANGER",
    EffectKind.DENIED: "DENIED",
    EffectKind.ENDPOINTS: "NO PODS",
    EffectKind.DRIFT: "DRIFT",
    EffectKind.RESTART: "RESTART",
    EffectKind.HOOKS: "HOOKS",
    EffectKind.WINDOW: "WINDOW",
    EffectKind.NOTE: "NOTE",
}


def counts(found: Preview) -> str:
    """Return how many apps there are and what becomes of them."""
    changed = found.count(AppAction.CHANGED)
    parts = [f"{changed} change", f"{found.count(AppAction.CREATED)} new", f"{found.count(AppAction.DELETED)} deleted"]
    others = (AppAction.MOVED, AppAction.RENAMED)
    parts += [f"{found.count(action)} {action.value}" for action in others if found.count(action)]
    parts.append(f"{found.equal} proven equal")
    if missing := len(not_rendered(found)):
        parts.append(f"{missing} could not be rendered")
    return f"{many(found.total, 'app')}: {', '.join(parts)}"


def not_rendered(found: Preview) -> tuple[str, ...]:
    """Return the apps about whose objects nothing is known."""
    return (*found.unknown, *(one.name for one in found.apps if one.unknown))


def headline(found: Preview) -> str:
    """Return one sentence: what to look at before the merge."""
    if not found.apps:
        rest = not_rendered(found)
        return "This change does not change any app" + (f", as far as {len(rest)} unknown ones tell." if rest else ".")
    touched = many(len(found.apps), "app")
    errors = len([one for one in found.new if one.severity is Severity.ERROR])
    dangers = len(found.of(EffectKind.DANGER))
    look = [many(count, word) for count, word in ((dangers, "danger"), (errors, "new error")) if count]
    return f"This change touches {touched}." + (f" Look at {' and '.join(look)} before you merge." if look else "")


def joined_findings(found: Preview) -> Preview:
    """Return a preview as people read it: findings of one line are one, and the worst come first."""
    sides = (tuple(sorted(joined(side), key=_rank)) for side in (found.new, found.fixed, found.kept))
    new, fixed, kept = sides
    return msgspec.structs.replace(found, new=new, fixed=fixed, kept=kept)


def _rank(one: Finding) -> int:
    return list(Severity).index(one.severity)


def findings_words(found: Preview) -> str:
    """Return how many findings are new, gone and old."""
    parts = []
    for words, listed in (("new", found.new), ("gone with this change", found.fixed), ("there before", found.kept)):
        if listed:
            parts.append(f"{_severities(listed)} {words}")
    return " · ".join(parts)


def _severities(found: tuple[Finding, ...]) -> str:
    names = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "remark"}
    numbers = ((len([one for one in found if one.severity is severity]), word) for severity, word in names.items())
    return ", ".join(many(number, word) for number, word in numbers if number)


def summary(kind: EffectKind, found: tuple[Effect, ...], shown: int = 4) -> str:
    """Return the consequences of one kind in one line."""
    texts = list(dict.fromkeys(_in_apps(one) for one in found))
    more = f" · {len(texts) - shown} more" if len(texts) > shown else ""
    return (", " if kind is EffectKind.RESTART else " · ").join(texts[:shown]) + more


def _in_apps(one: Effect) -> str:
    return f"{one.short} in {len(one.apps)} apps" if len(one.apps) > 1 else one.short


def many(count: int, word: str) -> str:
    """Return a number with its word."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"
