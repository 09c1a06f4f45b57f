"""Holds an answer to the type that its endpoint declares."""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.server.answers.kinds import types_of


def problem_of(answer: Any, value: Any) -> str:
    """Return what is wrong with a value of JSON as an answer of a type; empty where nothing is."""
    problems = []
    for kind in types_of(answer):
        try:
            msgspec.convert(value, kind)
        except msgspec.ValidationError as error:
            problems.append(str(error).replace("Object contains", "object contains"))
        else:
            return ""
    return "; or: ".join(problems)
