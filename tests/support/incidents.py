"""Incidents as dumps, with the cause that is to be found: what `tests/unit/incidents` scores.

Those of public reports were written from their report alone: what was in the cluster, what Kubernetes said, and what
the people there found in the end. Those that are modelled were invented after public catalogues of faults, in a small
application with alerts and logs. Neither was written with a look at the rules. The first document of a dump says what
it is (`report` or `modelled`, `happened`, `cause`), and is passed over when it is read.
"""

import pathlib
from enum import StrEnum
from typing import NamedTuple

import yaml

from syncline import wiring
from syncline.core.diagnose.graph.diagnose import diagnose
from syncline.model.diagnosis import Diagnosis, RootCause

_AT_A_LOSS = "nothing that was read explains why"
FOLDER = pathlib.Path(__file__).parents[1] / "fixtures/incidents"
MODELLED = FOLDER.with_name("modelled-incidents")


class Score(StrEnum):
    """How an answer compares with what people found."""

    RIGHT = "right"
    WRONG = "wrong"
    UNTOLD = "cannot tell"


class Incident(NamedTuple):
    """One incident: its report or what it is modelled on, what happened, where the cause is, and words to be said.

    The cause is at one of `about`; of each of `words` one alternative is said.
    """

    name: str
    report: str
    happened: str
    about: tuple[str, ...]
    words: tuple[str, ...]
    folder: pathlib.Path


def incidents(where: pathlib.Path = FOLDER) -> list[Incident]:
    """Return all of them: those of public reports, or those that are modelled."""
    return [_read(folder) for folder in sorted(where.iterdir()) if folder.is_dir()]


def _read(folder: pathlib.Path) -> Incident:
    said = next(iter(yaml.safe_load_all((folder / "dump.yaml").read_text())))
    cause = said["cause"]
    source = said.get("report") or said["modelled"]
    return Incident(folder.name, source, said["happened"], tuple(cause["about"]), tuple(cause["words"]), folder)


def answered(incident: Incident) -> Diagnosis:
    """Return what we say about an incident."""
    return diagnose(wiring.read_from(incident.folder).snapshot)


def score(incident: Incident, answer: Diagnosis) -> Score:
    """Judge an answer by the first cause that it names."""
    if not answer.causes or _AT_A_LOSS in answer.causes[0].finding.message:
        return Score.UNTOLD
    return Score.RIGHT if is_right(incident, answer.causes[0]) else Score.WRONG


def is_right(incident: Incident, cause: RootCause) -> bool:
    """Whether a cause is the one of the report: at the right place, in telling words."""
    place = f"{cause.thing} {cause.thing.key or ''}".lower()
    finding = cause.finding
    fix = str(finding.fix) if finding.fix is not None else ""
    said = " ".join((finding.message, fix, *(one.text for one in finding.evidence))).lower()
    at = any(one.lower() in place for one in incident.about)
    return at and all(any(part.lower() in said for part in word.split("|")) for word in incident.words)
