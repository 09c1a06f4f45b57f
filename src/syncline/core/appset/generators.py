"""Runs generators: finds out which one an entry is, fills it with outer parameters, and applies its selector.

Called by `syncline.core.appset.generate` for each entry of `spec.generators`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from syncline.core.appset.combined import Raw, matrix_parameters, merge_parameters
from syncline.core.appset.context import Context
from syncline.core.appset.decisions import decision_parameters
from syncline.core.appset.git import git_parameters
from syncline.core.appset.limits import MOST_PARAMETERS
from syncline.core.appset.parameters import Parameters, Values
from syncline.core.appset.plugins import plugin_parameters
from syncline.core.appset.pull_requests import pull_request_parameters
from syncline.core.appset.questions import GeneratorError
from syncline.core.appset.scm import repository_parameters
from syncline.core.appset.selecting import selected
from syncline.core.appset.simple import cluster_parameters, list_parameters
from syncline.core.appset.template import TemplateError, render_text
from syncline.model.applicationset import Generator, parse_generator
from syncline.model.errors import InvalidSpec

KINDS = (
    "list",
    "clusters",
    "git",
    "scmProvider",
    "clusterDecisionResource",
    "pullRequest",
    "matrix",
    "merge",
    "plugin",
)
_MISSING = ("map has no entry for key", "can't evaluate field")


class Made(NamedTuple):
    """What one generator made, and its own template, which goes over that of the set; `field` is where it is."""

    parameters: list[Parameters]
    template: Mapping[str, Any]
    field: str


def run(entry: Raw, context: Context, field: str) -> list[Made]:
    """Return what each generator of an entry makes; an entry may name several."""
    kinds = kinds_of(entry)
    if not kinds:
        others = ", ".join(sorted(set(entry) - {"selector"})) or "nothing"
        raise GeneratorError(f"{field} names no known generator (it names {others}): use one of {', '.join(KINDS)}")
    found = []
    for kind in kinds:
        block = entry[kind]
        template = (block.get("template") or {}) if isinstance(block, Mapping) else {}
        found.append(Made(_one(entry, kind, {}, context, field), template, f"{field}.{kind}.template"))
    return found


def kinds_of(entry: Raw) -> list[str]:
    """Return which generators an entry names; an empty block counts."""
    return [kind for kind in KINDS if entry.get(kind) is not None]


def _inner(entry: Raw, outer: Values, context: Context, field: str) -> list[Parameters]:
    """Return what a generator inside of another one makes."""
    kinds = kinds_of(entry)
    if len(kinds) != 1:
        raise GeneratorError(f"{field} names {len(kinds)} known generators: name exactly one")
    return _one(entry, kinds[0], outer, context, field)


def _one(entry: Raw, kind: str, outer: Values, context: Context, field: str) -> list[Parameters]:
    filled = interpolated(entry[kind], outer, context) if outer else entry[kind]
    made = _made(kind, filled, context, f"{field}.{kind}")
    chosen = selected(made, typed({"selector": entry.get("selector")}, field).selector, field)
    found = list(itertools.islice(chosen, MOST_PARAMETERS + 1))
    if len(found) > MOST_PARAMETERS:
        raise GeneratorError(f"{field}.{kind} gives more than {MOST_PARAMETERS} sets of parameters: split the set")
    return found


def _made(kind: str, block: Any, context: Context, field: str) -> Iterable[Parameters]:
    # Its template may be a part of one; it is completed by the set's.
    own = {name: value for name, value in block.items() if name != "template"} if isinstance(block, Mapping) else block
    generator = typed({kind: own}, field)

    def inner(entry: Raw, outer: Values, where: str) -> list[Parameters]:
        return _inner(entry, outer, context, where)

    if generator.list is not None:
        return list_parameters(generator.list, context, field)
    if generator.clusters is not None:
        return cluster_parameters(generator.clusters, context, field)
    if generator.git is not None:
        return git_parameters(generator.git, context, field)
    if generator.cluster_decision_resource is not None:
        return decision_parameters(generator.cluster_decision_resource, context, field)
    if generator.pull_request is not None:
        return pull_request_parameters(generator.pull_request, context, field)
    if generator.scm_provider is not None:
        return repository_parameters(generator.scm_provider, context, field)
    if generator.plugin is not None:
        return plugin_parameters(generator.plugin, context, field)
    if generator.matrix is not None:
        return matrix_parameters(tuple(block["generators"]), inner, context, field)
    if generator.merge is not None:
        return merge_parameters(tuple(block["generators"]), generator.merge.merge_keys, inner, context, field)
    raise GeneratorError(f"{field}: Syncline does not run this generator yet")


def typed(entry: Raw, field: str) -> Generator:
    """Return one entry as a value; a mistake in it names the field."""
    try:
        return parse_generator(dict(entry))
    except InvalidSpec as error:
        raise GeneratorError(f"{field} cannot be read: {error}") from None


def interpolated(block: Any, outer: Values, context: Context) -> Any:
    """Return a generator with outer parameters filled in; its own `values` may refer to its own parameters too."""
    if not isinstance(block, Mapping):
        return block
    own = block.get("values")
    others = {name: value for name, value in block.items() if name != "values"}
    filled = dict(_filled(others, outer, context))
    if isinstance(own, Mapping):
        filled["values"] = {name: _kept_or_filled(text, outer, context) for name, text in own.items()}
    return filled


def _filled(value: Any, outer: Values, context: Context) -> Any:
    if isinstance(value, str):
        return context.filled(value, outer)
    if isinstance(value, Mapping):
        return {context.filled(str(name), outer): _filled(member, outer, context) for name, member in value.items()}
    if isinstance(value, list):
        return [_filled(member, outer, context) for member in value]
    return value


def _kept_or_filled(text: Any, outer: Values, context: Context) -> Any:
    """Return a text filled in, or as it is where it names a parameter that only the generator itself will give."""
    if not isinstance(text, str) or not context.go_template:
        return context.filled(text, outer) if isinstance(text, str) else text
    options = (*(one for one in context.options if not one.startswith("missingkey=")), "missingkey=error")
    try:
        return render_text(text, outer, go_template=True, options=options)
    except TemplateError as error:
        if any(words in str(error) for words in _MISSING):
            return text
        raise GeneratorError(str(error)) from None
