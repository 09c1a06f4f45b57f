"""What every render says about itself: digest of its objects, what it has read, the repository without login.

Used by each tool of `syncline.adapters.render` when it hands `Desired` back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import msgspec
import orjson

from syncline.model.desired import DesiredObject, Input
from syncline.model.sources.source import ApplicationSource
from syncline.ports.source import Tree


def digest(objects: Sequence[DesiredObject]) -> str:
    """Return the digest of all objects in their order."""
    total = hashlib.sha256()
    for item in objects:
        total.update(orjson.dumps(item.obj, option=orjson.OPT_SORT_KEYS))
        total.update(b"\n")
    return total.hexdigest()


def inputs(tree: Tree, folder: str, *, ref: str = "") -> tuple[Input, ...]:
    """Return what the render of a whole folder depends on: links may lead anywhere in the commit."""
    found = [Input(folder, tree.digest_of(folder), ref)]
    if any(file.is_link for file in tree.files()):
        found.append(Input("", tree.digest_of(""), ref))
    return tuple(found)


def revision_inputs(tree: Tree, source: ApplicationSource) -> tuple[Input, ...]:
    """Return the whole commit where settings put the revision into the objects: each commit makes other ones."""
    if b"ARGOCD_APP_REVISION" not in msgspec.json.encode(source):
        return ()
    return (Input("", tree.digest_of("")),)


def distinct(found: Iterable[Input]) -> tuple[Input, ...]:
    """Return each input once, in order."""
    return tuple(dict.fromkeys(found))
