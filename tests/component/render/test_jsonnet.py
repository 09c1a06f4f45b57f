"""Jsonnet files of a directory source, evaluated by the real engine in a program that can be killed."""

from typing import Any

import pytest

from syncline import processes
from tests.component.render.rendering import Bench, found, only

pytestmark = pytest.mark.anyio

NOWHERE = "couldn't open import 'nowhere.libsonnet': no match in the repository"
MAP = "{{apiVersion: 'v1', kind: 'ConfigMap', metadata: {{name: '{}'}}, data: {}}}"


def config_map(name: str, data: str = "{}") -> str:
    return MAP.format(name, data)


async def test_variables_arguments_and_libraries_reach_the_file(bench: Bench) -> None:
    desired = await bench.render(
        {
            "app/a.jsonnet": "local lib = import 'names.libsonnet';\n"
            "function(size, colour) {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: lib.name},"
            " data: {size: std.toString(size + 1), colour: colour, app: std.extVar('app')}}",
            "vendor/lib/names.libsonnet": "{name: (import 'deep/name.libsonnet')}",
            "vendor/lib/deep/name.libsonnet": "'web'",
            "app/ignored.libsonnet": "this is no jsonnet",
        },
        directory={
            "jsonnet": {
                "libs": ["vendor/lib"],
                "extVars": [{"name": "app", "value": "$ARGOCD_APP_NAME"}],
                "tlas": [{"name": "size", "value": "2", "code": True}, {"name": "colour", "value": "red"}],
            }
        },
    )
    assert only(desired)["data"] == {"size": "3", "colour": "red", "app": "shop"}
    assert only(desired)["metadata"]["name"] == "web"
    assert desired.source_types == ("Directory",)
    assert {entry.path for entry in desired.inputs} >= {"app", "vendor/lib/names.libsonnet"}


async def test_a_list_of_objects_and_yaml_beside_it_are_all_there(bench: Bench) -> None:
    files = {
        "app/a.jsonnet": f"[{config_map('one')}, {config_map('two')}]",
        "app/b.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: three\n",
    }
    assert found(await bench.render(files)) == {
        "ConfigMap/one": "app/a.jsonnet:1",
        "ConfigMap/two": "app/a.jsonnet:1",
        "ConfigMap/three": "app/b.yaml:1",
    }


@pytest.mark.parametrize(
    ("odd", "lacks"), [("{kind: 'Pod'}", "apiVersion"), ("1", "apiVersion and kind"), ("[]", "apiVersion and kind")]
)
async def test_what_is_no_object_is_told_and_the_others_are_there(bench: Bench, odd: str, lacks: str) -> None:
    desired = await bench.render({"app/a.jsonnet": f"[{odd}, {config_map('one')}]"})
    assert [item.key.name for item in desired.objects] == ["", "one"]
    assert desired.warnings == (f"app/a.jsonnet:1: this is not a Kubernetes object: it has no {lacks}",)


async def test_a_null_in_a_list_is_what_a_condition_left_out(bench: Bench) -> None:
    text = f"[{config_map('one')}, if false then {config_map('never')}, null, {config_map('two')}]"
    assert list(found(await bench.render({"app/a.jsonnet": text}))) == ["ConfigMap/one", "ConfigMap/two"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{a: }", ("app/a.jsonnet:1:5", 'Failed to evaluate jsonnet "a.jsonnet"')),
        ("error 'no colour'", ("app/a.jsonnet:1:1", "no colour")),
        ("std.extVar('missing')", ("app/a.jsonnet", "missing")),
        ("import 'nowhere.libsonnet'", ("app/a.jsonnet:1:1:", NOWHERE)),
        ("{a: 1,\n b: import 'nowhere.libsonnet'}", ("app/a.jsonnet:2:5:", NOWHERE)),
        ("{a: 1,\n b: importstr 'nowhere.libsonnet'}", ("app/a.jsonnet:2:", NOWHERE)),
        ("local x = import 'nowhere.libsonnet'; [x.y]", ("app/a.jsonnet:1:", NOWHERE)),
        ("importstr '../../canary.yaml'", ("app/a.jsonnet", "'../../canary.yaml' resolved to outside repository root")),
        ("importstr '/etc/passwd'", ("app/a.jsonnet", "'/etc/passwd' resolved to outside repository root")),
        ("importstr 'link.yaml'", ("app/a.jsonnet", "out of bounds symlink")),
    ],
)
async def test_what_is_wrong_is_said_with_its_place(bench: Bench, text: str, words: tuple[str, ...]) -> None:
    sentence = await bench.refusal(
        {"app/a.jsonnet": text, "app/link.yaml": "-> ../../canary.yaml"}, directory={"exclude": "link.yaml"}
    )
    assert all(word in sentence for word in words), sentence


@pytest.mark.parametrize(
    "text",
    [
        "import 'nowhere.libsonnet'",
        "importstr 'nowhere.libsonnet'",
        "import 'sub/deep.libsonnet'",
        "error 'a\\u0007b\\u001b[31mc'",
        "error std.thisFile",
        "{a: }",
        "local f(x) = f(x + 1); f(0)",
    ],
)
async def test_an_error_is_clean_text_and_the_same_each_time(bench: Bench, text: str) -> None:
    files = {"app/a.jsonnet": text, "app/sub/deep.libsonnet": "import 'gone.libsonnet'"}
    sentences = {await bench.refusal(files) for _ in range(6)}
    assert len(sentences) == 1
    (sentence,) = sentences
    assert sentence.isprintable()
    assert "\ufffd" not in sentence


async def test_an_error_of_a_file_that_is_imported_names_that_file(bench: Bench) -> None:
    files = {"app/a.jsonnet": "import 'sub/deep.libsonnet'", "app/sub/deep.libsonnet": "\nimport 'gone.libsonnet'"}
    assert (await bench.refusal(files)).startswith("app/sub/deep.libsonnet:2:1: ")


async def test_a_file_that_is_not_utf8_is_told(bench: Bench) -> None:
    (bench.repository.folder / "app").mkdir()
    (bench.repository.folder / "app/a.jsonnet").write_bytes(b"{a: '\xff'}")
    assert "it is not UTF-8" in await bench.refusal({})


async def test_a_file_knows_itself_by_its_name_in_the_repository(bench: Bench) -> None:
    files = {
        "app/a.jsonnet": config_map("one", "{here: std.thisFile, there: import 'b.libsonnet'}"),
        "app/b.libsonnet": "std.thisFile",
    }
    assert only(await bench.render(files))["data"] == {"here": "app/a.jsonnet", "there": "app/b.libsonnet"}


async def test_libraries_stay_inside_the_repository(bench: Bench) -> None:
    settings: dict[str, Any] = {"jsonnet": {"libs": ["../other"]}}
    sentence = await bench.refusal({"app/a.jsonnet": "{}"}, directory=settings)
    assert "'../other' resolved to outside repository root" in sentence


@pytest.mark.parametrize("text", ["local f(x) = f(x + 1) tailstrict; f(0)", "std.length(std.range(0, 100000000))"])
async def test_one_that_never_ends_or_eats_memory_is_killed(bench: Bench, text: str) -> None:
    limits = processes.ProcessLimits(seconds=3.0, output=1_000_000, memory=4_000_000_000)
    sentence = await bench.refusal({"app/a.jsonnet": text}, limits=limits)
    assert "jsonnet" in sentence
