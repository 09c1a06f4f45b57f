"""The Applications that `syncline up --apps` is given, as files or folders, and how they get into the cluster.

`syncline.cli.run.up` reads them before it connects, so that a mistake changes nothing. Of a folder only Applications,
their projects and ApplicationSets are taken: it may well be a whole repository, with values, charts and templates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from syncline.apimachinery import meta, yaml
from syncline.apimachinery.keys import Object
from syncline.apimachinery.yaml import YamlError
from syncline.cli.run.install import create
from syncline.cli.run.unknown_fields import without_unknown
from syncline.cli.show import terminal
from syncline.model import names
from syncline.model.errors import NeedsUser, Place
from syncline.ports.kube import ApiError, Cluster

_KINDS = ("AppProject", "Application", "ApplicationSet")


class GivenObject(NamedTuple):
    """An object and where it stands."""

    obj: Object
    place: Place


class GivenApps(NamedTuple):
    """What to create, and how many documents of folders were passed over."""

    objects: Sequence[GivenObject] = ()
    passed_over: int = 0

    def __str__(self) -> str:
        counts = ((kind, sum(given.obj["kind"] == kind for given in self.objects)) for kind in _KINDS)
        found = ", ".join(f"{count} {kind}{'' if count == 1 else 's'}" for kind, count in counts if count)
        return f"--apps: {found or 'no Application'}; skipped {self.passed_over} other documents"


def read_apps(paths: Sequence[Path], namespace: str) -> GivenApps:
    """Return the objects of files, and the Applications of folders; those without a namespace get the given one."""
    objects: list[GivenObject] = []
    passed_over = 0
    for path in paths:
        for file in _files(path):
            for given in _documents(file, strict=not path.is_dir()):
                if given is None or (path.is_dir() and not _ours(given.obj)):
                    passed_over += 1
                else:
                    objects.append(_placed(given, namespace))
    # Projects first: an Application without its project is in trouble until that one comes.
    return GivenApps(sorted(objects, key=lambda given: given.obj["kind"] != "AppProject"), passed_over)


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(found for found in path.rglob("*.y*ml") if found.is_file() and ".git" not in found.parts)


def _documents(file: Path, *, strict: bool) -> Iterator[GivenObject | None]:
    """Yield the objects of a file; None for anything else, which a file that was named itself may not hold."""
    text = file.read_bytes()
    try:
        documents = list(yaml.load_documents(text, source=str(file)))
    except YamlError:
        # A template of a chart is no YAML yet; a file that was to be an Application and is broken must be told.
        if strict or b"kind: Application" in text:
            raise
        yield None
        return
    for document in documents:
        obj, place = document.value, Place(str(file), document.line)
        whole = isinstance(obj, dict) and bool(obj.get("kind")) and bool(meta.name(obj))
        if not whole and (strict or _ours(obj)):
            raise NeedsUser("this document is not a Kubernetes object", place=place, hint="it needs a kind and a name")
        if not whole:
            yield None
            continue
        obj, unknown = without_unknown(str(file), document)
        for sentence in unknown:
            terminal.echo(f"warning: {sentence}", err=True)
        yield GivenObject(obj, place)


def _ours(obj: object) -> bool:
    return (
        isinstance(obj, dict)
        and obj.get("kind") in _KINDS
        and str(obj.get("apiVersion") or "").startswith(f"{names.GROUP}/")
    )


def _placed(given: GivenObject, namespace: str) -> GivenObject:
    if not _ours(given.obj):
        return given
    return given._replace(obj={**given.obj, "metadata": {"namespace": namespace, **given.obj["metadata"]}})


def namespaces_of(apps: GivenApps) -> list[Object]:
    """Return the namespaces that the objects are in: an embedded cluster begins without them."""
    found = sorted({meta.namespace(given.obj) for given in apps.objects} - {""})
    return [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in found]


def elsewhere(apps: GivenApps, namespace: str) -> Iterator[str]:
    """Yield a sentence for each namespace with Applications that an installation in the given one does not look at."""
    others = Counter(meta.namespace(given.obj) for given in apps.objects if given.obj["kind"] == "Application")
    others.pop(namespace, None)
    for name, count in sorted(others.items()):
        many = "1 Application is" if count == 1 else f"{count} Applications are"
        yield (
            f"{many} in namespace {name}, and Applications in {namespace} are delivered: "
            f"deliver those with -N {name}, or permit both with application.namespaces"
        )


async def create_apps(cluster: Cluster, apps: GivenApps) -> None:
    """Apply what was given, also over what kubectl applied before; a refusal names the file."""
    for given in apps.objects:
        try:
            await create(cluster, [given.obj], force=True)
        except ApiError as error:
            raise NeedsUser(f"the cluster refuses {_short(given.obj)}: {error}", place=given.place) from error


def _short(obj: Object) -> str:
    return f"{obj['kind']}/{meta.name(obj)}"
