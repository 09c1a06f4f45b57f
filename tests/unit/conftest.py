"""Keeps unit tests off the network: only the socket pairs that event loops wake themselves with are allowed."""

from collections.abc import Iterator

import pytest
import pytest_socket


@pytest.fixture(autouse=True)
def no_sockets() -> Iterator[None]:
    """Let any attempt to open an internet socket fail the test that makes it."""
    pytest_socket.disable_socket(allow_unix_socket=True)
    yield
    pytest_socket.enable_socket()
