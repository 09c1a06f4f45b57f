"""CronJobs: when they are due, and what they start."""

from datetime import UTC, datetime
from typing import Any

import pytest

from syncline.sandbox.controllers.workloads import cronjobs
from tests.unit.sandbox.driving import Kube, play, pod_spec

JOBS = "/apis/batch/v1/namespaces/default/jobs"
CRON_JOBS = "/apis/batch/v1/namespaces/default/cronjobs"


@pytest.mark.parametrize(
    ("schedule", "zone", "expected"),
    [
        ("*/5 * * * *", None, "2030-01-01T00:05"),
        ("0 3 * * *", None, "2030-01-01T03:00"),
        ("0 0 * * *", None, "2030-01-02T00:00"),
        ("30 1 15 * *", None, "2030-01-15T01:30"),
        ("0 0 * * mon", None, "2030-01-07T00:00"),
        ("0 0 13 * 5", None, "2030-01-04T00:00"),
        ("0 0 29 2 *", None, "2032-02-29T00:00"),
        ("@hourly", None, "2030-01-01T01:00"),
        ("0 3 * * *", "Europe/Berlin", "2030-01-01T02:00"),
        ("0 0 31 2 *", None, None),
        ("61 * * * *", None, None),
        ("nonsense", None, None),
    ],
)
def test_the_next_time_of_a_schedule(schedule: str, zone: str | None, expected: str | None) -> None:
    found = cronjobs.next_time(schedule, datetime(2030, 1, 1, 0, 0, 0, tzinfo=UTC), zone)
    assert (found and found.strftime("%Y-%m-%dT%H:%M")) == expected


def test_a_cron_job_starts_jobs_and_keeps_the_last_three() -> None:
    async def story(kube: Kube) -> Any:
        template = {"spec": {"template": {"spec": pod_spec(restartPolicy="Never")}}}
        body = {"metadata": {"name": "tick"}, "spec": {"schedule": "*/10 * * * *", "jobTemplate": template}}
        await kube.create(CRON_JOBS, body)
        await kube.clock.sleep(5)
        early = await kube.names(JOBS)
        await kube.clock.sleep(3600)
        status = (await kube.get(f"{CRON_JOBS}/tick"))["status"]
        return early, len(await kube.names(JOBS)), status["lastScheduleTime"], await kube.events("CronJob")

    early, count, last, events = play(story)
    assert (early, count, last) == ([], 3, "2030-01-01T01:00:00Z")
    assert [reason for reason, _ in events] == ["SuccessfulCreate", "SawCompletedJob"] * 6
