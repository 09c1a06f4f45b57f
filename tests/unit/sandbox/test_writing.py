"""Creating, replacing and patching objects: metadata, locks, generation, dry runs."""

from typing import Any

import pytest

from tests.unit.sandbox.driving import (
    CONFIG_MAPS,
    DEFINITIONS,
    DEPLOYMENTS,
    JSON_PATCH,
    STRATEGIC,
    WIDGETS,
    Kube,
    config_map,
    definition,
    play,
    widget,
    workload,
)


def test_a_created_object_gets_uid_time_version_and_an_owner_of_its_fields() -> None:
    async def story(kube: Kube) -> Any:
        return await kube.create(CONFIG_MAPS, config_map(data={"a": "1"}), fieldManager="me")

    created = play(story)
    metadata = created["metadata"]
    assert created["data"] == {"a": "1"}
    assert len(metadata["uid"]) == 36
    assert metadata["creationTimestamp"] == "2030-01-01T00:00:00Z"
    assert int(metadata["resourceVersion"]) > 1
    assert "generation" not in metadata
    assert metadata["managedFields"] == [
        {
            "manager": "me",
            "operation": "Update",
            "apiVersion": "v1",
            "time": "2030-01-01T00:00:00Z",
            "fieldsType": "FieldsV1",
            "fieldsV1": {"f:data": {".": {}, "f:a": {}}},
        }
    ]


def test_a_dry_run_answers_like_the_real_thing_and_stores_nothing() -> None:
    async def story(kube: Kube) -> Any:
        dry = await kube.create(CONFIG_MAPS, config_map(data={"a": "1"}), dryRun="All")
        assert "resourceVersion" not in dry["metadata"]
        await kube.create(CONFIG_MAPS, config_map(data={"a": "1"}))
        changed = await kube.merge(f"{CONFIG_MAPS}/settings", {"data": {"a": "2"}}, dryRun="All")
        live = await kube.get(f"{CONFIG_MAPS}/settings")
        await kube.delete(f"{CONFIG_MAPS}/settings", dryRun="All")
        return changed["data"], live["data"], await kube.get(f"{CONFIG_MAPS}/settings")

    changed, live, still = play(story)
    assert (changed, live, still["data"]) == ({"a": "2"}, {"a": "1"}, {"a": "1"})


def test_generate_name_ends_in_five_letters() -> None:
    async def story(kube: Kube) -> Any:
        return await kube.create(CONFIG_MAPS, {"metadata": {"generateName": "job-"}})

    name = play(story)["metadata"]["name"]
    assert name.startswith("job-")
    assert len(name) == len("job-") + 5


def test_a_write_that_changes_nothing_keeps_the_version_and_wakes_no_watcher() -> None:
    async def story(kube: Kube) -> Any:
        created = await kube.create(CONFIG_MAPS, config_map(data={"a": "1"}))
        await kube.clock.sleep(5)
        again = await kube.merge(f"{CONFIG_MAPS}/settings", {"data": {"a": "1"}})
        return created, again

    created, again = play(story)
    assert again == created


def test_a_stale_version_is_a_conflict() -> None:
    async def story(kube: Kube) -> Any:
        created = await kube.create(CONFIG_MAPS, config_map(data={"a": "1"}))
        await kube.merge(f"{CONFIG_MAPS}/settings", {"data": {"a": "2"}})
        return await kube.refusal("PUT", f"{CONFIG_MAPS}/settings", created)

    assert play(story) == (
        409,
        "Conflict",
        (
            'Operation cannot be fulfilled on configmaps "settings": the object has been modified; '
            "please apply your changes to the latest version and try again"
        ),
    )


@pytest.mark.parametrize(
    ("patch", "content_type", "generation"),
    [
        ({"spec": {"replicas": 5}}, STRATEGIC, 2),
        ({"metadata": {"labels": {"a": "b"}}}, STRATEGIC, 1),
        ({"status": {"replicas": 9}}, STRATEGIC, 1),
        ([{"op": "add", "path": "/spec/paused", "value": True}], JSON_PATCH, 2),
    ],
)
def test_only_a_changed_spec_counts_up_the_generation(patch: Any, content_type: str, generation: int) -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEPLOYMENTS, workload(replicas=0))
        return await kube.call("PATCH", f"{DEPLOYMENTS}/web", patch, content_type=content_type)

    assert play(story)["metadata"]["generation"] == generation


