"""Operators whose kinds and rules come with the sandbox: one file each beside this module.

Asked by `syncline.sandbox.behaviours.controller` for rules, by `syncline.sandbox.cluster.bootstrap` for what an
installed operator brings, and by whoever recognises operators by the groups of their custom kinds.
"""

from __future__ import annotations

import difflib
import functools
from importlib import resources
from typing import Final

from syncline.apimachinery.keys import Object
from syncline.sandbox.behaviours import rules
from syncline.sandbox.behaviours.rules import BehaviourError, Operator
from syncline.sandbox.cluster.settings import OperatorSpec

OPERATORS: Final[dict[str, tuple[str, ...]]] = {
    "cert-manager": ("cert-manager.io", "acme.cert-manager.io"),
    "cnpg": ("postgresql.cnpg.io",),
    "external-secrets": ("external-secrets.io",),
    "istio": ("networking.istio.io", "security.istio.io", "telemetry.istio.io", "install.istio.io"),
    "knative": ("serving.knative.dev", "networking.internal.knative.dev", "operator.knative.dev"),
    "kserve": ("serving.kserve.io",),
    "longhorn": ("longhorn.io",),
    "olm": ("operators.coreos.com",),
    "openshift": (
        "route.openshift.io",
        "build.openshift.io",
        "image.openshift.io",
        "apps.openshift.io",
        "project.openshift.io",
    ),
    "openshift-ai": (
        "kubeflow.org",
        "datasciencecluster.opendatahub.io",
        "dscinitialization.opendatahub.io",
    ),
    "prometheus": ("monitoring.coreos.com",),
    "rollouts": ("argoproj.io",),
    "sealed-secrets": ("bitnami.com",),
    "strimzi": ("kafka.strimzi.io",),
    "tekton": ("tekton.dev", "operator.tekton.dev", "triggers.tekton.dev"),
    "vault": ("secrets.hashicorp.com",),
}
"""Every shipped operator with the API groups of its kinds, so that a file is read only when it is needed."""

RECOGNISED: Final = {
    **OPERATORS,
    "openshift-ai": ("kubeflow.org/Notebook", *OPERATORS["openshift-ai"][1:]),
    "rollouts": ("argoproj.io/Rollout",),
}
"""What tells that an operator is installed: an API group, or a kind where others share its group."""
INJECTING: Final = {"istio": (("istio-system", "istiod"),)}
"""Operators that change new objects, with the Services that tell they are there."""


def for_group(group: str) -> list[str]:
    """Return the operators whose kinds are in an API group."""
    return _BY_GROUP.get(group, [])


_BY_GROUP: Final[dict[str, list[str]]] = {}
for _name, _groups in OPERATORS.items():
    for _group in _groups:
        _BY_GROUP.setdefault(_group, []).append(_name)


@functools.cache
def operator(name: str) -> Operator:
    """Return what is known of an operator; raises `BehaviourError` for one that is not shipped."""
    if name not in OPERATORS:
        near = difflib.get_close_matches(name, OPERATORS, n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}" if near else f"known: {', '.join(OPERATORS)}"
        raise BehaviourError(f'Unknown operator "{name}": {hint}.')
    file = resources.files("syncline.sandbox.behaviours") / f"{name}.yaml"
    return rules.load(file.read_text(encoding="utf-8"), f"{name}.yaml")


def objects_of(one: OperatorSpec) -> list[Object]:
    """Return what an operator brings: its definitions, and the objects it is made of."""
    if not one.definitions:
        return []
    found = operator(one.name)
    return [*(rules.definition(kind) for kind in found.definitions), *(dict(obj) for obj in found.objects)]
