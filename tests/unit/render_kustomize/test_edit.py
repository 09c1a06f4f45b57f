"""Settings written into a kustomization: the rules of `kustomize edit`."""

from typing import Any

import msgspec
import pytest

from syncline.adapters.render.kustomize import edit as kustomize_edit
from syncline.model.errors import RenderError
from syncline.model.sources.source import KustomizeSource


def edited(before: dict[str, Any], **settings: Any) -> dict[str, Any]:
    return kustomize_edit.edited(before, msgspec.convert(settings, KustomizeSource), {"X": "y"})


@pytest.mark.parametrize(
    ("text", "image"),
    [
        ("app:v2", {"name": "app", "newTag": "v2"}),
        ("r.example:5000/app:v2", {"name": "r.example:5000/app", "newTag": "v2"}),
        ("app@sha256:0", {"name": "app", "digest": "sha256:0"}),
        ("app=other", {"name": "app", "newName": "other"}),
        ("app=r.example:5000/other", {"name": "app", "newName": "r.example:5000/other"}),
        ("app=other:v2", {"name": "app", "newName": "other", "newTag": "v2"}),
        ("app=other@sha256:0", {"name": "app", "newName": "other", "digest": "sha256:0"}),
        ("app=*:v2", {"name": "app", "newName": "*", "newTag": "v2"}),
    ],
)
def test_images_are_read(text: str, image: dict[str, str]) -> None:
    assert kustomize_edit.parse_image(text) == image


@pytest.mark.parametrize("text", ["app", "", "=x", "app=", "@sha256:0", ":v1", "app@"])
def test_images_that_are_none(text: str) -> None:
    with pytest.raises(RenderError, match="is not an image override"):
        kustomize_edit.parse_image(text)


@pytest.mark.parametrize(
    ("before", "settings", "after"),
    [
        ({}, {}, {}),
        ({"namePrefix": "a-"}, {"namePrefix": "b-", "nameSuffix": "-c"}, {"namePrefix": "b-", "nameSuffix": "-c"}),
        ({"namespace": "a"}, {"namespace": "b"}, {"namespace": "b"}),
        (
            {"images": [{"name": "b", "newTag": "1", "newName": "x"}, {"name": "c", "newTag": "9"}]},
            {"images": ["b:2", "a:3", "c=*:4"]},
            {
                "images": [
                    {"name": "a", "newTag": "3"},
                    {"name": "b", "newTag": "2"},
                    {"name": "c", "newTag": "4"},
                ]
            },
        ),
        (
            {"images": [{"name": "b", "newName": "x", "newTag": "1"}]},
            {"images": ["b=*:2"]},
            {"images": [{"name": "b", "newName": "x", "newTag": "2"}]},
        ),
        (
            {"replicas": [{"name": "a", "count": 1}, {"name": "b", "count": 1}]},
            {"replicas": [{"name": "a", "count": "3"}, {"name": "c", "count": 2}]},
            {"replicas": [{"name": "a", "count": 3}, {"name": "b", "count": 1}, {"name": "c", "count": 2}]},
        ),
        ({"commonLabels": {"a": "1"}}, {"commonLabels": {"b": "$X"}}, {"commonLabels": {"a": "1", "b": "y"}}),
        (
            {"labels": [{"pairs": {"a": "1"}, "includeSelectors": True}]},
            {"commonLabels": {"b": "2"}, "labelWithoutSelector": True},
            {"labels": [{"pairs": {"a": "1"}, "includeSelectors": True}, {"pairs": {"b": "2"}}]},
        ),
        (
            {"labels": [{"pairs": {"a": "1"}}]},
            {"commonLabels": {"a": "2"}, "labelWithoutSelector": True, "forceCommonLabels": True},
            {"labels": [{"pairs": {"a": "2"}}]},
        ),
        (
            {"labels": [{"pairs": {"a": "1"}}]},
            {"commonLabels": {"b": "2"}, "labelWithoutSelector": True, "labelIncludeTemplates": True},
            {"labels": [{"pairs": {"a": "1"}}, {"pairs": {"b": "2"}, "includeTemplates": True}]},
        ),
        (
            {"patches": [{"path": "a.yaml"}]},
            {
                "patches": [
                    {
                        "patch": "x",
                        "target": {"kind": "A", "labelSelector": "a=b"},
                        "options": {"allowNameChange": True},
                    }
                ]
            },
            {
                "patches": [
                    {"path": "a.yaml"},
                    {
                        "patch": "x",
                        "target": {"kind": "A", "labelSelector": "a=b"},
                        "options": {"allowNameChange": True},
                    },
                ]
            },
        ),
    ],
)
def test_edits(before: dict[str, Any], settings: dict[str, Any], after: dict[str, Any]) -> None:
    untouched = msgspec.json.encode(before)
    assert edited(before, **settings) == after
    assert msgspec.json.encode(before) == untouched


@pytest.mark.parametrize("before", [{"images": "x"}, {"images": ["x"]}])
def test_a_kustomization_of_another_shape_is_refused(before: dict[str, Any]) -> None:
    with pytest.raises(RenderError, match="images of the kustomization is not a list of maps"):
        edited(before, images=["a:b"])


def test_components_stand_there_once() -> None:
    before = {"components": ["a"]}
    assert kustomize_edit.with_components(before, ["b", "a"]) == {"components": ["a", "b"]}
