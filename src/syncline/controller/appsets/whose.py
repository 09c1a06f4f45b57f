"""Reads whose an ApplicationSet is, from the projects of the control plane.

Asked by `syncline.controller.appsets.reconcile` at every pass, so that a change of a project counts at once. The
decision itself is made in `syncline.core.policy.set_tenancy`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.controller.deliver.observe import PROJECT
from syncline.controller.live.index import LiveIndex
from syncline.core.policy import global_projects
from syncline.core.policy.set_tenancy import SetTenancy, literal_project, tenancy
from syncline.model import names
from syncline.model import project as projects
from syncline.model.errors import InvalidSpec
from syncline.model.project import AppProject
from syncline.model.settings.settings import Settings


def tenancy_of(appset: Object, index: LiveIndex, settings: Settings) -> SetTenancy:
    """Return whose a set is; a project that cannot be read permits nothing."""
    named = meta.annotation(appset, names.SET_PROJECT) or literal_project(appset)
    home = settings.namespace
    if named:
        found = index.get(ObjectKey(PROJECT.group, PROJECT.kind, home, named))
        candidates: Iterable[Object] = [found] if found is not None else []
    else:
        # Only for a set of another namespace it matters which projects there are.
        candidates = index.of_kind(PROJECT, home) if meta.namespace(appset) != home else []
    return tenancy(appset, _whole(candidates, index, settings), home)


def _whole(candidates: Iterable[Object], index: LiveIndex, settings: Settings) -> Iterator[AppProject]:
    """Yield projects with what they inherit."""

    def find(name: str) -> Object | None:
        return index.get(ObjectKey(PROJECT.group, PROJECT.kind, settings.namespace, name))

    for obj in candidates:
        try:
            yield projects.parse(global_projects.merged(obj, settings.global_projects, find))
        except InvalidSpec:
            continue
