"""Objects are taken as paths, dicts and rendered objects in any mix, and a bad one is told in one sentence."""

import pathlib
from collections.abc import Callable
from typing import Any

import pytest

import syncline
from syncline.api import inputs
from syncline.model.desired import Desired, DesiredObject, Origin
from syncline.model.settings.settings import Compat, Settings

POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}
MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}}
LIST = {"apiVersion": "v1", "kind": "List", "items": [POD, MAP]}


@pytest.fixture
def file(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "objects.yaml"
    path.write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n")
    return path


def test_a_dict_is_an_object_and_a_list_is_its_items() -> None:
    assert inputs.objects(POD) == [POD]
    assert inputs.objects(LIST) == [POD, MAP]


def test_paths_dicts_and_rendered_objects_may_be_mixed(file: pathlib.Path) -> None:
    rendered = Desired((DesiredObject(MAP, Origin(file="web.yaml", line=3)),))
    found = inputs.located([file, str(file), POD, rendered, rendered.objects[0]])
    assert [str(item.origin.place()) for item in found] == [f"{file}:1", f"{file}:1", "", "web.yaml:3", "web.yaml:3"]


def test_warnings_of_a_render_are_told() -> None:
    told: list[str] = []
    inputs.located(Desired((), warnings=("doubtful",)), tell=told.append)
    assert told == ["doubtful"]


def test_settings_are_a_value_or_a_file_and_compat_goes_over_them(tmp_path: pathlib.Path) -> None:
    cm = tmp_path / "cm.yaml"
    cm.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm}\ndata: {syncline.compat: argocd}\n")
    told: list[str] = []
    found = [
        inputs.settings(given, compat, told.append).compat
        for given in (cm, Settings())
        for compat in (None, "syncline")
    ]
    assert found == [Compat.ARGOCD, Compat.SYNCLINE, Compat.SYNCLINE, Compat.SYNCLINE]


def test_mistakes_in_settings_are_told(tmp_path: pathlib.Path) -> None:
    cm = tmp_path / "cm.yaml"
    cm.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm}\ndata: {no.such.key: x}\n")
    told: list[str] = []
    inputs.settings(cm, None, told.append)
    assert [text.startswith(f"{cm}:4:") for text in told] == [True]


BAD: list[tuple[Callable[[], Any], str]] = [
    (lambda: syncline.diff({"kind": "Pod"}, []), r"this is not a Kubernetes object \(it has no apiVersion\)"),
    (lambda: syncline.diff([{**POD, "metadata": "a"}], []), "this is not a Kubernetes object"),
    (lambda: syncline.diff([3], []), "int is not an object"),  # type: ignore[list-item]
    (lambda: syncline.diff(3, []), "int is not an object"),  # type: ignore[arg-type]
    (lambda: syncline.diff("nope.yaml", []), "nope.yaml cannot be read: No such file"),
    (lambda: syncline.diff(".", []), "is a folder"),
    (lambda: syncline.diff([], [], app={"kind": "Pod"}), r"app is a Pod \(give an Application\)"),
    (lambda: syncline.diff([], [], app={}), "app is a dict without a kind"),
    (lambda: syncline.diff([], [], settings="nope.yaml"), "nope.yaml cannot be read"),
    (lambda: syncline.health([], compat="helm"), "compat is 'helm' .one of syncline, argocd"),  # type: ignore[arg-type]
    (lambda: syncline.plan({"kind": "Application", "metadata": {"name": "x"}}, []), "Application x cannot be read"),
    (lambda: syncline.render_application("nope.yaml"), "nope.yaml cannot be read"),
]


@pytest.mark.parametrize(("call", "sentence"), BAD)
def test_bad_input_gives_one_sentence(
    call: Callable[[], Any], sentence: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(syncline.InvalidSpec, match=sentence) as error:
        call()
    assert "\n" not in str(error.value)
