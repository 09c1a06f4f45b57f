"""Config management plugins: real programs in a private copy of the repository, with limits and without network."""

import asyncio
import contextlib
import dataclasses
import json
import os
import pathlib
import time
from typing import Any

import pytest

from syncline import processes
from syncline.adapters.render.means import RenderMeans
from syncline.adapters.render.plugins import specs as plugin_specs
from syncline.adapters.render.plugins.run import Plugins
from syncline.model.errors import InvalidSpec
from tests.component.render.rendering import Bench, only

pytestmark = pytest.mark.anyio

LIMITS = processes.ProcessLimits(seconds=50.0, output=200_000, memory=1_000_000_000, file_size=10_000_000)
FILES = {"app/input.txt": "red", "other/beside.txt": "x"}
PRINT = """
import json, os, pathlib, sys
data = {name: value for name, value in os.environ.items() if name.startswith(("ARGOCD", "PARAM", "KUBE_VERSION"))}
data["file"] = pathlib.Path("input.txt").read_text()
data["made"] = pathlib.Path("made").read_text() if pathlib.Path("made").exists() else ""
print(json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}, "data": data}))
"""


def means(generate: str = PRINT, **spec: Any) -> RenderMeans:
    annotations = spec.pop("annotations", {})
    value = {
        "kind": "ConfigManagementPlugin",
        "metadata": {"name": "paint", "annotations": annotations},
        "spec": {"generate": {"command": ["python3", "-c", generate]}, **spec},
    }
    return RenderMeans(plugins=Plugins([plugin_specs.parse(value, "plugin.yaml")]))


async def test_init_then_generate_see_the_repository_and_the_variables(bench: Bench) -> None:
    desired = await bench.render(
        FILES,
        means=means(version="v1", init={"command": ["sh", "-c"], "args": ["printf ready > made"]}),
        plugin={
            "name": "paint-v1",
            "env": [{"name": "COLOUR", "value": "very $ARGOCD_APP_NAME"}],
            "parameters": [
                {"name": "size", "string": "2"},
                {"name": "doors", "array": ["a", "b"]},
                {"name": "wheels", "map": {"front-left": "x"}},
            ],
        },
        request={"kube_version": "1.30"},
    )
    data = only(desired)["data"]
    assert {name: data[name] for name in ("file", "made", "ARGOCD_ENV_COLOUR", "ARGOCD_APP_NAME", "KUBE_VERSION")} == {
        "file": "red",
        "made": "ready",
        "ARGOCD_ENV_COLOUR": "very shop",
        "ARGOCD_APP_NAME": "shop",
        "KUBE_VERSION": "1.30",
    }
    assert {name: value for name, value in data.items() if name.startswith("PARAM")} == {
        "PARAM_SIZE": "2",
        "PARAM_DOORS_0": "a",
        "PARAM_DOORS_1": "b",
        "PARAM_WHEELS_FRONT_LEFT": "x",
    }
    assert [one["name"] for one in json.loads(data["ARGOCD_APP_PARAMETERS"])] == ["size", "doors", "wheels"]
    assert desired.source_types == ("Plugin",)
    assert not (bench.repository.folder / "app/made").exists()


@pytest.mark.parametrize(
    ("discover", "tool"),
    [
        ({"fileName": "./*.txt"}, "Plugin"),
        ({"find": {"glob": "**/input.txt"}}, "Plugin"),
        ({"find": {"command": ["sh", "-c", "cat input.txt"]}}, "Plugin"),
        ({"find": {"command": ["true"]}}, "Directory"),
        ({"find": {"command": ["sh", "-c", "echo x; exit 1"]}}, "Directory"),
        ({"fileName": "*.toml"}, "Directory"),
        ({}, "Directory"),
    ],
)
async def test_a_plugin_says_whether_a_folder_is_its_own(bench: Bench, discover: dict[str, Any], tool: str) -> None:
    desired = await bench.render(FILES, means=means(discover=discover))
    assert desired.source_types == (tool,)


@pytest.mark.parametrize(
    ("generate", "words"),
    [
        ("import sys; sys.exit('no paint left')", "`python3` of plugin paint failed: no paint left"),
        ("import time; time.sleep(60)", "plugin paint gave no answer within 3 seconds and was stopped"),
        ("print('x' * 300_000)", "plugin paint printed more than 200000 bytes and was stopped"),
        ("x = bytearray(4_000_000_000)", "MemoryError"),
        ("import sys; sys.stdout.buffer.write(b'\\xff\\xfe\\xff')", "plugin paint` printed something that is not YAML"),
        ("open('big', 'wb').write(b'x' * 20_000_000)", "`python3` of plugin paint failed"),
        (
            "import os, time\nif os.fork() == 0:\n os.setsid(); time.sleep(60)\nelse: time.sleep(60)",
            "gave no answer within 3 seconds",
        ),
    ],
)
async def test_a_plugin_that_misbehaves_ends_as_one_error(bench: Bench, generate: str, words: str) -> None:
    limits = dataclasses.replace(LIMITS, seconds=3.0) if "within 3 seconds" in words else LIMITS
    sentence = await bench.refusal(FILES, means=means(generate), plugin={"name": "paint"}, limits=limits)
    assert words in sentence


