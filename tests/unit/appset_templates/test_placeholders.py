"""ApplicationSet templates without Go templates, and the Application that is made of one."""

from typing import Any

import pytest

from syncline.core.appset.limits import Limits
from syncline.core.appset.template import TemplateError, render_application, render_text

PARAMS = {"name": "eu", "metadata.labels.env": "prod", "path[0]": "apps", "count": 3, "empty": ""}


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("plain", "plain"),
        ("{{name}}", "eu"),
        ("{{ name }}-{{metadata.labels.env}}", "eu-prod"),
        ("{{path[0]}}/x", "apps/x"),
        ("a{{empty}}b", "ab"),
        ("{{unknown}} {{ name }}", "{{unknown}} eu"),
        ("{{ unknown }}", "{{ unknown }}"),
        ("{{count}}", "{{count}}"),
        ("{{}}{{ }}", "{{}}{{ }}"),
        ("{{\tname\t}}", "eu"),
        ("{{\nname\n}}", "{{\nname\n}}"),
        ("{{\nname\n}} {{name}}", "eu eu"),
        ("{{ {{name}} }}", "{{ {{name}} }}"),
        ("{{name", "{{name"),
        ("{name}}", "{name}}"),
    ],
)
def test_placeholders_are_filled_by_flat_names(text: str, rendered: str) -> None:
    assert render_text(text, PARAMS, go_template=False) == rendered


def test_an_unclosed_placeholder_after_a_closed_one_is_an_error() -> None:
    with pytest.raises(TemplateError, match="invalid template"):
        render_text("{{name}} {{name", PARAMS, go_template=False)


def test_a_result_that_grows_too_long_is_refused() -> None:
    with pytest.raises(TemplateError, match="longer than 10 characters"):
        render_text("{{a}}{{a}}", {"a": "123456"}, go_template=False, limits=Limits(max_output=10))


TEMPLATE: dict[str, Any] = {
    "metadata": {"name": "{{name}}-app", "labels": {"{{name}}": "x"}, "generateName": "dropped"},
    "spec": {
        "project": "default",
        "source": {
            "repoURL": "https://example.org/r",
            "helm": {"valuesObject": {"n": 1, "s": "{{name}}", "gone": None}},
        },
        "destination": {"name": "{{name}}"},
    },
}


def rendered(patch: str | None = None, **more: Any) -> dict[str, Any]:
    return render_application(TEMPLATE, {"name": "eu"}, go_template=False, template_patch=patch, **more)


def test_keys_and_texts_are_rendered_and_the_rest_is_kept() -> None:
    assert rendered() == {
        "metadata": {"name": "eu-app", "labels": {"eu": "x"}},
        "spec": {
            "project": "default",
            "source": {"repoURL": "https://example.org/r", "helm": {"valuesObject": {"n": 1, "s": "eu"}}},
            "destination": {"name": "eu"},
        },
    }


def test_without_parameters_nothing_is_rendered() -> None:
    made = render_application(TEMPLATE, {}, go_template=False, default_finalizers=["f"])
    assert made["metadata"] == {"name": "{{name}}-app", "labels": {"{{name}}": "x"}}


def test_a_patch_is_rendered_and_merged_but_never_moves_the_project() -> None:
    made = rendered("spec: {project: other, source: {targetRevision: '{{name}}'}, destination: {name: null}}")
    assert made["spec"]["project"] == "default"
    assert made["spec"]["source"]["targetRevision"] == "eu"
    assert made["spec"]["source"]["repoURL"] == "https://example.org/r"
    assert made["spec"]["destination"] == {}


def test_a_patch_adds_to_the_finalizers_and_an_empty_one_changes_nothing() -> None:
    made = rendered("metadata: {finalizers: [mine]}", default_finalizers=["default"])
    assert sorted(made["metadata"]["finalizers"]) == ["default", "mine"]
    assert rendered("") == rendered()


@pytest.mark.parametrize(("patch", "told"), [("a", "cannot unmarshal string"), ("a: [", "templatePatch:")])
def test_a_patch_that_is_not_an_object_is_refused(patch: str, told: str) -> None:
    with pytest.raises(TemplateError, match=told):
        rendered(patch)
