"""One installation for the tests of this folder: a sandbox behind HTTP, a controller, and a Git repository."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.installation import Installation, installed


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with installed(tmp_path_factory.mktemp("installation")) as found:
        yield found
