"""A pod's image does not exist in its registry, under that name and tag: one cause for all pods that want it.

Images of one owner that all lack the same tag are one cause as well: one pipeline has not pushed them.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from syncline.apimachinery import meta
from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.graph.fault import Fault, Node, on_node
from syncline.core.diagnose.graph.workloads import builds, images, pods
from syncline.core.diagnose.graph.workloads.images import Why
from syncline.core.diagnose.graph.workloads.pods import Failing
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.live.pods import IMAGE_REASONS, containers, template
from syncline.core.diagnose.rules.workloads.image_not_found import RULE
from syncline.model.diagnosis import Thing
from syncline.model.finding import Confidence, Evidence, Finding, Fix

_REASONS = ("Failed", "ErrImagePull", "InspectFailed")
_SHOWN = 8
_ALMOST = 0.9
_OURS = (Why.ABSENT, Why.INVALID, Why.PLATFORM, Why.UNTOLD)


@on_node(RULE, pods.POD)
def check(node: Node) -> Iterator[Fault]:
    """Yield a fault for each image that the registry does not have, or of which nobody says what is wrong."""
    for one in pods.failing(node):
        if one.trouble.reason not in IMAGE_REASONS:
            continue
        said = pods.said(node, one, *_REASONS)
        why = images.why(f"{one.trouble.reason}: {said}")
        if why is Why.ABSENT:
            alone = node.outside("image", one.image)
            yield Fault(
                rule=RULE,
                state="ImagePullBackOff",
                because=builds.builders(node, one.image),
                cause=_shared(node, one.image) or alone,
                alone=alone,
                part=_Absent(one.image, partial(_finding, node, one, said)),
                together=_together,
            )
        elif why in _OURS:
            yield Fault(
                rule=RULE,
                state="ImagePullBackOff",
                cause=node.outside("image", one.image),
                tell=partial(_finding, node, one, said),
            )


def _shared(node: Node, image: str) -> Thing | None:
    """Return what images of one owner that lack the same tag are known by; None where nobody owns them together.

    Names without an owner are Docker's own images, or those of a registry that the nodes know: two of them with the
    same tag have nothing to do with one another.
    """
    name, tag = images.repository(image)
    owner = name.rpartition("/")[0]
    return node.outside("images", f"{owner}/*:{tag}") if owner not in ("", "library", "docker.io/library") else None


class _Absent:
    """An image that is not there, and what is to be said of it alone; the same image is the same part."""

    def __init__(self, image: str, tell: Callable[[], Finding]) -> None:
        self.image = image
        self.tell = tell

    def __str__(self) -> str:
        return self.image


def _together(parts: Sequence[_Absent]) -> Finding:
    """Return the finding of one image, or that of several which lack the same tag."""
    found = [one.tell() for one in parts]
    if len(found) == 1:
        return found[0]
    names = sorted({images.repository(one.image) for one in parts})
    owner, tag = names[0][0].rpartition("/")[0], names[0][1]
    short = [name.rpartition("/")[2] for name, _tag in names]
    return RULE.finding(
        f"{owner}/*:{tag}",
        f"{len(names)} images of {owner} are not in their registry with the tag {tag}: {listed(short, most=8)}",
        evidence=[*found[0].evidence[:1], *(line for one in found for line in one.evidence[1:])],
        confidence=Confidence.TEXT,
        fix=Fix(text=f"decide: push {tag} of {listed(short, most=8)}, or name tags that exist"),
        since=min(one.since for one in found),
    )


def _finding(node: Node, one: Failing, said: str) -> Finding:
    why = images.why(f"{one.trouble.reason}: {said}")
    words = {
        Why.ABSENT: f"image {one.image} is not in its registry",
        Why.INVALID: f"{one.image} is not a valid name of an image",
        Why.PLATFORM: f"image {one.image} does not exist for the platform of the nodes",
    }.get(why, f"image {one.image} cannot be pulled, and nothing that was read explains why")
    before = _before(node, one)
    running = before or _running(node, one)
    runs = "ran before" if before else "runs here" if len(running) == 1 else "run here"
    known = f" ({listed(running)} of the same repository {runs})" if running else ""
    return RULE.finding(
        one.image,
        f"{words}{known}",
        evidence=[pods.seen(node, one.trouble, said), *_lines(node, one)],
        confidence=Confidence.TEXT,
        fix=_fix(one.image, why, running, "ran before" if before else "runs here"),
        since=str((node.obj.get("status") or {}).get("startTime") or meta.creation_timestamp(node.obj)),
    )


def _lines(node: Node, one: Failing) -> list[Evidence]:
    """Return the lines of all workloads that want an image, its own first."""
    own = (pods.workload(node), one.trouble.container)
    wanted = node.cluster.remembered(images.wanted).get(one.image, ())
    others = ((node.at(key), container) for key, container in wanted)
    places = list(dict.fromkeys([own, *others]))[:_SHOWN]
    return [found for owner, container in places for found in pods.container_line(node, owner, container)]


def _running(node: Node, one: Failing) -> list[str]:
    """Return the tags of the same repository that containers of the cluster run.

    A repository that several workloads take different tags from holds different programs: none of the others is a way
    back then, unless its tag is spelled almost the same.
    """
    name, tag = images.repository(one.image)
    running = node.cluster.remembered(images.running).get(name, {})
    found = sorted(running.keys() - {tag})
    others = {owner for other in found for owner in running[other]}
    programs = len({*running}) > 1 and len(others) > 1 and pods.workload(node).key not in others
    if programs:
        return difflib.get_close_matches(tag, found, n=1, cutoff=_ALMOST)
    return nearest(tag, found) or found[:2]


def _before(node: Node, one: Failing) -> list[str]:
    """Return the tag that an earlier ReplicaSet of the same Deployment gives the same container."""
    name, tag = images.repository(one.image)
    top = node.cluster.top(node.obj)
    older = sorted(node.cluster.children(top), key=meta.creation_timestamp, reverse=True)
    for obj in older:
        for _at, container in containers(template(obj)[1]):
            there = images.repository(str(container.get("image") or ""))
            if container.get("name") == one.trouble.container and there[0] == name and there[1] != tag:
                return [there[1]]
    return []


def _fix(image: str, why: Why, running: list[str], runs: str) -> Fix:
    name, tag = images.repository(image)
    if why is Why.UNTOLD:
        return Fix(text=f"decide: try the pull by hand, for example: crane manifest {image}")
    if running:
        return Fix(text=f"decide: push {tag} to {name}, or go back to {running[0]}, which {runs}")
    return Fix(text=f"decide: push {tag} to {name}, or name a tag that exists (--ask-registries lists them)")
