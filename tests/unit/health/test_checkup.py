"""Health within a snapshot: scripts of the settings first, then what is built in, then what differs on purpose."""

from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import Object, key_of
from syncline.core import operating
from syncline.core.health import scripts
from syncline.core.sync.settling import settled
from syncline.model.application import Condition
from syncline.model.health import Health, HealthCode
from syncline.model.operation import OperationPhase
from syncline.model.result import ResultCode
from syncline.model.settings.resources import Customizations, ResourceOverride
from syncline.model.settings.settings import Compat, Settings
from syncline.model.snapshot import ScriptedHealth
from tests.support.carrying import result
from tests.support.objects import (
    NOW,
    SETTINGS,
    application_object,
    assessed,
    deployment,
    desired,
    hook_task,
    obj,
    task,
    tracked,
)

LUA = "return {}"


def with_scripts(*patterns: str) -> Settings:
    overrides = tuple(ResourceOverride(pattern=pattern, health_lua=LUA) for pattern in patterns)
    return msgspec.structs.replace(SETTINGS, overrides=overrides)


def web(version: str = "7", **rest: Any) -> Object:
    found = tracked(deployment(ready=1, **rest))
    found["metadata"] |= {"uid": "u1", "resourceVersion": version}
    return found


def health_of(value: Object, said: Health | None = None, version: str = "u1/7", **rest: Any) -> Health | None:
    scripted = (ScriptedHealth(key_of(value), version, said),)
    found = assessed(wanted=desired(value), live=[value], scripted=scripted, **rest)
    return found.healths.get(key_of(value))


SAID = Health(HealthCode.DEGRADED, "no", "Script")


@pytest.mark.parametrize("pattern", ["apps/Deployment", "apps/*", "*/Deployment"])
def test_a_script_of_the_settings_outweighs_the_built_in_check(pattern: str) -> None:
    assert health_of(web(), SAID, settings=with_scripts(pattern)) == SAID


def test_a_script_of_a_folder_outweighs_the_built_in_check() -> None:
    folder = Customizations(exact={"apps/Deployment": ResourceOverride(pattern="apps/Deployment", health_lua=LUA)})
    assert health_of(web(), SAID, settings=msgspec.structs.replace(SETTINGS, customizations=folder)) == SAID


def test_a_script_for_another_kind_changes_nothing() -> None:
    found = health_of(web(), SAID, settings=with_scripts("apps/StatefulSet"))
    assert found is not None
    assert found.status is HealthCode.HEALTHY


def test_deletion_outweighs_any_script() -> None:
    found = health_of(web(deletionTimestamp=NOW), SAID, settings=with_scripts("apps/Deployment"))
    assert found is not None
    assert (found.status, found.message) == (HealthCode.PROGRESSING, "Pending deletion")


def test_a_verdict_about_an_older_version_does_not_count() -> None:
    found = health_of(web("8"), SAID, settings=with_scripts("apps/Deployment"))
    assert found is not None
    assert (found.status, found.reason) == (HealthCode.PROGRESSING, "ScriptPending")


def test_a_verdict_about_an_object_that_was_deleted_and_created_again_does_not_count() -> None:
    found = health_of(web(), SAID, "u0/7", settings=with_scripts("apps/Deployment"))
    assert found is not None
    assert (found.status, found.reason) == (HealthCode.PROGRESSING, "ScriptPending")


def test_an_object_without_uid_and_version_is_known_by_its_content() -> None:
    bare = tracked(deployment(ready=1))
    said = health_of(bare, SAID, scripts.version_of(bare), settings=with_scripts("apps/Deployment"))
    other = tracked(deployment(ready=0))
    unsaid = health_of(other, SAID, scripts.version_of(bare), settings=with_scripts("apps/Deployment"))
    assert (said, unsaid and unsaid.reason) == (SAID, "ScriptPending")


def test_a_script_that_gives_no_status_leaves_the_object_without_health_and_the_app_healthy() -> None:
    value = web()
    scripted = (ScriptedHealth(key_of(value), "u1/7", None),)
    found = assessed(wanted=desired(value), live=[value], scripted=scripted, settings=with_scripts("apps/Deployment"))
    assert (found.healths, found.health.status) == ({}, HealthCode.HEALTHY)


def test_a_script_that_gives_no_status_never_completes_a_task_of_a_sync_but_does_complete_a_hook() -> None:
    value = web()
    scripted = (ScriptedHealth(key_of(value), "u1/7", None),)
    found = assessed(wanted=desired(value), live=[value], scripted=scripted, settings=with_scripts("apps/Deployment"))
    plain, ran = task("web", kind="Deployment", group="apps"), hook_task("web")
    outcomes = [
        settled(result(one, ResultCode.SYNCED), one, value, health_of=operating.gate(found)) for one in (plain, ran)
    ]
    assert [outcome and outcome.hook_phase for outcome in outcomes] == [None, OperationPhase.SUCCEEDED]


def test_a_failed_script_makes_the_app_unknown_and_adds_a_comparison_error() -> None:
    value = web()
    failed = Health(HealthCode.UNKNOWN, "the Lua script failed: x", "ScriptFailed")
    scripted = (ScriptedHealth(key_of(value), "u1/7", failed),)
    found = assessed(wanted=desired(value), live=[value], scripted=scripted, settings=with_scripts("apps/Deployment"))
    assert found.health.status is HealthCode.UNKNOWN
    text = 'failed to get resource health for "Deployment" with name "web" in namespace "shop"'
    expected = Condition("ComparisonError", f"error setting app health: {text}: the Lua script failed: x")
    assert expected in found.comparison.conditions


CHILD = tracked(application_object("child"))


@pytest.mark.parametrize(("compat", "known"), [(Compat.SYNCLINE, True), (Compat.ARGOCD, False)])
def test_child_apps_have_health_except_with_compat_argocd(compat: Compat, known: bool) -> None:
    settings = msgspec.structs.replace(SETTINGS, compat=compat)
    found = assessed(wanted=desired(CHILD), live=[CHILD], settings=settings)
    assert (key_of(CHILD) in found.healths) is known


CLAIM = tracked(obj("PersistentVolumeClaim", "data", spec={"storageClassName": "late"}, status={"phase": "Pending"}))
LATE = obj("StorageClass", "late", api="storage.k8s.io/v1", volumeBindingMode="WaitForFirstConsumer")


@pytest.mark.parametrize(
    ("compat", "code"), [(Compat.SYNCLINE, HealthCode.HEALTHY), (Compat.ARGOCD, HealthCode.PROGRESSING)]
)
def test_a_claim_that_waits_for_its_first_consumer_holds_up_nothing_except_with_compat_argocd(
    compat: Compat, code: HealthCode
) -> None:
    settings = msgspec.structs.replace(SETTINGS, compat=compat)
    found = assessed(wanted=desired(CLAIM), live=[CLAIM], settings=settings, surroundings=(LATE,))
    assert found.healths[key_of(CLAIM)].status is code


def test_objects_below_a_managed_one_do_not_count_for_the_app() -> None:
    value = web()
    owner = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "u1"}
    broken = obj("Pod", "web-1", ownerReferences=[owner], status={"phase": "Failed"})
    found = assessed(wanted=desired(value), live=[value, broken])
    assert found.health.status is HealthCode.HEALTHY
