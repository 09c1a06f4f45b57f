"""Which live objects belong to the comparison, and what an app adds up to beyond its rows."""

from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import Object, key_of
from syncline.core.assess import assess_app
from syncline.model import codec, names
from syncline.model.comparison import Verdict
from syncline.model.settings.settings import Compat, Settings
from syncline.model.snapshot import DryRun, Snapshot
from tests.support.objects import (
    application_object,
    as_applied,
    assessed,
    compared,
    config_map,
    context,
    deployment,
    desired,
    obj,
    prepared,
    snapshot,
    tracked,
)


def ingress(group: str, uid: str = "1") -> Object:
    found = tracked(obj("Ingress", "web", api=f"{group}/v1", spec={}))
    return {**found, "metadata": {**found["metadata"], "uid": uid}}


OLD, NEW = ingress("extensions"), ingress("networking.k8s.io")


@pytest.mark.parametrize(
    ("wanted", "rows"),
    [
        ((), ["extensions/Ingress:shop/web"]),
        ((NEW,), ["networking.k8s.io/Ingress:shop/web"]),
        ((OLD,), ["extensions/Ingress:shop/web"]),
    ],
)
def test_one_object_under_two_groups_is_one_row_and_git_chooses_which(wanted: Any, rows: list[str]) -> None:
    found = assessed(wanted=desired(*wanted), live=[OLD, NEW])
    assert [str(row.key) for row in found.comparison.rows] == rows


def test_objects_with_uids_of_their_own_are_not_collapsed() -> None:
    found = assessed(wanted=desired(), live=[OLD, ingress("networking.k8s.io", "2")])
    assert len(found.comparison.rows) == 2


def test_a_copy_that_carries_the_tracking_id_of_another_object_is_no_row_and_is_not_pruned() -> None:
    original = tracked(as_applied(config_map("a")))
    copy = {**original, "metadata": {**original["metadata"], "name": "copy"}}
    found = assessed(wanted=desired(config_map("a")), live=[original, copy])
    assert [row.key.name for row in found.comparison.rows] == ["a"]
    assert key_of(copy) not in found.owned


METADATA = {"labels": {"team": "shop"}}


def operated(recorded: Any) -> Object:
    result = {"revision": "b" * 40, **({"managedNamespaceMetadata": recorded} if recorded else {})}
    state = {"operation": {}, "phase": "Succeeded", "startedAt": "2026-03-01T08:00:00Z", "syncResult": result}
    policy = {"syncOptions": ["CreateNamespace=true"], "managedNamespaceMetadata": METADATA}
    return application_object(syncPolicy=policy, status={"operationState": state})


@pytest.mark.parametrize(
    ("app", "verdict"),
    [
        (operated(METADATA), Verdict.SYNCED),
        (operated({"labels": {"team": "other"}}), Verdict.OUT_OF_SYNC),
        (operated(None), Verdict.OUT_OF_SYNC),
        (application_object(syncPolicy={"managedNamespaceMetadata": METADATA}), Verdict.SYNCED),
        (application_object(), Verdict.SYNCED),
    ],
)
def test_namespace_metadata_that_changed_since_the_last_operation_makes_the_app_out_of_sync(
    app: Object, verdict: Verdict
) -> None:
    wanted = config_map()
    live = as_applied(prepared(wanted).objects[0].obj)
    assert assess_app(snapshot(app, wanted=desired(wanted), live=[live])).comparison.verdict is verdict


def test_under_argo_cds_rules_one_object_that_cannot_be_compared_makes_every_row_unknown() -> None:
    """A field that no schema knows cannot be merged; Syncline leaves the ConfigMap its verdict."""
    applied = deployment(annotations={names.SYNC_OPTIONS: "ServerSideApply=true"})
    broken = {**applied, "spec": {**applied["spec"], "replica": 1}}
    live = [as_applied(prepared(config_map()).objects[0].obj), as_applied(prepared(deployment()).objects[0].obj)]
    verdicts = {}
    for compat in Compat:
        settings = Settings(compat=compat)
        found = compared(
            prepared(config_map(), broken, settings=settings), *live, in_context=context(settings=settings)
        )
        verdicts[compat] = [row.verdict for row in found.rows]
        errors = [condition.message for condition in found.conditions if condition.type == "ComparisonError"]
        assert found.verdict is Verdict.UNKNOWN
        if compat is Compat.ARGOCD:
            (message,) = errors
            assert message.startswith("Failed to compare desired state to live state: ")
    assert verdicts == {
        Compat.SYNCLINE: [Verdict.SYNCED, Verdict.UNKNOWN],
        Compat.ARGOCD: [Verdict.UNKNOWN, Verdict.UNKNOWN],
    }


def team(**lists: Any) -> Object:
    spec = {"sourceRepos": ["*"], "destinations": [{"server": "*", "namespace": "*"}], **lists}
    return {"apiVersion": names.API_VERSION, "kind": "AppProject", "metadata": {"name": "team"}, "spec": spec}


@pytest.mark.parametrize(
    ("project", "verdicts"),
    [
        (team(), [Verdict.SYNCED, Verdict.UNKNOWN]),
        (team(clusterResourceWhitelist=[{"group": "*", "kind": "*"}]), [Verdict.SYNCED, Verdict.SYNCED]),
        (
            team(clusterResourceWhitelist=[{"group": "*", "kind": "*"}], namespaceResourceWhitelist=[]),
            [Verdict.UNKNOWN, Verdict.SYNCED],
        ),
        (None, [Verdict.SYNCED, Verdict.SYNCED]),
    ],
)
def test_a_kind_that_the_project_does_not_permit_is_unknown_and_the_app_keeps_its_verdict(
    project: Object | None, verdicts: list[Verdict]
) -> None:
    wanted = [config_map(), obj("Namespace", "shop")]
    live = [as_applied(item.obj) for item in prepared(*wanted).objects]
    found = assessed(wanted=desired(*wanted), live=live, project=project).comparison
    assert [row.verdict for row in found.rows] == verdicts
    assert found.verdict is Verdict.SYNCED


def test_a_snapshot_with_dry_runs_gives_the_same_answer_when_it_is_replayed() -> None:
    """The server would give the ConfigMap another colour, so it differs, also after a trip through a file."""
    wanted = prepared(config_map()).objects[0]
    live = as_applied(wanted.obj)
    app = application_object(metadata={"annotations": {names.COMPARE_OPTIONS: "ServerSideDiff=true"}})
    runs = (DryRun(wanted.key, {**live, "data": {"colour": "red"}}),)
    taken = snapshot(app, wanted=desired(config_map()), live=[live], dry_runs=runs)
    again = codec.decode(Snapshot, codec.encode_snapshot(taken, b"key"))
    for one in (taken, again):
        (row,) = assess_app(one).comparison.rows
        assert [(item.path, item.desired) for item in row.differences] == [("data.colour", "red")]
    refused = msgspec.structs.replace(taken, dry_runs=(DryRun(wanted.key, refused="denied"),))
    (row,) = assess_app(refused).comparison.rows
    assert row.choice is not None
    assert "the server refused the dry run: denied" in row.choice.reason
