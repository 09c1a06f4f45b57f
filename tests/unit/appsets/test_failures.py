"""What is said of a template that fails: once for one fault, with its field, the nearest name and the parameters."""

from typing import Any

import pytest

from syncline.core.appset.generate import GenerationError, generate


def failing(template: dict[str, Any], *elements: dict[str, Any], **spec: Any) -> GenerationError:
    metadata = {"metadata": {"name": "{{.name}}"}, "spec": {}}
    appset = {
        "metadata": {"name": "set", "namespace": "argocd"},
        "spec": {
            "goTemplate": True,
            "goTemplateOptions": ["missingkey=error"],
            "generators": [{"list": {"elements": list(elements)}}],
            "template": {**metadata, **template},
            **spec,
        },
    }
    with pytest.raises(GenerationError) as error:
        generate(appset, {})
    return error.value


A, B = {"name": "a", "replicas": "1"}, {"name": "b"}


def test_one_fault_of_the_template_is_said_once_for_all_parameters() -> None:
    error = failing({"metadata": {"name": "{{.nmae}}"}}, A, B)
    assert error.message.count("map has no entry for key") == 1
    assert "(did you mean name?)" in error.message
    assert error.message.endswith(
        "with the parameters of spec.generators[0].list.elements[0], spec.generators[0].list.elements[1]"
    )


def test_parameters_that_lack_a_key_are_named_and_the_others_not() -> None:
    error = failing({"spec": {"project": "{{.replicas}}"}}, A, B)
    assert error.message.endswith("(known: name), with the parameters of spec.generators[0].list.elements[1]")


def test_different_faults_are_both_said() -> None:
    error = failing({"metadata": {"name": "{{.name}}{{if .replicas}}{{fail .name}}{{end}}"}}, A, {**B, "replicas": "2"})
    assert "fail: a, with the parameters of" in error.message
    assert "fail: b, with the parameters of" in error.message


@pytest.mark.parametrize(
    ("template", "spec", "field"),
    [
        ({"metadata": {"name": "{{.x}}"}}, {}, "spec.template.metadata.name"),
        ({"spec": {"sources": [{"path": "p"}, {"path": "{{.x}}"}]}}, {}, "spec.template.spec.sources[1].path"),
        ({"metadata": {"name": "n", "labels": {"{{.x}}": "v"}}}, {}, "spec.template.metadata.labels"),
        ({}, {"templatePatch": "metadata: {labels: {a: '{{.x}}'}}"}, "spec.templatePatch"),
        ({}, {"templatePatch": "metadata: ["}, "spec.templatePatch"),
    ],
)
def test_the_field_that_failed_is_known(template: dict[str, Any], spec: dict[str, Any], field: str) -> None:
    assert failing(template, A, **spec).field == field


def test_a_function_that_does_not_exist_gets_the_nearest_that_does() -> None:
    assert (
        'function "uper" not defined (did you mean upper'
        in failing({"metadata": {"name": "{{uper .name}}"}}, A).message
    )


def test_many_failing_parameters_are_counted_beyond_three() -> None:
    error = failing({"metadata": {"name": "{{.nmae}}"}}, *[{"name": str(number)} for number in range(10)])
    assert error.message.endswith("elements[2] (and 7 more)")
