"""Images are looked up in a registry on loopback."""

import pytest


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
