"""Which files of a repository rules may look into and findings may show: those that anything comes from.

Read for `syncline.api.repository.snapshot`: the files of Applications and objects, kustomizations, settings and values.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from syncline.api.repository.files import KUSTOMIZATIONS, RepoFiles
from syncline.core.diagnose.subjects import RepoApp
from syncline.model.desired import DesiredObject


def texts(files: RepoFiles, apps: Sequence[RepoApp]) -> dict[str, bytes]:
    """Return the files that anything comes from, for frames of code around findings."""
    wanted = {item.origin.file for item in files.items}
    wanted |= {one.place.file for one in files.settings.problems if one.place is not None}
    wanted |= set(files.settings.files)
    wanted |= {name for folder in files.lists for name in _kustomization_files(folder) if name in files.tree}
    for app in apps:
        wanted.update(_value_files(app))
        wanted.add(app.manifest.origin.file)
        wanted.add(app.place.file if app.place is not None else "")
        wanted.update(one.origin.file for one in app.objects)
    return files.texts(sorted(filter(None, wanted)))


def _value_files(app: RepoApp) -> Iterator[str]:
    """Yield the values files that an app names, from the root of the repository."""
    for source in sources(app.manifest):
        if source.get("path"):
            yield posixpath.normpath(posixpath.join(str(source["path"]).lstrip("/"), "values.yaml"))
        helm = source.get("helm")
        named = helm.get("valueFiles") if isinstance(helm, dict) else None
        for name in named if isinstance(named, list) else ():
            text = str(name)
            if text.startswith("$"):
                yield text.partition("/")[2]
            elif text.startswith("/"):
                yield text.lstrip("/")
            elif "://" not in text:
                yield posixpath.normpath(posixpath.join(str(source.get("path") or "."), text))


def _kustomization_files(folder: str) -> list[str]:
    return [f"{folder}/{name}" if folder else name for name in KUSTOMIZATIONS]


def sources(item: DesiredObject) -> list[dict[str, object]]:
    """Return the sources of an Application as it is written."""
    spec = item.obj.get("spec") or {}
    sources = spec.get("sources") or [spec.get("source") or {}]
    return [one for one in sources if isinstance(one, dict)] if isinstance(sources, list) else []
