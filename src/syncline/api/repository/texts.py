"""Which files of a repository rules may look into and findings may show: those that anything comes from.

Read for `syncline.api.repository.snapshot`: the files of Applications and objects, kustomizations, settings and values.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from syncline.api.repository.files import KUSTOMIZATIONS, RepoFiles
from syncline.core.diagnose.subjects import RepoApp
from syncline.model.desired import DesiredObject

_LOCAL = re.compile(rb"file://([\w./-]+)")


def texts(files: RepoFiles, apps: Sequence[RepoApp]) -> dict[str, bytes]:
    """Return the files that anything comes from, for frames of code around findings."""
    wanted = {item.origin.file for item in files.items}
    wanted |= {one.place.file for one in files.settings.problems if one.place is not None}
    wanted |= set(files.settings.files)
    wanted |= {name for folder in files.lists for name in _kustomization_files(folder) if name in files.tree}
    wanted |= files.listed & files.tree
    for app in apps:
        wanted.update(_value_files(app))
        wanted.add(app.manifest.origin.file)
        wanted.add(app.place.file if app.place is not None else "")
        wanted.update(one.origin.file for one in app.objects)
    wanted.update(_chart_files(files, apps))
    return files.texts(sorted(filter(None, wanted)))


def _chart_files(files: RepoFiles, apps: Sequence[RepoApp]) -> Iterator[str]:
    """Yield what charts of apps are written in: templates, and what says which other charts they are made of."""
    charts = {str(one.get("path") or "").strip("/") for app in apps for one in sources(app.manifest)}
    charts = {one for one in charts if f"{one}/Chart.yaml" in files.tree}
    if not charts:
        return
    for name, content in files.texts(sorted(f"{one}/Chart.yaml" for one in charts)).items():
        folder = name.rpartition("/")[0]
        charts |= {posixpath.normpath(posixpath.join(folder, one.decode())) for one in _LOCAL.findall(content)}
    inside = [name.rpartition("/")[0] for name in files.tree if "/charts/" in name and name.endswith("/Chart.yaml")]
    charts |= {one for one in inside if one.partition("/charts/")[0] in charts}
    for chart in sorted(charts):
        yield from (f"{chart}/Chart.yaml", f"{chart}/Chart.lock")
        yield from files.templates(chart)


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
