"""A folder laid out as Argo CD's resource_customizations: read as it is, before what is built in, after argocd-cm."""

import json
import pathlib

import click
import msgspec
import pytest
from click.testing import CliRunner, Result

from syncline import wiring
from syncline.adapters import customizations
from syncline.cli.admin.group import admin
from syncline.cli.run.controller import controller
from syncline.cli.run.up import up
from syncline.model.errors import InvalidSpec
from syncline.model.settings.settings import Settings

OBJECTS = """
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: shop}
---
apiVersion: example.com/v1
kind: Gadget
metadata: {name: g, namespace: shop}
---
apiVersion: v1
kind: Service
metadata: {name: s, namespace: shop}
spec: {type: ClusterIP}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: d, namespace: shop}
spec: {replicas: 1}
"""
CM = """
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm}
data: {resource.customizations.health.example.com_*: 'return {status = "Healthy", message = "settings"}'}
"""


def says(status: str, message: str) -> str:
    return f'return {{status = "{status}", message = "{message}"}}'


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    scripts = {
        "example.com/Widget/health.lua": says("Suspended", "exact"),
        "example.com/Widget/health_test.yaml": "tests: []",
        "example.com/Widget/testdata/a.yaml": "kind: Widget",
        "_.com/_/health.lua": says("Degraded", "wildcard"),
        "Service/health.lua": 'local found = string.upper("core")\n' + says("Healthy", "core"),
        "apps/StatefulSet/actions/discovery.lua": "return {bless = {disabled = false}}",
        "apps/StatefulSet/actions/bless/action.lua": "obj.spec.blessed = true\nreturn obj",
    }
    for name, text in scripts.items():
        file = tmp_path / "scripts" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    (tmp_path / "objects.yaml").write_text(OBJECTS)
    (tmp_path / "cm.yaml").write_text(CM)
    return tmp_path


def asked(folder: pathlib.Path, *arguments: str) -> Result:
    given = [*arguments, "--resource-customizations", str(folder / "scripts")]
    result = CliRunner().invoke(admin, given)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def healths(folder: pathlib.Path, *more: str) -> dict[str, tuple[str, str]]:
    rows = json.loads(asked(folder, "health", str(folder / "objects.yaml"), "-o", "json", *more).output)
    return {row["key"].partition(":")[0]: (row["status"], row["message"]) for row in rows}


def test_scripts_of_the_folder_stand_in_for_what_is_built_in_exact_names_before_wildcards(folder: pathlib.Path) -> None:
    found = healths(folder)
    assert found["example.com/Widget"] == ("Suspended", "exact")
    assert found["example.com/Gadget"] == ("Degraded", "wildcard")
    assert found["/Service"] == ("Healthy", "core"), "a core kind has no folder for its group, and libraries are open"
    assert found["apps/StatefulSet"][0] == "Progressing", "a kind without a check in the folder keeps the built-in one"


def test_even_a_pattern_of_argocd_cm_wins_over_an_exact_name_in_the_folder(folder: pathlib.Path) -> None:
    found = healths(folder, "--argocd-cm-path", str(folder / "cm.yaml"))
    assert found["example.com/Widget"] == found["example.com/Gadget"] == ("Healthy", "settings")
    assert found["/Service"] == ("Healthy", "core")


def test_actions_of_the_folder_stand_in_for_the_built_in_ones(folder: pathlib.Path) -> None:
    (folder / "one.yaml").write_text(OBJECTS.split("---")[3])
    arguments = (str(folder / "one.yaml"), "--argocd-cm-path", str(folder / "cm.yaml"))
    listed = asked(folder, "settings", "resource-overrides", "list-actions", *arguments).output
    assert listed == "NAME   ENABLED\nbless  true\n"
    run = ("settings", "resource-overrides", "run-action")
    assert "blessed: true" in asked(folder, *run, arguments[0], "bless", *arguments[1:]).output
    with pytest.raises(InvalidSpec, match=r"no action restart is defined for .* \(known: bless\)"):
        asked(folder, *run, arguments[0], "restart", *arguments[1:])


def test_a_script_that_cannot_be_read_makes_its_objects_unknown_with_a_sentence(folder: pathlib.Path) -> None:
    (folder / "scripts/example.com/Widget/health.lua").write_text("return {")
    status, message = healths(folder)["example.com/Widget"]
    assert (status, message.partition(":")[0]) == ("Unknown", "the Lua script cannot be read")


LAYOUT = r"\(lay it out as Argo CD's resource_customizations: <group>/<Kind>/health.lua\)"


@pytest.mark.parametrize(
    ("files", "says"),
    [
        (None, rf"scripts is not a folder {LAYOUT}"),
        ({}, rf"scripts contains no scripts {LAYOUT}"),
        ({"README.md": b"hello"}, rf"scripts contains no scripts {LAYOUT}"),
        ({"a/B/health.lua": b"\xff"}, r"a/B/health.lua is not UTF-8 text"),
        ({"a/B/health.lua": b"\n"}, r"a/B/health.lua is empty \(delete it, or write the script\)"),
        ({"a/B/health.lua": b" " * (1 << 20) + b"--"}, r"a/B/health.lua is larger than 1 MB: this is not a script"),
        (
            {"a/B/actions/go/action.lua": b"return obj"},
            r"a/B/actions has no discovery.lua \(it says which actions an object offers\)",
        ),
    ],
)
def test_a_folder_that_cannot_be_used_is_told_in_one_sentence(
    tmp_path: pathlib.Path, files: dict[str, bytes] | None, says: str
) -> None:
    folder = tmp_path / "scripts"
    for name, content in (files or {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    if files is not None:
        folder.mkdir(exist_ok=True)
    with pytest.raises(InvalidSpec, match=f"{says}$"):
        customizations.read(folder)


def test_the_settings_name_a_folder_too_and_the_command_line_wins(folder: pathlib.Path) -> None:
    other = folder / "other" / "example.com" / "Widget"
    other.mkdir(parents=True)
    (other / "health.lua").write_text(says("Healthy", "other"))
    named = Settings(resource_customizations=str(folder / "other"))
    assert list(wiring.customized(None, print)(named).customizations.exact) == ["example.com/Widget"]
    assert "Service" in wiring.customized(folder / "scripts", print)(named).customizations.exact
    assert wiring.customized(None, print)(Settings()) == Settings()


def test_a_folder_that_goes_bad_while_a_controller_runs_is_told_and_the_last_scripts_stay(folder: pathlib.Path) -> None:
    told: list[str] = []
    over = wiring.customized(folder / "scripts", told.append)
    first = over(Settings())
    assert over(Settings()) == first, "the same scripts are the same settings"
    (folder / "scripts/Service/health.lua").write_text("")
    assert (over(Settings()), len(told)) == (first, 1)
    (folder / "scripts/Service/health.lua").write_text(says("Degraded", "new"))
    changed = over(Settings())
    assert changed != first
    assert "new" in changed.customizations.exact["Service"].health_lua


def test_settings_with_scripts_survive_being_written_down(folder: pathlib.Path) -> None:
    settings = wiring.customized(folder / "scripts", print)(Settings())
    again = msgspec.json.decode(msgspec.json.encode(settings), type=Settings)
    assert again.customizations.exact == settings.customizations.exact
    assert again.customizations.patterns == settings.customizations.patterns


@pytest.mark.parametrize("command", [controller, up])
def test_controllers_take_the_folder_by_the_same_name(command: click.Command) -> None:
    assert "--resource-customizations" in [option for one in command.params for option in one.opts]
