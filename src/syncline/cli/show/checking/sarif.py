"""Findings as SARIF 2.1.0, which code hosts and editors read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from syncline import __version__
from syncline.core.diagnose import registry
from syncline.core.diagnose.findings.same import identity
from syncline.model.finding import Finding, Severity

if TYPE_CHECKING:
    from syncline.api.check import Checked
    from syncline.core.diagnose.rule import Rule
    from syncline.model.errors import Place

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
_BASE = "%SRCROOT%"


def sarif(found: Checked) -> str:
    """Return one run with its results, their rules, and what could not be looked at."""
    codes = list(dict.fromkeys(one.code for one in found.findings))
    rules = {rule.code: rule for rule in registry.rules()}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "syncline",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_rule(rules[code]) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_BASE: {"description": {"text": "The top folder of the repository."}}},
        "results": [_result(one, codes.index(one.code)) for one in found.findings],
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [
                    {"level": "note", "message": {"text": f"not checked ({one.count}): {one.what}"}}
                    for one in found.left_out
                ],
            }
        ],
    }
    value = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": rule.why or rule.summary},
        "help": {"text": rule.fix},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
    }


def _result(one: Finding, index: int) -> dict[str, Any]:
    places = [evidence.place for evidence in one.evidence if evidence.place is not None and evidence.place.file]
    fix = f" Fix: {one.fix.text}" if one.fix is not None and one.fix.text else ""
    result: dict[str, Any] = {
        "ruleId": one.code,
        "ruleIndex": index,
        "level": _LEVELS[one.severity],
        "message": {"text": f"{one.message}.{fix}"},
        "partialFingerprints": {"syncline/v1": "\n".join(identity(one))},
        "occurrenceCount": one.count,
    }
    # Results without a place are not shown by code hosts, so they are put at the top of the repository.
    result["locations"] = [_location(places[0] if places else None)]
    if others := list(dict.fromkeys(places[1:])):
        result["relatedLocations"] = [{"id": number, **_location(place)} for number, place in enumerate(others)]
    return result


def _location(place: Place | None) -> dict[str, Any]:
    artifact = {"uri": place.file if place is not None else ".", "uriBaseId": _BASE}
    region = {"startLine": max(1, place.line if place is not None else 1)}
    if place is not None and place.column:
        region["startColumn"] = place.column
    return {"physicalLocation": {"artifactLocation": artifact, "region": region}}
