"""A repository to render with the real tools; private folders are made where a test can see that they are gone."""

import pathlib
import tempfile
from collections.abc import Iterator

import pytest

from tests.component.render.rendering import Bench


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def bench(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    private = tmp_path / "private"
    private.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(private))
    monkeypatch.setenv("CANARY", "canary-of-the-environment")
    (tmp_path / "canary.yaml").write_text("canary: canary-of-the-disk\n")
    yield Bench(tmp_path)
    assert list(private.iterdir()) == []
    assert sorted(entry.name for entry in tmp_path.iterdir() if entry.name != "other") == [
        "canary.yaml",
        "private",
        "repository",
    ]
