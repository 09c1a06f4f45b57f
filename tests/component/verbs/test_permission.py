"""Requests that a project denies by now, and those of somebody who may not read projects."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest

from syncline.adapters.kube.client import KubeCluster
from syncline.controller.world import World
from syncline.model.script import Evaluated, Script
from syncline.model.settings.settings import Settings
from syncline.ports.kube import Cluster
from syncline.sandbox.cluster.controls import Controls, Denial
from syncline.verbs.actions import ActionRequest, run_action
from syncline.verbs.create import CreateOutcome, CreateRequest, create_application
from syncline.verbs.errors import Denied
from syncline.verbs.look import looking
from syncline.verbs.sync import RollbackRequest, rollback
from tests.support import asking, played
from tests.support.asking import KEY
from tests.support.manifests import files
from tests.support.objects import key
from tests.support.world import SandboxBed, default_project


async def permit(bed: SandboxBed, **spec: object) -> None:
    made = default_project(bed.control)
    await bed.apply({**made, "spec": {**made["spec"], **spec}})


def test_a_rollback_to_a_source_that_is_forbidden_by_now_is_refused() -> None:
    async def story(bed: SandboxBed) -> None:
        source = {**bed.application()["spec"]["source"], "repoURL": "https://git.example/old"}
        entry = {"id": 3, "revision": "a", "source": source, "deployedAt": "2026-01-01T00:00:00Z"}
        before = await asking.stored(bed, status={"history": [entry]})
        await permit(bed, sourceRepos=["*", "!https://git.example/old"])
        with pytest.raises(Denied, match=r"repo https://git.example/old is not permitted in project 'default'"):
            await rollback(bed.user, RollbackRequest(app=KEY, id=3))
        assert await bed.app() == before

    asking.tell(story)


def test_whoever_may_not_read_projects_is_told_that_nothing_was_checked() -> None:
    async def story(bed: SandboxBed) -> None:
        bed.sandbox.controls = Controls(denials=(Denial(users=("writer",), resources=("appprojects",)),))
        writer = KubeCluster(bed.sandbox.transport("writer", ("system:masters",)))
        request = CreateRequest(app=bed.application(), namespace=bed.control)
        created = await create_application(writer, request)
        assert created.outcome is CreateOutcome.CREATED
        assert "not checked against its project: appprojects.argoproj.io is forbidden" in created.stored.note
        assert (await create_application(bed.user, request)).stored.note == ""

    asking.tell(story)


CRON_JOB = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: "0 0 1 1 *"
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "x:1"}]}}}}
"""


class NoneOwn:
    """Scripts of settings that define no actions."""

    async def evaluate(self, batch: Sequence[Script]) -> Sequence[Evaluated]:
        return [Evaluated(value={}) for _ in batch]

    async def close(self) -> None:
        """Do nothing: there are no processes."""


def test_an_action_creates_nothing_that_the_project_denies() -> None:
    async def story(bed: SandboxBed) -> None:
        await played.namespace(bed)
        bed.source.commit(files(nightly=CRON_JOB))
        await bed.apply(played.app_with(bed))
        assert (await played.sync(bed))["phase"] == "Succeeded"
        await permit(bed, namespaceResourceBlacklist=[{"group": "batch", "kind": "Job"}])

        def worlds(cluster: Cluster, settings: Settings) -> World:
            return dataclasses.replace(bed.world(), home=cluster, settings=settings)

        async with looking(bed.user, bed.control, worlds) as view:
            seen = await view.see(await bed.app())
            nightly = key("CronJob", "nightly", group="batch", namespace=bed.target)
            request = ActionRequest(key=nightly, action="create-job")
            with pytest.raises(Denied, match=r"batch/Job of spec.namespaceResourceBlacklist denies it"):
                [step async for step in run_action(seen, request, NoneOwn(), bed.clock)]
        assert not [write for write in bed.writes if "/jobs" in write]

    played.tell(story)
