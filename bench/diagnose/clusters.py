"""Times `syncline diagnose` from the shell to the answer, on six clusters over HTTP, and counts what it asks of them.

Run: python -m bench diagnose.clusters
The hub holds the Applications of all six; the other five are found by their addresses in the kubeconfig. Raw is a bare
client that lists the kinds with many objects in them, one request after the other, and reads the JSON.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import orjson

from bench.diagnose.six_clusters import CLUSTERS, OBJECTS
from bench.rows import Row

_PATHS = (
    "/api/v1/configmaps",
    "/api/v1/pods",
    "/api/v1/services",
    "/api/v1/events",
    "/apis/apps/v1/deployments",
    "/apis/apps/v1/replicasets",
    "/apis/discovery.k8s.io/v1/endpointslices",
)


def _raw(folder: Path) -> tuple[float, int]:
    """Return seconds of reading the same with a bare client, and how many objects that were."""
    known = json.loads((folder / "kubeconfig").read_text())["clusters"]
    begin, count = time.perf_counter(), 0
    for one in known:
        for path in _PATHS:
            with urllib.request.urlopen(one["cluster"]["server"] + path) as answer:
                count += len(orjson.loads(answer.read())["items"])
    return time.perf_counter() - begin, count


def rows() -> list[Row]:
    """Return the rows of this benchmark."""
    with tempfile.TemporaryDirectory(prefix="syncline-bench-") as name:
        folder = Path(name)
        command = [sys.executable, "-m", "bench.diagnose.six_clusters", name]
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n", "the clusters did not start"
            wall, processor, causes = _diagnosed(folder)
            raw, count = _raw(folder)
        finally:
            server.communicate(timeout=60)
        seconds = json.loads((folder / "seconds").read_text())
    asked = sum(seconds) - CLUSTERS * len(_PATHS)
    what = f"diagnose {CLUSTERS} clusters, {CLUSTERS * OBJECTS:,} objects, {causes} causes"
    return [
        Row(name=f"{what}: to the answer", figure=wall, unit="s", raw=raw, raw_is=f"listing {count:,} of them"),
        Row(name=f"{what}: processor", figure=processor, unit="s"),
        Row(name="requests", figure=asked, unit=""),
        Row(name="most requests in one second, of all clusters", figure=max(seconds), unit=""),
    ]


def _diagnosed(folder: Path) -> tuple[float, float, int]:
    """Return seconds, processor seconds and the number of causes of one diagnosis."""
    program = str(Path(sys.executable).with_name("syncline"))
    command = [program, "diagnose", "--kubeconfig", str(folder / "kubeconfig"), "-o", "json"]
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    found = subprocess.run(command, capture_output=True, check=False)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    assert found.returncode == 1, found.stderr.decode()
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, processor, len(json.loads(found.stdout)["causes"])
