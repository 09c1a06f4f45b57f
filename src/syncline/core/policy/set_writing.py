"""What of an ApplicationSet can be judged when it is written: the projects that it names, and the mark it gets.

Asked by `syncline.verbs.writing_sets` for the API. What a template only gives at generation is judged then, by
`syncline.core.appset.boundary`. The mark says which project a set belongs to that somebody else than an admin wrote:
it stays when the set's template is edited past the API.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.apimachinery.yaml import YamlError, load_documents
from syncline.core.policy import namespaces
from syncline.core.policy.set_tenancy import literal_project
from syncline.model import names
from syncline.model.project import AppProject

TEMPLATE_FIELD = "spec.template.spec.project"


class NamedProject(NamedTuple):
    """A project that a set names literally, and where."""

    field: str
    project: str


def project_of(appset: Object) -> str:
    """Return the project that a set belongs to: its mark, or that of its template, which may be a template itself."""
    return meta.annotation(appset, names.SET_PROJECT) or template_project(appset)


def template_project(appset: Object) -> str:
    """Return the project of a set's template, as it is written; `default` where it names none."""
    template = _mapping(_mapping(appset.get("spec")).get("template"))
    return str(_mapping(template.get("spec")).get("project") or "default")


def leaving(appset: Object, projects: Mapping[str, AppProject], control_namespace: str) -> str:
    """Return why a set can never generate as it is written; empty where only its generation can tell."""
    mark = meta.annotation(appset, names.SET_PROJECT)
    own, by = mark or literal_project(appset), f" by its annotation {names.SET_PROJECT}" if mark else ""
    for named in named_projects(appset):
        if own and named.project != own:
            return f"{named.field} is {named.project}, but the set belongs to project {own}{by}"
    return misplaced(appset, projects, control_namespace)


def misplaced(appset: Object, projects: Mapping[str, AppProject], control_namespace: str) -> str:
    """Return why no project permits a set where it is; empty where its project does, or one of several may."""
    namespace = meta.namespace(appset)
    if namespace == control_namespace:
        return ""
    permitting = [
        name for name, project in projects.items() if namespaces.listed(namespace, project.spec.source_namespaces)
    ]
    own = meta.annotation(appset, names.SET_PROJECT) or literal_project(appset)
    listing = f"namespace {namespace} in spec.sourceNamespaces"
    if own and own not in permitting:
        # The same words whether it exists: who may write sets here need not know which projects there are.
        return f"the set belongs to project {own}, which does not exist or does not list {listing}"
    return "" if permitting else f"no project lists {listing}"


def named_projects(appset: Object) -> Iterator[NamedProject]:
    """Yield every project that a set names literally: in its template, in those of generators, in its patch."""
    spec = _mapping(appset.get("spec"))
    yield from _named(spec.get("template"), "spec.template")
    yield from _of_generators(spec.get("generators"), "spec.generators")
    patch = spec.get("templatePatch")
    if isinstance(patch, str) and "{{" not in patch:
        yield from _named(_loaded(patch), "spec.templatePatch")


def marked(appset: Object, stored: Object | None, *, is_admin: bool) -> str:
    """Return the mark that a set gets when it is written over `stored`; empty where it gets none.

    Others than admins never choose it. An admin may mark a set, and clear a mark by an empty one; else it follows the
    project of the template, and stays while that is a template itself.
    """
    if not is_admin:
        return literal_project(appset)
    asked = meta.annotations(appset).get(names.SET_PROJECT)
    if asked is not None:
        return str(asked)
    before = meta.annotation(stored, names.SET_PROJECT) if stored is not None else ""
    return (literal_project(appset) or before) if before else ""


def with_mark(appset: Object, mark: str) -> Object:
    """Return a set with this mark, and no other."""
    annotations = {name: text for name, text in meta.annotations(appset).items() if name != names.SET_PROJECT}
    if mark:
        annotations[names.SET_PROJECT] = mark
    metadata = {name: value for name, value in meta.metadata(appset).items() if name != "annotations"}
    return {**appset, "metadata": {**metadata, "annotations": annotations} if annotations else metadata}


def _of_generators(generators: Any, field: str) -> Iterator[NamedProject]:
    if not isinstance(generators, list):
        return
    for number, entry in enumerate(generators):
        for kind, block in _mapping(entry).items():
            inner = _mapping(block)
            yield from _named(inner.get("template"), f"{field}[{number}].{kind}.template")
            yield from _of_generators(inner.get("generators"), f"{field}[{number}].{kind}.generators")


def _named(template: Any, field: str) -> Iterator[NamedProject]:
    project = _mapping(_mapping(template).get("spec")).get("project")
    if isinstance(project, str) and project and "{{" not in project:
        yield NamedProject(f"{field}.spec.project", project)


def _loaded(patch: str) -> Any:
    try:
        documents = load_documents(patch, source="templatePatch")
    except YamlError:
        return None
    return documents[0].value if documents else None


def _mapping(value: Any) -> Object:
    return value if isinstance(value, dict) else {}
