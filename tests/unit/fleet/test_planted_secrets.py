"""No secret in a log, an Event, a condition or an argument leaves the program, in whatever format is asked."""

import json
import pathlib
from typing import Any

import pytest
from click.testing import CliRunner, Result

from syncline.cli.main import cli

# Each with the text it stands in; none may be seen anywhere.
PLANTED = {
    "hunter2hunter2": "FATAL login failed: password=hunter2hunter2",
    "s3cr3t-t0ken-9f8e7d": 'level=error msg="refused" token="s3cr3t-t0ken-9f8e7d"',
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP": (
        "panic: Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP"
    ),
    "pa55w0rdInUrl": "Error: cannot connect to postgres://shop:pa55w0rdInUrl@db:5432/shop: connection refused",
    "AKIAIOSFODNN7EXAMPLE": "error: InvalidAccessKeyId AKIAIOSFODNN7EXAMPLE does not exist",
    "ghp_abcdefghijklmnopqrstuvwxyz012345": "fatal: ghp_abcdefghijklmnopqrstuvwxyz012345 has no access",
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC": "-----BEGIN PRIVATE KEY----- MIIEvQIBADANBgkqhkiG9w0BAQEFAASC",
}
FORMATS = ["text", "wide", "json", "markdown", "slack", "html"]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["diagnose", *arguments], standalone_mode=False)


def crashing(name: str, text: str) -> list[dict[str, Any]]:
    """Return a pod that crashes, with a text in its Event, its end and a variable."""
    metadata = {"name": name, "namespace": "shop", "uid": name, "creationTimestamp": "2026-01-01T00:00:00Z"}
    ended = {"exitCode": 1, "reason": "Error", "message": text, "finishedAt": "2026-01-01T01:00:00Z"}
    waiting = {"reason": "CrashLoopBackOff", "message": f"back-off restarting failed container: {text}"}
    status = {"name": "main", "image": "web:1", "ready": False, "restartCount": 9}
    about = {"apiVersion": "v1", "kind": "Pod", "name": name, "namespace": "shop", "uid": name}
    return [
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": metadata,
            "spec": {"nodeName": "one", "containers": [{"name": "main", "image": "web:1", "args": [f"--dsn={text}"]}]},
            "status": {
                "phase": "Running",
                "containerStatuses": [{**status, "state": {"waiting": waiting}, "lastState": {"terminated": ended}}],
            },
        },
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": f"{name}.1", "namespace": "shop"},
            "involvedObject": about,
            "type": "Warning",
            "reason": "BackOff",
            "message": text,
            "lastTimestamp": "2026-01-01T01:00:00Z",
            "count": 3,
        },
    ]


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("dump")
    objects = []
    for number, text in enumerate(PLANTED.values()):
        objects += crashing(f"pod-{number}", text)
        log = folder / f"logs/shop/pod-{number}/main.previous.log"
        log.parent.mkdir(parents=True)
        log.write_text(f"starting\n{text}\n")
    (folder / "all.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return folder


def clean(shown: str) -> list[str]:
    """Return the planted secrets that can be seen."""
    return [secret for secret in PLANTED if secret in shown]


@pytest.mark.parametrize("logs", [(), ("--logs",)], ids=["", "logs"])
@pytest.mark.parametrize("output", FORMATS)
def test_no_format_shows_a_planted_secret(output: str, logs: tuple[str, ...], dump: pathlib.Path) -> None:
    answer = run("--from", str(dump), "-o", output, *logs)
    assert answer.return_value == 1, answer.output
    assert "pod-0" in answer.output
    assert clean(answer.output) == []


@pytest.mark.parametrize("number", range(1, len(PLANTED) + 1))
def test_one_cause_with_everything_shows_none_either(number: int, dump: pathlib.Path) -> None:
    answer = run(str(number), "--from", str(dump))
    assert "pod-" in answer.output
    assert clean(answer.output) == []


def test_the_planted_texts_are_read_so_that_hiding_them_means_something(dump: pathlib.Path) -> None:
    shown = run("--from", str(dump), "-o", "wide").output
    assert "connection refused" in shown or "login failed" in shown
    assert "•••" in shown


def test_comparing_and_passing_on_show_none(dump: pathlib.Path, tmp_path: pathlib.Path) -> None:
    old, snapshot = tmp_path / "old.json", tmp_path / "all.jsonl"
    run("--from", str(dump), "-o", "json", "--logs", "--output-file", str(old))
    compared = run("--from", str(dump), "--compare", str(old))
    CliRunner().invoke(cli, ["snapshot", str(snapshot), "--from", str(dump)], standalone_mode=False)
    assert "still" in compared.output
    for text in (compared.output, old.read_text(), snapshot.read_text()):
        assert clean(text) == []
