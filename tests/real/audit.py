"""Reads what the API server's audit log says was asked of it: the judge of "how many writes did that take".

Called by tests with the cluster of the `real_cluster` fixture.
An entry is written after its answer was sent, so a reader waits for the entry of a request of its own.
"""

import json
import os
import pathlib
import time
from typing import Any

from tests.real import api, cluster

LIMIT = 120.0
WRITES = frozenset({"create", "update", "patch", "delete", "deletecollection"})


def entries(where: cluster.Cluster, namespace: str) -> list[dict[str, Any]]:
    """Return the audit entries for objects of one namespace, oldest first; whole once `settle` returned."""
    found = []
    for line in pathlib.Path(where.audit_log_path).read_text().splitlines():
        # The last line may still be half written.
        if namespace in line and line.endswith("}"):
            entry = json.loads(line)
            if entry.get("objectRef", {}).get("namespace") == namespace:
                found.append(entry)
    return found


def writes(where: cluster.Cluster, namespace: str) -> list[tuple[str, str, str]]:
    """Return verb, resource and name of each write to one namespace, oldest first."""
    return [
        (entry["verb"], entry["objectRef"]["resource"], entry["objectRef"].get("name", ""))
        for entry in entries(where, namespace)
        if entry["verb"] in WRITES and entry["objectRef"]["resource"] != "namespaces"
    ]


def settle(client: api.Api, mark: str) -> None:
    """Wait until the log holds everything that was answered before this call."""
    sought = f"mark-{mark}".encode()
    with pathlib.Path(client.cluster.audit_log_path).open("rb") as log:
        # Only what comes now can hold the mark, and the log is long.
        log.seek(0, os.SEEK_END)
        client.request("GET", f"/api/v1/namespaces/default/configmaps/mark-{mark}")
        deadline, seen = time.monotonic() + LIMIT, b""
        while sought not in seen:
            assert time.monotonic() < deadline, f"the audit log does not show a request made {LIMIT:.0f} s ago"
            time.sleep(0.02)
            seen = seen[-len(sought) :] + log.read()
