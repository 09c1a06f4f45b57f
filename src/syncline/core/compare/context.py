"""What a comparison needs beyond the objects: settings, schemas, rules, options, given answers.

Built by `syncline.core.assess` and the command line (`for_app` reads what the Application says), read by every module
of this package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupVersionKind, Object, ObjectKey
from syncline.apimachinery.schema.node import Node
from syncline.core.compare import migration
from syncline.core.compare.ignore import rules as ignoring
from syncline.model import names
from syncline.model.application import Application
from syncline.model.comparison import AcceptedDrift, CompareStrategy
from syncline.model.settings.settings import Settings
from syncline.model.sync_options import NO_OPTIONS, SyncOptions

NodeFor = Callable[[GroupVersionKind], Node]


class DryRunRefused(msgspec.Struct, frozen=True):
    """The server would not answer a dry run; one sentence says why."""

    message: str


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """What a comparison needs beyond the objects."""

    settings: Settings
    node_for: NodeFor
    as_of: str
    synced_before: bool = False
    """Whether this very revision was synced: then a difference arose in the cluster, not in Git."""
    rules: ignoring.IgnoreRules = ignoring.NO_RULES
    answers: ignoring.Answers = ignoring.NO_ANSWERS
    compare_options: tuple[str, ...] = ()
    """Words of the Application's compare-options annotation."""
    sync_options: SyncOptions = NO_OPTIONS
    """The Application's sync options, of which those about applying count."""
    migration_managers: tuple[str, ...] = ()
    """Managers named by the Application whose client-side applied fields are ours; see migration-manager."""
    predicted: Mapping[ObjectKey, Object | DryRunRefused] = {}
    """Answers of the server to dry runs."""
    strategy: CompareStrategy | None = None
    """Set to compare everything in one way, whatever settings and annotations say."""
    explain: bool = False
    """Whether differences that do not count are listed too."""
    schemas: str = ""
    """Names the schemas behind `node_for`: part of memo keys."""
    cluster: str = ""
    """The address of the cluster that live objects were read from, without which their versions say nothing."""


def for_app(
    app: Application | None,
    settings: Settings,
    node_for: NodeFor,
    as_of: str,
    accepted: Sequence[AcceptedDrift] = (),
) -> Context:
    """Return the context of one Application: its options and rules with those of the settings."""
    return Context(
        settings=settings,
        node_for=node_for,
        as_of=as_of,
        rules=ignoring.rules_of(app, settings, accepted, as_of),
        compare_options=words(app.metadata.annotations.get(names.COMPARE_OPTIONS) if app else ""),
        sync_options=app.spec.options if app else NO_OPTIONS,
        migration_managers=migration.named(app),
    )


def words(text: object) -> tuple[str, ...]:
    """Return the options of a comma-separated annotation."""
    return tuple(word.strip() for word in str(text or "").split(",") if word.strip())


def annotation_words(obj: Object, name: str) -> tuple[str, ...]:
    """Return the options of an object's annotation."""
    return words((meta.annotations(obj)).get(name))
