"""Which files of a folder are read."""

import time
from typing import Any

import pytest

from syncline.adapters.render import choice, globs
from syncline.adapters.render.tools import Tool
from syncline.model.errors import RenderError
from tests.unit.render_directory.folders import MemoryTree, config_map, names, render, request_for

FILES = {
    "app/a.yaml": config_map("a"),
    "app/b.yml": config_map("b"),
    "app/c.json": '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}',
    "app/d.txt": config_map("d"),
    "app/E.YAML": config_map("e"),
    "app/f.yaml.bak": config_map("f"),
    "app/a/g.yaml": config_map("g"),
    "app/prod/h.yaml": config_map("h"),
    "app/prod/deep/i.yml": config_map("i"),
}


@pytest.mark.parametrize(
    ("directory", "expected"),
    [
        (None, "a b c"),
        ({}, "a b c"),
        ({"recurse": True}, "g a b c i h"),
        ({"disableExtensionFilter": True}, "e a b c d f"),
        ({"recurse": True, "include": "*.yaml"}, "g a h"),
        ({"recurse": True, "include": "prod/*"}, "i h"),
        ({"recurse": True, "include": "*/*"}, "g i h"),
        ({"recurse": True, "exclude": "prod*"}, "g a b c"),
        ({"recurse": True, "include": "{a.yaml,prod/*}", "exclude": "*deep*"}, "a h"),
        ({"recurse": True, "include": "a.yaml,b.yml"}, ""),
        ({"include": "?.y[a-b]ml"}, "a"),
        ({"include": "[!a].y*"}, "b"),
        ({"exclude": "[ab].*"}, "c"),
    ],
)
async def test_files_are_chosen_as_argo_cd_chooses_them(directory: dict[str, Any] | None, expected: str) -> None:
    desired = await render(FILES, directory=directory)
    assert names(desired) == expected.split()
    assert len(desired.files) == len(expected.split())
    assert desired.warnings == ()


@pytest.mark.parametrize("path", ["", ".", "./"])
async def test_the_root_of_a_repository_is_a_folder(path: str) -> None:
    desired = await render({"a.yaml": config_map("a"), "x/b.yaml": config_map("b")}, path=path)
    assert names(desired) == ["a"]


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*", "a/b/c", True),
        ("**", "a/b", True),
        ("a*c", "a/b/c", True),
        ("a?c", "a/c", True),
        ("{a,b}{1,2}", "b1", True),
        ("{a,b}{1,2}", "b3", False),
        ("{a,{b,c}x}.yaml", "cx.yaml", True),
        ("{a,{b,c}x}.yaml", "c.yaml", False),
        ("{,x}a", "a", True),
        ("*{a,ab}c", "abc", True),
        (r"\*.yaml", "*.yaml", True),
        (r"\*.yaml", "a.yaml", False),
        (r"\{a,b\}", "{a,b}", True),
        ("[{]", "{", True),
        ("[^a]", "b", True),
        ("[z-a]", "m", True),
        ("a.b", "axb", False),
        ("*ab*ab*", "xaabab", True),
        ("*ab*ab", "abxabab", True),
        ("", "", True),
    ],
)
def test_globs(pattern: str, path: str, expected: bool) -> None:
    assert globs.matches(pattern, path) is expected


@pytest.mark.parametrize("pattern", ["{a,b", "[ab", "{a,{b}", "x" * 2000, "{a,b}" * 12])
def test_globs_that_are_none_are_refused(pattern: str) -> None:
    with pytest.raises(RenderError, match="the glob"):
        globs.matches(pattern, "a")


