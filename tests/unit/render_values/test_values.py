"""Who sets each value of a chart and whom that hides, worked out from the texts of the layers."""

from typing import Any

import pytest

from syncline.apimachinery.paths import FieldPath
from syncline.core.provenance import blame, parameters, values
from syncline.core.provenance.read_files import parsed
from syncline.core.provenance.values import Setting
from syncline.model.desired import Desired, DesiredObject, Origin, ValuesLayer
from syncline.model.errors import Place

CHART = ValuesLayer(
    name="chart/values.yaml", text=b"replicas: 1\nimage:\n  name: web\n  tag: '1'\ntolerations: []\nextra: {}\n"
)
GLOBALS = ValuesLayer(name="globals.yaml", text=b"# all apps\ntolerations:\n- key: env\nimage: {tag: '2'}\n")
AGENTS = ValuesLayer(name="shared/agents.yaml", text=b"tolerations: []\nreplicas: null\n")
TAG = ValuesLayer(name="spec.source.helm.parameters[image.tag]", parameter="image.tag", value="7", is_text=True)


def test_each_leaf_knows_who_set_it_and_whom_that_hides() -> None:
    merged = values.merge((CHART, GLOBALS, AGENTS, TAG))
    assert {leaf.name: leaf.sentence() for leaf in merged.leaves.values()} == {
        "replicas": "`replicas: null` in shared/agents.yaml:2 hides chart/values.yaml:1",
        "image.name": "`name: web` in chart/values.yaml:3",
        "image.tag": "`tag: 7` in spec.source.helm.parameters[image.tag] hides globals.yaml:4, chart/values.yaml:4",
        "tolerations": "`tolerations: []` in shared/agents.yaml:1 hides globals.yaml:2, chart/values.yaml:5",
        "extra": "`extra: {}` in chart/values.yaml:6",
    }
    assert merged.plain() == {"image": {"name": "web", "tag": "7"}, "tolerations": [], "extra": {}}


def test_an_empty_value_that_hides_a_full_one_is_found() -> None:
    merged = values.merge((CHART, GLOBALS, AGENTS))
    found = {leaf.name: leaf.empties for leaf in merged.leaves.values() if leaf.empties}
    assert found == {
        "tolerations": Setting(Place("globals.yaml", 2), [{"key": "env"}]),
        "replicas": Setting(Place("chart/values.yaml", 1), 1),
    }
    full = values.merge((CHART, GLOBALS))
    assert [leaf for leaf in full.leaves.values() if leaf.empties] == []


@pytest.mark.parametrize(
    ("layers", "plain"),
    [
        (["a: {b: 1, c: 2}", "a: {b: 3}"], {"a": {"b": 3, "c": 2}}),
        (["a: {b: 1}", "a: {}"], {"a": {"b": 1}}),
        (["a: {b: 1}", "a: 2"], {"a": 2}),
        (["a: 2", "a: {b: 1}"], {"a": {"b": 1}}),
        (["a: [1, 2]", "a: [3]"], {"a": [3]}),
        (["a: {b: 1}", "a: null"], {}),
        (["a: {b: 1}", "a: {b: null}"], {}),
        (["a: {b: 1}", "a: null", "a: {c: 1}"], {"a": {"c": 1}}),
        (["", "a: 1"], {"a": 1}),
    ],
)
def test_maps_are_merged_and_everything_else_replaces(layers: list[str], plain: dict[str, Any]) -> None:
    merged = values.merge(tuple(ValuesLayer(name=str(n), text=text.encode()) for n, text in enumerate(layers)))
    assert merged.plain() == plain


def test_a_value_that_replaces_a_map_hides_all_that_was_in_it() -> None:
    layers = (ValuesLayer(name="one", text=b"a:\n  b: 1\n  c: 2\n"), ValuesLayer(name="two", text=b"a: 5\n"))
    (leaf,) = values.merge(layers).leaves.values()
    assert [str(one.place) for one in leaf.hidden] == ["one:2", "one:3"]


def test_the_file_of_a_subchart_sets_values_below_its_name() -> None:
    sub = ValuesLayer(name="chart/charts/db/values.yaml", text=b"size: 1\n", below=("db",))
    own = ValuesLayer(name="chart/values.yaml", text=b"db: {size: 2}\n")
    (leaf,) = values.merge((sub, own)).leaves.values()
    assert (leaf.path, leaf.sentence()) == (
        ("db", "size"),
        "`size: 2` in chart/values.yaml:1 hides chart/charts/db/values.yaml:1",
    )


