"""Runs the tests of this folder on asyncio."""

import pytest


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
