"""The cases: steps in order, a step that stops, limits, Applications of no step, changes in between, deletion.

An Application whose sync is refused is not among them: Argo CD starts that sync again and again, and never rests.
"""

from collections.abc import Iterable
from typing import Any

from tests.support.referee.case import Json, config, deployment
from tests.support.rolling.case import Case, Commit, Delete, Drift, Files, Respec, elements

_DEV_PROD = {"a": "dev", "b": "dev", "c": "prod"}
_FOREGROUND = "resources-finalizer.argocd.argoproj.io"


def _step(*envs: str, operator: str = "In", **more: Any) -> Json:
    return {"matchExpressions": [{"key": "env", "operator": operator, "values": list(envs)}], **more}


def _maps(names: Iterable[str], colour: str = "blue") -> dict[str, Any]:
    return {name: config(name, colour=colour) for name in names}


def _sick(name: str) -> Files:
    return {name: deployment(name, image="example/web:missing")}


def _well(name: str) -> Files:
    return {name: deployment(name, image="example/web:2")}


_THREE = (_step("dev"), _step("test"), _step("prod"))
_TWO = (_step("dev"), _step("prod"))

CASES: tuple[Case, ...] = (
    Case(
        "in-order",
        {"a": "dev", "b": "dev", "c": "test", "d": "prod"},
        _THREE,
        _maps("abcd"),
        steps=(Commit(_maps("abcd", "red")),),
    ),
    Case("names-against-order", {"z": "dev", "m": "test", "a": "prod"}, _THREE, _maps("zma")),
    Case(
        "stopped-by-health",
        _DEV_PROD,
        _TWO,
        {**_maps("bc"), **_sick("a")},
        steps=(Commit(_well("a")),),
    ),
    Case(
        "stopped-later-by-health",
        _DEV_PROD,
        _TWO,
        {**_maps("bc"), **_well("a")},
        steps=(Commit({**_sick("a"), **_maps("c", "red")}), Commit(_well("a"))),
    ),
    Case("one-at-a-time", dict.fromkeys("abc", "dev"), (_step("dev", maxUpdate=1),), _maps("abc")),
    Case(
        "half-at-a-time",
        {**dict.fromkeys("abcd", "dev"), "e": "prod"},
        (_step("dev", maxUpdate="50%"), _step("prod")),
        _maps("abcde"),
    ),
    Case("one-at-least", dict.fromkeys("abc", "dev"), (_step("dev", maxUpdate="10%"),), _maps("abc")),
    Case("held-by-zero", {"a": "dev", "b": "prod"}, (_step("dev", maxUpdate="0%"), _step("prod")), _maps("ab")),
    Case("of-no-step", {"a": "dev", "b": "other"}, (_step("dev"),), _maps("ab")),
    Case(
        "all-but",
        {"a": "dev", "b": "test", "c": "prod"},
        (_step("prod", operator="NotIn"), _step("prod")),
        _maps("abc"),
    ),
    Case("selected-twice", {"a": "dev", "b": "prod"}, (_step("dev", "prod"), _step("prod")), _maps("ab")),
    Case("step-of-nothing", {"a": "dev", "b": "prod"}, (_step("dev"), _step("none"), _step("prod")), _maps("ab")),
    Case(
        "last-changes-alone",
        {"a": "dev", "b": "prod"},
        _TWO,
        _maps("ab"),
        steps=(Commit(_maps("b", "red")),),
    ),
    Case(
        "one-more",
        {"a": "dev", "c": "prod"},
        _TWO,
        _maps("abc"),
        steps=(Respec({"generators": [elements(_DEV_PROD)]}),),
    ),
    Case(
        "one-less",
        _DEV_PROD,
        _TWO,
        _maps("abc"),
        steps=(Respec({"generators": [elements({"a": "dev", "c": "prod"})]}),),
    ),
    Case(
        "no-more-steps",
        {"a": "dev", "b": "prod"},
        _TWO,
        _maps("ab"),
        steps=(Respec({"strategy": {"type": "AllAtOnce"}}),),
    ),
    Case("drift", {"a": "dev", "b": "prod"}, _TWO, _maps("ab"), steps=(Drift("a"),)),
    Case(
        "deleted-in-reverse",
        {"a": "dev", "b": "test", "c": "prod"},
        _THREE,
        _maps("abc"),
        steps=(Delete(),),
        strategy={"deletionOrder": "Reverse"},
        finalizers=(_FOREGROUND,),
    ),
)
