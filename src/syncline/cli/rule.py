"""`syncline rule`: all rules in a table, or one of them explained.

Needs neither a cluster nor a repository. The words are those of the rules, as in docs/reference/rules.md.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from syncline.cli.options import output_option
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.core.diagnose.rule import Rule

_COLOURS = {"error": "red", "warning": "yellow", "info": "blue"}
_COUNTED = {"error": "errors", "warning": "warnings", "info": "remarks"}
_WIDTH = 100


def _completed(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    from syncline.core.diagnose import registry

    words = [word for rule in registry.rules() for word in (rule.code, rule.name)]
    return [word for word in words if word.lower().startswith(incomplete.lower())]


@click.command("rule")
@click.argument("which", metavar="[CODE|NAME]", default="", shell_complete=_completed)
@output_option("text", "json")
def rule(which: str, output: str) -> int:
    """List the rules behind findings, or explain one: what it checks, why it matters and how to fix it."""
    from syncline.core.diagnose import registry

    if which:
        found = registry.find(which)
        if found is None:
            from syncline.model.errors import NeedsUser

            near = registry.nearest(which)
            raise NeedsUser(f"no rule named {which}; the nearest is {near.code} {near.name}")
        _print([found], output, _explained(found))
    else:
        _print(registry.rules(), output, _listed(registry.rules()))
    return 0


def _print(rules: Iterable[Rule], output: str, text: str) -> None:
    if output == "json":
        import orjson

        answer = {"schemaVersion": 1, "rules": [_fields(rule) for rule in rules]}
        terminal.echo_data(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode())
    else:
        terminal.echo(text)


def _fields(rule: Rule) -> dict[str, Any]:
    from syncline.core.diagnose import registry

    return {
        "code": rule.code,
        "name": rule.name,
        "severity": rule.severity.value,
        "otherSeverities": sorted(one.value for one in rule.other_severities),
        "preview": rule.preview,
        "subjects": list(registry.subjects_of(rule)),
        "looksAt": [one.value for one in rule.looks_at],
        "summary": rule.summary,
        "why": rule.why,
        "fix": rule.fix,
        "bad": rule.bad,
        "good": rule.good,
    }


def _listed(rules: Iterable[Rule]) -> str:
    """Return the counts, then the table."""
    from syncline.cli.show.tables import table
    from syncline.core.diagnose import registry

    rows = [(one, ",".join(registry.subjects_of(one))) for one in rules]
    severities = Counter(one.severity.value for one, _ in rows)
    counts = ", ".join(f"{severities[name]} {word}" for name, word in _COUNTED.items())
    lines = table(
        ("CODE", "NAME", "SEVERITY", "SUBJECT", "SUMMARY"),
        ((one.code, one.name, one.severity.value, subjects or "-", one.summary) for one, subjects in rows),
    )
    return f"{len(rows)} rules · {counts}\n{lines}"


def _explained(rule: Rule) -> str:
    from syncline.core.diagnose import registry

    severity = terminal.style(rule.severity.value, _COLOURS[rule.severity.value])
    others = "".join(f", sometimes {one.value}" for one in sorted(rule.other_severities))
    trial = " · on trial (--preview-rules)" if rule.preview else ""
    lines = [f"{rule.code} {rule.name} · {severity}{others}{trial}"]
    lines += _block("says", rule.summary)
    lines += _block("why", rule.why)
    lines += _block("fix", rule.fix)
    lines += _block("subject", ", ".join(registry.subjects_of(rule)))
    lines += _block("looks at", ", ".join(one.value for one in rule.looks_at))
    for title, example in (("bad", rule.bad), ("good", rule.good)):
        if example:
            lines += ["", f"{title}:", *(f"    {line}" for line in example.splitlines())]
    return "\n".join(lines)


def _block(title: str, text: str) -> Iterator[str]:
    """Yield a titled text, wrapped; nothing where there is no text."""
    for number, line in enumerate(textwrap.wrap(text, _WIDTH)):
        yield f"{title if not number else '':<10}{line}"
