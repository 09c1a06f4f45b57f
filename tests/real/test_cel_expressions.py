"""Expressions as the real API server works them out: the answers the unit tests hold, asked again.

`python -m tests.real.test_cel_expressions` records them anew.
"""

from __future__ import annotations

import json
import pathlib
import re
import tempfile
import time
import uuid
from typing import Any

import pytest

from tests.real import api as client
from tests.real.test_custom_schemas import served
from tests.unit.cel import cases

pytestmark = pytest.mark.real
_MANY = 60
"""Rules of one CRD."""
_FEW = 8
"""Expressions of one policy: a server cuts warnings that are long together."""
GROUP = "/apis/admissionregistration.k8s.io/v1"
SELF = r"\bself\b"
KEPT_PLURAL = "kepts"
KEPT: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"{KEPT_PLURAL}.syncline-test.example"},
    "spec": {
        "group": "syncline-test.example",
        "scope": "Namespaced",
        "names": {"plural": KEPT_PLURAL, "kind": "Kept"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}


def _definition(rules: list[dict[str, Any]]) -> dict[str, Any]:
    kind = f"Said{uuid.uuid4().hex[:8]}"
    plural = kind.lower()
    schema = {"type": "object", "properties": {"spec": {**cases.SCHEMA, "x-kubernetes-validations": rules}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": plural, "kind": kind}
    spec = {"group": "syncline-test.example", "scope": "Namespaced", "names": names, "versions": [version]}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.syncline-test.example"},
        "spec": spec,
    }


def _refused(api: client.Api, expressions: tuple[str, ...]) -> dict[str, str]:
    """Return why the server does not take some of the expressions."""
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All"
    told: dict[str, str] = {}
    for begin in range(0, len(expressions), _MANY):
        chosen = expressions[begin : begin + _MANY]
        # On its own, so that the places in the complaint are those of the expression.
        _, answer = api.request("POST", path, _definition([{"rule": one} for one in chosen]))
        for cause in answer.get("details", {}).get("causes", ()):
            place = re.search(r"x-kubernetes-validations\[(\d+)\]\.rule$", cause["field"])
            said = cause["message"].partition("compilation failed: ")[2]
            if place and said:
                told[chosen[int(place[1])]] = said
    return told


def _policy(name: str, expressions: list[str]) -> dict[str, Any]:
    rule = {"apiGroups": ["*"], "apiVersions": ["*"], "operations": ["CREATE"], "resources": [KEPT_PLURAL]}
    shown = [f"'%s'.format([{re.sub(SELF, 'object.spec', one)}])" for one in expressions]
    return {
        "metadata": {"name": name},
        "spec": {
            "matchConstraints": {"resourceRules": [rule]},
            "matchConditions": [{"name": "mine", "expression": f"object.metadata.name == '{name}'"}],
            "validations": [
                # Numbered, because a server says the same thing once only.
                {"expression": f"{one} == '~'", "messageExpression": f"'{at}=' + {one}", "message": "~"}
                for at, one in enumerate(shown)
            ],
        },
    }


def _worked_out(api: client.Api, expressions: list[str]) -> dict[str, str]:
    """Ask for all values: a policy for each few of them warns of what they are."""
    path = served(api, KEPT)
    told = _failed_at_once(api, expressions)
    expressions = [one for one in expressions if one not in told]
    run = uuid.uuid4().hex[:8]
    chosen = {f"said-{run}-{at}": expressions[at : at + _FEW] for at in range(0, len(expressions), _FEW)}
    for name, some in chosen.items():
        api.ok("POST", f"{GROUP}/validatingadmissionpolicies", _policy(name, some))
        spec = {"policyName": name, "validationActions": ["Warn"]}
        api.ok("POST", f"{GROUP}/validatingadmissionpolicybindings", {"metadata": {"name": name}, "spec": spec})
    for name, some in chosen.items():
        warnings = _warned(api, path, name, len(some))
        told |= {one: _outcome(warning) for one, warning in zip(some, warnings, strict=True)}
        for kind in ("validatingadmissionpolicybindings", "validatingadmissionpolicies"):
            api.ok("DELETE", f"{GROUP}/{kind}/{name}")
    return told


def _failed_at_once(api: client.Api, expressions: list[str]) -> dict[str, str]:
    """Return the failures of what the server works out when it takes an expression: functions of constants."""
    told: dict[str, str] = {}
    for begin in range(0, len(expressions), _MANY):
        chosen = expressions[begin : begin + _MANY]
        _, answer = api.request("POST", f"{GROUP}/validatingadmissionpolicies?dryRun=All", _policy("probe", chosen))
        for cause in answer.get("details", {}).get("causes", ()):
            place = re.search(r"validations\[(\d+)\]\.expression$", cause["field"])
            said = cause["message"].partition("program instantiation failed: ")[2]
            assert said, cause
            if place:
                told[chosen[int(place[1])]] = f"!{said}"
    return told


def _warned(api: client.Api, path: str, name: str, count: int) -> list[str]:
    obj = {"apiVersion": "syncline-test.example/v1", "kind": "Kept", "metadata": {"name": name}, "spec": cases.SELF}
    for _ in range(600):  # policies are read from a cache that follows a moment later
        warnings = api.warnings("POST", f"{path}?dryRun=All", obj)
        if warnings:
            assert len(warnings) == count, warnings
            return warnings
        time.sleep(0.1)
    raise AssertionError(f"the policy {name} did not come into force within a minute")


def _outcome(warning: str) -> str:
    said = warning.partition("': ")[2]
    failed = said.partition(" resulted in error: ")[2]
    return f"!{failed}" if failed else f"={said.partition('=')[2]}"


def answers(api: client.Api) -> dict[str, str]:
    refused = _refused(api, cases.EXPRESSIONS)
    return refused | _worked_out(api, [one for one in cases.EXPRESSIONS if one not in refused])


@pytest.mark.timeout(900)
def test_the_recorded_answers_are_the_servers(api: client.Api) -> None:
    assert answers(api) == cases.RECORDED


def main() -> None:
    """Ask a server and write its answers."""
    from tests.real import sharing

    with tempfile.TemporaryDirectory() as folder, sharing.joined(pathlib.Path(folder)) as cluster:
        found = answers(client.Api(cluster))
    ordered = {one: found[one] for one in cases.EXPRESSIONS}
    target = pathlib.Path(cases.__file__).with_name("recorded.json")
    target.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
