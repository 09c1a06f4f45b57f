"""What programs use of the processor is measured, counted for the project, and put behind everybody else."""

import asyncio
import os
import sys
import time

import pytest

from syncline import processes
from syncline.adapters.render.programs import LIMITS, Programs, limits
from syncline.adapters.render.renderer import ToolRenderer
from syncline.enclosure import Files, libraries_of
from syncline.model.errors import RenderError
from syncline.model.sources.source import ApplicationSource
from syncline.ports.render import RenderRequest
from tests.component.render.rendering import CHART, URL, Bench

LOOP = "import time\nend = time.process_time() + 1\nwhile time.process_time() < end: pass\n"
ENDLESS = "{{ range until 100000 }}{{ range until 100000 }}{{ $x := 1 }}{{ end }}{{ end }}"


def shut_in() -> Files:
    """Return the files of a Python that is shut in."""
    libraries = libraries_of(sys.executable) or ()
    return Files(("/tmp",), tuple(dict.fromkeys((sys.base_prefix, sys.prefix, *libraries))))


@pytest.mark.parametrize("files", [None, shut_in()], ids=["plain", "shut in"])
async def test_processor_seconds_are_measured(files: Files | None) -> None:
    used: list[float] = []
    command = (sys.executable, "-I", "-c", LOOP)
    await processes.run(command, environment={"PATH": ""}, files=files, on_used=used.append)
    (seconds,) = used
    assert 0.4 < seconds < 1.9


@pytest.mark.parametrize("files", [None, shut_in()], ids=["plain", "shut in"])
async def test_program_that_uses_much_goes_behind_the_others(files: Files | None) -> None:
    script = "import os, time\nwhile os.getpriority(os.PRIO_PROCESS, 0) < 10: pass\nprint(time.process_time())\n"
    command = (sys.executable, "-I", "-c", script)
    ended = await processes.run(
        command, environment={"PATH": ""}, files=files, limits=processes.ProcessLimits(seconds=150.0)
    )
    assert float(ended.output) >= 1.9, "a quick program is not put behind"


async def test_seconds_of_a_render_that_ran_into_its_limit_count_for_its_project(bench: Bench) -> None:
    tree = bench.tree({"app/Chart.yaml": CHART, "app/templates/x.yaml": ENDLESS})
    source = ApplicationSource(repo_url=URL, path="app")
    request = RenderRequest(app_name="shop", namespace="store", project="hostile", source=source)
    programs = Programs(limits=limits(4.0))
    with pytest.raises(RenderError) as caught:
        await ToolRenderer(programs).render(request, tree)
    assert caught.value.over_limit
    assert list(programs.usage.total) == ["hostile"]
    assert 0.2 < programs.usage.total["hostile"] <= 4.0 * (os.cpu_count() or 1) + 1


async def test_room_is_found_for_another_project_while_one_loops(bench: Bench) -> None:
    looping = bench.tree({"app/Chart.yaml": CHART, "app/templates/x.yaml": ENDLESS})
    quick = bench.tree({"app/templates/x.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"})
    renderer = ToolRenderer(Programs(parallel=1, limits=LIMITS))
    source = ApplicationSource(repo_url=URL, path="app")

    def request(project: str) -> RenderRequest:
        return RenderRequest(app_name="shop", namespace="store", project=project, source=source)

    hostile = [asyncio.create_task(renderer.render(request("hostile"), looping)) for _ in range(6)]
    await asyncio.sleep(1)
    began = time.monotonic()
    assert len((await renderer.render(request("innocent"), quick)).objects) == 1
    assert time.monotonic() - began < 30.0, "less than the limit that the others run into"
    for task in hostile:
        task.cancel()
    await asyncio.gather(*hostile, return_exceptions=True)
