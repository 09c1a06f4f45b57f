"""What helm prints, reduced to place and cause."""

import pytest

from syncline.adapters.render.helm import errors as helm_errors


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            (
                'Error: template: web/templates/a.yaml:4:3: executing "web/templates/a.yaml" at'
                ' <include "web.x" .>: error calling include: template: web/templates/_h.tpl:9:20: executing "web.x"'
                " at <.Values.a.b>: nil pointer evaluating interface {}.b\n\nUse --debug flag to render\n"
            ),
            "app/templates/_h.tpl:9:20: `helm template` failed: nil pointer evaluating interface {}.b at <.Values.a.b>",
        ),
        (
            "Error: execution error at (web/charts/sub/templates/a.yaml:3:4): set a host\n",
            "app/charts/sub/templates/a.yaml:3:4: `helm template` failed: set a host",
        ),
        (
            (
                "Error: values don't meet the specifications of the schema(s) in the following chart(s):\nweb:\n"
                "- replicas: Invalid type. Expected: integer, given: string\n"
            ),
            (
                "app: `helm template` failed: values don't meet the specifications of the schema(s) in the following"
                " chart(s): web: - replicas: Invalid type. Expected: integer, given: string"
            ),
        ),
        (
            "runtime: out of memory: cannot allocate\nfatal error",
            "app: `helm template` exceeded its memory limit",
        ),
        ("", "app: `helm template` failed: it gave no reason"),
    ],
)
def test_reduced(text: str, sentence: str) -> None:
    assert str(helm_errors.reduce(text, "app")) == sentence


def test_missing_dependencies() -> None:
    text = "Error: An error occurred …: found in Chart.yaml, but missing in charts/ directory: redis, lib\n"
    assert helm_errors.missing_dependencies(text) == ["redis", "lib"]
    assert helm_errors.missing_dependencies("Error: else") == []
