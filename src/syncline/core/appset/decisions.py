"""The clusterDecisionResource generator: one set of parameters for each cluster that the status of other objects lists.

Called by `syncline.core.appset.generators`. A ConfigMap says of which kind those objects are, where in their status the
list is, and which entry of a decision is the name of a cluster; a cluster that is not known is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from syncline.apimachinery import selectors
from syncline.core.appset.context import Context
from syncline.core.appset.gotemplate.values import StringMap
from syncline.core.appset.parameters import Origin, Parameters, Values, from_json, go_text
from syncline.core.appset.questions import (
    ConfigMapQuestion,
    GeneratorError,
    ObjectsQuestion,
    clusters,
    config_map,
    objects,
    sees_local,
)
from syncline.core.appset.selecting import selector_of
from syncline.model import names
from syncline.model.applicationset import ClusterDecisionGenerator


def decision_parameters(generator: ClusterDecisionGenerator, context: Context, field: str) -> Iterator[Parameters]:
    """Yield the clusters that were decided for, in the order of the decisions."""
    told = config_map(context.answers, ConfigMapQuestion(generator.config_map_ref))
    where = f"ConfigMap {generator.config_map_ref}"
    api_version, kind, key = (told.get(name, "") for name in ("apiVersion", "kind", "matchKey"))
    if not kind or not api_version.partition("/")[2]:
        raise GeneratorError(f"{where} needs kind (the plural) and apiVersion (group/version), for {field}")
    labelled = generator.label_selector is not None and bool(selector_of(generator.label_selector).requirements)
    if bool(generator.name) == labelled:
        raise GeneratorError(f"{field} needs either a name or a labelSelector")
    try:
        selector = selector_of(generator.label_selector)
    except selectors.InvalidSelector as error:
        raise GeneratorError(f"{field}.labelSelector: {error}") from None
    found = objects(context.answers, ObjectsQuestion(api_version, kind, generator.name, str(selector)))
    if not found:
        raise GeneratorError(f"{field}: there is no {kind} of {api_version} that it asks for")
    known = {cluster.name: cluster.server for cluster in clusters(context.answers)}
    if sees_local(context.answers):
        known.setdefault(context.local_name, names.IN_CLUSTER_SERVER)
    listed = told.get("statusListKey") or "clusters"
    for obj in found if key else ():
        for decision in (obj.get("status") or {}).get(listed) or ():
            name = go_text(from_json(decision.get(key))) if isinstance(decision, Mapping) and decision.get(key) else ""
            if name in known:
                yield Parameters(_values(decision, name, known[name], generator.values, context), (Origin(field),))


def _values(decision: Any, name: str, server: str, given: Mapping[str, str], context: Context) -> Values:
    values: Values = {"name": name, "server": server}
    values |= {part: go_text(from_json(value)) for part, value in decision.items()}
    if given and context.go_template:
        return {**values, "values": StringMap(given)}
    return {**values, **{f"values.{part}": text for part, text in given.items()}}
