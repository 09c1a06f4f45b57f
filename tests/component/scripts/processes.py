"""The worker processes of this test run, as the machine lists them; zombies count."""

import os
import pathlib


def workers() -> set[int]:
    """Return the numbers of all children of this process that are workers, or are dead and not waited for."""
    found = set()
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if int(fields[1]) == os.getpid() and (fields[0] == "Z" or b"syncline.adapters.scripts.worker" in command):
            found.add(int(folder.name))
    return found


def peak_memory(number: int) -> int:
    """Return the most memory a process ever held, in bytes."""
    for line in (pathlib.Path("/proc") / str(number) / "status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise AssertionError(f"process {number} does not tell its memory")
