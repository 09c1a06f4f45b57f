"""Single settings put into a source, and taken away again."""

from __future__ import annotations

from typing import Any

import pytest

from syncline.verbs.errors import InvalidRequest
from syncline.verbs.settings import Merge, SourceChoice, SpecSetting, UnsetFields, image_name, put_settings, unset


@pytest.mark.parametrize(
    ("image", "name"),
    [
        ("web", "web"),
        ("web:1", "web"),
        ("web@sha256:0", "web"),
        ("reg:5000/web", "reg:5000/web"),
        ("reg:5000/a/web:1", "reg:5000/a/web"),
        ("web=reg:5000/other:1", "web"),
    ],
)
def test_image_names_are_told_from_tags_and_ports(image: str, name: str) -> None:
    assert image_name(image) == name


def several() -> dict[str, Any]:
    sources = [{"repoURL": "a", "name": "chart"}, {"repoURL": "b", "future": {"kept": True}}]
    return {"spec": {"sources": sources}}


def test_a_setting_goes_into_the_chosen_source_and_leaves_unknown_fields_alone() -> None:
    app = several()
    put_settings(app, [SpecSetting("helm.parameters", [{"name": "a", "value": "1"}], Merge.NAMED)], SourceChoice(2))
    assert app["spec"]["sources"] == [
        {"repoURL": "a", "name": "chart"},
        {"repoURL": "b", "future": {"kept": True}, "helm": {"parameters": [{"name": "a", "value": "1"}]}},
    ]


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        (SourceChoice(), "this Application has 2 sources"),
        (SourceChoice(3), "this Application has 2 sources"),
        (SourceChoice(name="values"), r"no source named values \(known: chart\)"),
    ],
)
def test_which_of_several_sources_has_to_be_told(choice: SourceChoice, sentence: str) -> None:
    with pytest.raises(InvalidRequest, match=sentence):
        put_settings(several(), [SpecSetting("path", "web")], choice)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ([UnsetFields("helm.valueFiles", ("a.yaml",))], {"helm": {"valueFiles": ["b.yaml"], "skipCrds": True}}),
        ([UnsetFields("helm.valueFiles", ("a.yaml", "b.yaml")), UnsetFields("helm.skipCrds")], {}),
        ([UnsetFields("helm.valueFiles")], {"helm": {"skipCrds": True}}),
        ([UnsetFields("kustomize.namePrefix")], {"helm": {"valueFiles": ["a.yaml", "b.yaml"], "skipCrds": True}}),
    ],
)
def test_fields_are_removed_and_empty_tools_go_too(fields: list[UnsetFields], expected: dict[str, Any]) -> None:
    source: dict[str, Any] = {"repoURL": "a", "helm": {"valueFiles": ["a.yaml", "b.yaml"], "skipCrds": True}}
    unset(source, fields)
    assert source == {"repoURL": "a", **expected}


def test_an_image_override_is_removed_by_the_name_of_its_image() -> None:
    source: dict[str, Any] = {"kustomize": {"images": ["web=reg/web:2", "db:1"]}}
    unset(source, [UnsetFields("kustomize.images", ("web",))])
    assert source == {"kustomize": {"images": ["db:1"]}}
