"""Every reason not to sync says what people need to know: which revision, how long, which objects."""

from typing import Any

import pytest

from syncline.apimachinery.keys import Object
from syncline.core.decide import decide
from syncline.model.decision import Decision, DecisionKind
from syncline.model.reason import Reason
from syncline.model.settings.settings import Compat, Settings
from tests.support.objects import (
    SHA,
    application_object,
    as_applied,
    assessed,
    config_map,
    deployment,
    desired,
    obj,
    prepared,
    tracked,
)

SOURCE = {"repoURL": "https://git.example.com/shop.git", "path": "deploy"}
REST, START = DecisionKind.REST, DecisionKind.START
HEALING = {"automated": {"selfHeal": True}}


def applied(value: Object) -> Object:
    return as_applied(prepared(value).objects[0].obj)


def last(phase: str = "Succeeded", *rows: Object, **rest: Any) -> Object:
    return {
        "operation": {"sync": {}},
        "phase": phase,
        "startedAt": "2026-03-01T08:00:00Z",
        "finishedAt": "2026-03-01T08:10:00Z",
        "message": "it said",
        "syncResult": {"revision": SHA, "source": SOURCE, "resources": list(rows)},
        **rest,
    }


def decided(
    policy: Object | None,
    *,
    wanted: tuple[Object, ...] = (config_map(data={"a": "2"}),),
    live: tuple[Object, ...] = (applied(config_map(data={"a": "1"})),),
    state: Object | None = None,
    **rest: Any,
) -> Decision:
    spec: dict[str, Any] = {"syncPolicy": policy} if policy is not None else {}
    if state:
        spec["status"] = {"operationState": state}
    return decide(assessed(application_object(**spec), wanted=desired(*wanted), live=live, **rest), ())


EXTRAS = tuple(tracked(config_map(f"extra-{number}")) for number in range(5))


@pytest.mark.parametrize(
    ("found", "reason", "detail"),
    [
        (decided(None), Reason.NOT_AUTOMATED, "spec.syncPolicy.automated is not set; out of sync: ConfigMap/settings"),
        (
            decided({"automated": {"enabled": False}}),
            Reason.NOT_AUTOMATED,
            "automated.enabled is false; out of sync: ConfigMap/settings",
        ),
        (
            decided(HEALING, live=(applied(config_map(data={"a": "2"})),)),
            Reason.ALREADY_SYNCED,
            f"at {SHA}",
        ),
        (
            decided({"automated": {}}, wanted=(), live=EXTRAS),
            Reason.ONLY_PRUNING_NEEDED,
            "no longer in Git: ConfigMap/extra-0, ConfigMap/extra-1, ConfigMap/extra-2 and 2 more",
        ),
        (
            decided({"automated": {"prune": True}}, wanted=(), live=EXTRAS[:2]),
            Reason.WOULD_WIPE_OUT,
            f"Skipping sync attempt to [{SHA}]: auto-sync will wipe out all resources",
        ),
        (
            decided({"automated": {}}, state=last()),
            Reason.ALREADY_ATTEMPTED,
            f"{SHA} was synced at 2026-03-01T08:10:00Z; since then out of sync: ConfigMap/settings",
        ),
        (
            decided(HEALING, state=last("Failed")),
            Reason.FAILED_BEFORE,
            f"Failed last sync attempt to [{SHA}]: it said",
        ),
        (
            decided(
                HEALING,
                state=last(operation={"sync": {"autoHealAttemptsCount": 3}}),
                as_of="2026-03-01T08:10:08Z",
            ),
            Reason.SELF_HEAL_BACKOFF,
            "attempt 4 in 10 s; out of sync: ConfigMap/settings",
        ),
    ],
    ids=lambda value: value.value if isinstance(value, Reason) else "",
)
def test_every_skip_is_a_reason_with_its_detail(found: Decision, reason: Reason, detail: str) -> None:
    assert (found.kind, found.reason, found.detail) == (REST, reason, detail)


def test_a_failed_revision_is_reported_before_the_guard_against_wiping_out() -> None:
    found = decided({"automated": {"prune": True}}, wanted=(), live=EXTRAS, state=last("Failed"))
    assert found.reason is Reason.FAILED_BEFORE


