"""What expressions cost at most, asked of the real API server again.

`python -m tests.real.test_cel_costs` records it.
"""

from __future__ import annotations

import json
import pathlib
import re
import tempfile
from typing import Any

import pytest

from tests.real import api as client
from tests.unit.cel import costing

pytestmark = pytest.mark.real
_MANY = 40
_TRIES = (10_000_000, 100_000, 1_000, 10)
"""Lengths of the list, so that what costs little and what costs much both exceed the budget by a readable factor."""


def _definition(rules: dict[str, int], schema: dict[str, Any]) -> dict[str, Any]:
    lists = {
        f"p{at}": {
            "type": "array",
            "maxItems": times,
            "items": {**schema, "x-kubernetes-validations": [{"rule": costing.rule(one)}]},
        }
        for at, (one, times) in enumerate(rules.items())
    }
    whole = {"type": "object", "properties": lists}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": whole}}
    names = {"plural": "costlies", "kind": "Costly"}
    spec = {"group": "syncline-test.example", "scope": "Namespaced", "names": names, "versions": [version]}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "costlies.syncline-test.example"},
        "spec": spec,
    }


def _factors(api: client.Api, rules: dict[str, int], schema: dict[str, Any]) -> dict[str, str]:
    """Return by how much each of the rules exceeds the budget."""
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All"
    told: dict[str, str] = {}
    for begin in range(0, len(rules), _MANY):
        chosen = dict(list(rules.items())[begin : begin + _MANY])
        _, answer = api.request("POST", path, _definition(chosen, schema))
        for cause in answer.get("details", {}).get("causes", ()):
            place = re.search(r"properties\[p(\d+)\].*\.rule$", cause["field"])
            said = re.search(r"estimated rule cost exceeds budget by factor of (.*?)x", cause["message"])
            if place and said:
                told[list(chosen)[int(place[1])]] = said[1]
    return told


def measured(api: client.Api, schema: dict[str, Any]) -> dict[str, list[Any]]:
    """Find for each expression a length at which the server tells its cost to the last digit."""
    found: dict[str, list[Any]] = {}
    for times in _TRIES:
        left = {one: times for one in costing.EXPRESSIONS if one not in found}
        for one, factor in _factors(api, left, schema).items():
            if factor != "more than 100":
                found[one] = [times, factor]
    exact = {one: max(1, round(times * 1.2 / float(factor))) for one, (times, factor) in found.items()}
    found |= {one: [exact[one], factor] for one, factor in _factors(api, exact, schema).items()}
    last = {one: 1 for one in costing.EXPRESSIONS if one not in found}
    found |= {one: [1, factor] for one, factor in _factors(api, last, schema).items()}
    return {one: found[one] for one in costing.EXPRESSIONS}


@pytest.mark.parametrize("schema", costing.SCHEMAS)
def test_the_recorded_costs_are_the_servers(api: client.Api, schema: str) -> None:
    recorded = costing.recorded()[schema]
    lengths = {one: times for one, (times, _) in recorded.items()}
    assert _factors(api, lengths, costing.SCHEMAS[schema]) == {one: factor for one, (_, factor) in recorded.items()}


def main() -> None:
    """Ask a server and write what it says."""
    from tests.real import sharing

    with tempfile.TemporaryDirectory() as folder, sharing.joined(pathlib.Path(folder)) as cluster:
        api = client.Api(cluster)
        found = {name: measured(api, schema) for name, schema in costing.SCHEMAS.items()}
    costing.RECORD.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
