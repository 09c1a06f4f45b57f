"""Refuses to start containers that break what their own security context asks for, in the kubelet's words.

Asked by `syncline.sandbox.controllers.kubelet.kubelet` with a pod and the spec of one of its containers.
"""

from __future__ import annotations

from syncline.apimachinery.keys import Object
from syncline.sandbox.cluster import known_images


def problem(pod: Object, container: Object) -> str:
    """Return why a container that must not run as root would, nothing when it would not or who knows."""
    ours, shared = container.get("securityContext") or {}, pod["spec"].get("securityContext") or {}

    def effective(field: str) -> object:
        return ours[field] if field in ours else shared.get(field)

    if effective("runAsNonRoot") is not True:
        return ""
    metadata, user = pod["metadata"], effective("runAsUser")
    words = f"{metadata['name']}_{metadata['namespace']}({metadata['uid']})"
    where = f'(pod: "{words}", container: {container["name"]})'
    if user is not None:
        return f"container's runAsUser breaks non-root policy {where}" if user == 0 else ""
    if known_images.runs_as_root(container.get("image", "")):
        return f"container has runAsNonRoot and image will run as root {where}"
    return ""
