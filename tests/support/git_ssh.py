"""A real ssh server on loopback that runs `git upload-pack`, for tests with the machine's own ssh client.

Used as a context manager: `with serve(folder, [public_key]) as server: server.url("shop")`. It lives in a thread with a
loop of its own, so that a test's loop is free.
"""

import asyncio
import contextlib
import os
import pathlib
import shlex
import subprocess
import threading
from collections.abc import Iterator, Sequence

import asyncssh


class Server:
    """A running server: where it is, its host key, and what clients asked for."""

    def __init__(self, port: int, host_key: str) -> None:
        self.port = port
        self.host_key = host_key
        self.commands: list[str] = []
        self.answers: dict[str, bytes] = {}
        """What other programs than git print, by name."""

    def url(self, name: str, user: str = "git") -> str:
        return f"ssh://{user}@127.0.0.1:{self.port}/{name}/.git"

    def known_hosts(self) -> str:
        """Return the line that makes the server known."""
        return f"[127.0.0.1]:{self.port} {self.host_key}\n"


def key_pair() -> tuple[str, str]:
    """Return a new private key (in OpenSSH's form) and its public key."""
    key = asyncssh.generate_private_key("ssh-ed25519")
    return key.export_private_key("openssh").decode(), key.export_public_key("openssh").decode().strip()


async def _feed(process: "asyncssh.SSHServerProcess[bytes]", git: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError, asyncssh.Error):
        while piece := await process.stdin.read(65536):
            git.write(piece)
            await git.drain()
    git.close()


@contextlib.contextmanager
def serve(folder: pathlib.Path, public_keys: Sequence[str]) -> Iterator[Server]:
    """Serve every repository below a folder to whoever has one of the keys."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    host_private, host_public = key_pair()
    server = Server(0, host_public)

    async def start() -> asyncssh.SSHAcceptor:
        async def run(process: "asyncssh.SSHServerProcess[bytes]") -> None:
            command = process.command or ""
            server.commands.append(command)
            program, path = shlex.split(command)[:2]
            if program in server.answers:
                process.stdout.write(server.answers[program])
                process.exit(0)
                return
            assert program == "git-upload-pack"
            git = await asyncio.create_subprocess_exec(
                "git",
                "upload-pack",
                str(folder) + path,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={
                    "PATH": os.environ["PATH"],
                    "HOME": "/nonexistent",
                    "GIT_CONFIG_NOSYSTEM": "1",
                    "GIT_PROTOCOL": str(process.env.get("GIT_PROTOCOL", "")),
                    "GIT_CONFIG_COUNT": "1",
                    "GIT_CONFIG_KEY_0": "safe.directory",
                    "GIT_CONFIG_VALUE_0": "*",
                },
            )
            assert git.stdin is not None
            assert git.stdout is not None
            feeding = asyncio.create_task(_feed(process, git.stdin))
            while piece := await git.stdout.read(65536):
                process.stdout.write(piece)
                await process.stdout.drain()
            process.exit(await git.wait())
            feeding.cancel()

        return await asyncssh.listen(
            "127.0.0.1",
            0,
            server_host_keys=[asyncssh.import_private_key(host_private)],
            authorized_client_keys=asyncssh.import_authorized_keys("\n".join(public_keys) + "\n"),
            process_factory=run,
            encoding=None,
        )

    acceptor = asyncio.run_coroutine_threadsafe(start(), loop).result(10)
    server.port = acceptor.get_port()
    try:
        yield server
    finally:

        async def stop() -> None:
            acceptor.close()
            await acceptor.wait_closed()
            others = asyncio.all_tasks() - {asyncio.current_task()}
            for task in others:
                task.cancel()
            await asyncio.gather(*others, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
        loop.close()
