"""A diagnosis as JSON, for programs: what each cause is about, its code and its rank stand at its top."""

from __future__ import annotations

from typing import Any

import msgspec
import orjson

from syncline.cli.show.diagnosis.report import Report
from syncline.core.diagnose.redaction import without_secrets
from syncline.model import codec
from syncline.model.diagnosis import Diagnosis, RootCause
from syncline.model.errors import InvalidSpec, Place
from syncline.model.finding import EvidenceKind

SCHEMA = 1


def as_json(report: Report) -> str:
    """Return the JSON of a diagnosis, without what looks like a secret."""
    found = report.diagnosis
    told = codec.to_object(found)
    told["causes"] = [_cause(cause, with_logs=report.with_logs) for cause in found.causes]
    data: dict[str, Any] = {
        "schemaVersion": SCHEMA,
        **told,
        "counted": report.counted,
        "states": dict(sorted(report.states.items())),
    }
    return orjson.dumps(_redacted(data), option=orjson.OPT_INDENT_2).decode()


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, dict):
        return {name: _redacted(member) for name, member in value.items()}
    return [_redacted(member) for member in value] if isinstance(value, list) else value


def _cause(cause: RootCause, *, with_logs: bool) -> dict[str, Any]:
    key = cause.thing.key
    finding = cause.finding
    if not with_logs:
        evidence = tuple(one for one in finding.evidence if one.kind is not EvidenceKind.LOG)
        finding = msgspec.structs.replace(finding, evidence=evidence)
    return {
        "rank": cause.rank,
        "id": cause.id,
        "code": finding.code,
        "name": finding.name,
        "cluster": cause.thing.cluster,
        "object": str(key) if key is not None else "",
        "outside": f"{cause.thing.outside} {cause.thing.name}" if key is None else "",
        **codec.to_object(msgspec.structs.replace(cause, finding=finding)),
    }


def from_json(text: bytes, file: str) -> Diagnosis:
    """Return the diagnosis that `as_json` wrote."""
    try:
        return codec.decode(Diagnosis, text)
    except msgspec.DecodeError:
        hint = "give a file that `syncline diagnose -o json` or `syncline snapshot` wrote"
        raise InvalidSpec("this is not a diagnosis", place=Place(file), hint=hint) from None
