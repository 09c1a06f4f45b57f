"""Writes docs/reference/rules.md: every rule with what it says, why it matters and how to fix it.

Run as `python tools/build_rule_reference.py` after changing a rule; a test fails while the page is stale.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from syncline.core.diagnose import registry
from syncline.core.diagnose.rule import Rule

TARGET = Path(__file__).parent.parent / "docs/reference/rules.md"
_HEAD = """\
# Rules

Written by `python tools/build_rule_reference.py` from the rules themselves; change them there.

All findings come from these rules: of `syncline why` on a running app, of `syncline diagnose` on the objects of a fleet
(subject `node`), and of commands on a repository or a change. Scripts may match on codes and names, which never change
their meaning. `syncline rule CODE` prints the same.
To write a rule, see [decision 5](../decisions/0005-rules-are-data-beside-checks.md).

| code | name | severity | subject | says |
|---|---|---|---|---|
"""


def _row(rule: Rule) -> str:
    subjects = ", ".join(registry.subjects_of(rule)) or "-"
    link = f"[{rule.code}](#{rule.code.lower()}-{rule.name})"
    return f"| {link} | {rule.name} | {rule.severity.value} | {subjects} | {rule.summary} |\n"


def _section(rule: Rule) -> Iterator[str]:
    others = " or ".join(sorted(one.value for one in rule.other_severities))
    severity = rule.severity.value + (f", sometimes {others}" if others else "")
    seen = f" · looks at {', '.join(one.value for one in rule.looks_at)}" if rule.looks_at else ""
    trial = " · on trial: run with `--preview-rules`" if rule.preview else ""
    yield f"\n## {rule.code} {rule.name}\n\n{severity}{seen}{trial}\n\n{rule.summary} {rule.why}\n\nFix: {rule.fix}.\n"
    for title, example in (("Bad", rule.bad), ("Good", rule.good)):
        if example:
            yield f"\n{title}:\n\n```yaml\n{example}```\n"


def page() -> str:
    """Return the whole page."""
    rules = registry.rules()
    return _HEAD + "".join(map(_row, rules)) + "".join(part for rule in rules for part in _section(rule))


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