@pytest.mark.parametrize(
    ("name", "text", "is_text", "path", "value"),
    [
        ("a.b", "1", False, ("a", "b"), 1),
        ("a.b", "1", True, ("a", "b"), "1"),
        ("a", "true", False, ("a",), True),
        ("a", "null", False, ("a",), None),
        ("a", "007", False, ("a",), "007"),
        ("a", "{x,y}", False, ("a",), ["x", "y"]),
        ("a", "{}", False, ("a",), [""]),
        (r"node\.io/x", "y", False, ("node.io/x",), "y"),
        ("a[0].b", "c", False, ("a", 0, "b"), "c"),
        ("a", r"x\,y", False, ("a",), "x,y"),
    ],
)
def test_parameters_are_read_as_helm_reads_them(
    name: str, text: str, is_text: bool, path: tuple[str | int, ...], value: Any
) -> None:
    assert parameters.parse(name, text, is_text=is_text) == (path, value)


def test_a_parameter_inside_of_a_list_makes_a_new_list() -> None:
    layers = (
        ValuesLayer(name="f", text=b"a: [{b: 1}, {b: 2}]\n"),
        ValuesLayer(name="p", parameter="a[1].b", value="9"),
    )
    assert values.merge(layers).plain() == {"a": [{"b": 1}, {"b": 9}]}


@pytest.mark.parametrize(
    ("text", "problem"),
    [(b"a: [", "f:2: "), (b"- a\n", "f: values must be a map")],
)
def test_a_layer_that_is_no_map_is_said(text: bytes, problem: str) -> None:
    (said,) = values.merge((ValuesLayer(name="f", text=text),)).problems
    assert said.startswith(problem)


def test_what_the_chart_sees_is_held_against_what_was_worked_out() -> None:
    merged = values.merge((CHART, GLOBALS))
    seen = {"replicas": 1, "image": {"name": "web", "tag": "3"}, "tolerations": [{"key": "env"}], "extra": {}}
    assert merged.disagreements(seen) == ("image.tag",)
    assert merged.disagreements({**seen, "image": {"name": "web", "tag": "2", "global": {"x": 1}}}) == ()


def test_the_likeliest_values_are_tried_first_and_with_what_they_hide() -> None:
    merged = values.merge((CHART, GLOBALS, AGENTS))
    absent = FieldPath(("spec", "tolerations"))
    first = blame.suspects(merged, absent, absent.resolve({}), "{{ .Values.tolerations }}")[0]
    assert (first.name, blame.trial(first)) == ("tolerations", {"tolerations": [{"key": "env"}]})
    image = FieldPath(("spec", "image"))
    found = blame.suspects(merged, image, "web:2", "{{ .Values.image.name }}:{{ .Values.image.tag }}")
    assert {leaf.name for leaf in found} == {"image.name", "image.tag"}


@pytest.mark.parametrize(
    ("value", "other"),
    [
        (True, False),
        (1, 2),
        ("x", "x-tried-by-syncline"),
        ("", "tried-by-syncline"),
        ([1], []),
        ([], ["tried-by-syncline"]),
    ],
)
def test_a_value_is_changed_to_something_of_its_own_sort(value: Any, other: Any) -> None:
    leaf = values.Leaf(("a", "b"), Setting(Place("f", 1), value))
    assert blame.trial(leaf) == {"a": {"b": other}}


def rendered(*objects: dict[str, Any]) -> Desired:
    return Desired(tuple(DesiredObject(obj, Origin(file="f")) for obj in objects))


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


def test_moves_are_the_fields_in_which_two_renders_differ() -> None:
    before = rendered(config_map("a", x="1", y="1"), config_map("gone"))
    after = rendered(config_map("a", x="2", y="1"), config_map("new"))
    found = {(move.key.name, move.path) for move in blame.moves(before, after)}
    assert found == {("a", "data.x"), ("gone", ""), ("new", "")}


def test_the_line_of_a_field_in_its_file_is_found_under_another_name() -> None:
    item = DesiredObject(config_map("dev-web", x="1"), Origin(file="web.yaml"))
    text = b"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata:\n  x: '1'\n"
    assert blame.written_in(parsed("x.yaml", text), item, FieldPath(("data", "x")))[0] == 5
    assert blame.written_in(parsed("x.yaml", text), item, FieldPath(("data", "z")))[0] == 0


def test_the_line_of_a_field_in_a_template_is_that_of_its_name() -> None:
    text = "kind: A\nspec:\n  image: x\n---\nkind: B\nspec:\n  'image': y\n"
    image = FieldPath(("spec", "image"))
    assert [blame.template_line(text, start, image) for start in (1, 5)] == [3, 7]
    assert blame.template_line(text, 1, FieldPath(("spec", "replicas"))) == 0
