"""When a render is used again: as long as what it has read, and what it depends on besides, is the same."""

from typing import Any

import msgspec
import pytest

from syncline.controller.sources.renders import Renders, combined
from syncline.model.desired import Desired, DesiredObject, Input, Origin
from syncline.model.sources.source import ApplicationSource
from syncline.ports.render import RenderRequest
from tests.support.fake_source import MemoryTree

FILES = {"app/a": "1", "base/b": "2", "else/c": "3"}
REFERENCE = {"values.yaml": "4"}


def request(**changes: Any) -> RenderRequest:
    source = ApplicationSource(repo_url="https://git.example/shop.git", path="app")
    made = RenderRequest(app_name="shop", namespace="shop", project="default", source=source, kube_version="1")
    return msgspec.structs.replace(made, **changes)


def tree(files: dict[str, str]) -> MemoryTree:
    return MemoryTree("sha", files)


def known(tool: str = "Helm") -> Renders:
    at = tree(FILES)
    inputs = (
        Input("app", at.digest_of("app")),
        Input("base/b", at.digest_of("base/b")),
        Input("gone", ""),
        Input("values.yaml", tree(REFERENCE).digest_of("values.yaml"), "vals"),
    )
    renders = Renders()
    renders.keep(request(), "tools", Desired((), source_types=(tool,), inputs=inputs))
    return renders


@pytest.mark.parametrize(
    ("files", "reference", "used"),
    [
        ({}, {}, True),
        ({"else/c": "x"}, {}, True),
        ({"new": "x"}, {"new": "x"}, True),
        ({"app/a": "x"}, {}, False),
        ({"app/new": "x"}, {}, False),
        ({"base/b": "x"}, {}, False),
        ({"gone": "x"}, {}, False),
        ({}, {"values.yaml": "x"}, False),
    ],
)
def test_a_commit_that_touches_no_input_costs_no_render(
    files: dict[str, str], reference: dict[str, str], used: bool
) -> None:
    refs = {"vals": tree(REFERENCE | reference)}
    assert (known().find(request(), "tools", tree(FILES | files), refs) is not None) is used


@pytest.mark.parametrize(
    ("changes", "fingerprint", "tool", "used"),
    [
        ({"app_name": "other"}, "tools", "Helm", False),
        ({"namespace": "other"}, "tools", "Helm", False),
        ({}, "newer tools", "Helm", False),
        ({"kube_version": "2"}, "tools", "Helm", False),
        ({"api_versions": ("a/v1",)}, "tools", "Kustomize", False),
        ({"kube_version": "2", "api_versions": ("a/v1",)}, "tools", "Directory", True),
    ],
)
def test_other_settings_tools_and_clusters_need_another_render(
    changes: dict[str, Any], fingerprint: str, tool: str, used: bool
) -> None:
    refs = {"vals": tree(REFERENCE)}
    assert (known(tool).find(request(**changes), fingerprint, tree(FILES), refs) is not None) is used


def test_a_source_that_is_no_longer_lent_needs_another_render() -> None:
    assert known().find(request(), "tools", tree(FILES), {}) is None


@pytest.mark.parametrize(
    ("paths", "files", "used"),
    [
        (("/app",), {"base/b": "x"}, True),
        ((".",), {"base/b": "x"}, True),
        ((".",), {"app/a": "x"}, False),
        (("../base",), {"base/b": "x"}, False),
        (("../base",), {"app/a": "x"}, True),
        (("/app", "/base"), {"base/b": "x"}, False),
        (("/**/b",), {"base/b": "x"}, False),
        (("/*/b",), {"base/b": "x"}, False),
        (("*.yaml",), {"base/b": "x"}, True),
        (("*",), {"app/a": "x"}, False),
        (("/gone",), {"base/b": "x"}, True),
        ((), {"base/b": "x"}, False),
    ],
)
def test_where_an_application_names_paths_only_those_count(
    paths: tuple[str, ...], files: dict[str, str], used: bool
) -> None:
    renders, before, refs = Renders(), tree(FILES), {"vals": tree(REFERENCE)}
    inputs = (Input("app", before.digest_of("app")), Input("base", before.digest_of("base")))
    renders.keep(request(), "tools", Desired((), source_types=("Helm",), inputs=inputs), (before, refs), paths)
    assert (renders.find(request(), "tools", tree(FILES | files), refs, paths) is not None) is used


def test_paths_count_in_sources_that_lend_files_too() -> None:
    renders, before = Renders(), tree(FILES)
    inputs = (Input("values.yaml", tree(REFERENCE).digest_of("values.yaml"), "vals"),)
    made = Desired((), source_types=("Helm",), inputs=inputs)
    renders.keep(request(), "tools", made, (before, {"vals": tree(REFERENCE)}), ("/values.yaml",))
    changed = {"vals": tree({"values.yaml": "x"})}
    assert renders.find(request(), "tools", before, changed, ("/values.yaml",)) is None
    assert renders.find(request(), "tools", before, changed, ("/other",)) is None


def test_several_sources_make_one_desired_state_in_their_order() -> None:
    def part(name: str, tool: str) -> Desired:
        obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}}
        item = DesiredObject(obj, Origin(file=name))
        return Desired(
            (item,), (name,), (tool,), files=(name,), warnings=(f"w{name}",), digest=name, steady=name == "a"
        )

    whole = combined([part("a", "Helm"), part("b", "Directory")], ("1", "2"))
    assert [item.key.name for item in whole.objects] == ["a", "b"]
    assert (whole.revisions, whole.source_types, whole.files) == (("1", "2"), ("Helm", "Directory"), ("a", "b"))
    assert (whole.warnings, whole.steady) == (("wa", "wb"), False)
    assert whole.digest != combined([part("b", "Helm"), part("a", "Helm")], ("1", "2")).digest
    assert combined([part("a", "Helm")], ("a",)) == part("a", "Helm")


def test_objects_of_a_render_that_is_used_again_name_the_commit_that_is_shown() -> None:
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    item = DesiredObject(obj, Origin("https://git.example/a", "old", "app/a", 3))
    before, after = tree(FILES), tree(FILES | {"beside": "new"})
    made = Desired((item,), ("old",), ("Directory",), inputs=(Input("app", before.digest_of("app")),))
    renders = Renders()
    renders.keep(request(), "tools", made)
    found = renders.find(request(), "tools", after, {})
    assert found is not None
    assert found.objects == (DesiredObject(obj, Origin("https://git.example/a", after.revision, "app/a", 3)),)
    assert found.revisions == (after.revision,)
    assert renders.find(request(), "tools", after, {}) is found
    several = combined([found, made], ("x", "y"))
    assert [one.origin.revision for one in several.objects] == ["x", "y"]
