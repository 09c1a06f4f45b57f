"""The guard of `tests/unit/conftest.py` holds."""

import socket

import pytest
import pytest_socket


def test_unit_tests_cannot_open_internet_sockets() -> None:
    # It warns before it raises, and warnings are errors here.
    with pytest.raises((pytest_socket.SocketBlockedError, UserWarning), match="tried to use socket"):
        socket.socket(socket.AF_INET, socket.SOCK_STREAM)


def test_event_loops_may_wake_themselves() -> None:
    one, other = socket.socketpair()
    with one, other:
        one.send(b"wake")
        assert other.recv(8) == b"wake"


async def test_async_tests_run_on_asyncio(anyio_backend_name: str) -> None:
    assert anyio_backend_name == "asyncio"
