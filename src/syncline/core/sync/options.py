"""What is in force where both the Application and an object have sync options.

Asked by `syncline.core.sync.order`, `syncline.core.sync.pruning`, `syncline.core.sync.refusals` and
`syncline.core.sync.teardown`. About deletion the object's word wins over the app's; switches are on when either turns
them on.
"""

from __future__ import annotations

from syncline.apimachinery.keys import Object
from syncline.model.sync_options import Consent, SyncOptions


def prune_consent(app: SyncOptions, live: Object | None) -> Consent | None:
    """Return whether an extra object may be pruned, or somebody has to approve first; None where nobody said so."""
    return SyncOptions.of(live).prune or app.prune


def prune_released(app: SyncOptions, live: Object | None) -> bool:
    """Whether app or object say that nobody need be asked before the object is pruned."""
    return app.released or SyncOptions.of(live).released


def delete_consent(app: SyncOptions, live: Object | None) -> Consent | None:
    """Return whether an object goes when its app is deleted, or somebody has to approve first."""
    return SyncOptions.of(live).delete or app.delete


def pruned_last(app: SyncOptions, live: Object | None) -> bool:
    """Whether an extra object is pruned after everything else."""
    return app.prune_last or SyncOptions.of(live).prune_last


def dry_run_skipped(app: SyncOptions, obj: Object | None) -> bool:
    """Whether an object of a kind that nobody serves is not tried out beforehand."""
    return app.skip_dry_run_on_missing_resource or SyncOptions.of(obj).skip_dry_run_on_missing_resource