async def test_words_that_a_plugin_prints_are_one_odd_object(bench: Bench) -> None:
    desired = await bench.render(FILES, means=means("print('just words')"), plugin={"name": "paint"}, limits=LIMITS)
    assert [item.key.kind for item in desired.objects] == [""]
    assert [
        text for text in desired.warnings if "this is not a Kubernetes object: it has no apiVersion and kind" in text
    ]


@pytest.mark.parametrize("network", ["false", "true"])
async def test_what_a_plugin_has_started_dies_with_it(bench: Bench, network: str) -> None:
    mark = f"left-behind-{os.getpid()}-{network}"
    leave = (
        "import os, subprocess, time\n"
        "if os.fork() == 0:\n"
        " os.setsid()\n"
        f" os.execvpe('python3', ['python3', '-c', 'import time; time.sleep(600)', {mark!r}], {{}})\n"
        "time.sleep(600)"
    )
    limits = dataclasses.replace(LIMITS, seconds=3.0)
    given = means(leave, annotations={"syncline.io/network": network})
    assert "gave no answer" in await bench.refusal(FILES, means=given, plugin={"name": "paint"}, limits=limits)
    if not await given.plugins._can_isolate():
        pytest.skip("programs cannot be shut in on this machine: `unshare` does not work")
    await asyncio.to_thread(_wait_until_gone, mark)


def _wait_until_gone(mark: str) -> None:
    end = time.monotonic() + 60
    while _runs(mark):
        assert time.monotonic() < end, "a process of the plugin is still there"
        time.sleep(0.05)


def _runs(mark: str) -> bool:
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if mark.encode() in entry.read_bytes() and b"sleep(600)" in entry.read_bytes():
                return True
    return False


async def test_a_plugin_has_no_network_nor_our_environment(bench: Bench) -> None:
    ask = (
        "import json, os, socket\n"
        "try: socket.create_connection(('127.0.0.1', 22), 1); answer = 'reached'\n"
        "except ConnectionRefusedError: answer = 'refused'\n"
        "except OSError as error: answer = type(error).__name__\n"
        "links = os.listdir('/sys/class/net') if os.path.isdir('/sys/class/net') else []\n"
        "data = {'answer': answer, 'environment': ' '.join(sorted(os.environ))}\n"
        "print(json.dumps({'apiVersion': 'v1', 'kind': 'ConfigMap', 'metadata': {'name': 'x'}, 'data': data}))"
    )
    desired = await bench.render(FILES, means=means(ask), plugin={"name": "paint"})
    data = only(desired)["data"]
    assert "CANARY" not in data["environment"].split()
    # Where programs cannot be cut off from the network, that is said.
    assert data["answer"] != "reached" or desired.warnings == (
        "plugin paint ran with network: `unshare` does not work here",
    )


@pytest.mark.parametrize(
    ("plugin", "words"),
    [
        ({"name": "other"}, "app: plugin with name other not found (known plugins: paint)"),
        ({}, "app: no plugin matches this folder (known plugins: paint)"),
        ({"name": "paint", "env": [{"name": "A=B", "value": ""}]}, "invalid name of a plugin's variable: 'A=B'"),
        ({"name": "paint", "env": [{"name": "$(id)", "value": ""}]}, "invalid name of a plugin's variable: '$(id)'"),
        ({"name": "paint", "parameters": [{"name": "x", "string": "a\0b"}]}, "invalid value of the plugin's parameter"),
    ],
)
async def test_settings_that_make_no_sense_are_told(bench: Bench, plugin: dict[str, Any], words: str) -> None:
    assert (await bench.refusal(FILES, means=means(), plugin=plugin)).startswith(words)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"kind": "ConfigMap"}, "x.yaml: this is not a ConfigManagementPlugin"),
        ({"kind": "ConfigManagementPlugin", "spec": {"generate": {}}}, "x.yaml: spec.generate.command is missing"),
        ({"kind": "ConfigManagementPlugin", "spec": {}}, "x.yaml: this ConfigManagementPlugin cannot be read"),
        (
            {
                "kind": "ConfigManagementPlugin",
                "metadata": {"annotations": {"syncline.io/timeout": "soon"}},
                "spec": {"generate": {"command": ["x"]}},
            },
            "x.yaml: this ConfigManagementPlugin cannot be read",
        ),
    ],
)
def test_files_that_describe_no_plugin_are_told(value: Any, words: str) -> None:
    with pytest.raises(InvalidSpec) as caught:
        plugin_specs.parse(value, "x.yaml")
    assert str(caught.value).startswith(words)


def test_limits_and_network_stand_in_annotations() -> None:
    notes = {"syncline.io/network": "true", "syncline.io/timeout": "1m30s", "syncline.io/memory": "512Mi"}
    spec = {"generate": {"command": ["x"]}, "version": "2"}
    value = {"kind": "ConfigManagementPlugin", "metadata": {"name": "p", "annotations": notes}, "spec": spec}
    plugin = plugin_specs.parse(value, "x.yaml")
    assert (plugin.full_name, plugin.network, plugin.seconds, plugin.memory) == ("p-2", True, 90.0, 512 * 1024**2)
