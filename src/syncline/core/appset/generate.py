"""From an ApplicationSet and answers to Applications: every generator, every set of parameters, the template filled.

Called by `syncline.controller.appsets` and, without a cluster, by `syncline.api.applicationsets`. Nothing is returned
where one generator or one template fails: what would be missing could be taken for something to delete.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.core.appset import generators
from syncline.core.appset.context import Context
from syncline.core.appset.failures import Failures, together
from syncline.core.appset.limits import Spent
from syncline.core.appset.parameters import Origin, Parameters, Values
from syncline.core.appset.questions import Answers, GeneratorError, Question, Unanswered
from syncline.core.appset.template import TemplateError, TooMuch, render_application
from syncline.model import names

PARAMETERS_FAILED = "ApplicationGenerationFromParamsError"
RENDER_FAILED = "RenderTemplateParamsError"
_PROJECT_FIELD = "spec.template.spec.project"


class Generated(NamedTuple):
    """One Application as the set wants it, with the parameters that made it and where those come from.

    `project_field` is where in the set its project is written: a generator's template goes over the set's.
    """

    obj: Object
    values: Values
    origins: tuple[Origin, ...]
    project_field: str = _PROJECT_FIELD

    @property
    def name(self) -> str:
        """The name of the Application."""
        return meta.name(self.obj)


class GenerationError(Exception):
    """A generator or the template failed; `reason` is the one of the condition that says so.

    `field` is where in the set the first template that failed is written, where that is known.
    """

    def __init__(self, reason: str, message: str, field: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.field = field


def generate(appset: Object, answers: Answers) -> list[Generated]:
    """Return all Applications of a set; raises `Unanswered` with the questions to answer first."""
    spec = appset.get("spec") or {}
    context = context_of(appset, answers)
    made: list[generators.Made] = []
    missing: set[Question] = set()
    errors: list[str] = []
    for number, entry in enumerate(spec.get("generators") or ()):
        try:
            made += generators.run(entry, context, f"spec.generators[{number}]")
        except Unanswered as unanswered:
            missing |= unanswered.questions
        except GeneratorError as error:
            errors.append(str(error))
    if missing:
        raise Unanswered(missing)
    if errors:
        raise GenerationError(PARAMETERS_FAILED, together(list(dict.fromkeys(errors))))
    return _rendered(appset, made, context)


def context_of(appset: Object, answers: Answers) -> Context:
    """Return what all generators of a set share; a project that is a template has no credentials of its own."""
    spec = appset.get("spec") or {}
    project = str(((spec.get("template") or {}).get("spec") or {}).get("project") or "")
    return Context(
        go_template=bool(spec.get("goTemplate")),
        options=tuple(spec.get("goTemplateOptions") or ()),
        project="" if "{{" in project else project,
        answers=answers,
        name=meta.name(appset),
    )


def _rendered(appset: Object, made: list[generators.Made], context: Context) -> list[Generated]:
    spec = appset["spec"]
    found: list[Generated] = []
    failures = Failures()
    spent = Spent()
    for one in made:
        template = _under(one.template, spec.get("template") or {})
        project_field = f"{one.field}.spec.project" if _names_project(one.template) else _PROJECT_FIELD
        for parameters in one.parameters:
            try:
                application = _application(appset, template, parameters, context, spent)
                found.append(application._replace(project_field=project_field))
            except TooMuch as error:
                raise GenerationError(RENDER_FAILED, str(error)) from None
            except TemplateError as error:
                failures.add(error, parameters)
    if failures:
        raise GenerationError(RENDER_FAILED, failures.message(), failures.field())
    return found


def _application(
    appset: Object, template: Mapping[str, Any], parameters: Parameters, context: Context, spent: Spent
) -> Generated:
    spec = appset["spec"]
    keeps = bool((spec.get("syncPolicy") or {}).get("preserveResourcesOnDeletion"))
    made = render_application(
        template,
        parameters.values,
        go_template=context.go_template,
        options=context.options,
        template_patch=spec.get("templatePatch"),
        default_finalizers=() if keeps else (names.RESOURCES_FINALIZER,),
        spent=spent,
    )
    metadata = {name: value for name, value in made["metadata"].items() if value not in ({}, [])}
    obj = {
        "apiVersion": names.API_VERSION,
        "kind": "Application",
        "metadata": {**metadata, "namespace": meta.namespace(appset)},
        "spec": made["spec"],
    }
    return Generated(obj, parameters.values, parameters.origins)


def _names_project(template: Mapping[str, Any]) -> bool:
    spec = template.get("spec")
    return isinstance(spec, Mapping) and bool(spec.get("project"))


def _under(own: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
    """Return a generator's template, with what it leaves empty taken from the set's."""
    result = dict(own)
    for name, value in base.items():
        before = result.get(name)
        if isinstance(before, Mapping) and isinstance(value, Mapping):
            result[name] = _under(before, value)
        elif not before:
            result[name] = value
    return result
