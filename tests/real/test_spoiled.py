"""Which objects with one spoiled field a real API server refuses, asked again.

`python -m tests.real.test_spoiled` records it for `tests/contract/test_spoiled.py`.
"""

from __future__ import annotations

import pathlib
import tempfile

import pytest

from tests.contract import spoiling
from tests.real import api as client

pytestmark = pytest.mark.real


def _refused(api: client.Api) -> set[str]:
    api.request("POST", "/api/v1/namespaces", {"metadata": {"name": "trial"}})
    found: set[str] = set()
    for one in spoiling.cases():
        status, _ = api.request("POST", one.path, one.body)
        if status >= 300:
            found.add(one.title)
    return found


@pytest.mark.timeout(900)
def test_the_record_is_what_the_server_refuses(api: client.Api) -> None:
    assert _refused(api) == spoiling.recorded()


def main() -> None:
    """Ask a server and write what it refuses."""
    from tests.real import sharing

    with tempfile.TemporaryDirectory() as folder, sharing.joined(pathlib.Path(folder)) as cluster:
        found = _refused(client.Api(cluster))
    spoiling.RECORD.write_text("\n".join(sorted(found)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
