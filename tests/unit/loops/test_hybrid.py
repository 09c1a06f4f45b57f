"""The hybrid loop: real children take real time, everything else takes none."""

import asyncio
import pathlib
import sys
import time

import pytest

from tests.support.loops import hybrid, running

HOUR = 3600.0


async def child(seconds: float) -> bytes:
    """Run a real program that sleeps, then answers."""
    code = f"import time; time.sleep({seconds}); print('done')"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-I", "-S", "-c", code, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    return output


def test_a_real_child_moves_time_at_the_real_rate_and_a_sleep_afterwards_jumps() -> None:
    async def main() -> tuple[bytes, float, float]:
        loop = asyncio.get_running_loop()
        output = await child(0.2)
        after_child = loop.time()
        await asyncio.sleep(HOUR)
        return output, after_child, loop.time()

    begun = time.monotonic()
    output, after_child, end = hybrid.run_hybrid(main())
    took = time.monotonic() - begun
    assert output == b"done\n"
    assert 0.2 <= after_child <= took
    assert end == pytest.approx(after_child + HOUR, abs=0.01)
    assert took < 30


def test_at_a_lower_rate_a_slow_child_takes_less_time_than_it_really_does() -> None:
    async def main() -> tuple[float, list[str]]:
        loop, seen = asyncio.get_running_loop(), list[str]()

        async def alarm() -> None:
            await asyncio.sleep(0.02)
            seen.append("alarm")

        async def run() -> None:
            await child(1.0)
            seen.append("child")

        await asyncio.gather(alarm(), run())
        return loop.time(), seen

    begun = time.monotonic()
    passed, seen = hybrid.run_hybrid(main(), rate=0.1)
    took = time.monotonic() - begun
    assert seen == ["alarm", "child"], "timers go on while a child runs"
    assert 0.1 <= passed <= took * 0.1 + 0.01


def test_a_timer_during_a_child_waits_for_real_time() -> None:
    async def main() -> list[str]:
        seen: list[str] = []

        async def alarm() -> None:
            await asyncio.sleep(HOUR)
            seen.append("alarm")

        async def run() -> None:
            await child(0.1)
            seen.append("child")

        await asyncio.gather(alarm(), run())
        return seen

    assert hybrid.run_hybrid(main()) == ["child", "alarm"]


def test_children_side_by_side_are_all_waited_for() -> None:
    async def main() -> float:
        await asyncio.gather(child(0.05), child(0.3), child(0.1))
        return asyncio.get_running_loop().time()

    assert hybrid.run_hybrid(main()) >= 0.3


def test_a_real_timeout_kills_a_slow_child() -> None:
    async def main() -> float:
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", "import time; time.sleep(60)")
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await process.wait()
        process.kill()
        await process.wait()
        return asyncio.get_running_loop().time()

    assert 0.3 <= hybrid.run_hybrid(main()) < 20


def test_a_program_that_is_not_there_leaves_nothing_in_flight() -> None:
    async def main() -> float:
        with pytest.raises(FileNotFoundError):
            await asyncio.create_subprocess_exec("/nowhere/at-all")
        before = asyncio.get_running_loop().time()
        await asyncio.sleep(HOUR)
        return asyncio.get_running_loop().time() - before

    assert hybrid.run_hybrid(main()) == pytest.approx(HOUR)


def test_a_file_is_read_in_a_real_thread(tmp_path: pathlib.Path) -> None:
    (tmp_path / "one").write_text("text")

    async def main() -> tuple[str, float]:
        text = await asyncio.to_thread((tmp_path / "one").read_text)
        await asyncio.sleep(HOUR)
        return text, asyncio.get_running_loop().time()

    text, end = hybrid.run_hybrid(main())
    assert text == "text"
    assert HOUR <= end < HOUR + 10


def test_real_work_can_be_named() -> None:
    async def main() -> float:
        loop = asyncio.get_running_loop()
        with hybrid.real_work():
            loop.call_later(0.1, lambda: None)
            await asyncio.sleep(0.15)
        return loop.time()

    begun = time.monotonic()
    assert hybrid.run_hybrid(main()) >= 0.15
    assert time.monotonic() - begun >= 0.15


def test_a_deadlock_is_told() -> None:
    async def main() -> None:
        await child(0)
        await asyncio.Event().wait()

    with pytest.raises(running.DeadlockError, match="main: "):
        hybrid.run_hybrid(main())


def test_a_shell_is_refused() -> None:
    async def main() -> None:
        await asyncio.create_subprocess_shell("true")

    with pytest.raises(AssertionError, match="a shell was asked for"):
        hybrid.run_hybrid(main())
