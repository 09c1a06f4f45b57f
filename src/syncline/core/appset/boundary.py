"""Whether what a set generates stays inside its project, and which live Applications it may take.

Asked by `syncline.core.appset.decide` at every generation, and by `syncline.core.appset.refusals` before a move from
Argo CD. A refusal is an error of the whole set: nothing is written for any of its Applications, so that a set which
tries to leave its project never looks like one that shrinks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.core.appset.changes import Controller
from syncline.core.appset.generate import Generated, GenerationError
from syncline.core.policy import namespaces
from syncline.core.policy.set_tenancy import SetTenancy, literal_project
from syncline.core.policy.set_writing import TEMPLATE_FIELD, misplaced
from syncline.model import names
from syncline.model.project import AppProject

REFUSED = "ProjectBoundaryError"
_NOTHING_CHANGES = "nothing of this set is created, changed or deleted until that is fixed"


class LiveApp(Protocol):
    """As much of a live Application as decides whether a set may take it."""

    @property
    def controller(self) -> Controller | None:
        """What controls it."""

    @property
    def project(self) -> str:
        """Its project."""


class Bounds(msgspec.Struct, frozen=True):
    """Whose a set is, the projects that can be read, and the control-plane namespace."""

    tenancy: SetTenancy
    projects: Mapping[str, AppProject]
    control_namespace: str

    @property
    def is_open(self) -> bool:
        """Whether the template alone decides about projects, as in the operator's sets without a project."""
        return self.tenancy.is_operators and not self.tenancy.project


def is_own(app: LiveApp, appset: Object) -> bool:
    """Whether a set controls an Application: names can be taken, the UID cannot."""
    return app.controller is not None and bool(app.controller.uid) and app.controller.uid == meta.uid(appset)


def is_free(app: LiveApp, appset: Object) -> bool:
    """Whether nothing controls an Application; a set of the same name with another UID is gone, so it does not."""
    return app.controller is None or (app.controller.is_set and app.controller.name == meta.name(appset))


def refused_as_written(appset: Object, bounds: Bounds) -> GenerationError | None:
    """Return why nothing is generated for a set, and nothing asked on its behalf; None where it may generate."""
    if message := marked_otherwise(appset) or misplaced(appset, bounds.projects, bounds.control_namespace):
        return GenerationError(REFUSED, f"{message}: {_NOTHING_CHANGES}", TEMPLATE_FIELD)
    return None


def refusal(
    appset: Object, generated: Sequence[Generated], apps: Mapping[str, LiveApp], bounds: Bounds
) -> GenerationError | None:
    """Return why a set is refused as a whole; None where everything it generates is permitted."""
    if refused := refused_as_written(appset, bounds):
        return refused
    for find in (_outside_project, _outside_namespace, _of_another_project):
        if problems := sorted(find(appset, generated, apps, bounds)):
            more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
            return GenerationError(REFUSED, f"{problems[0].message}: {_NOTHING_CHANGES}{more}", problems[0].field)
    return None


def marked_otherwise(appset: Object) -> str:
    """Return what is wrong where a set's mark and its template name different projects."""
    mark, project = meta.annotation(appset, names.SET_PROJECT), literal_project(appset)
    if not mark or not project or mark == project:
        return ""
    return (
        f"spec.template.spec.project is {project}, but the annotation {names.SET_PROJECT} says that the set"
        f" belongs to project {mark}"
    )


def is_another_projects(one: Generated, app: LiveApp, appset: Object) -> bool:
    """Whether taking a live Application would take it from another project."""
    return not is_own(app, appset) and app.project != project_of(one)


def project_of(one: Generated) -> str:
    """Return the project of a generated Application; empty where it names none."""
    return str(one.obj["spec"].get("project") or "")


class _Problem(NamedTuple):
    """Why one Application is not permitted, and the field of the set that says so."""

    app: str
    message: str
    field: str


def _outside_project(
    _appset: Object, generated: Sequence[Generated], _apps: Mapping[str, LiveApp], bounds: Bounds
) -> Iterator[_Problem]:
    own = bounds.tenancy.project
    for one in generated:
        if own and project_of(one) != own:
            yield _problem(one, f", but the set belongs to project {own}")


def _outside_namespace(
    appset: Object, generated: Sequence[Generated], _apps: Mapping[str, LiveApp], bounds: Bounds
) -> Iterator[_Problem]:
    namespace = meta.namespace(appset)
    if namespace == bounds.control_namespace:
        return
    for one in generated:
        project = bounds.projects.get(project_of(one))
        if project is None or not namespaces.listed(namespace, project.spec.source_namespaces):
            # The same words whether it exists: who may write sets here need not know which projects there are.
            listing = f"does not list namespace {namespace} in spec.sourceNamespaces"
            yield _problem(one, f", which does not exist or {listing}")


def _of_another_project(
    appset: Object, generated: Sequence[Generated], apps: Mapping[str, LiveApp], bounds: Bounds
) -> Iterator[_Problem]:
    if bounds.is_open:
        return
    for one in generated:
        app = apps.get(one.name)
        if app is not None and is_another_projects(one, app, appset):
            rule = "a set adopts Applications of its own project only, so choose another name"
            yield _Problem(
                one.name, f"Application {one.name} exists and is not in project {project_of(one)}; {rule}", ""
            )


def _problem(one: Generated, why: str) -> _Problem:
    project = project_of(one) or "(none)"
    return _Problem(
        one.name, f"Application {one.name} would be in project {project} by {one.project_field}{why}", one.project_field
    )
