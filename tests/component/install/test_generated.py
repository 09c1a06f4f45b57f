"""Generated files are those that the generator writes now."""

import pathlib

import pytest

from tools import build_manifests

FILES = build_manifests.files()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_file_is_current(path: pathlib.Path) -> None:
    assert path.read_text(encoding="utf-8") == FILES[path], "run `python -m tools.build_manifests`"


def test_no_file_is_left_over() -> None:
    present = {*build_manifests.MANIFESTS.glob("*.yaml"), *(build_manifests.CHART / "crds").iterdir()}
    assert present <= set(FILES)
