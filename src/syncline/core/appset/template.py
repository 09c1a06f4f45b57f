"""Renders the template of an ApplicationSet for one set of parameters: the whole Application, or a single text.

Generators call `render_text` for texts that are filled from parameters (`values`, the second generator of a matrix),
the ApplicationSet's pass calls `render_application` once per set of parameters. `go_template` and `options` are the
set's `goTemplate` and `goTemplateOptions`.
The odd facts a changer must know: every text and every key is rendered on its own, and numbers and booleans never are;
a template that is given no parameters is not rendered at all; and `templatePatch` cannot move an Application to
another project.
"""

from __future__ import annotations

import copy
import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from syncline.apimachinery.patch import strategic
from syncline.apimachinery.patch.errors import PatchError
from syncline.apimachinery.schema.node import Node
from syncline.apimachinery.yaml import YamlError, load_documents
from syncline.core.appset import engine, fasttemplate
from syncline.core.appset.gotemplate.errors import GoTemplateError, ParseError
from syncline.core.appset.gotemplate.values import from_json
from syncline.core.appset.limits import MOST_CHARACTERS, Limits, Spent
from syncline.model.application import ApplicationSpec
from syncline.model.applicationset import TemplateMetadata

PATCH = "templatePatch"
"""The field of errors about the patch; those of other errors are below the template."""
_KEPT_METADATA = ("name", "namespace", "labels", "annotations", "finalizers")
_FINALIZERS = Node(type="array", elements=Node(type="string"), patch_strategies=("merge",))
_METADATA = Node(preserve_unknown=True, fields={"finalizers": _FINALIZERS})
_APPLICATION = Node(preserve_unknown=True, fields={"metadata": _METADATA})
"""How a patch is merged into an Application: only its finalizers are added to, all other lists are replaced."""
_DEFAULT_LIMITS = Limits()


class _Patched(msgspec.Struct):
    """What has to be left of an Application after a patch."""

    metadata: TemplateMetadata | None = None
    spec: ApplicationSpec | None = None


class TemplateError(Exception):
    """A template that cannot be rendered; the message is a sentence in Argo CD's words where it has one.

    `field` is the path of its text below what was rendered, built from the text outwards while the error rises.
    """

    def __init__(self, message: str, cause: GoTemplateError | None = None) -> None:
        super().__init__(message)
        self.cause = cause
        self.field = ""

    def below(self, step: str) -> TemplateError:
        """Return the error with its field below a key, or a place in a list such as `[0]`."""
        self.field = f"{step}{'.' if self.field and not self.field.startswith('[') else ''}{self.field}"
        return self


class TooMuch(TemplateError):
    """What a set makes is too much; there is no sense in going on with its other Applications."""


def render_application(
    template: Mapping[str, Any],
    params: Mapping[str, Any],
    *,
    go_template: bool,
    options: Sequence[str] = (),
    template_patch: str | None = None,
    limits: Limits = _DEFAULT_LIMITS,
    default_finalizers: Sequence[str] = (),
    now: dt.datetime | None = None,
    spent: Spent | None = None,
) -> dict[str, Any]:
    """Return the metadata and spec of the Application that a template makes of one set of parameters.

    `default_finalizers` are given to an Application whose template has none, before the patch adds its own. `now` is
    the time that Sprig's dates begin from; without it they are refused. `spent` is shared by all Applications of a set.
    """
    application = {
        "metadata": {key: value for key, value in template.get("metadata", {}).items() if key in _KEPT_METADATA},
        "spec": template.get("spec", {}),
    }
    if params:
        rendering = _Rendering(params, go_template, options, limits, now, spent)
        application = rendering.value(application)
        if default_finalizers and not application["metadata"].get("finalizers"):
            application["metadata"]["finalizers"] = list(default_finalizers)
    else:
        application = copy.deepcopy(application)
    if template_patch is None:
        return application
    try:
        patch = render_text(template_patch, params, go_template=go_template, options=options, limits=limits, now=now)
    except TemplateError as error:
        message = f"error replacing values in templatePatch: {error}"
        raise TemplateError(message, error.cause).below(PATCH) from None
    try:
        return _patched(application, patch)
    except TemplateError as error:
        raise error.below(PATCH) from None


