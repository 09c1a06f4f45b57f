"""Applications whose workloads live: Deployments roll out, Jobs run, hooks end, pods go.

Delivered by `tests/argocd/test_living.py` on a whole control plane; what pods do is said by their images in
`tests/cluster/stages.yaml`. Each case is read as those of the fleet are, and judged by the rules there and here.
"""

from tests.support.referee.case import (
    Case,
    Change,
    Commit,
    Delete,
    Json,
    Remove,
    argo,
    config,
    deployment,
    job,
    obj,
    service,
)
from tests.support.referee.known import Known

_READY, _NEWER, _UNREADY = "example.com/web:1", "example.com/web:2", "example.com/unready:1"
_RUNS, _FAILS = "example.com/job:1", "example.com/fails:1"
_FOREGROUND = "resources-finalizer.argocd.argoproj.io"


def _web(name: str = "web", image: str = _READY, wave: str = "", replicas: int = 2) -> Json:
    return deployment(name, argo(sync_wave=wave) if wave else None, image=image, replicas=replicas)


def _hook(name: str, phase: str, image: str = _RUNS, policy: str = "BeforeHookCreation") -> Json:
    return job(name, argo(hook=phase, hook_delete_policy=policy), image)


def _set(kind: str) -> Json:
    labels = {"app": kind.lower()}
    containers = [{"name": "main", "image": _READY}]
    spec: Json = {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": containers}},
    }
    if kind == "StatefulSet":
        spec |= {"serviceName": "sets", "replicas": 2}
    return obj(kind, kind.lower(), "apps/v1", spec=spec)


CASES = (
    Case(
        "living-rollout", {"a.yaml": _web(), "b.yaml": service("web")}, steps=(Commit({"a.yaml": _web(image=_NEWER)}),)
    ),
    Case("living-unready", {"a.yaml": _web(image=_UNREADY)}),
    Case("living-stuck-rollout", {"a.yaml": _web()}, steps=(Commit({"a.yaml": _web(image=_UNREADY)}),)),
    Case("living-sets", {"a.yaml": _set("StatefulSet"), "b.yaml": _set("DaemonSet")}),
    Case("living-job", {"a.yaml": job("work", image=_RUNS), "b.yaml": config("one")}),
    Case("living-bad-job", {"a.yaml": job("work", image=_FAILS), "b.yaml": config("one")}),
    Case(
        "living-hooks",
        {"a.yaml": _hook("before", "PreSync"), "b.yaml": _web(), "c.yaml": _hook("after", "PostSync")},
        steps=(Commit({"b.yaml": _web(image=_NEWER)}),),
    ),
    Case(
        "living-hook-that-goes", {"a.yaml": _hook("before", "PreSync", policy="HookSucceeded"), "b.yaml": config("one")}
    ),
    Case(
        "living-bad-hook",
        {"a.yaml": _hook("before", "PreSync", _FAILS), "b.yaml": config("one"), "c.yaml": _hook("rescue", "SyncFail")},
    ),
    Case(
        "living-waves",
        {
            "a.yaml": _web(wave="0"),
            "b.yaml": job("work", argo(sync_wave="1"), _RUNS),
            "c.yaml": config("last", argo(sync_wave="2")),
        },
    ),
    Case(
        "living-wave-held-up", {"a.yaml": _web(image=_UNREADY, wave="0"), "b.yaml": config("last", argo(sync_wave="1"))}
    ),
    Case(
        "living-healed",
        {"a.yaml": _web()},
        automated={"selfHeal": True},
        steps=(Remove("Deployment", "web", "apps/v1"),),
    ),
    Case(
        "living-scaled", {"a.yaml": _web()}, steps=(Change("Deployment", "web", {"spec": {"replicas": 3}}, "apps/v1"),)
    ),
    Case(
        "living-pruned",
        {"a.yaml": _web(), "b.yaml": config("one")},
        automated={"prune": True},
        steps=(Commit({"a.yaml": None}),),
    ),
    Case("living-deleted", {"a.yaml": _web(), "b.yaml": config("one")}, finalizers=(_FOREGROUND,), steps=(Delete(),)),
)

KNOWN = (
    Known(
        "purpose",
        "living-sets",
        r"0\.resources\..*/StatefulSet/.*\.message",
        "a set that is rolled out has nothing to say",
        theirs="partitioned roll out complete.*",
        ours="null",
        named="A set that is rolled out has none",
    ),
    Known(
        "purpose",
        "living-waves",
        r"0\.state\.rows\..*\.message",
        "the row of a sync says what became of an object; its health is among the resources",
        theirs="Reached expected number of succeeded pods",
        ours="job.batch/work created",
        named="The row of a sync says what became of an object",
    ),
)
