"""A diagnosis as JSON, for programs: what each cause is about, its code and its rank stand at its top."""

from __future__ import annotations

import msgspec
import orjson

from syncline.cli.show.diagnosis.report import Report
from syncline.model import codec
from syncline.model.diagnosis import Diagnosis
from syncline.model.errors import InvalidSpec, Place
from syncline.verbs.fleet.answer import diagnosis_values


def as_json(report: Report) -> str:
    """Return the JSON of a diagnosis, without what looks like a secret."""
    data = diagnosis_values(report.diagnosis, counted=report.counted, states=report.states, with_logs=report.with_logs)
    return orjson.dumps(data, option=orjson.OPT_INDENT_2).decode()


def from_json(text: bytes, file: str) -> Diagnosis:
    """Return the diagnosis that `as_json` wrote."""
    try:
        return codec.decode(Diagnosis, text)
    except msgspec.DecodeError:
        hint = "give a file that `syncline diagnose -o json` or `syncline snapshot` wrote"
        raise InvalidSpec("this is not a diagnosis", place=Place(file), hint=hint) from None
