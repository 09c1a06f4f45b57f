"""`syncline why deploy/web -n shop`: the causes behind one object, as a diagnosis of the whole fleet finds them.

Called by `syncline.cli.why`. Kinds are named as with kubectl: `deploy/web`, `certificate.cert-manager.io/web`.
"""

from __future__ import annotations

import shutil

from syncline.apimachinery.keys import ObjectKey, key_of
from syncline.cli.diagnose.gathering import Gathered, Origin, gather
from syncline.cli.options import Chosen
from syncline.cli.show import terminal
from syncline.model.diagnosis import Thing
from syncline.verbs.errors import NotFound

_WIDEST = 120
_SHORT = {
    "app": "Application",
    "appset": "ApplicationSet",
    "cj": "CronJob",
    "cm": "ConfigMap",
    "deploy": "Deployment",
    "ds": "DaemonSet",
    "hpa": "HorizontalPodAutoscaler",
    "ing": "Ingress",
    "no": "Node",
    "ns": "Namespace",
    "po": "Pod",
    "pv": "PersistentVolume",
    "pvc": "PersistentVolumeClaim",
    "quota": "ResourceQuota",
    "rs": "ReplicaSet",
    "sa": "ServiceAccount",
    "sc": "StorageClass",
    "sts": "StatefulSet",
    "svc": "Service",
}
_KINDS = {kind.lower(): kind for kind in (*_SHORT.values(), "Job", "EndpointSlice", "NetworkPolicy", "Gateway")}


def kind_word(target: str) -> tuple[str, str]:
    """Return kind and name of `deploy/web`; no kind where a text names an Application, also as namespace/name."""
    word, slash, name = target.partition("/")
    if not slash:
        return "", target
    lowered = word.lower()
    known = _SHORT.get(lowered) or _KINDS.get(lowered) or _KINDS.get(lowered.removesuffix("s"))
    if not known and lowered.endswith("es"):
        known = _KINDS.get(lowered.removesuffix("es"))
    # A namespace has no dots, so this is a kind with its group.
    known = known or (word if "." in word else "")
    return (known, name) if known else ("", target)


async def why_object(kind: str, name: str, namespace: str, chosen: Chosen, output: str) -> int:
    """Print the causes behind an object; exit 0 where it is in order, 1 where it is not."""
    from syncline.cli.diagnose.reporting import reported
    from syncline.cli.show.diagnosis import data, screen

    gathered = await gather(Origin(chosen=chosen))
    thing = _found(gathered, kind, name, namespace)
    report = reported(gathered, is_live=True, with_logs=output != "json", about=thing)
    if output == "json":
        terminal.echo_data(data.as_json(report))
    else:
        columns = shutil.get_terminal_size((_WIDEST, 0)).columns
        terminal.echo(screen.target(report, report.named(thing), width=min(columns, _WIDEST)))
    return 1 if report.not_good else 0


def _found(gathered: Gathered, kind: str, name: str, namespace: str) -> Thing:
    """Return the object that is meant; `NotFound` says which like it there are."""
    others: list[ObjectKey] = []
    for cluster in gathered.snapshot.clusters:
        for key in map(key_of, cluster.objects):
            if key.name != name and not (key.namespace == namespace and _is_of(key, kind)):
                continue
            if key.name == name and key.namespace in (namespace, "") and _is_of(key, kind):
                return Thing(cluster=cluster.name, key=key)
            if _is_of(key, kind):
                others.append(key)
    listed = ", ".join(f"{key.short} in {key.namespace}" for key in sorted(others)[:_SHOWN])
    hint = f"there is {listed}" if others else "name its namespace with -n"
    raise NotFound(f"{kind}/{name} not found in namespace {namespace}", hint=hint)


_SHOWN = 8


def _is_of(key: ObjectKey, kind: str) -> bool:
    if "." not in kind:
        return key.kind == kind
    word, _, group = kind.partition(".")
    return key.group == group and word.lower() in (key.kind.lower(), f"{key.kind.lower()}s")
