"""Renders files of a real commit with the real helm and kubectl."""

import io
import pathlib
import tarfile
import textwrap
from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from syncline import processes
from syncline.adapters.git.tree import GitTree, open_commit
from syncline.adapters.render.means import RenderMeans
from syncline.adapters.render.programs import LIMITS, Programs
from syncline.adapters.render.renderer import ToolRenderer
from syncline.model.desired import Desired
from syncline.model.errors import RenderError
from syncline.model.sources.source import ApplicationSource
from syncline.ports.render import RenderRequest
from tests.support.git_http import Repository

URL = "https://ada:canary@git.example/shop.git"
CHART = "apiVersion: v2\nname: web\nversion: 1.0.0\n"


class Bench:
    """A repository beside a file that nothing may ever read."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self.repository = Repository(folder / "repository")
        self.canary = folder / "canary.yaml"

    def tree(self, files: Mapping[str, str | None], path: str = "app") -> GitTree:
        """Commit files (a text that starts with `-> ` is a link) and open a folder of the commit."""
        sha = self.repository.commit({name: text and textwrap.dedent(text) for name, text in files.items()})
        return GitTree(open_commit(str(self.repository.folder / ".git"), sha), path)

    async def render(
        self,
        files: Mapping[str, str | None],
        *,
        limits: processes.ProcessLimits = LIMITS,
        request: Mapping[str, Any] | None = None,
        refs: Mapping[str, GitTree] | None = None,
        means: RenderMeans | None = None,
        pins: Mapping[str, str] | None = None,
        **source: Any,
    ) -> Desired:
        """Commit files and render the folder `app`."""
        given = {"repoURL": URL, "path": "app", **source}
        asked = RenderRequest(
            app_name="shop",
            namespace="store",
            project="default",
            source=msgspec.convert(given, ApplicationSource),
            **(request or {}),
        )
        tree = self.tree(files, given["path"])
        desired = await ToolRenderer(Programs(limits=limits, pins=pins), means).render(asked, tree, refs)
        assert b"canary" not in msgspec.json.encode(desired)
        return desired

    async def refusal(self, files: Mapping[str, str | None], **settings: Any) -> str:
        """Return the sentence with which a render is refused."""
        with pytest.raises(RenderError) as caught:
            await self.render(files, **settings)
        sentence = str(caught.value)
        assert "\n" not in sentence
        assert "canary-of" not in sentence
        assert "syncline-render-" not in sentence
        return sentence


def found(desired: Desired) -> dict[str, str]:
    """Return the place of each object by kind and name."""
    return {f"{item.key.kind}/{item.key.name}": str(item.origin.place()) for item in desired.objects}


def only(desired: Desired) -> dict[str, Any]:
    """Return the one object of a render."""
    (item,) = desired.objects
    return item.obj


def chart_archive(name: str, content: str, **settings: Any) -> bytes:
    """Return a chart archive with one strange member."""
    written = io.BytesIO()
    with tarfile.open(fileobj=written, mode="w:gz") as archive:
        for path, text in (("sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 1.0.0\n"), (name, content)):
            member = tarfile.TarInfo(path)
            member.size = len(text)
            for field, value in settings.items() if path == name else ():
                setattr(member, field, value)
            # A link has no content; one that says so all the same is given by its `size`.
            member.size = member.size if member.isreg() or "size" in settings else 0
            archive.addfile(member, io.BytesIO(text.encode()))
    return written.getvalue()
