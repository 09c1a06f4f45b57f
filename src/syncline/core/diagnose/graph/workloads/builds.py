"""Who builds an image in the cluster itself: OpenShift's builds, and the Applications that deliver them.

Asked by the check on images of pods: an image that no build has made yet is not missing by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind
from syncline.core.diagnose.graph.fault import Node
from syncline.core.diagnose.graph.view.fleet import part
from syncline.model.diagnosis import Thing

BUILD = GroupKind("build.openshift.io", "Build")
_CONFIG = GroupKind("build.openshift.io", "BuildConfig")


def builders(node: Node, image: str) -> tuple[Thing, ...]:
    """Return the builds that should have made an image, and the Applications that should deliver those builds."""
    return tuple(_builds(node, image)) or tuple(_apps(node, image))


def _builds(node: Node, image: str) -> Iterator[Thing]:
    for key, build in node.cluster.of_kind(BUILD):
        if makes(build, key.namespace, image):
            yield node.at(key)


def _apps(node: Node, image: str) -> Iterator[Thing]:
    for app, item in node.fleet.desired_of(node.cluster.name, _CONFIG):
        manifest = node.fleet.apps.get(app) or {}
        space = meta.namespace(item.obj) or str(part(manifest, "spec", "destination").get("namespace") or "")
        if makes(item.obj, space, image):
            yield Thing(cluster=node.fleet.home.name, key=app)


def makes(build: dict[str, Any], namespace: str, image: str) -> bool:
    """Tell whether a build writes to the image stream tag that an image of the cluster's own registry is."""
    target = part(build, "spec", "output", "to")
    if target.get("kind") != "ImageStreamTag":
        return False
    name = f"{target.get('namespace') or namespace}/{target.get('name')}"
    return image.endswith(f"/{name}")
