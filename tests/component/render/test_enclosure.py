"""Programs that render are shut in: no network, no file of this machine, and they end with whoever waits for them."""

import asyncio
import pathlib
import socket
import sys
import time

import pytest

from syncline import processes
from syncline.cli.main import main
from syncline.enclosure import LIBRARIES, THE_ENCLOSURE, Files, libraries_of
from tests.component.render.rendering import Bench

FOREIGN = "canary-of-the-disk"
ASK = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5).close()"
READ = "import pathlib, sys; print(pathlib.Path(sys.argv[1]).read_text())"
WRITE = "import pathlib, sys; pathlib.Path(sys.argv[1]).write_text('changed')"


def python(folder: pathlib.Path) -> Files:
    """Return what Python needs to start, and one folder to write to."""
    needed = (sys.base_prefix, sys.prefix, *LIBRARIES)
    return Files((str(folder),), tuple(path for path in needed if pathlib.Path(path).exists()))


async def run(folder: pathlib.Path, code: str, argument: str, files: Files | None) -> processes.Ended:
    await asyncio.to_thread(folder.mkdir, exist_ok=True)
    command = (sys.executable, "-I", "-S", "-c", code, argument)
    return await processes.run(command, environment={}, folder=str(folder), files=files)


def wait_for(beats: pathlib.Path) -> None:
    while not beats.exists() or beats.stat().st_size < 10:
        time.sleep(0.01)


async def test_this_machine_can_shut_programs_in() -> None:
    assert await asyncio.to_thread(THE_ENCLOSURE.refusal) == ""


async def test_a_file_of_this_machine_is_not_there(tmp_path: pathlib.Path) -> None:
    (tmp_path / "foreign").write_text(FOREIGN)
    here = tmp_path / "here"
    outside = await run(here, READ, str(tmp_path / "foreign"), None)
    inside = await run(here, READ, str(tmp_path / "foreign"), python(here))
    assert FOREIGN.encode() in outside.output
    assert inside.code != 0
    assert b"FileNotFoundError" in inside.errors


async def test_its_own_folder_is_written_and_nothing_else(tmp_path: pathlib.Path) -> None:
    here, library = tmp_path / "here", tmp_path / "library"
    library.mkdir()
    files = python(here)
    files = Files(files.writable, (*files.readable, str(library)))
    assert (await run(here, WRITE, str(here / "made"), files)).code == 0
    assert (here / "made").read_text() == "changed"
    assert b"Read-only file system" in (await run(here, WRITE, str(library / "made"), files)).errors
    assert b"Read-only file system" in (await run(here, WRITE, "/made", files)).errors


async def test_a_server_of_this_machine_is_not_reached(tmp_path: pathlib.Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = str(server.getsockname()[1])
        assert (await run(tmp_path / "here", ASK, port, None)).code == 0
        inside = await run(tmp_path / "here", ASK, port, python(tmp_path / "here"))
    assert inside.code != 0
    assert b"Network is unreachable" in inside.errors


async def test_other_processes_are_not_there(tmp_path: pathlib.Path) -> None:
    ended = await run(tmp_path / "here", "import os; print(os.getpid(), os.getppid())", "", python(tmp_path / "here"))
    assert ended.output == b"1 0\n"


async def test_a_program_that_cannot_be_started_is_told(tmp_path: pathlib.Path) -> None:
    with pytest.raises(processes.NotStarted):
        await processes.run(("/nowhere",), environment={}, folder=str(tmp_path), files=python(tmp_path))


async def test_limits_hold_inside(tmp_path: pathlib.Path) -> None:
    command = (sys.executable, "-I", "-S", "-c", "b'x' * (1 << 32)")
    limits = processes.ProcessLimits(memory=1 << 30)
    ended = await processes.run(command, environment={}, folder=str(tmp_path), files=python(tmp_path), limits=limits)
    assert b"MemoryError" in ended.errors
    command = (sys.executable, "-I", "-S", "-c", "while True: pass")
    with pytest.raises(processes.OverLimit):
        await processes.run(
            command,
            environment={},
            folder=str(tmp_path),
            files=python(tmp_path),
            limits=processes.ProcessLimits(seconds=0.5),
        )


async def test_what_nobody_waits_for_ends_with_all_it_started(tmp_path: pathlib.Path) -> None:
    beats = tmp_path / "beats"
    code = (
        "import os, time\n"
        "os.fork(); os.setsid() if os.getpid() != 1 else None\n"
        f"while True: open({str(beats)!r}, 'a').write('x'); time.sleep(0.01)\n"
    )
    running = asyncio.create_task(run(tmp_path, code, "", python(tmp_path)))
    await asyncio.to_thread(wait_for, beats)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    size = beats.stat().st_size
    await asyncio.sleep(0.3)
    assert beats.stat().st_size == size


async def test_a_warden_that_was_killed_is_started_again(tmp_path: pathlib.Path) -> None:
    await asyncio.to_thread(THE_ENCLOSURE.refusal)
    process = THE_ENCLOSURE._process
    assert process is not None
    process.kill()
    process.wait()
    assert (await run(tmp_path, "print(1)", "", python(tmp_path))).output == b"1\n"


def test_what_a_program_needs_is_told_by_its_head(tmp_path: pathlib.Path) -> None:
    kubectl = pathlib.Path(sys.executable).with_name("kubectl")
    script = tmp_path / "kubectl"
    script.write_text("#!/bin/sh\n")
    assert libraries_of(str(kubectl)) == ()
    assert set(libraries_of(sys.executable) or ()) <= set(LIBRARIES)
    assert libraries_of(sys.executable)
    assert libraries_of(str(script)) is None
    assert libraries_of(str(tmp_path / "none")) is None


def test_a_program_with_a_loader_of_its_own_may_need_anything(tmp_path: pathlib.Path) -> None:
    content = pathlib.Path(sys.executable).read_bytes()
    moved = tmp_path / "python"
    moved.write_bytes(content.replace(b"/lib64/ld-linux", b"/nix64/ld-linux").replace(b"/lib/ld-", b"/nix/ld-"))
    assert libraries_of(str(moved)) is None


async def test_where_the_machine_forbids_it_renders_go_on(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(THE_ENCLOSURE, "_refusal", "unshare: Operation not permitted")
    files = {"app/kustomization.yaml": "resources: [a.yaml]\n", "app/a.yaml": "kind: ConfigMap\napiVersion: v1\n"}
    files["app/a.yaml"] += "metadata: {name: a}\n"
    assert len((await bench.render(files)).objects) == 1


@pytest.mark.parametrize(
    ("refusal", "words"),
    [
        ("", "✔ renders are shut in       neither network nor files of this machine"),
        ("unshare: Operation not permitted", "◆ renders are shut in       no: unshare: Operation not permitted"),
    ],
)
def test_the_doctor_says_whether_renders_are_shut_in(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], refusal: str, words: str
) -> None:
    monkeypatch.setattr(THE_ENCLOSURE, "_refusal", refusal)
    with pytest.raises(SystemExit) as left:
        main(["doctor", "--offline"])
    assert left.value.code == 0
    assert words in capsys.readouterr().out
