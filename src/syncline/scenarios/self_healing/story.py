"""The first deployment of a platform on OpenShift, which stops at seven places, some behind others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from syncline.apimachinery import yaml
from syncline.scenarios import files
from syncline.scenarios.draw import Draw
from syncline.scenarios.renaming import renamed
from syncline.scenarios.self_healing import causes, repairs
from syncline.scenarios.self_healing.repairs import GITOPS, HERE, PLATFORM
from syncline.scenarios.story import Cause, Commit, Seen, Step, Story

PARTS = ("workbench", "validation", "pipelines", "credentials", "models")
_BYSTANDERS = ("alert-rules", "dashboards", "network-policies", "operator-settings", "service-accounts")
_NAMES = (
    "notebook-validator", "self-healing-platform", "self-healing-hub", "model-storage", "anomaly-detector",
    "coordination-engine", "image-builds", *PARTS,
)  # fmt: skip
_TITLES = {
    "claim": "Put the claim into the wave of its pod",
    "uri": "Let the build inherit the address of the repository",
    "credential": "Give the build the password that Gitea has",
    "account": "Let the hook get image stream tags",
    "runs": "Start the pipeline by an event, not from Git",
    "model": "Train the model",
}


class Shape(msgspec.Struct, frozen=True, kw_only=True):
    """What one telling of the story has: apps that nothing is wrong with, and a cause that is not there."""

    bystanders: tuple[str, ...] = _BYSTANDERS
    without: str = ""

    def has(self, cause: str) -> bool:
        """Tell whether a cause is there."""
        return cause != self.without


def story() -> Story:
    """Return the story as it was written up."""
    return _told(Shape())


def look_alike(draw: Draw) -> Story:
    """Return the same troubles under other names, with more or fewer other apps, and one trouble less."""
    bystanders = tuple(draw.name() for _ in range(draw.size(1, 8)))
    shape = Shape(bystanders=bystanders, without=draw.in_turn(("claim", "credential", "account")))
    return renamed(_told(shape), draw.names(_NAMES))


def _told(shape: Shape) -> Story:
    return Story(
        name="self-healing",
        title="a first deployment on OpenShift that stops at seven places",
        about=(
            "A claim waits for a pod of a later wave; a build has no address to clone from, and behind that has "
            "the password of another installation, so an image is never built; a hook may not check whether it "
            "exists; the settings of OpenShift GitOps exclude pipeline runs; a model is served before it is trained."
        ),
        namespace=GITOPS,
        cluster=_cluster(shape),
        history=(Commit(message="The platform", files=_first(shape)),),
        root=files.application("self-healing-hub", "apps", namespace=GITOPS),
        seen=_seen(shape, ours=False),
        ours=_seen(shape, ours=True),
        causes=tuple(one for one in _causes(shape) if one.name != "credential"),
        steps=tuple(_steps(shape)),
        order=("account", "claim", "uri", "model") if not shape.without else (),
        ours_order=("uri", "account", "model") if not shape.without else (),
        errata=causes.ERRATA,
    )


def _cluster(shape: Shape) -> str:
    text = files.text(HERE, "cluster.yaml")
    if not shape.has("claim"):
        text = text.replace("bindingMode: WaitForFirstConsumer", "bindingMode: Immediate")
    return text if shape.has("credential") else text.replace("b3BlbnNoaWZ0", "Z2l0ZWEtYWRtaW4=")


def _first(shape: Shape) -> dict[str, str]:
    made = files.tree(HERE)
    if not shape.has("account"):
        made["validation/role.yaml"] = repairs.role()
    apps = [_app(name, name) for name in PARTS]
    values = {"helm": {"valueFiles": ["/values-global.yaml", "/values-hub.yaml"]}}
    apps.append(_app("image-builds", "charts/image-builds", values))
    for name in shape.bystanders:
        made[f"{name}/settings.yaml"] = yaml.dump(_settings(name))
        apps.append(_app(name, name))
    return made | {f"apps/{one['metadata']['name']}.yaml": yaml.dump(one) for one in apps}


def _app(name: str, path: str, source: dict[str, Any] | None = None) -> dict[str, Any]:
    return files.application(name, path, namespace=GITOPS, destination=PLATFORM, source=source)


def _settings(name: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"owner": "platform"}}


def _causes(shape: Shape) -> Iterator[Cause]:
    yield from (one for one in causes.CAUSES if shape.has(one.name))


def _seen(shape: Shape, *, ours: bool) -> Seen:
    """Return the table: of six parts four are not in order; the root shows it only by Syncline's own rules."""
    waits = shape.has("claim") and not ours
    apps = {
        "image-builds": "OutOfSync Healthy",
        "models": "OutOfSync Degraded",
        "pipelines": "Synced Healthy",
        "credentials": "Synced Healthy",
        "self-healing-hub": "Synced Degraded" if ours else "Synced Healthy",
        "validation": "OutOfSync Healthy" if shape.has("account") else "Synced Healthy",
        "workbench": "OutOfSync Progressing" if waits else "Synced Degraded",
        **dict.fromkeys(shape.bystanders, "Synced Healthy"),
    }
    others: dict[str, int] = {}
    for words in apps.values():
        if words != "Synced Healthy":
            health = words.split()[1]
            others[health] = others.get(health, 0) + 1
    return Seen(good=len(apps) - sum(others.values()), others=others, apps=apps)


def _steps(shape: Shape) -> Iterator[Step]:
    """Yield the repairs, each with what it brings: the image, and so the workbench, is behind two of them."""
    bad = {"workbench", "image-builds", "models", *(["validation"] if shape.has("account") else [])}
    total = 1 + len(PARTS) + 1 + len(shape.bystanders)
    for name, title in _TITLES.items():
        if not shape.has(name):
            continue
        before, hoped = len(bad), bad - _HELPED.get(name, set())
        ours_hoped = bad if name == "claim" else hoped
        bad -= _recovered(name, shape)
        behind = tuple(one for one in _causes(shape) if name == "uri" and one.name == "credential")
        yield Step(
            title=title,
            good=total - len(bad),
            ours=_ours(total, bad),
            promised=total - len(hoped),
            ours_promised=_ours(total, ours_hoped),
            repairs=(name,) if before else (),
            shows=behind,
            **repairs.REPAIRS[name](),
        )


def _ours(total: int, bad: set[str]) -> int:
    """Return how many apps are good by Syncline's own rules, where the root is as bad as its parts."""
    return total - len(bad) - bool(bad)


_HELPED = {
    "claim": {"workbench"},
    "uri": {"image-builds", "workbench"},
    "credential": {"workbench"},
    "account": {"validation"},
    "model": {"models"},
}
"""What each repair is promised to bring back."""


def _recovered(name: str, shape: Shape) -> set[str]:
    if name == "claim":
        return set()
    if name == "uri" and shape.has("credential"):
        return {"image-builds"}
    return _HELPED.get(name, set())
