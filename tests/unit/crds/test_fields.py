"""The CRDs know every field Argo CD documents, the rich objects set every one, and nothing is lost on the way."""

from typing import Any

import msgspec
import pytest

from syncline.model import application, applicationset, crds, project
from tests.support import schema_check
from tests.unit.crds import fields, rich, rich_set

Json = dict[str, Any]

KINDS = [
    pytest.param(crds.application_crd(), fields.APPLICATION, rich.application(), id="Application"),
    pytest.param(crds.appproject_crd(), fields.APPPROJECT, rich.appproject(), id="AppProject"),
    pytest.param(crds.applicationset_crd(), fields.APPLICATIONSET, rich_set.applicationset(), id="ApplicationSet"),
]


def declared(schema: Json, path: str) -> bool:
    for step in path.split("."):
        properties = schema.get("properties", {})
        if step.removesuffix("[]") not in properties:
            return False
        schema = properties[step.removesuffix("[]")]
        if step.endswith("[]"):
            schema = schema["items"]
    return True


def values_at(value: Any, path: str) -> list[Any]:
    """What stands at the path, in any element of the lists on the way."""
    found = [value]
    for step in path.split("."):
        found = [one[step.removesuffix("[]")] for one in found if step.removesuffix("[]") in one]
        if step.endswith("[]"):
            found = [member for one in found for member in one]
    return found


@pytest.mark.parametrize(("crd", "paths", "_obj"), KINDS)
def test_every_documented_field_is_in_the_schema(crd: Json, paths: tuple[str, ...], _obj: Json) -> None:
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert [path for path in paths if not declared(schema, path)] == []


@pytest.mark.parametrize(("_crd", "paths", "obj"), KINDS)
def test_the_rich_object_sets_every_documented_field(_crd: Json, paths: tuple[str, ...], obj: Json) -> None:
    assert [path for path in paths if not values_at(obj, path)] == []


@pytest.mark.parametrize(("crd", "_paths", "obj"), KINDS)
def test_nothing_of_the_rich_object_is_unknown(crd: Json, _paths: tuple[str, ...], obj: Json) -> None:
    assert schema_check.unknown_fields(obj, crd) == ()


def test_an_application_comes_back_whole_from_the_model() -> None:
    obj = rich.application()
    parsed = msgspec.json.decode(msgspec.json.encode(application.parse(obj)))
    assert parsed == {name: obj[name] for name in ("metadata", "spec", "operation", "status")}


def test_an_application_set_comes_back_whole_from_the_model() -> None:
    obj = rich_set.applicationset()
    parsed = msgspec.json.decode(msgspec.json.encode(applicationset.parse(obj)))
    assert parsed == {name: obj[name] for name in ("metadata", "spec", "status")}


def test_a_project_comes_back_whole_from_the_model() -> None:
    obj = rich.appproject()
    parsed = msgspec.json.decode(msgspec.json.encode(project.parse(obj)))
    assert parsed == {name: obj[name] for name in ("metadata", "spec", "status")}
