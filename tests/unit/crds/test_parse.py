"""An ApplicationSet is read leniently where nothing is lost by it, and refused in one sentence where it is not."""

from typing import Any

import pytest

from syncline.model import applicationset
from syncline.model.application import ApplicationSpec, Destination, Metadata
from syncline.model.applicationset import (
    ApplicationSet,
    ApplicationSetSpec,
    ClusterGenerator,
    Generator,
    GitGenerator,
    GitItem,
    ListGenerator,
    MatrixGenerator,
    Template,
    TemplateMetadata,
)
from syncline.model.errors import InvalidSpec

Json = dict[str, Any]

TEMPLATE: Json = {"metadata": {"name": "{{ .name }}"}, "spec": {"project": "shop", "destination": {}}}


def obj(*generators: Json, **spec: Any) -> Json:
    return {"metadata": {"name": "shops"}, "spec": {"generators": list(generators), "template": TEMPLATE, **spec}}


def parsed(*generators: Generator) -> ApplicationSet:
    template = Template(TemplateMetadata(name="{{ .name }}"), ApplicationSpec(Destination(), project="shop"))
    return ApplicationSet(Metadata(name="shops"), ApplicationSetSpec(generators, template))


def test_generators_are_typed_at_every_depth() -> None:
    inner = {"matrix": {"generators": [{"clusters": {}}, {"list": {"elements": [{"a": 1}]}}]}}
    git = {"git": {"repoURL": "https://git.example.com/a", "revision": "HEAD", "files": [{"path": "*.json"}]}}
    assert applicationset.parse(obj({"matrix": {"generators": [git, inner]}})) == parsed(
        Generator(
            matrix=MatrixGenerator(
                (
                    Generator(git=GitGenerator("https://git.example.com/a", "HEAD", files=(GitItem("*.json"),))),
                    Generator(
                        matrix=MatrixGenerator(
                            (Generator(clusters=ClusterGenerator()), Generator(list=ListGenerator(({"a": 1},))))
                        )
                    ),
                )
            )
        )
    )


def test_an_absent_block_may_be_written_as_null_but_null_is_kept_where_anything_goes() -> None:
    found = applicationset.parse(obj({"list": {"elements": [{"a": None}]}, "selector": None}, syncPolicy=None))
    assert found == parsed(Generator(list=ListGenerator(({"a": None},))))


@pytest.mark.parametrize(
    ("given", "what"),
    [
        (
            obj({"git": {"repoURL": "https://git.example.com/a"}}),
            "Object missing required field `revision` - at `$.spec.generators[0].git`",
        ),
        (
            obj(syncPolicy={"applicationsSync": "never"}),
            "Invalid enum value 'never' - at `$.spec.syncPolicy.applicationsSync`",
        ),
        (
            {"metadata": {"name": "shops"}},
            "Object missing required field `spec`",
        ),
    ],
)
def test_what_cannot_be_read_is_named(given: Json, what: str) -> None:
    with pytest.raises(InvalidSpec) as raised:
        applicationset.parse(given)
    assert str(raised.value) == f"ApplicationSet shops cannot be read: {what}"
