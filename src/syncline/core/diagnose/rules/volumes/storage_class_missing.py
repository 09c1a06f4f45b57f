"""Claims of a StorageClass that does not exist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object, ObjectKey
from syncline.apimachinery.nearest import nearest
from syncline.apimachinery.paths import FieldPath
from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live import around
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.live.waits import then_sync
from syncline.core.diagnose.live.written import item, line, place, rewrite
from syncline.core.diagnose.repository.pointing import at, dig, entries
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App, Repo
from syncline.core.references.pods import CLAIM, STORAGE_CLASS
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

RULE = Rule(
    code="WKL-101",
    name="storage-class-missing",
    severity=Severity.ERROR,
    other_severities=frozenset({Severity.INFO}),
    summary="A volume claim names a StorageClass that does not exist.",
    fix="name a StorageClass that exists and delete the pending claim, or create the class",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="No volume is created for the claim, so the pods that mount it stay Pending. The scheduler's message is about "
    "nodes, but no node is at fault. A claim's class cannot change, so a claim with the wrong class must be deleted; "
    "it was never bound and has no data.",
    bad="""\
kind: PersistentVolumeClaim
spec:
  storageClassName: fast-ssd  # the cluster has: standard
""",
    good="""\
kind: PersistentVolumeClaim
spec:
  storageClassName: standard
""",
)
_REMARK = "the class of a claim cannot change; this one was never bound and has no data"
_DEFAULT = "storageclass.kubernetes.io/is-default-class"


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per claim that waits for a class which is not there."""
    classes = dict(around.of_kind(app, STORAGE_CLASS))
    if str(STORAGE_CLASS) in app.assessment.snapshot.unreadable:
        return
    existing = [key.name for key in classes]
    for key, claim in around.of_kind(app, CLAIM):
        wanted = (claim.get("spec") or {}).get("storageClassName")
        pending = (claim.get("status") or {}).get("phase") in (None, "Pending")
        bound = (claim.get("spec") or {}).get("volumeName")
        if wanted and wanted not in existing and pending and not bound:
            yield _finding(app, key, str(wanted), classes)
        elif not wanted and pending and not bound and (wanted == "" or not any(map(_is_default, classes.values()))):
            yield _without_class(app, key, wanted, existing)


def _finding(app: App, key: ObjectKey, wanted: str, classes: dict[ObjectKey, Object]) -> Finding:
    existing = [one.name for one in classes]
    owner, path = class_written(app, key)
    create = Fix(text=f"create the StorageClass {wanted}: the claim is then bound automatically")
    meant = _meant(wanted, classes)
    written = item(app, owner)
    if written is not None and FieldPath.parse(path).resolve(written.obj) in existing:
        delete = then_sync(app, f"kubectl delete pvc {key.name} -n {key.namespace}")
        fix, options = Fix(text="Git is right by now; the class of a claim cannot change", command=delete), []
    elif meant:
        fix = rewrite(
            app,
            owner,
            path,
            meant,
            then=deletion([PendingClaim(app.assessment.app.metadata.name, key, owner if owner != key else None)]),
            remark=_REMARK if owner == key else f"{_REMARK}; nor can the templates of {owner.short}: it is made again",
        )
        options = [create]
    else:
        fix, options = Fix(text=f"decide: create the StorageClass {wanted}, or name one that exists at {path}"), []
    known = ", ".join(existing) or "none"
    return RULE.finding(
        key.short,
        f'{key.short}: StorageClass "{wanted}" does not exist (existing: {known})',
        evidence=[*line(app, owner, path, f"storageClassName: {wanted}"), *_said(app, key)],
        fix=fix,
        options=options,
    )


class PendingClaim(msgspec.Struct, frozen=True):
    """A claim that was never bound: the app that delivers it, and the StatefulSet that made it, if one did."""

    app: str
    key: ObjectKey
    maker: ObjectKey | None = None

    @property
    def deletions(self) -> list[str]:
        """The commands that have it made again with another class.

        The templates of a StatefulSet cannot change either, so it is made again too; its pods stay, but for the one
        that waits for the claim.
        """
        space = f"-n {self.key.namespace}"
        claim = f"kubectl delete pvc {self.key.name} {space}"
        if self.maker is None:
            return [claim]
        ordinal = self.key.name.rpartition("-")[2]
        maker = f"kubectl delete statefulset.apps {self.maker.name} {space} --cascade=orphan"
        return [maker, claim, f"kubectl delete pod {self.maker.name}-{ordinal} {space}"]


