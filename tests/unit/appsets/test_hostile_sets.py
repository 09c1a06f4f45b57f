"""Sets that would make too much end with a sentence, before memory does."""

from typing import Any

import pytest

from syncline.core.appset import limits
from syncline.core.appset.generate import GenerationError, generate


def refusal(generator: Any, text: str = "x", *, go: bool = False) -> str:
    template = {"metadata": {"name": "app", "annotations": {"a": text, "b": text, "c": text}}, "spec": {}}
    spec = {"generators": [generator], "goTemplate": go, "template": template}
    with pytest.raises(GenerationError) as error:
        generate({"metadata": {"name": "set", "namespace": "argocd"}, "spec": spec}, {})
    assert len(error.value.message) < 4000
    return error.value.message


def numbered(key: str, count: int) -> dict[str, Any]:
    return {"list": {"elements": [{key: str(number)} for number in range(count)]}}


def test_a_matrix_of_two_long_lists() -> None:
    long = numbered("b", 3000)
    generator = {"matrix": {"generators": [numbered("a", 3000), long]}}
    assert "spec.generators[0].matrix gives more than 50000 sets of parameters" in refusal(generator)


def test_matrices_inside_of_a_matrix() -> None:
    inner = {"matrix": {"generators": [numbered("a", 200), numbered("b", 200)]}}
    assert "more than 50000 sets" in refusal({"matrix": {"generators": [inner, numbered("c", 200)]}})


def test_a_list_that_is_written_as_a_text() -> None:
    generator = {"list": {"elementsYaml": "[" + "{}," * 50_001 + "]"}}
    assert "list gives more than 50000 sets of parameters" in refusal(generator)


@pytest.mark.parametrize("go", [False, True])
def test_a_parameter_that_is_filled_in_often(go: bool) -> None:
    huge = {"list": {"elements": [{"x": "y" * 1_000_000}]}}
    text = "{{.x}}" if go else "{{x}}"
    assert "the texts of one Application are longer than 2097152 characters" in refusal(huge, text, go=go)


def test_many_applications_with_long_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MOST_CHARACTERS", 100_000)
    generator = {"matrix": {"generators": [numbered("a", 100), {"list": {"elements": [{"x": "y" * 1000}]}}]}}
    assert "the texts of all Applications are longer than" in refusal(generator, "{{x}}")
