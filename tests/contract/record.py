"""Records what a real kube-apiserver answers to every story, or to those named: `python -m tests.contract.record`.

`make test` holds the sandbox to these files, so that it needs no server; `make test-real` checks that a server still
says the same.
"""

from __future__ import annotations

import pathlib
import sys
import tempfile

from tests.contract import catalog, served
from tests.real import sharing


def main() -> None:
    """Start a cluster, play every story, write the answers."""
    named = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder, sharing.joined(pathlib.Path(folder)) as cluster:
        for story in (one for one in catalog.STORIES if not named or one.name in named):
            found = served.answers(story, cluster)
            catalog.record(story, found)
            print(f"{story.name}: {len(found)} answers")


if __name__ == "__main__":
    main()
