"""Templates are filled in as Argo CD fills them in (`tests/argocd` compares the same table)."""

import datetime as dt
import json

import pytest

from syncline.core.notify.errors import CommitUnknown, NotifyError
from syncline.core.notify.settings import read_settings
from syncline.core.notify.templates import fill
from syncline.core.notify.variables import Commits, variables
from syncline.model.notifications import Recipient
from tests.support import notifications
from tests.support.expressions import APP

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


def filled(templates: dict[str, object], *names: str, commits: Commits | None = None) -> dict[str, object]:
    data = {f"template.{name}": json.dumps(body) for name, body in templates.items()}
    settings = read_settings({"data": {**data, "context": notifications.CONTEXT}}, None)
    given = variables(settings, NOW, objects={"app": APP}, commits=commits or {}, to=Recipient("console", "stdout"))
    return fill(settings, names or tuple(templates), given, NOW)


@pytest.mark.parametrize("name", notifications.TEMPLATES)
def test_a_template_gives_a_text(name: str) -> None:
    text, expected = notifications.TEMPLATES[name]
    assert filled({name: {"message": text}}) == {"message": expected}


def test_of_several_templates_the_later_wins_where_it_says_something() -> None:
    first = {"message": "one", "email": {"subject": "first", "body": "text"}, "slack": {"username": "a", "icon": ":a:"}}
    second = {"message": "", "email": {"subject": "second"}, "slack": {"username": "b"}}
    assert filled({"first": first, "second": second}) == {
        "message": "one",
        "email": {"subject": "second", "body": "text"},
        "slack": {"username": "b"},
    }


def test_a_template_that_asks_about_a_commit_waits_for_it() -> None:
    text = "{{with call .repo.GetCommitMetadata .app.status.sync.revision}}{{.Author}}: {{.Message}}{{end}}"
    with pytest.raises(CommitUnknown) as asked:
        filled({"t": {"message": text}})
    assert asked.value.sha == "8f3c1d2"
    known = {"8f3c1d2": {"Author": "Ann", "Message": "cart 1.5"}}
    assert filled({"t": {"message": text}}, commits=known) == {"message": "Ann: cart 1.5"}
    with pytest.raises(NotifyError, match="commit 8f3c1d2 of the source cannot be described"):
        filled({"t": {"message": text}}, commits={"8f3c1d2": None})


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"message": "{{.app.metadata.name"}, "template t: message: "),
        ({"slack": {"blocks": '{{fail "no"}}'}}, "template t: slack.blocks: .*no"),
        ({"webhook": {"ops": {"body": "{{range until 10000000}}x{{end}}"}}}, "template t: webhook.ops.body: .*steps"),
        ({"message": "{{call .repo.RepoURLToHTTPS}}"}, "wrong number of args"),
        ({"message": "{{call .repo.RepoURLToHTTPS .app.spec.nobody}}"}, "has type nil; should be string"),
        ({"message": '{{env "HOME"}}'}, "env"),
    ],
)
def test_a_template_that_fails_is_named(body: dict[str, object], words: str) -> None:
    with pytest.raises(NotifyError, match=words):
        filled({"t": body})


def test_a_template_that_is_not_there_is_named() -> None:
    with pytest.raises(NotifyError, match=r"template nobody does not exist: add template\.nobody"):
        filled({"t": {}}, "nobody")