def test_a_hostile_glob_costs_nothing() -> None:
    started = time.process_time()
    assert not globs.matches("*a" * 300 + "b", "a" * 4000)
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("files", "source", "tool"),
    [
        ([], {}, Tool.DIRECTORY),
        (["Chart.yaml"], {}, Tool.HELM),
        (["my-Chart.yaml"], {}, Tool.HELM),
        (["kustomization.yaml"], {}, Tool.KUSTOMIZE),
        (["Kustomization", "Chart.yaml"], {}, Tool.KUSTOMIZE),
        ([], {"helm": {"releaseName": "x"}}, Tool.HELM),
        ([], {"helm": {}}, Tool.DIRECTORY),
        (["Chart.yaml"], {"directory": {"recurse": False}, "kustomize": {}}, Tool.HELM),
        (["Chart.yaml"], {"directory": {"include": "*.yaml"}}, Tool.DIRECTORY),
        ([], {"plugin": {}}, Tool.PLUGIN),
        ([], {"kustomize": {"namePrefix": "x"}}, Tool.KUSTOMIZE),
        ([], {"plugin": {"name": "x"}}, Tool.PLUGIN),
        ([], {"chart": "redis"}, Tool.HELM),
    ],
)
def test_the_tool_is_chosen_by_what_is_said_and_else_by_what_is_there(
    files: list[str], source: dict[str, Any], tool: Tool
) -> None:
    tree = MemoryTree({"app/a.yaml": config_map("a"), **{f"app/{name}": "" for name in files}})
    assert choice.choose(request_for(**source), tree).tool is tool


async def test_two_tools_at_once_are_refused() -> None:
    with pytest.raises(RenderError) as caught:
        await render({"app/a.yaml": config_map("a")}, helm={"releaseName": "x"}, directory={"recurse": True})
    assert str(caught.value).startswith("multiple application sources defined: Helm, Directory")


async def test_a_plugin_that_nobody_installed_is_named() -> None:
    with pytest.raises(RenderError, match="plugin with name x not found"):
        await render({"app/a.yaml": config_map("a")}, plugin={"name": "x"})


async def test_an_explicit_directory_wins_over_a_chart() -> None:
    files = {"app/Chart.yaml": "apiVersion: v2\nname: x\n", "app/a.yaml": config_map("a")}
    desired = await render(files, directory={"recurse": True})
    assert names(desired) == ["a"]
    assert desired.warnings == ("app/Chart.yaml is skipped: it is not a Kubernetes manifest (it has no kind)",)


async def test_a_source_that_only_lends_its_files_has_no_objects() -> None:
    assert (await render({"a.yaml": config_map("a")}, path="", ref="values")).objects == ()


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        ({}, "a"),
        ({".argocd-source.yaml": "directory: {recurse: true}"}, "a b"),
        ({".argocd-source-shop.yaml": "directory: {recurse: true, exclude: a*}"}, "b"),
        ({".argocd-source-other.yaml": "directory: {recurse: true}"}, "a"),
        (
            {
                ".argocd-source.yaml": "directory: {recurse: true, exclude: a*}",
                ".argocd-source-shop.yaml": "directory: {exclude: null}",
            },
            "a b",
        ),
        ({".argocd-source.yaml": "repoURL: https://evil.example\npath: sub\ntargetRevision: x\nchart: y\n"}, "a"),
        ({".argocd-source.yaml": ""}, "a"),
    ],
)
async def test_files_in_the_folder_override_the_source(overrides: dict[str, str], expected: str) -> None:
    files = {"app/a.yaml": config_map("a"), "app/sub/b.yaml": config_map("b")}
    desired = await render(files | {f"app/{name}": text for name, text in overrides.items()})
    assert names(desired) == expected.split()
    assert {item.origin.repo_url for item in desired.objects} == {"https://git.example/shop.git"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: b: c", "app/.argocd-source.yaml:1:5: "),
        ("- a", "app/.argocd-source.yaml: this file must contain one map"),
        ("directory: {recurse: maybe}", "app/.argocd-source.yaml: this is not a source of an Application: "),
    ],
)
async def test_an_override_that_is_none_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(RenderError) as caught:
        await render({"app/a.yaml": config_map("a"), "app/.argocd-source.yaml": text})
    assert str(caught.value).startswith(sentence)
