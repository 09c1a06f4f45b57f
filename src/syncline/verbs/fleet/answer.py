"""A diagnosis as plain values, for programs: what each cause is about, its code and its rank stand at its top.

Used by `diagnose -o json` and by the server. What looks like a secret is taken out of every text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from syncline.core.diagnose.findings.redaction import without_secrets
from syncline.model import codec
from syncline.model.diagnosis import Diagnosis, RootCause
from syncline.model.finding import EvidenceKind

SCHEMA: Final = 1


def diagnosis_values(found: Diagnosis, *, counted: str, states: Mapping[str, str], with_logs: bool) -> dict[str, Any]:
    """Return a diagnosis; `counted` is what is counted, `states` how each of them stands."""
    told = codec.to_object(found)
    told["causes"] = [cause_values(cause, with_logs=with_logs) for cause in found.causes]
    data: dict[str, Any] = {
        "schemaVersion": SCHEMA,
        **told,
        "counted": counted,
        "states": dict(sorted(states.items())),
    }
    shown: dict[str, Any] = redacted_values(data)
    return shown


def redacted_values(value: Any) -> Any:
    """Return a value whose texts have nothing that looks like a secret."""
    if isinstance(value, str):
        return without_secrets(value)
    if isinstance(value, dict):
        return {name: redacted_values(member) for name, member in value.items()}
    return [redacted_values(member) for member in value] if isinstance(value, list | tuple) else value


def cause_values(cause: RootCause, *, with_logs: bool) -> dict[str, Any]:
    """Return one cause; lines of logs only where they may be shown."""
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
