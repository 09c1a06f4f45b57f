"""Sync options: every one that exists, and what an Application or an object says with them.

Words come from `spec.syncPolicy.syncOptions`, from the request of an operation, and from the annotation of an object;
`SyncOptions` is what planning, comparing and deleting work with. A word counts only as it is spelled here: others have
no effect, and `syncline.core.sync.option_words` tells people about them.
"""

from __future__ import annotations

import functools
from enum import StrEnum

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.model import names


class Level(StrEnum):
    """Where a sync option can stand."""

    APP = "Application"
    OBJECT = "object"


class KnownOption(msgspec.Struct, frozen=True):
    """A sync option: its name, the values it can have, and where it has an effect."""

    name: str
    values: tuple[str, ...]
    levels: tuple[Level, ...] = (Level.APP, Level.OBJECT)


_SWITCH = ("true", "false")
_APP = (Level.APP,)

KNOWN = (
    KnownOption("ApplyOutOfSyncOnly", _SWITCH, _APP),
    KnownOption("ClientSideApplyMigration", _SWITCH, _APP),
    KnownOption("CreateNamespace", _SWITCH, _APP),
    KnownOption("Delete", ("true", "false", "confirm")),
    KnownOption("FailOnSharedResource", _SWITCH, _APP),
    KnownOption("Force", _SWITCH, (Level.OBJECT,)),
    KnownOption("Prune", ("true", "false", "confirm")),
    KnownOption("PruneLast", _SWITCH),
    KnownOption("PrunePropagationPolicy", ("foreground", "background", "orphan"), _APP),
    KnownOption("Replace", _SWITCH),
    KnownOption("RespectIgnoreDifferences", _SWITCH, _APP),
    KnownOption("ServerSideApply", _SWITCH),
    KnownOption("SkipDryRunOnMissingResource", _SWITCH),
    KnownOption("Validate", _SWITCH),
)
"""Every sync option, once."""


class Consent(StrEnum):
    """Whether objects may be deleted."""

    GIVEN = "true"
    REFUSED = "false"
    ASK = "confirm"
    UNKNOWN = "?"
    """A value nobody knows. On an object it hides what the app says, as with Argo CD, and forbids nothing."""


class SyncOptions(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, cache_hash=True):
    """What one Application, one operation or one object says; whoever has two of them decides which counts."""

    prune: Consent | None = None
    delete: Consent | None = None
    prune_last: bool = False
    propagation: str = "Foreground"
    """What happens to the children of a pruned object, as the API server calls it."""
    validate: bool = True
    skip_dry_run_on_missing_resource: bool = False
    replace: bool = False
    force: bool = False
    server_side_apply: bool | None = None
    client_side_apply_migration: bool = True
    apply_out_of_sync_only: bool = False
    create_namespace: bool = False
    respect_ignore_differences: bool = False
    fail_on_shared_resource: bool = False
    released: bool = False
    """Whether `Prune=true` is said: nobody need be asked before objects are pruned."""

    @classmethod
    def parse(cls, words: tuple[str, ...], level: Level = Level.APP) -> SyncOptions:
        """Return what words mean; those that are not sync options mean nothing."""
        return _parsed(words, level) if words else NO_OPTIONS

    @classmethod
    def of(cls, obj: Object | None) -> SyncOptions:
        """Return what an object says."""
        words = words_of(obj)
        return _parsed(words, Level.OBJECT) if words else NO_OPTIONS


NO_OPTIONS = SyncOptions()


def words_of(obj: Object | None) -> tuple[str, ...]:
    """Return the words of an object's annotation, as they stand there."""
    text = meta.annotation(obj, names.SYNC_OPTIONS)
    return tuple(word for part in text.split(",") if (word := part.strip())) if text else ()


@functools.lru_cache(maxsize=1024)
def _parsed(words: tuple[str, ...], level: Level) -> SyncOptions:
    return SyncOptions(
        prune=_consent("Prune", words),
        delete=_consent("Delete", words),
        prune_last="PruneLast=true" in words,
        propagation=_propagation(words),
        validate="Validate=false" not in words,
        skip_dry_run_on_missing_resource="SkipDryRunOnMissingResource=true" in words,
        replace="Replace=true" in words,
        force="Force=true" in words,
        server_side_apply=_server_side(words, level),
        client_side_apply_migration="ClientSideApplyMigration=false" not in words,
        apply_out_of_sync_only="ApplyOutOfSyncOnly=true" in words,
        create_namespace="CreateNamespace=true" in words,
        respect_ignore_differences="RespectIgnoreDifferences=true" in words,
        fail_on_shared_resource="FailOnSharedResource=true" in words,
        released="Prune=true" in words,
    )


def _consent(name: str, words: tuple[str, ...]) -> Consent | None:
    """Return the last value of `Prune` or `Delete`."""
    said = [value for word in words for option, equals, value in [word.partition("=")] if option == name and equals]
    if not said:
        return None
    return Consent(said[-1]) if said[-1] in ("true", "false", "confirm") else Consent.UNKNOWN


def _server_side(words: tuple[str, ...], level: Level) -> bool | None:
    # Where both are said, Argo CD looks for `false` first on an object and for `true` first on an app.
    order = (False, True) if level is Level.OBJECT else (True, False)
    return next((value for value in order if f"ServerSideApply={str(value).lower()}" in words), None)


def _propagation(words: tuple[str, ...]) -> str:
    policies = ("foreground", "background", "orphan")
    return next((word.capitalize() for word in policies if f"PrunePropagationPolicy={word}" in words), "Foreground")
