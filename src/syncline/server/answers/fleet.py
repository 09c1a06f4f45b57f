"""What is answered about all Applications: rows, causes, the diagnosis, objects by name, accepted differences."""

from __future__ import annotations

from typing import Literal

import msgspec

from syncline.model import diagnosis
from syncline.model.application import IgnoreDifference
from syncline.model.finding import Confidence, Severity
from syncline.server.answers.kinds import Answer, OneOf


class Row(Answer, frozen=True, kw_only=True):
    """One Application in one row."""

    name: str
    namespace: str
    project: str
    sync: str
    health: str
    operation: str
    sentence: str
    since: str
    causes: tuple[str, ...]
    cluster: str
    destination_namespace: str
    revision: str
    auto: bool
    set: str
    version: str


class FleetCause(Answer, frozen=True, kw_only=True):
    """One cause in one row."""

    id: str
    rank: int
    code: str
    name: str
    title: str
    severity: Severity
    confidence: Confidence
    thing: str
    cluster: str
    object: str
    apps: int
    since: str
    fix: str
    command: str
    files: int
    chain: tuple[str, ...]
    next_in_line: tuple[str, ...]


class DiagnosisState(Answer, frozen=True, kw_only=True):
    """How the diagnosis stands."""

    state: str
    as_of: str
    seconds: float
    message: str
    late: float


class FleetRepair(Answer, frozen=True, kw_only=True):
    """One step of the order of repair."""

    cause: str
    good_after: int


class Fleet(Answer, frozen=True, kw_only=True):
    """Counts, causes and rows. `version` is how new it is; `told` differs when the diagnosis changes what rows say."""

    schema_version: int
    as_of: str
    version: str
    trouble: str
    total: int
    good: int
    matching: int
    counts: dict[str, dict[str, int]]
    diagnosis: DiagnosisState
    told: str
    causes: tuple[FleetCause, ...]
    repairs: tuple[FleetRepair, ...]
    rows: tuple[Row, ...]


class RowChanged(Answer, frozen=True, kw_only=True):
    """A row as it is now."""

    type: Literal["ROW"]
    row: Row


class AppName(Answer, frozen=True, kw_only=True):
    """The name of an Application."""

    namespace: str
    name: str


class RowGone(Answer, frozen=True, kw_only=True):
    """A row that is not there any more."""

    type: Literal["GONE"]
    row: AppName


class DiagnosisMade(Answer, frozen=True, kw_only=True):
    """There is a new diagnosis."""

    type: Literal["DIAGNOSIS"]
    as_of: str


FLEET_EVENT = OneOf("FleetEvent", (RowChanged, RowGone, DiagnosisMade))


class CausePatch(Answer, frozen=True, kw_only=True):
    """The edits of a fix as `git apply` takes them, and what does not fit."""

    text: str
    problems: tuple[str, ...]
    repository: str = ""


class Cause(diagnosis.RootCause, frozen=True, kw_only=True, omit_defaults=True):
    """One cause with all about it; `apps` and `patch` come with a single one."""

    code: str
    name: str
    cluster: str
    object: str
    outside: str
    apps: tuple[Row, ...] = ()
    patch: CausePatch | msgspec.UnsetType = msgspec.UNSET


class Diagnosis(diagnosis.Diagnosis, frozen=True, kw_only=True, omit_defaults=True):
    """The diagnosis of the Applications that may be seen."""

    causes: tuple[Cause, ...] = ()
    counted: str
    states: dict[str, str]
    schema: int = msgspec.field(name="schemaVersion")


class FoundObject(Answer, frozen=True, kw_only=True):
    """An object of an Application."""

    kind: str
    namespace: str
    name: str
    group: str
    status: str
    health: str
    app: AppName


class FoundObjects(Answer, frozen=True, kw_only=True):
    """Objects that match, the best first."""

    schema_version: int
    total: int
    items: tuple[FoundObject, ...]


class AcceptedItem(Answer, frozen=True, kw_only=True):
    """A difference that somebody agreed to live with."""

    app: AppName
    reason: str
    expires: str
    owner: str
    rule: IgnoreDifference
    expired: bool


class AcceptedProblem(Answer, frozen=True, kw_only=True):
    """An annotation that cannot be read."""

    app: AppName
    message: str


class Accepted(Answer, frozen=True, kw_only=True):
    """Differences that somebody agreed to live with."""

    schema_version: int
    items: tuple[AcceptedItem, ...]
    problems: tuple[AcceptedProblem, ...]
