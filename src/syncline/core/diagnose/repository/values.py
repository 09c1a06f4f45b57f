"""Which values files an Application names, from the root of the repository.

Shared by the rules on values; files of other repositories and those behind an address are passed over.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any

from syncline.apimachinery.keys import Object
from syncline.core.diagnose.repository.pointing import words
from syncline.core.diagnose.repository.rendered import sources_with_paths


def value_files(app: Object) -> Iterator[str]:
    """Yield the files that the sources of an Application name."""
    for _, source in sources_with_paths(app):
        yield from source_files(source)


def source_files(source: dict[str, Any]) -> Iterator[str]:
    """Yield the files that one source names, the weakest first."""
    base = str(source.get("path") or "").strip("/")
    for name in words(source, "helm", "valueFiles"):
        if name.startswith("$"):
            yield name.partition("/")[2]
        elif "://" not in name:
            yield posixpath.normpath(name.lstrip("/") if name.startswith("/") else posixpath.join(base, name))
