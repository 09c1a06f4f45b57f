"""Records what a real control plane does in every story: `python -m tests.workloads.record [NAME …]`.

`make test` holds the sandbox to these files, so that it needs no control plane; `make test-cluster` checks that a
control plane still does the same.
"""

from __future__ import annotations

import concurrent.futures
import datetime as dt
import pathlib
import sys
import tempfile

from tests.real import build, sharing
from tests.real.api import Api
from tests.workloads import catalog, served
from tests.workloads.steps import Json, Story


def main() -> None:
    """Start a control plane, play the stories side by side, write what was seen."""
    wanted = [one for one in catalog.STORIES if one.name in sys.argv[1:] or not sys.argv[1:]]
    day = dt.datetime.now(dt.UTC).date().isoformat()
    with (
        tempfile.TemporaryDirectory() as folder,
        sharing.joined(pathlib.Path(folder), owner="tests.cluster.plane") as cluster,
        concurrent.futures.ThreadPoolExecutor(6) as pool,
    ):
        api = Api(cluster)

        def seen(story: Story) -> Json:
            return served.seen(story, api)

        for story, found in zip(wanted, pool.map(seen, wanted), strict=True):
            catalog.record(story, found, day, build.kubernetes_version())
            print(story.name, flush=True)
        api.close()


if __name__ == "__main__":
    main()
