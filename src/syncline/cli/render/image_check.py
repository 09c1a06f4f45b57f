"""Asks registries whether images are there: those that files desire, and those that a cluster cannot pull.

Used by `syncline app manifests --check-images`, which asks because it was told to, and by `syncline why`, which asks
where argocd-cm switches it on (syncline.images.lookUp). Logins are those of the pull secrets a pod names, and nothing
else.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from syncline import wiring
from syncline.apimachinery.keys import Object
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.core.assess import Assessment
    from syncline.core.diagnose.explain import Explanation
    from syncline.model.desired import Desired
    from syncline.ports.images import ImageNote, Images
    from syncline.ports.kube import ClusterReader
    from syncline.verbs.look import ClusterView

_LISTS = ("initContainers", "containers")
_LOGINS = ".dockerconfigjson"


async def notes_of(desired: Desired) -> dict[str, tuple[ImageNote, str]]:
    """Look up every image of desired objects; return the answers, each with the place that names it first."""
    images = wiring.images(on=True)
    secrets = {item.key.name: item.obj for item in desired.objects if item.key.kind == "Secret" and not item.key.group}
    found: dict[str, tuple[ImageNote, str]] = {}
    for item in desired.objects:
        for spec in _pod_specs(item.obj):
            logins = [text for name in _pull_secrets(spec) for text in _logins(secrets.get(name))]
            for image in _images(spec):
                if image not in found:
                    found[image] = (await images.look_up(image, logins), str(item.origin.place()))
    return found


async def tell_missing(desired: Desired) -> int:
    """Say on standard error which images are not there, or cannot be told; return how many are not."""
    notes = (await notes_of(desired)).values()
    for note, place in notes:
        if note.exists is not True:
            terminal.echo(f"{place}: {sentence(note)}", err=True)
    return sum(note.exists is False for note, _place in notes)


async def with_remarks(explanation: Explanation, assessment: Assessment, view: ClusterView) -> Explanation:
    """Put what registries say under every finding about an image that cannot be pulled."""
    if not assessment.snapshot.settings.sources.look_up_images:
        return explanation
    from syncline.core.diagnose.rules.workloads.image_not_found import RULE
    from syncline.model.finding import Evidence, EvidenceKind

    if all(finding.code != RULE.code for finding in explanation.findings):
        return explanation
    cluster = (await view.place(assessment)).cluster
    said = await _said(assessment, cluster, wiring.images(on=True))
    findings = []
    for finding in explanation.findings:
        words = [text for image, text in said.items() if f"image {image} of container" in finding.message]
        more = [Evidence(kind=EvidenceKind.MESSAGE, text=text) for text in words if finding.code == RULE.code]
        findings.append(msgspec.structs.replace(finding, evidence=(*finding.evidence, *more)))
    return msgspec.structs.replace(explanation, findings=tuple(findings))


async def _said(assessment: Assessment, cluster: ClusterReader, images: Images) -> dict[str, str]:
    from syncline.core.health.pods import container_troubles

    said: dict[str, str] = {}
    for key, pod in sorted(assessment.live.items()):
        if key.kind != "Pod" or key.group:
            continue
        troubled = {trouble.container for trouble in container_troubles(pod.get("status") or {})}
        spec = pod.get("spec") or {}
        wanted = [image for image in _images(spec, troubled) if image not in said]
        logins = await _read_logins(cluster, key.namespace, _pull_secrets(spec)) if wanted else []
        for image in wanted:
            said[image] = sentence(await images.look_up(image, logins))
    return said


def sentence(note: ImageNote) -> str:
    """Return an answer in words."""
    if note.exists:
        return f"its registry has {note.image}"
    return note.reason if note.exists is False else f"whether {note.image} exists cannot be checked: {note.reason}"


async def _read_logins(cluster: ClusterReader, namespace: str, names: Sequence[str]) -> list[str]:
    from syncline.controller.clusters.access import SECRETS
    from syncline.ports.kube import ApiError

    found: list[str] = []
    for name in names:
        try:
            found += _logins(await cluster.get(SECRETS, namespace, name))
        except ApiError:
            continue  # who may not read it asks without
    return found


def _logins(secret: Object | None) -> list[str]:
    """Return the logins that a pull secret holds, if it is one."""
    if secret is None:
        return []
    plain = (secret.get("stringData") or {}).get(_LOGINS)
    if isinstance(plain, str):
        return [plain]
    try:
        return [base64.b64decode(str((secret.get("data") or {})[_LOGINS]), validate=True).decode()]
    except (KeyError, binascii.Error, UnicodeDecodeError):
        return []


def _pod_specs(value: Any) -> Iterator[dict[str, Any]]:
    """Yield whatever looks like the spec of a pod, also in kinds nobody has heard of."""
    if isinstance(value, dict):
        if isinstance(value.get("containers"), list):
            yield value
        for inner in value.values():
            yield from _pod_specs(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _pod_specs(inner)


def _images(spec: dict[str, Any], containers: set[str] | None = None) -> Iterator[str]:
    for name in _LISTS:
        for container in spec.get(name) or ():
            wanted = isinstance(container, dict) and (containers is None or container.get("name") in containers)
            if wanted and isinstance(container.get("image"), str):
                yield container["image"]


def _pull_secrets(spec: dict[str, Any]) -> list[str]:
    named = spec.get("imagePullSecrets")
    return (
        [str(one["name"]) for one in named if isinstance(one, dict) and "name" in one]
        if isinstance(named, list)
        else []
    )
