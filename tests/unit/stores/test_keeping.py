"""The store keeps, replaces and forgets, and survives being damaged."""

import asyncio
import pathlib

import pytest

from syncline.adapters.store import FileStore
from syncline.ports.store import Store


def files(folder: pathlib.Path) -> list[pathlib.Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.fixture
def store(tmp_path: pathlib.Path) -> Store:
    return FileStore(str(tmp_path / "store"))


@pytest.mark.parametrize("key", ["a", "", "../../etc/passwd", "a/b\0c", "é" * 500, "\udc80"])
async def test_any_text_is_a_key(store: Store, key: str) -> None:
    assert await store.get(key) is None
    await store.delete(key)
    await store.put(key, b"one")
    await store.put(key, b"")
    assert await store.get(key) == b""
    await store.put(key, b"two")
    assert await store.get(key) == b"two"
    assert await store.get(f"{key}x") is None
    await store.delete(key)
    assert await store.get(key) is None


async def test_files_survive_the_process(tmp_path: pathlib.Path) -> None:
    await FileStore(str(tmp_path)).put("a", b"1")
    assert await FileStore(str(tmp_path)).get("a") == b"1"


@pytest.mark.parametrize("left", [b"", b"short", None])
async def test_a_damaged_file_is_as_good_as_none(tmp_path: pathlib.Path, left: bytes | None) -> None:
    store = FileStore(str(tmp_path))
    await store.put("a", b"value")
    (path,) = files(tmp_path)
    path.write_bytes(path.read_bytes()[:-1] if left is None else left)
    assert await store.get("a") is None
    await store.put("a", b"new")
    assert await store.get("a") == b"new"


async def test_the_file_of_another_key_is_as_good_as_none(tmp_path: pathlib.Path) -> None:
    """Security row O1: an entry that was made for something else is not taken for this."""
    store = FileStore(str(tmp_path))
    await store.put("mine", b"mine")
    (mine,) = files(tmp_path)
    await store.put("theirs", b"theirs")
    (theirs,) = [path for path in files(tmp_path) if path != mine]
    mine.write_bytes(theirs.read_bytes())
    assert await store.get("mine") is None
    assert await store.get("theirs") == b"theirs"


async def test_writers_at_the_same_time_leave_one_whole_value(tmp_path: pathlib.Path) -> None:
    store = FileStore(str(tmp_path))
    values = [bytes([number]) * 100_000 for number in range(20)]
    await asyncio.gather(*(store.put("a", value) for value in values))
    assert await store.get("a") in values
    assert len(files(tmp_path)) == 1
