"""Servers that start at once on an empty cluster agree on one key, one password, one certificate and one project."""

import asyncio
import base64
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from cryptography import x509

from syncline import wiring
from syncline.model.default_project import default_project
from syncline.server.access.bootstrap import INITIAL, ensure_default_project, ensure_keys
from syncline.server.access.certificates import SHARED, ServedCertificate, served_certificate, shared_certificate
from tests.support.loops.simulated import run_simulated
from tests.support.world import SandboxBed

SERVERS = 4


def played(story: Callable[[SandboxBed], Awaitable[None]]) -> None:
    """Run a story on a sandbox with a control-plane namespace."""

    async def main() -> None:
        bed = SandboxBed()
        await bed.start()
        await story(bed)
        await bed.stop()

    run_simulated(main)


class DistinctSecrets:
    """Texts that are different for each server."""

    def __init__(self, server: int) -> None:
        self._server = server
        self._count = 0

    def text(self, size: int = 32) -> str:
        self._count += 1
        return f"server-{self._server}-{self._count}-{size}"


class PlainPasswords:
    """Hashes that show their password."""

    async def hashed(self, password: str) -> str:
        await asyncio.sleep(0)
        return f"hash of {password}"

    async def matches(self, password: str, hashed: str) -> bool:
        return hashed == f"hash of {password}"


async def stored(bed: SandboxBed, name: str) -> dict[str, str]:
    secret: Any = await bed.get("Secret", name, "v1", bed.control)
    return {key: base64.b64decode(text).decode() for key, text in secret["data"].items()}


@pytest.mark.parametrize("present", [False, True], ids=["no Secret", "an empty Secret"])
def test_servers_that_start_at_once_share_key_and_password(present: bool) -> None:
    async def story(bed: SandboxBed) -> None:
        if present:
            metadata = {"name": "argocd-secret", "namespace": bed.control}
            await bed.apply({"apiVersion": "v1", "kind": "Secret", "metadata": metadata})
        starting = [
            ensure_keys(bed.user, bed.control, PlainPasswords(), DistinctSecrets(number), bed.clock)
            for number in range(SERVERS)
        ]
        assert await asyncio.gather(*starting) != [""] * SERVERS
        keys = await stored(bed, "argocd-secret")
        password = (await stored(bed, INITIAL))["password"]
        assert keys["admin.password"] == f"hash of {password}"
        again = await ensure_keys(bed.user, bed.control, PlainPasswords(), DistinctSecrets(9), bed.clock)
        assert again == ""
        assert await stored(bed, "argocd-secret") == keys

    played(story)


def test_servers_that_start_at_once_share_a_certificate() -> None:
    async def story(bed: SandboxBed) -> None:
        starting = [shared_certificate(bed.user, bed.control, wiring.self_signed_certificate) for _ in range(SERVERS)]
        pairs = {(pair.certificate, pair.key) for pair in await asyncio.gather(*starting) if pair is not None}
        assert len(pairs) == 1
        read = await served_certificate(bed.user, bed.control)
        assert isinstance(read, ServedCertificate)
        assert (read.secret, (read.certificate, read.key)) == (SHARED, pairs.pop())
        extension = x509.load_pem_x509_certificate(read.certificate).extensions.get_extension_for_class(
            x509.SubjectAlternativeName
        )
        assert f"syncline-server.{bed.control}.svc" in extension.value.get_values_for_type(x509.DNSName)

    played(story)


def test_default_project_is_created_once_and_then_left_alone() -> None:
    async def story(bed: SandboxBed) -> None:
        await bed.delete("AppProject", "default", "argoproj.io/v1alpha1", bed.control)
        created = await asyncio.gather(*(ensure_default_project(bed.user, bed.control) for _ in range(SERVERS)))
        assert sum(created) == 1
        project = default_project(bed.control)
        await bed.apply({**project, "spec": {**project["spec"], "sourceRepos": ["https://only.example"]}})
        assert await ensure_default_project(bed.user, bed.control) is False
        kept: Any = await bed.get("AppProject", "default", "argoproj.io/v1alpha1", bed.control)
        assert kept["spec"]["sourceRepos"] == ["https://only.example"]

    played(story)
