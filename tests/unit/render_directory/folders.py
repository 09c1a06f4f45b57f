"""Trees of files in memory, and a request to render them."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from syncline.adapters.render.means import RenderMeans
from syncline.adapters.render.renderer import ToolRenderer
from syncline.model.desired import Desired
from syncline.model.errors import SourceError
from syncline.model.sources.source import ApplicationSource
from syncline.ports.render import RenderRequest
from syncline.ports.source import TreeFile

URL = "https://ada:canary@git.example/shop.git"
SHA = "0123456789" * 4


class MemoryTree:
    """Files by path; one whose text starts with `-> ` is a link to nowhere."""

    revision = SHA
    digest = "d"

    def __init__(self, files: Mapping[str, str | bytes]) -> None:
        self._files = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
        self.was_read: list[str] = []

    def files(self) -> Sequence[TreeFile]:
        return [
            TreeFile(path, hashlib.sha256(text).hexdigest(), len(text), text.startswith(b"-> "))
            for path, text in sorted(self._files.items())
        ]

    def read(self, path: str) -> bytes:
        self.was_read.append(path)
        if self._files[path].startswith(b"-> "):
            raise SourceError(f"out of bounds symlink: {path}")
        return self._files[path]

    def digest_of(self, path: str) -> str:
        return f"digest of {path}"

    def below(self, folder: str) -> "MemoryTree":
        return MemoryTree({path: text for path, text in self._files.items() if path.startswith(folder)})


def request_for(**source: Any) -> RenderRequest:
    given = {"repoURL": URL, "path": "app", **source}
    return RenderRequest(
        app_name="shop",
        namespace="shop",
        project="default",
        source=msgspec.convert(given, ApplicationSource),
    )


async def render(files: Mapping[str, str | bytes], *, max_bytes: int = 10_000_000, **source: Any) -> Desired:
    return await ToolRenderer(means=RenderMeans(max_bytes=max_bytes)).render(request_for(**source), MemoryTree(files))


def config_map(name: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n"


def names(desired: Desired) -> list[str]:
    return [item.key.name for item in desired.objects]
