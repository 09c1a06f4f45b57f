"""Renders every folder of checkouts beside the bare tools and counts: `python -m bench.render.recount CHECKOUT…`.

A folder counts where it has a kustomization, a chart, or manifests of its own. Kustomizations are judged by
`kubectl kustomize`, charts by `helm template`, both with a network that leads nowhere; plain files by
`kubectl annotate --local`, which reads them as Kubernetes does. Each folder is equal, fails on both sides, or is told:
objects that differ, a render that only the tools or only we can make. Failures of ours without a line are counted too.
With `-v` each failure is printed. Nothing is written into the checkouts.
"""

from __future__ import annotations

import asyncio
import os
import pathlib
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from syncline import wiring
from syncline.adapters.render.renderer import ToolRenderer
from syncline.adapters.render.tools import KUSTOMIZATIONS
from syncline.api.build_options import options_in
from syncline.apimachinery import yaml
from syncline.model.desired import Desired
from syncline.model.errors import RenderError, SourceError
from syncline.model.settings.parts import ToolSettings
from syncline.model.settings.settings import Settings
from syncline.model.sources.source import ApplicationSource
from syncline.ports.render import RenderRequest

_NOWHERE = "http://127.0.0.1:9"
_MANIFESTS = (".yaml", ".yml", ".json")
_NAME = "recount"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What came of one folder; `reason` is our error, or what differs."""

    folder: str
    tool: str
    verdict: str
    reason: str = ""
    has_line: bool = True


async def recount(checkout: pathlib.Path) -> list[Counted]:
    """Return what came of every folder of a checkout."""
    options = options_in(checkout).text
    renderer = wiring.renderer(settings=Settings(tools=ToolSettings(kustomize_build_options=options)))
    return [await _count(checkout, folder, tool, options, renderer) for folder, tool in folders(checkout)]


def folders(checkout: pathlib.Path) -> Iterator[tuple[str, str]]:
    """Yield every folder that makes objects, and what judges it."""
    for path, below, names in os.walk(checkout):
        below[:] = sorted(name for name in below if name != ".git")
        folder = pathlib.Path(path).relative_to(checkout).as_posix()
        if "Chart.yaml" in names:
            yield folder, "helm"
        elif any(name in names for name in KUSTOMIZATIONS):
            yield folder, "kustomize"
        elif any(b"kind:" in pathlib.Path(path, name).read_bytes() for name in names if name.endswith(_MANIFESTS)):
            yield folder, "plain"


async def _count(checkout: pathlib.Path, folder: str, tool: str, options: str, renderer: ToolRenderer) -> Counted:
    request = RenderRequest(
        app_name=_NAME,
        namespace="default",
        project="default",
        source=ApplicationSource(str(checkout), path=folder),
        source_repos=("*",),
    )
    ours, error = await _ours(request, checkout, folder, renderer)
    theirs = await asyncio.to_thread(_theirs, checkout / folder, tool, options, ours)
    has_line = error is None or (error.place is not None and error.place.line > 0)
    reason = str(error) if error else ""
    if ours is None or theirs is None:
        verdict = "only here" if ours is not None else "only there" if theirs is not None else "both fail"
        return Counted(folder=folder, tool=tool, verdict=verdict, reason=reason, has_line=has_line)
    different = _difference([item.obj for item in ours.objects], theirs)
    return Counted(folder=folder, tool=tool, verdict="different" if different else "equal", reason=different)


async def _ours(
    request: RenderRequest, checkout: pathlib.Path, folder: str, renderer: ToolRenderer
) -> tuple[Desired | None, RenderError | SourceError | None]:
    try:
        return await renderer.render(request, wiring.folder(str(checkout), "" if folder == "." else folder)), None
    except (RenderError, SourceError) as error:
        return None, error


def _theirs(folder: pathlib.Path, tool: str, options: str, ours: Desired | None) -> list[Any] | None:
    """Return the objects that a bare tool makes; None where it fails."""
    if tool == "plain":
        files = sorted(path for path in folder.iterdir() if path.name.endswith(_MANIFESTS) and path.is_file())
        read = {pathlib.Path(file).name for file in ours.files} if ours else set()
        found = [_local(file.read_bytes(), file.suffix) for file in files if not ours or file.name in read]
        return None if any(one is None for one in found) else [obj for one in found for obj in one or ()]
    command = ("helm", "template", "--namespace=default", "--include-crds", "--", _NAME, ".")
    if tool == "kustomize":
        helm = (f"--helm-command={_program('helm')}",) if "--enable-helm" in options else ()
        command = ("kubectl", "kustomize", *options.split(), *helm, "--", ".")
    printed = _run(command, folder)
    if printed is None:
        return None
    return [document.value for document in yaml.load_documents(printed, source=tool) if document.value]


def _local(content: bytes, suffix: str) -> list[Any] | None:
    with tempfile.TemporaryDirectory() as scratch:
        file = pathlib.Path(scratch, f"file{suffix}")
        file.write_bytes(content)
        printed = _run(("kubectl", "annotate", "--local", "-o", "json", "-f", str(file), "no-such-"), pathlib.Path())
    if printed is None:
        return None
    found, text = list[Any](), printed.decode()
    while text.strip():
        end = text.find("\n}\n") + 3
        found.append(_without_empty(orjson.loads(text[:end])))
        text = text[end:]
    return found


def _without_empty(obj: Any) -> Any:
    """Return an object without the empty map that `kubectl annotate` leaves behind."""
    if not obj["metadata"].get("annotations", "some"):
        del obj["metadata"]["annotations"]
    return obj


def _run(command: Sequence[str], folder: pathlib.Path) -> bytes | None:
    environment = {
        "HOME": "/nonexistent",
        "KUBECONFIG": "/nonexistent",
        "HTTPS_PROXY": _NOWHERE,
        "HTTP_PROXY": _NOWHERE,
    }
    ended = subprocess.run(
        [_program(command[0]), *command[1:]], cwd=folder, env=environment, capture_output=True, check=False
    )
    return None if ended.returncode else ended.stdout


def _program(name: str) -> str:
    return str(pathlib.Path(sys.executable).with_name(name))


def _difference(ours: Sequence[Any], theirs: Sequence[Any]) -> str:
    """Return the first object that is not the same; order counts, that of fields does not."""
    if ours == theirs:
        return ""
    for one, other in zip(ours, theirs, strict=False):
        if one != other:
            return f"{one.get('kind')}/{(one.get('metadata') or {}).get('name')} differs"
    return f"{len(ours)} objects instead of {len(theirs)}"


def main(arguments: Sequence[str]) -> int:
    """Print the counts; the exit code is 1 where something is neither equal nor refused on both sides."""
    found: list[Counted] = []
    for name in arguments:
        if name != "-v":
            found += asyncio.run(recount(pathlib.Path(name).resolve()))
    for one in found:
        is_odd = one.verdict in ("different", "only there", "only here") or not one.has_line
        if is_odd or ("-v" in arguments and one.reason):
            print(f"{one.verdict:10} {one.tool:9} {one.folder}: {one.reason or 'the tool refuses it'}")
    counts = Counter(one.verdict for one in found)
    print(f"{len(found)} folders: " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    print(f"{sum(not one.has_line for one in found)} failures without a line")
    return 1 if counts.keys() - {"equal", "both fail"} else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
