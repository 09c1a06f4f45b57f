"""The description of all routes: complete, and valid in itself."""

import re

import jsonschema_rs
import orjson

from syncline.server.requests import openapi
from syncline.server.table import ENDPOINTS

DOCUMENT = orjson.loads(orjson.dumps(openapi.document(ENDPOINTS, "1.2.3")))


def operations() -> list[tuple[str, str, dict[str, object]]]:
    return [(path, method, one) for path, item in DOCUMENT["paths"].items() for method, one in item.items()]


def test_every_route_is_described_once_under_a_name_of_its_own() -> None:
    described = {(method.upper(), path) for path, method, _ in operations()}
    assert described == {(one.method, re.sub(r":path", "", one.path)) for one in ENDPOINTS}
    names = [one["operationId"] for _, _, one in operations()]
    assert len(names) == len(set(names))


def test_references_lead_somewhere_and_schemas_can_be_used() -> None:
    text = orjson.dumps(DOCUMENT).decode()
    wanted = set(re.findall(r'"#/components/schemas/(\w+)"', text))
    assert wanted <= set(DOCUMENT["components"]["schemas"])
    body = DOCUMENT["paths"]["/api/v1/applications/{name}/sync"]["post"]["requestBody"]["content"]["application/json"]
    schema = {**body["schema"], "components": DOCUMENT["components"]}
    checker = jsonschema_rs.validator_for(schema)
    assert checker.is_valid({"prune": True, "resources": [{"kind": "Pod", "name": "x"}]})
    assert not checker.is_valid({"prune": "perhaps"})


def test_what_is_in_a_path_is_a_parameter_and_only_open_routes_need_no_session() -> None:
    for path, _, one in operations():
        listed = {found["name"] for found in one["parameters"] if found["in"] == "path"}  # type: ignore[attr-defined]
        assert listed == set(re.findall(r"\{(\w+)\}", path))
    free = {path for path, _, one in operations() if one.get("security") == []}
    assert free == {re.sub(r":path", "", one.path) for one in ENDPOINTS if one.open}
