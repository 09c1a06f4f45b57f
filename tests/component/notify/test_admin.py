"""`syncline admin notifications` tries triggers and templates on files, and sends where a recipient is named."""

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from syncline.cli.admin.notifications import notifications
from tests.support.expressions import APP
from tests.support.receivers import web_receiver

TOKEN = "t0p-s3cret-token"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "app.yaml").write_text(json.dumps(APP))
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"token": TOKEN}}
    (tmp_path / "secret.yaml").write_text(json.dumps(secret))
    configure(tmp_path, {})
    return tmp_path


def configure(folder: Path, more: dict[str, str]) -> None:
    data = {
        "trigger.on-failed": (
            "- when: app.status.operationState.phase in ['Failed']\n  send: [failed]\n- when: 'false'\n"
        ),
        "trigger.on-typo": "- when: app.metadata.name + 1 == 2\n",
        "template.failed": (
            "message: '{{.app.metadata.name}} failed'\nemail: {subject: 'Failed: {{.app.metadata.name}}'}\n"
        ),
        **more,
    }
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cm"}, "data": data}
    (folder / "cm.yaml").write_text(json.dumps(config_map))


def run(folder: Path, *words: str) -> Result:
    files = ["--config-map", str(folder / "cm.yaml"), "--secret", str(folder / "secret.yaml")]
    return CliRunner().invoke(notifications, [*words, *files], standalone_mode=False)


def test_a_trigger_is_evaluated(folder: Path) -> None:
    done = run(folder, "trigger", "run", "on-failed", str(folder / "app.yaml"))
    lines = [line.split() for line in done.stdout.splitlines()]
    assert lines[0] == ["CONDITION", "RESULT"]
    assert [line[-1] for line in lines[1:]] == ["true", "false"]
    assert done.return_value == 0


def test_a_condition_with_a_mistake_is_named(folder: Path) -> None:
    done = run(folder, "trigger", "run", "on-typo", str(folder / "app.yaml"))
    assert "trigger on-typo: condition 0 cannot be worked out: string + int" in done.stderr
    assert done.return_value == 2


@pytest.mark.parametrize("kind", ["trigger", "template"])
def test_a_name_that_does_not_exist_is_told(folder: Path, kind: str) -> None:
    done = run(folder, kind, "get", "on-faild" if kind == "trigger" else "faild")
    assert str(done.exception).startswith(f"{kind} ")
    assert "does not exist" in str(done.exception)


def test_triggers_and_templates_are_listed(folder: Path) -> None:
    lines = run(folder, "trigger", "get").stdout.splitlines()
    assert lines[0].split() == ["NAME", "TEMPLATE", "CONDITION"]
    assert run(folder, "trigger", "get", "-o", "name").stdout.split() == [
        "on-cause", "on-cause-gone", "on-failed", "on-typo",
    ]  # fmt: skip
    found = json.loads(run(folder, "template", "get", "failed", "-o", "json").stdout)
    assert found["failed"]["email"] == {"subject": "Failed: {{.app.metadata.name}}"}


def test_a_template_is_printed(folder: Path) -> None:
    done = run(folder, "template", "notify", "failed", str(folder / "app.yaml"))
    assert yaml.safe_load(done.stdout) == {"message": "cart failed", "email": {"subject": "Failed: cart"}}


def test_a_template_is_sent_and_a_refusal_told_without_the_token(folder: Path) -> None:
    with web_receiver() as web:
        web.answers = [(200, ""), (404, f"no {TOKEN}")]
        configure(folder, {"service.webhook.ops": f"url: {web.url}/$token\n"})
        words = ["template", "notify", "failed", str(folder / "app.yaml"), "--recipient", "ops"]
        assert run(folder, *words).return_value == 0
        assert [(path, body) for _, path, _, body in web.requests] == [(f"/{TOKEN}", "cart failed")]
        refused = run(folder, *words)
        assert "ops was not notified" in str(refused.exception)
        assert "answered 404" in str(refused.exception)
        assert TOKEN not in str(refused.exception)
