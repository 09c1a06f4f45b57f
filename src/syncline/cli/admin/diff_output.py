"""Prints what `syncline admin diff` found: JSON that others rely on, or text for people.

Handed a `Diff` whose values are masked already. One object has the JSON of one object; several stand in a list under
`objects`, each with its key and verdict.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import orjson

from syncline.api.diffing import Diff, is_modified
from syncline.cli.show import differences, terminal
from syncline.model.comparison import ComparedObject, DifferenceCause, Verdict
from syncline.model.errors import InvalidSpec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from syncline.apimachinery.keys import Object, ObjectKey
    from syncline.core.compare.ignore.suggest import Proposal


def exit_code(answer: Diff) -> int:
    """Return 2 where something could not be compared, 1 where something is to be changed, else 0."""
    rows = answer.comparison.rows
    if any(row.verdict is Verdict.UNKNOWN for row in rows):
        return 2
    return 1 if answer.modified else 0


def print_json(answer: Diff, rules: Mapping[ObjectKey, Proposal]) -> None:
    """Print everything as one JSON object."""
    comparison = answer.comparison
    refused = next((row.message for row in comparison.rows if row.verdict is Verdict.UNKNOWN), "")
    if answer.single and refused:
        raise InvalidSpec(refused)
    rows = [
        _row(row, answer.sides(row), rules.get(row.key)) | _immutable(answer.refused.get(row.key, ()))
        for row in comparison.rows
    ]
    found: dict[str, Any]
    if answer.single:
        found = rows[0] if rows else {"modified": False, "differences": [], "desired": None, "live": None}
    else:
        named = [
            {"key": str(row.key), "verdict": row.verdict.value, **({"message": row.message} if row.message else {})}
            for row in comparison.rows
        ]
        found = {
            "modified": answer.modified,
            "objects": [{**name, **row} for name, row in zip(named, rows, strict=True)],
        }
    if comparison.unused_rules:
        found["unusedRules"] = [msgspec.to_builtins(rule) for rule in comparison.unused_rules]
    terminal.echo_data(orjson.dumps(found, option=orjson.OPT_INDENT_2).decode())


def _row(row: ComparedObject, sides: Mapping[str, Object | None], proposal: Proposal | None) -> dict[str, Any]:
    listed = [differences.as_value(one) for one in row.differences]
    found = {"modified": is_modified(row), "differences": listed, **sides}
    if proposal is not None:
        found["ignoreDifferences"] = [msgspec.to_builtins(proposal.entry)] if proposal.entry else []
    if row.accepted:
        found["accepted"] = [msgspec.to_builtins(one) for one in row.accepted]
    return found


def _immutable(texts: tuple[str, ...]) -> dict[str, Any]:
    return {"immutable": list(texts)} if texts else {}


def print_text(answer: Diff, rules: Mapping[ObjectKey, Proposal]) -> None:
    """Print the differences field by field; with several objects, those that differ under their keys."""
    rows = answer.comparison.rows
    if answer.single:
        refused = next((row.message for row in rows if row.verdict is Verdict.UNKNOWN), "")
        if refused:
            raise InvalidSpec(refused)
        _print_one(rows[0], answer, rules.get(rows[0].key)) if rows else terminal.echo("there is nothing to compare")
    else:
        _print_all(answer, rules)
    for rule in answer.comparison.unused_rules:
        terminal.echo(f"unused rule: {rule.rule}: {rule.message}")


def _print_all(answer: Diff, rules: Mapping[ObjectKey, Proposal]) -> None:
    rows = answer.comparison.rows
    counts = {verdict: sum(row.verdict is verdict for row in rows) for verdict in Verdict}
    words = [f"{counts[verdict]} {verdict.value}" for verdict in Verdict if verdict.value and counts[verdict]]
    hooks = [f"{counts[Verdict.NONE]} not compared (hooks)"] if counts[Verdict.NONE] else []
    terminal.echo(", ".join([*words, *hooks]) or "no objects")
    for row in rows:
        if row.differences or row.message or row.accepted:
            terminal.echo(f"\n{row.key}  {row.verdict.value}")
            _print_one(row, answer, rules.get(row.key))


def _print_one(row: ComparedObject, answer: Diff, proposal: Proposal | None) -> None:
    if row.message:
        terminal.echo(row.message, err=row.verdict is not Verdict.UNKNOWN)
    if row.choice is not None:
        terminal.echo(f"compared by {row.choice.strategy.value}: {row.choice.reason}", err=True)
    for one in row.differences:
        for line in differences.lines(one):
            terminal.echo(line)
    for text in answer.refused.get(row.key, ()):
        terminal.echo(f"the API server would refuse this: {text} (the object must be recreated: Force=true)")
    if row.verdict is Verdict.NONE:
        terminal.echo(f"{row.key.short}: a hook, which is not compared")
    elif not row.differences and row.verdict is not Verdict.UNKNOWN:
        terminal.echo(f"{row.key.short}: equal")
    _print_accepted(row)
    _print_explained(row)
    if proposal is not None:
        _print_proposal(proposal)


def _print_accepted(row: ComparedObject) -> None:
    for one in row.accepted:
        until = f" until {one.expires}" if one.expires else ""
        by = f", {one.owner}" if one.owner else ""
        word = "accepted, but only" if one.expired else "accepted"
        terminal.echo(f"{word}{until}: {one.path} ({one.reason}{by})")


def _print_explained(row: ComparedObject) -> None:
    """Print what does not count: spellings one by one, defaults as a number, since there are many."""
    for one in row.explained:
        if one.cause is DifferenceCause.SPELLING:
            sides = f"Git {differences.value(one.desired)}, live {differences.value(one.live)}"
            terminal.echo(f"not counted: {one.path}: {sides} ({one.cause.value})")
    filled_in = sum(one.cause is DifferenceCause.DEFAULTED for one in row.explained)
    if filled_in:
        terminal.echo(f"not counted: {filled_in} default{'' if filled_in == 1 else 's'} that the server filled in")


def _print_proposal(proposal: Proposal) -> None:
    from syncline.apimachinery import yaml

    if proposal.entry is None or proposal.proof is None:
        terminal.echo(f"no ignore rule: {proposal.reason}")
        return
    terminal.echo_data(yaml.dump({"ignoreDifferences": [msgspec.to_builtins(proposal.entry)]}), nl=False)
    proof = proposal.proof
    left, shown = len(proof.left), proof.shown
    text = f"# {proposal.reason}; compared again: {left} difference{'' if left == 1 else 's'} left"
    text += f", {shown} change{'' if shown == 1 else 's'} of other fields still show{'s' if shown == 1 else ''}"
    terminal.echo(text + (f", but it also hides {', '.join(proof.hidden)}" if proof.hidden else ""))
