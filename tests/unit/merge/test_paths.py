"""How path elements are spelled in managedFields and printed in conflicts."""

from typing import Any

import pytest

from syncline.apimachinery import merge
from syncline.apimachinery.merge import paths


@pytest.mark.parametrize(
    ("element", "spelled", "printed"),
    [
        (merge.FieldName("spec"), "f:spec", ".spec"),
        (merge.FieldName("a.b/c"), "f:a.b/c", ".a.b/c"),
        (merge.key(name="app"), 'k:{"name":"app"}', '[name="app"]'),
        (merge.key(protocol="TCP", port=80), 'k:{"port":80,"protocol":"TCP"}', '[port=80,protocol="TCP"]'),
        (merge.ValueElement("a<b>&c"), 'v:"a\\u003cb\\u003e\\u0026c"', '[="a<b>&c"]'),
        (merge.ValueElement('say "hi"\n'), 'v:"say \\"hi\\"\\n"', '[="say \\"hi\\"\\n"]'),
        (merge.ValueElement("é"), 'v:"é"', '[="é"]'),
        (merge.ValueElement(True), "v:true", "[=true]"),
        (merge.ValueElement(1.5), "v:1.5", "[=1.5]"),
        (merge.ValueElement(None), "v:null", "[=null]"),
        (merge.IndexElement(3), "i:3", "[3]"),
    ],
)
def test_an_element_is_spelled_and_printed_as_go_does(element: merge.Element, spelled: str, printed: str) -> None:
    assert (paths.spell(element), str(element), paths.parse(spelled)) == (spelled, printed, element)


def test_a_path_prints_as_in_a_conflict() -> None:
    path = merge.path("spec", "template", "spec", "containers", merge.key(name="app"), "image")
    assert str(path) == '.spec.template.spec.containers[name="app"].image'


@pytest.mark.parametrize(
    ("given", "canonical"),
    [
        ('k:{"protocol":"TCP", "port":80.0}', 'k:{"port":80,"protocol":"TCP"}'),
        ('v:"\\u0061"', 'v:"a"'),
        ("v: 1.0", "v:1"),
        ("r:future", None),
    ],
)
def test_equal_elements_have_one_spelling(given: str, canonical: str | None) -> None:
    assert paths.canonical(given) == canonical


@pytest.mark.parametrize("text", ["", "f", "nocolon", "i:", "i:1.5", "i: 1", "v:", "v:{", "k:[1]", 'v:"a" "b"'])
def test_a_malformed_element_is_refused(text: str) -> None:
    with pytest.raises(merge.InvalidPathElement):
        paths.parse(text)


@pytest.mark.parametrize(
    ("value", "spelled"),
    [(1e21, "1e+21"), (1e-7, "1e-7"), (0.000001, "0.000001"), (123456789.0, "123456789"), (2.5e-8, "2.5e-8")],
)
def test_numbers_are_spelled_as_go_does(value: Any, spelled: str) -> None:
    assert paths.spell_value(value) == spelled
