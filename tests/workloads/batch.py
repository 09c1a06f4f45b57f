"""Stories of Jobs and CronJobs."""

from __future__ import annotations

from typing import Any

from tests.workloads.objects import EXITS_3, FAILS, RUNS, cron_job, job
from tests.workloads.steps import Look, Pause, Send, Step, Story, create, delete, gone, merge, number, until


def _job(name: str, *steps: Step, **rest: Any) -> Story:
    return Story(f"job-{name}", steps, ("jobs", "pods"), **rest)


def _cron(name: str, *steps: Step, **rest: Any) -> Story:
    return Story(f"cronjob-{name}", steps, ("cronjobs", "jobs"), **rest)


_COMPLETE = until("jobs/work", "status.conditions[Complete].status", "True")
_FAILED = until("jobs/work", "status.conditions[Failed].status", "True")

STORIES = (
    _job("completes", create(job()), _COMPLETE),
    _job("completions", create(job(completions=3, parallelism=1)), _COMPLETE),
    _job("in-parallel", create(job(completions=4, parallelism=2)), _COMPLETE),
    _job("work-queue", create(job(parallelism=2)), _COMPLETE),
    _job("without-parallelism", create(job(parallelism=0)), until("jobs/work", "status.ready", 0), Pause(1)),
    _job("fails-at-once", create(job(image=FAILS, backoffLimit=0)), _FAILED),
    _job("fails-after-a-retry", create(job(image=FAILS, backoffLimit=1)), _FAILED),
    _job("runs-on", create(job(image=RUNS)), until("jobs/work", "status.ready", 1)),
    _job("deadline", create(job(image=RUNS, activeDeadlineSeconds=3)), _FAILED, number("pods", 0)),
    _job(
        "suspended-and-resumed",
        create(job(suspend=True)),
        until("jobs/work", "status.conditions[Suspended].status", "True"),
        Look("suspended"),
        merge("jobs/work", {"spec": {"suspend": False}}),
        _COMPLETE,
    ),
    _job(
        "suspended-while-running",
        create(job(image=RUNS, parallelism=2, completions=2)),
        until("jobs/work", "status.ready", 2),
        Look("running"),
        merge("jobs/work", {"spec": {"suspend": True}}),
        until("jobs/work", "status.conditions[Suspended].status", "True"),
        number("pods", 0),
    ),
    _job(
        "parallelism-changed",
        create(job(image=RUNS, parallelism=1, completions=3)),
        until("jobs/work", "status.ready", 1),
        merge("jobs/work", {"spec": {"parallelism": 3}}),
        until("jobs/work", "status.ready", 3),
        Look("three"),
        merge("jobs/work", {"spec": {"parallelism": 1}}),
        number("pods", 1),
        until("jobs/work", "status.active", 1),
    ),
    _job(
        "indexed",
        create(job(completions=3, parallelism=3, completionMode="Indexed")),
        _COMPLETE,
        events=False,  # the three are made at once, in any order
    ),
    _job(
        "indexed-one-fails",
        create(job(image=FAILS, completions=2, parallelism=2, completionMode="Indexed", backoffLimit=0)),
        _FAILED,
        events=False,
    ),
    _job(
        "backoff-per-index",
        create(job(image=FAILS, completions=2, parallelism=2, completionMode="Indexed", backoffLimitPerIndex=0)),
        _FAILED,
        events=False,
    ),
    _job(
        "failure-policy-ends-it",
        create(
            job(
                image=EXITS_3,
                backoffLimit=6,
                podFailurePolicy={
                    "rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [3]}}],
                },
            )
        ),
        _FAILED,
    ),
    _job(
        "failure-policy-counts",
        create(
            job(
                image=FAILS,
                backoffLimit=0,
                podFailurePolicy={
                    "rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [3]}}],
                },
            )
        ),
        _FAILED,
    ),
    _job(
        "success-policy",
        create(
            job(
                completions=3,
                parallelism=1,
                completionMode="Indexed",
                successPolicy={"rules": [{"succeededIndexes": "0"}]},
            )
        ),
        _COMPLETE,
    ),
    _job("time-to-live", create(job(ttlSecondsAfterFinished=2)), gone("jobs/work"), number("pods", 0)),
    _job(
        "deleted",
        create(job(image=RUNS)),
        until("jobs/work", "status.ready", 1),
        delete("jobs/work"),
        gone("jobs/work"),
        number("pods", 0),
    ),
    _job(
        "orphaned",
        create(job(image=RUNS)),
        until("jobs/work", "status.ready", 1),
        delete("jobs/work", "Orphan"),
        gone("jobs/work"),
        Pause(1),
    ),
    _job(
        "pod-deleted",
        create(job(image=RUNS)),
        until("jobs/work", "status.ready", 1),
        Send("DELETE", "pods", {"gracePeriodSeconds": 0}),
        until("jobs/work", "status.failed", 1),
        until("jobs/work", "status.ready", 1),
    ),
    _cron("suspended", create(cron_job(suspend=True)), Pause(3)),
    _cron(
        "every-minute",
        create(cron_job(image=RUNS, concurrencyPolicy="Forbid")),
        number("jobs", 1),
        until("cronjobs/tick", "metadata.name", "tick"),
        Pause(1),
        merge("cronjobs/tick", {"spec": {"suspend": True}}),
    ),
    _cron(
        "deleted-with-its-jobs",
        create(cron_job(image=RUNS)),
        number("jobs", 1),
        delete("cronjobs/tick"),
        gone("cronjobs/tick"),
        number("jobs", 0),
        number("pods", 0),
        events=False,  # whether the pod is scheduled before it is deleted is chance
    ),
    _cron(
        "job-completes",
        create(cron_job(successfulJobsHistoryLimit=1)),
        number("jobs", 1),
        merge("cronjobs/tick", {"spec": {"suspend": True}}),
        Pause(3),
    ),
)
