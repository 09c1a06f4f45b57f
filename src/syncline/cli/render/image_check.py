"""Asks registries whether images are there: those that files desire, and those that a cluster cannot pull.

Used by `syncline app manifests --check-images`, which asks because it was told to, and by `syncline why`, which asks
with `--ask-registries` or where argocd-cm switches it on (syncline.images.lookUp). Logins are those of the pull secrets
that a pod names; somebody who says `--ask-registries` uses logins of their own too.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from syncline import wiring
from syncline.apimachinery.keys import Object
from syncline.cli.show import terminal

if TYPE_CHECKING:
    from syncline.core.assess import Assessment
    from syncline.core.diagnose.explain import Explanation
    from syncline.core.diagnose.findings.registry_answers import RegistryAnswer
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


async def with_remarks(
    explanation: Explanation, assessment: Assessment, view: ClusterView, *, ask: bool = False
) -> Explanation:
    """Put what registries say under every finding about an image that cannot be pulled, where they may be asked."""
    from syncline.core.diagnose.findings import registry_answers

    on = ask or assessment.snapshot.settings.sources.look_up_images
    if not on or not registry_answers.concerned(explanation):
        return explanation
    cluster = (await view.place(assessment)).cluster
    answers = await _answers(assessment, cluster, wiring.images(on=True), own_logins() if ask else [])
    return registry_answers.with_answers(explanation, assessment, answers)


async def _answers(
    assessment: Assessment, cluster: ClusterReader, images: Images, own: list[str]
) -> dict[str, RegistryAnswer]:
    """Ask about every image of a container that does not run, with the pod's pull secrets and logins of one's own."""
    from syncline.core.diagnose.findings.registry_answers import RegistryAnswer
    from syncline.core.health.pods import container_troubles

    found: dict[str, RegistryAnswer] = {}
    for key, pod in sorted(assessment.live.items()):
        if key.kind != "Pod" or key.group:
            continue
        troubled = {trouble.container for trouble in container_troubles(pod.get("status") or {})}
        spec = pod.get("spec") or {}
        wanted = [image for image in _images(spec, troubled) if image not in found]
        logins = [*await _read_logins(cluster, key.namespace, _pull_secrets(spec)), *own] if wanted else []
        for image in wanted:
            note = await images.look_up(image, logins)
            tags = await images.tags(image, logins) if note.exists is False else None
            found[image] = RegistryAnswer(sentence(note), tags)
    return found


def own_logins() -> list[str]:
    """Return the logins that container tools of this user keep in plain form; helper programs are not run."""
    folder = os.environ.get("DOCKER_CONFIG") or str(Path.home() / ".docker")
    try:
        return [Path(folder, "config.json").read_text(encoding="utf-8")]
    except (OSError, UnicodeDecodeError):
        return []


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
