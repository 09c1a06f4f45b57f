"""Whether the server lives, and which paths it has: /livez, /readyz, /healthz and /.

Asked by `syncline.sandbox.server`. A sandbox that answers is well, and its checks have the names of a real server's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from syncline.sandbox.api import answers
from syncline.sandbox.api.answers import ServerResponse
from syncline.sandbox.served.resources import ServedKinds

_HOOKS: Final = (
    "start-apiserver-admission-initializer generic-apiserver-start-informers priority-and-fairness-config-consumer "
    "priority-and-fairness-filter storage-object-count-tracker-hook start-apiextensions-informers "
    "start-apiextensions-controllers crd-informer-synced start-system-namespaces-controller "
    "peer-endpoint-reconciler-controller start-cluster-authentication-info-controller "
    "start-kube-apiserver-identity-lease-controller start-kube-apiserver-identity-lease-garbage-collector "
    "storage-readiness start-legacy-token-tracking-controller start-service-ip-repair-controllers rbac/bootstrap-roles "
    "scheduling/bootstrap-system-priority-classes priority-and-fairness-config-producer bootstrap-controller "
    "start-kubernetes-service-cidr-controller start-kube-aggregator-informers "
    "apiservice-status-local-available-controller apiservice-status-remote-available-controller "
    "apiservice-registration-controller apiservice-discovery-controller kube-apiserver-autoregistration "
    "autoregister-completion apiservice-openapi-controller apiservice-openapiv3-controller"
)
_STARTED: Final = tuple(
    name if name == "autoregister-completion" else f"poststarthook/{name}" for name in _HOOKS.split()
)
_LIVE: Final = ("ping", "log", "loopback-serving-certificate", "etcd", *_STARTED)
_CHECKS: Final = {
    "healthz": _LIVE,
    "livez": _LIVE,
    "readyz": ("ping", "log", "etcd", "etcd-readiness", "informer-sync", *_STARTED, "shutdown"),
}
"""What a real server checks, in its order: some clients wait for one of these by its name."""
_TEXT: Final = "text/plain; charset=utf-8"


def answer(path: str, query: Mapping[str, str]) -> ServerResponse | None:
    """Answer a question about health; None when the path asks none."""
    name, _, check = path[1:].partition("/")
    checks = _CHECKS.get(name)
    if checks is None or (check and check not in checks):
        return None
    if check or "verbose" not in query:
        return ServerResponse(200, b"ok", content_type=_TEXT)
    left_out = query.get("exclude", "")
    lines = [f"[+]{one} excluded: ok" if one == left_out else f"[+]{one} ok" for one in checks]
    if left_out and left_out not in checks:
        lines.append(f'warn: some health checks cannot be excluded: no matches for "{left_out}"')
    return ServerResponse(200, "\n".join([*lines, f"{name} check passed", ""]).encode(), content_type=_TEXT)


def paths(registry: ServedKinds) -> ServerResponse:
    """Answer with all paths that are no objects."""
    found = {"/api", "/apis", "/apis/", "/openapi/v2", "/openapi/v3", "/openapi/v3/", "/version"}
    for name, checks in _CHECKS.items():
        found |= {f"/{name}", *(f"/{name}/{check}" for check in checks)}
    found.add("/metrics")
    for known in registry.all():
        base = f"/apis/{known.group}" if known.group else "/api"
        found |= {base, f"{base}/{known.gvk.version}"}
    return answers.json({"paths": sorted(found)})
