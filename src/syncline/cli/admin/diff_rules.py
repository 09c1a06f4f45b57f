"""From drift to rule on the command line: makes the ignore rules of `syncline admin diff` and writes them to the file.

Called by `syncline.cli.admin.diff`. A rule is written into the Application's file, as an ignoreDifferences entry or,
with a reason, as accepted drift; every other character of the file stays as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from syncline.apimachinery import meta
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from syncline.api.diffing import Diff
    from syncline.apimachinery.keys import ObjectKey
    from syncline.core.compare.ignore.suggest import Proposal
    from syncline.model.application import IgnoreDifference


def wanted(given: dict[str, Any], found: Diff) -> dict[ObjectKey, Proposal]:
    """Return the rules that were asked for, by object; none where nothing differs."""
    from syncline.core.compare.ignore import acceptance

    if given["accept"] is not None and not given["accept"].strip():
        raise click.UsageError("--accept needs a reason: say why the difference is accepted")
    if given["until"] and given["accept"] is None:
        raise click.UsageError("--until sets when accepted drift expires: give --accept REASON too")
    if given["until"] and not acceptance.is_expiry(given["until"]):
        raise click.UsageError(f"--until is {given['until']}, {acceptance.NO_EXPIRY}")
    if not given["write_ignore"] and given["accept"] is None:
        return {}
    return found.ignore_rules()


def write(given: dict[str, Any], rules: Mapping[ObjectKey, Proposal]) -> None:
    """Add the rules to the Application's file, where there is one."""
    file: Path | None = given["app"]
    entries = [proposal.entry for proposal in rules.values() if proposal.entry is not None]
    if file is None or not entries:
        return
    text = file.read_text()
    index = _application_index(text)
    for entry in entries:
        text, place = _accepted(text, index, entry, given) if given["accept"] else _ignored(text, index, entry)
        terminal.echo(f"wrote {place} to {file}", err=True)
    file.write_text(text)


def _application_index(text: str) -> int:
    from syncline.apimachinery import yaml

    documents = yaml.load_documents(text)
    return next(found.index for found in documents if found.value.get("kind") == "Application")


def _document(text: str, index: int) -> dict[str, Any]:
    from syncline.apimachinery import yaml

    value: dict[str, Any] = yaml.load_documents(text)[index].value
    return value


def _ignored(text: str, index: int, entry: IgnoreDifference) -> tuple[str, str]:
    import msgspec

    from syncline.apimachinery import yaml

    known = (_document(text, index).get("spec") or {}).get("ignoreDifferences") or []
    path = ("spec", "ignoreDifferences", len(known))
    changed = yaml.edit.set_value(text, index, path, msgspec.to_builtins(entry))
    return changed, f"spec.ignoreDifferences[{len(known)}]"


def _accepted(text: str, index: int, entry: IgnoreDifference, given: dict[str, Any]) -> tuple[str, str]:
    """Add an entry to the annotation that holds accepted drift."""
    import msgspec

    from syncline.apimachinery import yaml
    from syncline.model import names
    from syncline.model.errors import InvalidSpec

    annotations = meta.annotations(_document(text, index))
    known = yaml.load(annotations.get(names.ACCEPTED_DRIFT) or "[]")
    if not isinstance(known, list):
        raise InvalidSpec(f"the annotation {names.ACCEPTED_DRIFT} is not a list of entries", hint="fix it first")
    facts = {"reason": given["accept"].strip(), **({"expires": given["until"]} if given["until"] else {})}
    entries = yaml.dump([*known, {**facts, **msgspec.to_builtins(entry)}])
    path = ("metadata", "annotations", names.ACCEPTED_DRIFT)
    return yaml.edit.set_value(text, index, path, entries), f"accepted drift {len(known)}"
