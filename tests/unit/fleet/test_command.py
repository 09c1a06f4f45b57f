"""`syncline diagnose` on files: what it exits with, what it prints, and that it needs no cluster."""

import json
import pathlib
import subprocess
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from syncline import wiring
from syncline.cli.diagnose import watching
from syncline.cli.diagnose.gathering import Gathered
from syncline.cli.diagnose.reporting import reported
from syncline.cli.main import cli
from syncline.cli.show.diagnosis.report import Report
from syncline.core.policy.rbac import lines
from syncline.core.policy.rbac.enforcer import Enforcer, RbacRequest
from syncline.core.policy.rbac.lines import PolicyText
from syncline.model.settings.parts import MatchMode

NAMESPACE = "shop"


def obj(kind: str, name: str, api: str = "v1", **content: Any) -> dict[str, Any]:
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": NAMESPACE}, **content}


def deployment(*, ready: int) -> dict[str, Any]:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "main", "image": "web:1"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    status: dict[str, Any] = {"replicas": 1, "updatedReplicas": 1, "readyReplicas": ready, "availableReplicas": ready}
    return obj("Deployment", "web", "apps/v1", spec=spec, status=status)


def pod(*, ready: bool) -> dict[str, Any]:
    waiting = {"reason": "ImagePullBackOff", "message": 'Back-off pulling image "web:1": not found'}
    state = {"running": {"startedAt": "2026-01-01T00:00:00Z"}} if ready else {"waiting": waiting}
    status = {
        "phase": "Running" if ready else "Pending",
        "containerStatuses": [{"name": "main", "image": "web:1", "ready": ready, "restartCount": 0, "state": state}],
    }
    made = obj(
        "Pod", "web-1", spec={"nodeName": "one", "containers": [{"name": "main", "image": "web:1"}]}, status=status
    )
    made["metadata"]["labels"] = {"app": "web"}
    made["metadata"]["ownerReferences"] = [{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "u"}]
    return made


def dumped(folder: pathlib.Path, *objects: dict[str, Any]) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "all.json").write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": objects}))
    return str(folder)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["diagnose", *arguments], standalone_mode=False)


@pytest.fixture
def broken(tmp_path: pathlib.Path) -> str:
    return dumped(tmp_path / "broken", deployment(ready=0), pod(ready=False))


def test_a_fleet_that_is_well_gives_0_a_sick_one_1_and_nothing_at_all_2(tmp_path: pathlib.Path, broken: str) -> None:
    well = dumped(tmp_path / "well", deployment(ready=1), pod(ready=True))
    nothing = dumped(tmp_path / "nothing")
    assert [run("--from", one).return_value for one in (well, broken, nothing)] == [0, 1, 2]


def test_without_applications_the_workloads_are_counted(broken: str) -> None:
    shown = run("--from", broken).output
    assert "1 of 1 workload not OK" in shown
    assert "web:1" in shown


def test_json_ends_up_in_a_file_and_is_compared_with_later(tmp_path: pathlib.Path, broken: str) -> None:
    old = tmp_path / "old.json"
    assert run("--from", broken, "-o", "json", "--output-file", str(old)).return_value == 1
    causes = json.loads(old.read_text())["causes"]
    assert [one["rank"] for one in causes] == [1]
    well = dumped(tmp_path / "well", deployment(ready=1), pod(ready=True))
    shown = run("--from", well, "--compare", str(old)).output
    assert "gone: " in shown
    assert "1 of 1 recovered" in shown


def test_one_cause_is_shown_by_number_and_by_id(broken: str) -> None:
    told = json.loads(run("--from", broken, "-o", "json").output)["causes"][0]
    by_number, by_id = (run("--from", broken, name).output for name in ("1", told["id"]))
    assert by_number.partition("#1")[2] == by_id.partition("#1")[2]
    assert told["affected"][0] in by_number


def test_an_unknown_cause_is_answered_with_those_there_are(broken: str) -> None:
    assert "there is no cause 7 (causes: 1 (" in str(run("--from", broken, "7").exception)


def test_no_patch_is_made_up(broken: str) -> None:
    assert "no patch is offered here" in str(run("--from", broken, "--patch").exception)


def test_a_snapshot_of_a_dump_gives_the_same_answer(tmp_path: pathlib.Path, broken: str) -> None:
    file = tmp_path / "fleet.gz"
    made = CliRunner().invoke(cli, ["snapshot", str(file), "--from", broken], standalone_mode=False)
    assert made.return_value == 0, made.output
    assert subprocess.run(["gzip", "-t", str(file)], check=False).returncode == 0
    first, second = (json.loads(run("--from", one, "-o", "json").output) for one in (broken, str(file)))
    assert first["causes"] == second["causes"]


def looked_at(folder: str) -> Report:
    gathered = Gathered(snapshot=wiring.read_from(pathlib.Path(folder)).snapshot, words="a dump")
    return reported(gathered, is_live=False, with_logs=False)


def test_watching_tells_what_came_what_went_and_nothing_where_all_is_as_before(
    tmp_path: pathlib.Path, broken: str
) -> None:
    sick, well = looked_at(broken), looked_at(dumped(tmp_path / "well", deployment(ready=1), pod(ready=True)))
    [cause] = sick.diagnosis.causes
    first = list(watching.changes(None, sick))
    assert first[0].startswith("1 of 1 workload not OK · 1 cause")
    assert first[1].startswith(f"new    {cause.id}  1 workload: ")
    assert list(watching.changes(sick.diagnosis, sick)) == []
    repaired = list(watching.changes(sick.diagnosis, well))
    assert repaired[0] == "1 workload: nothing to repair"
    assert repaired[1].startswith(f"gone   {cause.id}")
    assert repaired[1].endswith("(1 of 1 recovered)")


def test_watching_and_patching_at_once_is_refused_in_one_sentence(broken: str) -> None:
    refused = run("--from", broken, "--watch", "--patch").exception
    assert isinstance(refused, click.UsageError)
    assert "mutually exclusive" in refused.message


@pytest.mark.parametrize("flag", ["--dry-run", "--print-rbac"])
def test_files_need_no_request_and_no_permission(flag: str, broken: str) -> None:
    answer = run("--from", broken, flag)
    assert (answer.return_value, broken in answer.output, "GET" in answer.output) == (0, True, False)


def test_what_argocd_has_to_permit_is_a_policy_that_permits_reading_alone() -> None:
    printed = run("--argocd", "https://argocd.example", "--print-rbac").output
    found, problems = lines.read([PolicyText(printed)])
    assert problems == []
    enforcer = Enforcer(found, MatchMode.GLOB)
    role = "role:syncline-diagnose"
    for resource, wanted in (("applications", "team/web"), ("logs", "team/web"), ("projects", "team")):
        assert enforcer.decide(RbacRequest(role, resource, "get", wanted)).allowed, resource
        assert not enforcer.decide(RbacRequest(role, resource, "delete", wanted)).allowed, resource
