"""All that a decision saw, frozen and dated, so that every answer can be replayed.

Collected by `syncline.controller.deliver.observe`; a snapshot file is a bug report and a test case. Written to disk
only through `syncline.model.codec`, which replaces Secret values by keyed digests.
"""

from __future__ import annotations

import msgspec

from syncline.apimachinery.keys import GroupKind, Object, ObjectKey
from syncline.model.application import Destination
from syncline.model.claims import Claim, OtherApp
from syncline.model.condition import ConditionType
from syncline.model.desired import Desired
from syncline.model.health import Health
from syncline.model.layers import Layers
from syncline.model.reason import Reason
from syncline.model.settings.settings import Settings


class Trouble(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that could not be read, in the words for people, and what it means for the app."""

    reason: Reason
    message: str
    condition: ConditionType = ConditionType.COMPARISON_ERROR


class KindFact(msgspec.Struct, frozen=True):
    """What the destination cluster says about a kind; `versions` are those it serves, the preferred one first."""

    kind: GroupKind
    namespaced: bool
    versions: tuple[str, ...] = ()


class ScriptedHealth(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the settings' health script said about one version of an object; no health where it gave no status.

    `version` is uid and resourceVersion, or a digest of an object that has none.
    """

    key: ObjectKey
    version: str
    health: Health | None = None


class DryRun(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the server said to a dry run of applying one object: the object as it would be, or why it refused."""

    key: ObjectKey
    answer: Object | None = None
    refused: str = ""


class PodLog(msgspec.Struct, frozen=True, omit_defaults=True):
    """The last lines that a container printed before it ended, without what looks like a secret."""

    pod: ObjectKey
    container: str
    lines: tuple[str, ...]


class Snapshot(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One Application, its desired and live objects and everything else that counts, at one time.

    `layers` says where the values of `desired` come from, for `why` alone. `live` holds what belongs to the app, what
    it desires and what those own. `complete` says that the live objects
    could be read in full; only then may anything be pruned. `desired` is of the revision a running operation is
    pinned to, `newest_revisions` is what the source has by now. `others` are Applications that live objects name as
    their owners or that desire objects of this app, which `claims` tells. `surroundings` are objects that are not
    the app's but tell about it (StorageClasses; for `why` also nodes, quotas, webhooks and so on), `logs` is what
    its failing containers printed, `unreadable` is what `why` may not read of both. `events` are Warning Events
    about its objects that are not Healthy, newest first, cut short. `scripted` is what health scripts of the
    settings said, `dry_runs` is what the server said to dry runs of objects that are compared by them. `unread` are
    desired objects of kinds that cannot be read: whether they are live is unknown. `destination` is where the app
    is delivered to, with both names of the cluster. `untouched` says that nothing below the app's
    manifest-generate-paths changed since the revision of the last operation, so that another one is no reason to
    sync. `orphaned` is how many objects of its namespace belong to nobody, where its project wants to be warned of
    them.
    """

    as_of: str
    app: Object
    settings: Settings
    project: Object | None = None
    desired: Desired | None = None
    desired_stale: bool = False
    layers: Layers = Layers()
    newest_revisions: tuple[str, ...] = ()
    live: tuple[Object, ...] = ()
    kinds: tuple[KindFact, ...] = ()
    schemas: tuple[Object, ...] = ()
    events: tuple[Object, ...] = ()
    surroundings: tuple[Object, ...] = ()
    logs: tuple[PodLog, ...] = ()
    unreadable: tuple[str, ...] = ()
    scripted: tuple[ScriptedHealth, ...] = ()
    dry_runs: tuple[DryRun, ...] = ()
    complete: bool = True
    incomplete_groups: tuple[str, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    others: tuple[OtherApp, ...] = ()
    claims: tuple[Claim, ...] = ()
    strangers: tuple[str, ...] = ()
    """Apps that live objects of this one are tracked for and that this installation does not know."""
    unseen: tuple[str, ...] = ()
    unread: tuple[ObjectKey, ...] = ()
    unpermitted: tuple[ObjectKey, ...] = ()
    """Objects that Git names, or that name the app, and that its project denies: nothing live of them is in here."""
    destination: Destination | None = None
    untouched: bool = False
    orphaned: int = 0
