"""What an Application and its operation say about sources: which ones count, at which revisions, and for which files.

Asked by `syncline.controller.deliver.observe` and `syncline.controller.sources.desired` before anything is fetched, and
by the command line. An operation may name sources and revisions of its own; while it is running, those count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from syncline.model import names
from syncline.model.application import Application
from syncline.model.errors import InvalidSpec
from syncline.model.operation import Operation
from syncline.model.sources.source import ApplicationSource

_REF = re.compile(r"[A-Za-z0-9_-]+")
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def is_chart(source: ApplicationSource) -> bool:
    """Whether a source is a chart or an artifact of a registry, and no Git repository."""
    return bool(source.chart) or source.repo_url.startswith("oci://")


def sources_of(app: Application) -> tuple[ApplicationSource, ...]:
    """Return the sources of an Application; raises `InvalidSpec` where they cannot be worked with."""
    spec = app.spec
    if spec.source_hydrator is not None:
        branch, path = spec.source_hydrator.sync_source.target_branch, spec.source_hydrator.sync_source.path
        hint = f"deliver the hydrated manifests: set spec.source to the branch {branch} and the path {path}"
        raise InvalidSpec("spec.sourceHydrator is not supported: Syncline does not hydrate manifests", hint=hint)
    if not spec.sources:
        source = spec.source
        if source is None or not source.repo_url or not (source.path or source.chart):
            raise InvalidSpec("spec.source.repoURL and either spec.source.path or spec.source.chart are required")
        _require_version(source, "spec.source")
        return (source,)
    seen: set[str] = set()
    for index, source in enumerate(spec.sources):
        if not source.repo_url or not (source.path or source.chart or source.ref):
            what = "spec.source.repoURL and either source.path, source.chart, or source.ref are required for source"
            raise InvalidSpec(f"{what} {source.repo_url or index + 1}", hint=f"spec.sources[{index}]")
        _require_version(source, f"spec.sources[{index}]")
        if source.ref and not _REF.fullmatch(source.ref):
            what = f"sources.ref {source.ref} cannot contain any special characters except '_' and '-'"
            raise InvalidSpec(what, hint=f"spec.sources[{index}]")
        if source.ref in seen:
            raise InvalidSpec(
                f"invalid sources: multiple sources had the same `ref` key {source.ref}", hint=f"spec.sources[{index}]"
            )
        seen |= {source.ref} - {""}
    return spec.sources


def _require_version(source: ApplicationSource, where: str) -> None:
    if source.chart and not source.target_revision:
        what = "spec.source.targetRevision is required if the manifest source is a helm chart"
        raise InvalidSpec(what, hint=f"{where}: name a version, or * for the newest")


def operation_in_force(app: Application) -> Operation | None:
    """Return the operation that is running, else the one that is asked for."""
    state = app.status.operation_state
    return state.operation if state is not None and not state.phase.completed else app.operation


def operated(app: Application) -> Application:
    """Return the Application as an operation wants it that names sources of its own (a rollback), else as it is.

    Everything about sources then goes by the operation's, so what a project permits is held against those too.
    """
    operation = operation_in_force(app)
    sync = operation.sync if operation else None
    if sync is None or not (sync.source or sync.sources):
        return app
    spec = msgspec.structs.replace(app.spec, source=sync.source, sources=sync.sources)
    return msgspec.structs.replace(app, spec=spec)


def pinned_revisions(app: Application) -> tuple[str, ...]:
    """Return the commits a running operation is bound to; none when none is running."""
    state = app.status.operation_state
    if state is None or state.phase.completed or state.sync_result is None:
        return ()
    return state.sync_result.all_revisions


def is_asked_for(app: Application) -> bool:
    """Whether a sync is wanted that has not started yet: it delivers what the source has now, not at the last poll."""
    state = app.status.operation_state
    return app.operation is not None and (state is None or state.phase.completed)


def asked_revisions(app: Application) -> tuple[str, ...]:
    """Return the revisions that the sync names which is asked for or under way; none for the newest."""
    operation = operation_in_force(app)
    return operation.sync.all_revisions if operation and operation.sync else ()


def revision_names(app: Application, sources: Sequence[ApplicationSource]) -> list[str]:
    """Return by which name each source's commit was chosen: a signed tag counts for its commit, a bare SHA does not."""
    texts = list(asked_revisions(app))
    texts += [""] * (len(sources) - len(texts))
    return [
        source.target_revision if not text or _SHA.fullmatch(text) else text
        for source, text in zip(sources, texts, strict=False)
    ]


def generate_paths(app: Application) -> tuple[str, ...]:
    """Return the paths whose files alone decide whether an app is rendered again; none where nobody has named any."""
    text = app.metadata.annotations.get(names.MANIFEST_GENERATE_PATHS, "")
    return tuple(path.strip() for path in text.split(";") if path.strip())
