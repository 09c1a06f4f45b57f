"""A diagnosis as the controller publishes it: the resource `Diagnosis` of `syncline.io`, one for each installation.

Made by `syncline.core.diagnose.findings.publish`, written by `syncline.controller.diagnosis`, read by people with
kubectl and by `syncline.server.metering.metrics`. Names are part of an API: fields may come, none may change or go.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import GroupKind, GroupVersionKind, InvalidKey, Object, ObjectKey

GROUP = "syncline.io"
VERSION = "v1alpha1"
DIAGNOSIS = GroupVersionKind(GROUP, VERSION, "Diagnosis")
KIND = GroupKind(GROUP, "Diagnosis")
PLURAL = "diagnoses"
NAME = "syncline"
"""What the one resource of an installation is named, in the namespace of its Applications."""


class PublishedCause(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """One cause. `id` stays while the incident lasts, and `syncline diagnose ID` tells all about it.

    `object` is what is bad, `affected` counts the Applications behind it and `applications` names the first of them.
    """

    id: str
    code: str
    name: str
    message: str
    object: str = ""
    cluster: str = ""
    affected: int = 0
    applications: tuple[str, ...] = ()
    confidence: str = ""
    evidence: tuple[str, ...] = ()
    fix: str = ""
    since: str = ""
    first_seen: str = ""


class PublishedStatus(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """All causes, ranked, and the order of repair with how many Applications are OK after each step, at most.

    `omitted` counts causes and `unexplained` symptoms that are not listed; `unread` is what could not be looked at.
    """

    applications: int = 0
    ok: int = 0
    states: dict[str, int] = {}
    found: int = 0
    causes: tuple[PublishedCause, ...] = ()
    omitted: int = 0
    unexplained: int = 0
    repair_order: tuple[str, ...] = ()
    ok_after: tuple[int, ...] = ()
    unread: tuple[str, ...] = ()
    changed_at: str = ""


class PublishedDiagnosis(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, rename="camel"):
    """What is wrong with the Applications of an installation, and why."""

    metadata: Object = {}
    status: PublishedStatus = PublishedStatus()


def key(namespace: str) -> ObjectKey:
    """Return the one resource of an installation."""
    return ObjectKey(GROUP, KIND.kind, namespace, NAME)


def plain_words(cause: PublishedCause) -> str:
    """Return kind, name and reason of a cause, for readers who may not see the object that it is about."""
    try:
        about = ObjectKey.parse(cause.object).short
    except InvalidKey:
        about = cause.object.partition(" ")[0]
    return f"{about}: {cause.name}" if about else cause.name
