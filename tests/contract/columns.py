"""Stories about what `kubectl get` shows of every kind: its columns, and the cells of kinds that are seldom listed."""

from __future__ import annotations

import base64
from typing import Any

from syncline.apimachinery.schema import builtin
from tests.contract.config import NAMESPACE
from tests.contract.steps import TABLE, Step, Story, get, obj, post, template

DRY = "?dryRun=All"


def _listed() -> list[Step]:
    """Ask for no object of every kind."""
    steps = []
    for gvk, names in sorted(builtin.kinds().items()):
        if "alpha" in gvk.version or "beta" in gvk.version or "list" not in names.verbs:
            continue
        root = f"/apis/{gvk.group}/{gvk.version}" if gvk.group else f"/api/{gvk.version}"
        scope = "/namespaces/trial" if names.namespaced else ""
        steps.append(get(f"{root}{scope}/{names.plural}?labelSelector=nobody%3Dhere", accept=TABLE))
    return steps


def shown(path: str, **rest: Any) -> Step:
    """Try an object, and have it shown as a row."""
    return post(f"{path}{DRY}", obj("trial", **rest), accept=TABLE)


ADMISSION = "/apis/admissionregistration.k8s.io/v1"
STORAGE = "/apis/storage.k8s.io/v1"
RULE = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
MATCHED = {"matchConstraints": {"resourceRules": [RULE]}}
CHECKED = {**MATCHED, "validations": [{"expression": "true"}, {"expression": "true"}]}
CHANGED = {
    **MATCHED,
    "reinvocationPolicy": "Never",
    "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Object{}"}}],
}
HOOK = {
    "name": "h.hooks.example.io",
    "clientConfig": {"url": "https://127.0.0.1/x"},
    "rules": [RULE],
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
}
NAMED = {"name": "p", "namespace": "n", "parameterNotFoundAction": "Deny"}
ANYWHERE = {"name": "p", "parameterNotFoundAction": "Deny"}
PICKED = {"selector": {"matchLabels": {"a": "b"}}, "parameterNotFoundAction": "Deny"}
DEFAULT = {"annotations": {"ingressclass.kubernetes.io/is-default-class": "true"}}
FOUR = [{"ip": f"10.1.1.{number}"} for number in range(1, 5)]
REQUEST = """-----BEGIN CERTIFICATE REQUEST-----
MIHKMHICAQAwEDEOMAwGA1UEAwwFdHJpYWwwWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAAT2HMSxGGKaxF1RfyyduEPyLqW30RCWpFgv3d5LO9P3iXzn1AErs/yXN2ys
S3ES5Gtkk4tKIj92aj/jWaVm292uoAAwCgYIKoZIzj0EAwIDSAAwRQIgZxAs78t4
KHBCkTaaTWOjvmvpNE/tYn97fonJWcve2fwCIQDQ+Q4/or/WuKljWzraTK/nO9MW
0SSxvrXaPJ6/cu2iIw==
-----END CERTIFICATE REQUEST-----
"""
"""A request for a certificate, whose key nobody has."""
COLUMNS = Story(
    "columns",
    (
        NAMESPACE,
        *_listed(),
        shown("/api/v1/namespaces/trial/endpoints"),
        shown("/api/v1/namespaces/trial/endpoints", subsets=[{"addresses": FOUR, "ports": [{"port": 80}]}]),
        shown("/api/v1/namespaces/trial/endpoints", subsets=[{"addresses": FOUR[:2]}]),
        shown("/api/v1/namespaces/trial/podtemplates", template=template()),
        shown(f"{ADMISSION}/validatingadmissionpolicies", spec=CHECKED),
        shown(
            f"{ADMISSION}/validatingadmissionpolicies",
            spec={**CHECKED, "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}},
        ),
        *(
            shown(
                f"{ADMISSION}/validatingadmissionpolicybindings",
                spec={"policyName": "p", "validationActions": ["Deny"], **({"paramRef": one} if one else {})},
            )
            for one in (None, NAMED, ANYWHERE, PICKED)
        ),
        shown(f"{ADMISSION}/mutatingadmissionpolicies", spec=CHANGED),
        shown(f"{ADMISSION}/mutatingadmissionpolicybindings", spec={"policyName": "p"}),
        shown(f"{ADMISSION}/validatingwebhookconfigurations", webhooks=[HOOK]),
        shown(f"{ADMISSION}/mutatingwebhookconfigurations", webhooks=[]),
        shown("/apis/networking.k8s.io/v1/ingressclasses", metadata=DEFAULT, spec={"controller": "a.io/b"}),
        shown(
            "/apis/networking.k8s.io/v1/ingressclasses",
            spec={
                "controller": "a.io/b",
                "parameters": {"apiGroup": "a.io", "kind": "P", "name": "n", "scope": "Cluster"},
            },
        ),
        shown("/apis/node.k8s.io/v1/runtimeclasses", handler="kata"),
        shown("/apis/scheduling.k8s.io/v1/priorityclasses", value=5, globalDefault=False),
        shown("/apis/scheduling.k8s.io/v1/priorityclasses", value=-5, preemptionPolicy="Never"),
        shown(f"{STORAGE}/csidrivers", spec={}),
        shown(
            f"{STORAGE}/csidrivers",
            spec={
                "attachRequired": False,
                "volumeLifecycleModes": ["Persistent", "Ephemeral"],
                "tokenRequests": [{"audience": "a"}],
            },
        ),
        shown(f"{STORAGE}/csinodes", spec={"drivers": [{"name": "a.io", "nodeID": "x"}]}),
        shown(
            f"{STORAGE}/volumeattachments",
            spec={"attacher": "a.io", "nodeName": "n", "source": {"persistentVolumeName": "v"}},
        ),
        shown(
            "/apis/certificates.k8s.io/v1/certificatesigningrequests",
            spec={
                "signerName": "a.io/b",
                "usages": ["client auth"],
                "expirationSeconds": 7200,
                "request": base64.b64encode(REQUEST.encode()).decode(),
            },
        ),
    ),
)
STORIES = (COLUMNS,)
