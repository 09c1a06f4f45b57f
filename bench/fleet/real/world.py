"""Runs a kube-apiserver with etcd for one measurement; both were built by `make test-real`.

They are processes of their own on the same machine, so the controller shares its cores with them. etcd does not sync
its disk, and the server writes an audit log.
"""

from __future__ import annotations

import pathlib
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from bench.fleet.world import Serve
from bench.rows import Row
from tests.real import build, cluster


def with_server(measure: Callable[[Serve], list[Row]]) -> list[Row]:
    """Return what is measured on real servers; without their programs no rows, and what to do about it is said."""
    if built() is None:
        return []

    @contextmanager
    def serve() -> Iterator[str]:
        with server() as running:
            yield running.kubeconfig_path

    return measure(serve)


@contextmanager
def server(audit_policy: Mapping[str, object] = cluster.AUDIT_POLICY) -> Iterator[cluster.Cluster]:
    """Run a server for as long as the block lasts."""
    binaries = built()
    assert binaries is not None
    with tempfile.TemporaryDirectory(prefix="syncline-bench-") as folder:
        running = cluster.start(pathlib.Path(folder), binaries, audit_policy)
        try:
            yield running.cluster
        finally:
            running.stop()


def built() -> build.Binaries | None:
    """Return the programs that were built last; where there are none, what to do about it is said."""
    servers = sorted(build.cache_folder().glob("*/kube-apiserver"), key=lambda path: path.stat().st_mtime)
    if not servers:
        print("kube-apiserver and etcd were never built here: run `make test-real` first", file=sys.stderr)
        return None
    return build.Binaries(servers[-1], servers[-1].with_name("etcd"))
