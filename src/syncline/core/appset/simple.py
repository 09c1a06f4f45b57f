"""The list and clusters generators: parameters written out, and one set of them for each known cluster.

Called by `syncline.core.appset.generators`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.apimachinery import selectors, yaml
from syncline.core.appset.context import Context
from syncline.core.appset.gotemplate.values import StringMap
from syncline.core.appset.parameters import Origin, Parameters, Values, from_json, normalized
from syncline.core.appset.questions import GeneratorError, clusters, sees_local
from syncline.core.appset.selecting import selector_of
from syncline.model import names
from syncline.model.applicationset import ClusterGenerator, ListGenerator
from syncline.model.cluster import KnownCluster


def list_parameters(generator: ListGenerator, context: Context, field: str) -> Iterator[Parameters]:
    """Yield each element, then those of `elementsYaml`, as they are."""
    for number, element in enumerate(generator.elements):
        where = f"{field}.elements[{number}]"
        if not isinstance(element, dict):
            raise GeneratorError(f"{where} is not a map: give names and values")
        values = from_json(element) if context.go_template else _texts(element, where)
        yield Parameters(values, (Origin(where),))
    for element in _written(generator.elements_yaml, field):
        yield Parameters(from_json(element or {}), (Origin(f"{field}.elementsYaml"),))


def _texts(element: dict[str, Any], where: str) -> Values:
    """Return an element for a plain template, which takes texts alone."""
    found: Values = {}
    for name, value in element.items():
        if name == "values":
            if not isinstance(value, dict):
                raise GeneratorError(f"{where}.values is not a map")
            found |= {f"values.{key}": _text(text, f"{where}.values.{key}") for key, text in value.items()}
        else:
            found[name] = _text(value, f"{where}.{name}")
    return found


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise GeneratorError(f"{where} is not a string: put it in quotes, or set spec.goTemplate to true")
    return value


def _written(text: str, field: str) -> list[dict[str, Any] | None]:
    if not text:
        return []
    try:
        found = yaml.load(text, source=f"{field}.elementsYaml")
    except yaml.YamlError as error:
        raise GeneratorError(f"{field}.elementsYaml cannot be read as YAML: {error}") from None
    if found is None:
        return []
    if not isinstance(found, list) or not all(isinstance(one, dict | None) for one in found):
        raise GeneratorError(f"{field}.elementsYaml is not a list of maps")
    return found


def cluster_parameters(generator: ClusterGenerator, context: Context, field: str) -> Iterator[Parameters]:
    """Yield the local cluster, then those that match; it has no labels, so with a selector it is left out."""
    try:
        selector = selector_of(generator.selector)
    except selectors.InvalidSelector as error:
        raise GeneratorError(f"{field}.selector: {error}") from None
    known = clusters(context.answers)
    found = [_of_secret(cluster, context) for cluster in known if selector.matches(cluster.labels)]
    described = any(cluster.server == names.IN_CLUSTER_SERVER for cluster in known)
    if not selector.requirements and not described and sees_local(context.answers):
        local = {"name": context.local_name, "server": names.IN_CLUSTER_SERVER, "project": ""}
        found.insert(0, {**local, "nameNormalized": context.local_name})
    full = [context.with_values(values, generator.values) for values in found]
    if generator.flat_list:
        yield Parameters({"clusters": full}, (Origin(field),))
        return
    yield from (Parameters(values, (Origin(field),)) for values in full)


def _of_secret(cluster: KnownCluster, context: Context) -> Values:
    values: Values = {
        "name": cluster.name,
        "nameNormalized": normalized(cluster.name),
        "server": cluster.server,
        "project": cluster.project,
    }
    metadata = {"annotations": StringMap(cluster.annotations), "labels": StringMap(cluster.labels)}
    if context.go_template:
        return {**values, "metadata": {name: given for name, given in metadata.items() if given}}
    for part, given in metadata.items():
        values |= {f"metadata.{part}.{name}": text for name, text in given.items()}
    return values
