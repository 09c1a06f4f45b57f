"""Reads what a tool printed into objects, each with the file of the repository that made it.

Called by `syncline.adapters.render.helm.template` and `syncline.adapters.render.kustomize.build` with the output and a
function that knows where a document comes from. Lines of the output mean nothing to a user, so no error names one, nor
what stands there: it may be a secret.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from syncline.adapters.render import manifests
from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object
from syncline.model.desired import DesiredObject, Origin, Positions
from syncline.model.errors import Place, RenderError

_LIMITS = yaml.YamlLimits(max_bytes=50_000_000)
_NO_POSITIONS = Positions()
Locate = Callable[[int], str]
"""Tells the file that made what stands on a line of the output; empty when unknown."""


def read(output: bytes, tool: str, locate: Locate, warnings: list[str]) -> list[tuple[str, Object]]:
    """Return file and object of each document of the output, lists written out.

    Keys that are given twice are added to the warnings: the last one counts, as with Argo CD.
    """
    repeated: list[yaml.YamlError] = []
    try:
        documents = yaml.load_documents(output, source=tool, limits=_LIMITS, repeated=repeated)
    except yaml.YamlError as error:
        what = f"`{tool}` printed something that is not YAML: {error.message}"
        raise RenderError(what, place=_place(locate(error.line))) from None
    warnings += [_repeated(error, tool, locate) for error in repeated]
    found: list[tuple[str, Object]] = []
    for document in documents:
        file = locate(document.line)
        found += [(file, obj) for _path, obj in manifests.objects((), document.value)]
    return found


def desired(
    obj: Object, repo_url: str, revision: str, place: Place, positions: Positions = _NO_POSITIONS
) -> DesiredObject:
    """Return an object with where it comes from."""
    return DesiredObject(obj, Origin(repo_url, revision, place.file, place.line, positions))


def odd(objects: Iterable[DesiredObject]) -> tuple[str, ...]:
    """Return a sentence about each object that is not one of Kubernetes."""
    return tuple(filter(None, (manifests.told(item.obj, item.origin.place()) for item in objects)))


def _repeated(error: yaml.YamlError, tool: str, locate: Locate) -> str:
    what = error.message.partition(":")[0]
    return f"{locate(error.line) or tool}: {what} in an object made here; the last one counts"


def _place(file: str) -> Place | None:
    return Place(file) if file else None
