"""Which health script of the settings an object gets."""

import pytest

from syncline.apimachinery.keys import GroupKind
from syncline.core.health import scripts
from syncline.model.script import Script, ScriptKind
from syncline.model.settings.resources import Customizations, ResourceOverride

OVERRIDES = (
    ResourceOverride(pattern="*/*", health_lua="all"),
    ResourceOverride(pattern="*.example.com/*", health_lua="example", use_open_libs=True),
    ResourceOverride(pattern="db.example.com/Cluster", health_lua="cluster"),
    ResourceOverride(pattern="db.example.com/Backup", use_open_libs=True),
    ResourceOverride(pattern="PersistentVolumeClaim", health_lua="claim"),
    ResourceOverride(pattern="Config*", health_lua="config"),
)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        pytest.param(GroupKind("db.example.com", "Cluster"), "cluster", id="exact kind before globs"),
        pytest.param(GroupKind("", "PersistentVolumeClaim"), "claim", id="core kind by its bare name"),
        pytest.param(GroupKind("db.example.com", "Backup"), "example", id="exact kind without script passed over"),
        pytest.param(GroupKind("db.example.com", "Other"), "example", id="first glob in the alphabet"),
        pytest.param(GroupKind("apps", "Deployment"), "all", id="all kinds with a group"),
        pytest.param(GroupKind("", "ConfigMap"), "config", id="glob over core kinds"),
        pytest.param(GroupKind("", "Secret"), None, id="all does not cover core kinds"),
    ],
)
def test_the_exact_kind_wins_then_globs_in_order(kind: GroupKind, text: str | None) -> None:
    chosen = scripts.choose(kind, OVERRIDES)
    assert (chosen.health_lua if chosen else None) == text


def test_the_order_of_the_settings_does_not_matter() -> None:
    kind = GroupKind("db.example.com", "Other")
    assert scripts.choose(kind, OVERRIDES) == scripts.choose(kind, OVERRIDES[::-1])


FOLDER = Customizations(
    exact={
        "db.example.com/Cluster": ResourceOverride(pattern="db.example.com/Cluster", health_lua="folder"),
        "db.other.org/Cluster": ResourceOverride(pattern="db.other.org/Cluster", health_lua="exact"),
        "db.other.org/Backup": ResourceOverride(pattern="db.other.org/Backup"),
    },
    patterns=(
        ResourceOverride(pattern="*.other.org/*", health_lua="pattern"),
        ResourceOverride(pattern="db.*/*", health_lua="later"),
    ),
)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        pytest.param(GroupKind("db.example.com", "Cluster"), "cluster", id="settings before the folder"),
        pytest.param(GroupKind("db.other.org", "Cluster"), "exact", id="exact name before patterns"),
        pytest.param(GroupKind("db.other.org", "Backup"), "pattern", id="exact name without script passed over"),
        pytest.param(GroupKind("db.third.net", "Backup"), "later", id="any pattern"),
        pytest.param(GroupKind("apps", "Deployment"), None, id="none fits"),
    ],
)
def test_scripts_of_a_folder_come_after_those_of_the_settings(kind: GroupKind, text: str | None) -> None:
    chosen = scripts.choose(kind, OVERRIDES[1:], FOLDER)
    assert (chosen.health_lua if chosen else None) == text


def test_the_script_takes_the_libraries_of_its_own_override() -> None:
    obj = {"apiVersion": "db.example.com/v1", "kind": "Backup", "metadata": {"name": "nightly"}}
    expected = Script(kind=ScriptKind.HEALTH, text="example", obj=obj, open_libraries=True)
    assert scripts.script(obj, OVERRIDES) == expected


def test_an_object_without_a_matching_script_gets_none() -> None:
    assert scripts.script({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}, OVERRIDES) is None