def test_status_and_spec_are_written_through_different_doors() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEFINITIONS, definition())
        await kube.sandbox.settled()
        created = await kube.create(WIDGETS, {**widget(), "status": {"phase": "Early"}})
        through_main = await kube.merge(f"{WIDGETS}/one", {"spec": {"size": 2}, "status": {"phase": "Main"}})
        through_status = await kube.merge(f"{WIDGETS}/one/status", {"spec": {"size": 9}, "status": {"phase": "Done"}})
        return created, through_main, through_status

    created, through_main, through_status = play(story)
    assert "status" not in created
    assert (through_main["spec"]["size"], through_main.get("status")) == (2, None)
    assert (through_status["spec"]["size"], through_status["status"]) == (2, {"phase": "Done"})
    assert through_status["metadata"]["generation"] == 2


def test_a_kind_without_status_subresource_counts_every_field() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEFINITIONS, definition(subresources={}))
        await kube.sandbox.settled()
        created = await kube.create(WIDGETS, {**widget(), "status": {"phase": "Early"}})
        changed = await kube.merge(f"{WIDGETS}/one", {"status": {"phase": "Late"}})
        return created, changed

    created, changed = play(story)
    assert created["status"] == {"phase": "Early"}
    assert (changed["status"], changed["metadata"]["generation"]) == ({"phase": "Late"}, 2)


def test_the_scale_subresource_reads_and_writes_replicas() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEPLOYMENTS, workload(replicas=0))
        before = await kube.get(f"{DEPLOYMENTS}/web/scale")
        after = await kube.merge(f"{DEPLOYMENTS}/web/scale", {"spec": {"replicas": 2}})
        return before, after, await kube.get(f"{DEPLOYMENTS}/web")

    before, after, live = play(story)
    assert before["spec"] == {}
    assert before["status"] == {"replicas": 0, "selector": "app=web"}
    assert after["spec"] == {"replicas": 2}
    assert (live["spec"]["replicas"], live["metadata"]["generation"]) == (2, 2)


def test_string_data_of_a_secret_becomes_data() -> None:
    async def story(kube: Kube) -> Any:
        body = {"metadata": {"name": "s"}, "stringData": {"user": "me"}}
        return await kube.create("/api/v1/namespaces/default/secrets", body)

    created = play(story)
    assert created["data"] == {"user": "bWU="}
    assert "stringData" not in created
    assert created["type"] == "Opaque"


@pytest.mark.parametrize(
    ("key", "complaint"),
    [("..", "must not be '..'"), ("..a", "must not start with '..'"), ("a" * 254, "must be no more than 253")],
)
@pytest.mark.parametrize("path", [CONFIG_MAPS, "/api/v1/namespaces/default/secrets"])
def test_keys_of_config_maps_and_secrets_that_no_file_could_have_are_refused(
    path: str, key: str, complaint: str
) -> None:
    async def story(kube: Kube) -> Any:
        return await kube.refusal("POST", path, {"metadata": {"name": "s"}, "data": {key: "bWU="}})

    status, reason, text = play(story)
    assert (status, reason) == (422, "Invalid")
    assert complaint in text


def test_server_side_apply_creates_then_shares_then_takes_over() -> None:
    async def story(kube: Kube) -> Any:
        path = f"{CONFIG_MAPS}/settings"
        await kube.apply(path, config_map(data={"a": "1"}), fieldManager="one")
        refused = await kube.refusal(
            "PATCH",
            path,
            config_map(data={"a": "2"}),
            content_type="application/apply-patch+yaml",
            fieldManager="two",
        )
        forced = await kube.apply(path, config_map(data={"a": "2"}), fieldManager="two", force="true")
        dropped = await kube.apply(path, config_map(), fieldManager="two")
        return refused, forced, dropped

    refused, forced, dropped = play(story)
    assert refused == (409, "Conflict", 'Apply failed with 1 conflict: conflict with "one": .data.a')
    assert forced["data"] == {"a": "2"}
    assert [entry["manager"] for entry in forced["metadata"]["managedFields"]] == ["two"]
    assert "data" not in dropped