def test_without_growing_pauses_self_heal_waits_its_fixed_delay() -> None:
    settings = Settings(self_heal_backoff=0.0, self_heal_delay=5.0)
    early = decided(HEALING, state=last(), settings=settings, as_of="2026-03-01T08:10:03Z")
    assert (early.reason, early.look_again.seconds) == (Reason.SELF_HEAL_BACKOFF, 2.0)
    late = decided(HEALING, state=last(), settings=settings, as_of="2026-03-01T08:10:05Z")
    assert (late.kind, late.reason) == (START, Reason.SELF_HEAL)


def row(kind: str, name: str, *, group: str = "", status: str = "SyncFailed", **rest: Any) -> Object:
    fields = {"namespace": "shop", "message": "", "hookPhase": "Failed", "syncPhase": "Sync", **rest}
    return {"group": group, "version": "v1", "kind": kind, "name": name, "status": status, **fields}


NO_KIND = row("Widget", "one", group="example.com", message="The Kubernetes API could not find example.com/Widget …")
NO_VERSION = row(
    "Widget", "one", group="example.com", version="v9", message="The Kubernetes API could not find version…"
)
NO_NAMESPACE = row("ConfigMap", "settings", message='namespaces "shop" not found')
SICK = row("Deployment", "web", group="apps", status="Synced", message="exceeded its progress deadline")
HOOK = row("Job", "migrate", group="batch", hookType="PreSync", message="BackoffLimitExceeded")
OTHER = row("ConfigMap", "settings", message="data: Invalid value")
WIDGET = tracked(obj("Widget", "other", api="example.com/v1"))


@pytest.mark.parametrize(
    ("rows", "live", "detail"),
    [
        ((NO_KIND,), (WIDGET,), "the cluster serves example.com/Widget now"),
        ((NO_KIND,), (), ""),
        ((NO_VERSION,), (WIDGET,), ""),
        ((NO_NAMESPACE,), (obj("Namespace", "shop"),), "namespace shop exists now"),
        ((NO_NAMESPACE,), (), ""),
        ((SICK,), (tracked(deployment(ready=1)),), "Deployment/web is healthy now"),
        ((SICK,), (tracked(deployment(ready=0)),), ""),
        ((SICK,), (), ""),
        ((HOOK,), (), ""),
        ((OTHER,), (), ""),
        ((NO_NAMESPACE, OTHER), (obj("Namespace", "shop"),), ""),
        ((NO_NAMESPACE, SICK), (obj("Namespace", "shop"), tracked(deployment(ready=1))),
         "namespace shop exists now; Deployment/web is healthy now"),
    ],
)  # fmt: skip
def test_a_failed_revision_is_tried_again_when_everything_that_made_it_fail_is_gone(
    rows: tuple[Object, ...], live: tuple[Object, ...], detail: str
) -> None:
    found = decided({"automated": {}}, state=last("Failed", *rows), live=live)
    if detail:
        assert (found.kind, found.reason, found.detail) == (START, Reason.CAUSE_CLEARED, detail)
        assert found.operation is not None
        assert found.operation.sync is not None
        assert found.operation.sync.resources == ()
    else:
        assert (found.kind, found.reason) == (REST, Reason.FAILED_BEFORE)
    settings = Settings(compat=Compat.ARGOCD)
    theirs = decided({"automated": {}}, state=last("Failed", *rows), live=live, settings=settings)
    assert theirs.reason is Reason.FAILED_BEFORE


def test_what_is_cleared_at_once_is_not_tried_again_at_once() -> None:
    state = last("Failed", NO_NAMESPACE)
    live = (obj("Namespace", "shop"),)
    early = decided({"automated": {}}, state=state, live=live, as_of="2026-03-01T08:10:10Z")
    assert (early.kind, early.reason, early.look_again.seconds) == (REST, Reason.FAILED_BEFORE, 20.0)
    assert decided({"automated": {}}, state=state, live=live, as_of="2026-03-01T08:10:30Z").kind is START