def deletion(claims: Sequence[PendingClaim]) -> str:
    """Return the command that has claims made again.

    The apps are refreshed first: deleted before the commit is known, a claim would be made again as it was.
    """
    apps = dict.fromkeys(claim.app for claim in claims if claim.app)
    commands = dict.fromkeys(command for claim in claims for command in claim.deletions)
    return " && ".join([*(f"syncline app get {app} --refresh" for app in apps), *commands])


def _without_class(app: App, key: ObjectKey, wanted: Any, existing: list[str]) -> Finding:
    """Return what is said of a claim that names no class, or an empty one: a volume has to be there already."""
    owner, path = class_written(app, key)
    known = ", ".join(existing) or "none"
    why = 'storageClassName is ""' if wanted == "" else "it names no StorageClass, and none is the default"
    where = place(app, owner, path) if wanted == "" else place(app, owner, path.rpartition(".")[0])
    at = f" at {where}" if where else ""
    return RULE.finding(
        key.short,
        f"{key.short}: {why}, so it waits for a PersistentVolume created by hand (existing classes: {known})",
        evidence=[*line(app, owner, path, "" if wanted == "" else "storageClassName is missing"), *_said(app, key)],
        fix=Fix(
            text=f"decide: name a StorageClass{at} and delete the claim, which was never bound: kubectl delete pvc "
            f"{key.name} -n {key.namespace}; or create a PersistentVolume that fits"
        ),
    )


def _is_default(obj: Object) -> bool:
    return meta.annotation(obj, _DEFAULT) == "true"


def _said(app: App, key: ObjectKey) -> list[Evidence]:
    """Return the words of the volume controller, where its Event is still there."""
    health = app.assessment.healths.get(key)
    return [Evidence(kind=EvidenceKind.EVENT, text=health.message, subject=key)] if health and health.message else []


def _meant(wanted: str, classes: dict[ObjectKey, Object]) -> str:
    """Return the class that must have been meant: a near name, the default, or the only one."""
    names = [key.name for key in classes]
    near = nearest(wanted, names)
    marked = [key.name for key, obj in classes.items() if meta.annotation(obj, _DEFAULT) == "true"]
    return next(iter([*near, *marked, *(names if len(names) == 1 else [])]), "")


def class_written(app: App, key: ObjectKey) -> tuple[ObjectKey, str]:
    """Return the object in Git that names the class: the claim, or the StatefulSet whose template made it."""
    if item(app, key) is None:
        for one in app.assessment.prepared.objects:
            if (path := template_path(one.obj, key)) and one.key.namespace == key.namespace:
                return one.key, path
    return key, "spec.storageClassName"


def template_path(obj: Object, claim: ObjectKey) -> str:
    """Return where a StatefulSet names the class of a claim that one of its templates made; else nothing."""
    for index, entry in enumerate(_templates(obj)):
        name = f"{(entry.get('metadata') or {}).get('name')}-{meta.name(obj)}-"
        if claim.name.startswith(name) and claim.name.removeprefix(name).isdecimal():
            return f"spec.volumeClaimTemplates[{index}].spec.storageClassName"
    return ""


def _templates(obj: Object) -> list[dict[str, Any]]:
    found = (obj.get("spec") or {}).get("volumeClaimTemplates") if obj.get("kind") == "StatefulSet" else None
    return found if isinstance(found, list) else []


@RULE.on_each(Repo, delivered)
def check_repo(repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield a finding about a claim of a class that the cluster does not have, where facts tell of its classes."""
    delivery, claim = one
    facts = repo.world.facts(delivery.cluster)
    if facts is None or not facts.storage_classes:
        return
    known = [one.name for one in facts.storage_classes]
    known += [key.name for key in repo.world.objects if key.group_kind == STORAGE_CLASS]
    for path, name in _classes(claim):
        if name and name not in known:
            near = nearest(name, known)
            message = (
                f"{claim.key.short} of {delivery} names class {name}, which {facts.name} does not have (it has: "
                f"{listed(known, 5)})"
            )
            fix = Fix(text=f"write {near[0]}") if near else RULE.usual_fix
            severity = Severity.INFO if facts.stale else Severity.ERROR
            yield RULE.finding(claim.key.short, message, evidence=[at(claim, path, name)], fix=fix, severity=severity)


def _classes(claim: Prepared) -> Iterator[tuple[str, str]]:
    if claim.key.group_kind == CLAIM:
        yield "spec.storageClassName", str(dig(claim.obj, "spec", "storageClassName") or "")
    if claim.key.kind == "StatefulSet":
        for index, one in enumerate(entries(claim.obj, "spec", "volumeClaimTemplates")):
            path = f"spec.volumeClaimTemplates[{index}].spec.storageClassName"
            yield path, str(dig(one, "spec", "storageClassName") or "")