def render_text(
    text: str,
    params: Mapping[str, Any],
    *,
    go_template: bool,
    options: Sequence[str] = (),
    limits: Limits = _DEFAULT_LIMITS,
    now: dt.datetime | None = None,
) -> str:
    """Return one text with its parameters filled in."""
    return _Rendering(params, go_template, options, limits, now).text(text)


class _Rendering:
    """One set of parameters, and how texts are rendered with it."""

    def __init__(
        self,
        params: Mapping[str, Any],
        go_template: bool,
        options: Sequence[str],
        limits: Limits,
        now: dt.datetime | None,
        spent: Spent | None = None,
    ) -> None:
        self._params = params
        self._go_template = go_template
        self._options = options
        self._limits = limits
        self._now = now
        self._spent = spent
        self._left = limits.max_output
        self._go_params: dict[str, Any] | None = None

    def value(self, value: Any) -> Any:
        """Return a copy of a value with all its texts and keys rendered; null members disappear."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(key): self._below(key, child) for key, child in value.items() if child is not None}
        if isinstance(value, list | tuple):
            return [self._below(f"[{index}]", child) for index, child in enumerate(value)]
        return value

    def _below(self, step: str, value: Any) -> Any:
        try:
            return self.value(value)
        except TemplateError as error:
            raise error.below(step) from None

    def text(self, text: str) -> str:
        """Return one text rendered."""
        if "{{" not in text:
            return text
        if len(text) > self._limits.max_input:
            raise TemplateError(f"the template has {len(text)} characters, more than {self._limits.max_input}")
        made = self._go(text) if self._go_template else self._fast(text)
        self._left -= len(made)
        if self._left < 0:
            raise TemplateError(f"the texts of one Application are longer than {self._limits.max_output} characters")
        if self._spent is not None and not self._spent.add(len(made)):
            raise TooMuch(f"the texts of all Applications are longer than {MOST_CHARACTERS} characters: split the set")
        return made

    def _go(self, text: str) -> str:
        if self._go_params is None:
            # Like in Go, what one text changes is seen by those that are rendered after it; but not by the caller.
            self._go_params = from_json(self._params)
        try:
            return engine.render(text, self._go_params, options=self._options, limits=self._limits, now=self._now)
        except ParseError as error:
            raise TemplateError(f"failed to parse template {text}: {error}", error) from None
        except GoTemplateError as error:
            raise TemplateError(f"failed to execute go template {text}: {error}", error) from None

    def _fast(self, text: str) -> str:
        try:
            return fasttemplate.fill(text, self._params, self._limits)
        except fasttemplate.UnclosedPlaceholder as error:
            raise TemplateError(f'invalid template: a "{{{{" is not closed with "}}}}" in {error}') from None
        except fasttemplate.TooLong:
            raise TemplateError(f"the rendered text is longer than {self._limits.max_output} characters") from None


def _patched(application: dict[str, Any], text: str) -> dict[str, Any]:
    """Return the Application with the rendered patch merged into it; its project stays."""
    try:
        documents = load_documents(text, source="templatePatch")
    except YamlError as error:
        raise TemplateError(f"error while converting template to json: {error}") from None
    patch = documents[0].value if documents else None
    try:
        merged = strategic.apply(application, patch, _APPLICATION)
    except PatchError as error:
        raise TemplateError(f"invalid templatePatch: {error}") from None
    try:
        msgspec.convert(merged, _Patched)
    except msgspec.ValidationError as error:
        raise TemplateError(f"invalid templatePatch: {error}") from None
    spec = dict(merged.get("spec") or {})
    spec["project"] = application["spec"].get("project", "")
    return {**merged, "spec": spec}
