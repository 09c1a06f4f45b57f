"""What is due about an Application: conditions that hold and were not told, after its status is up to date."""

import datetime as dt
import json
from typing import Any

import pytest

from syncline.core.notify import told
from syncline.core.notify.due import about_app, is_refreshed, message_for
from syncline.core.notify.errors import NotifyError
from syncline.core.notify.settings import read_settings
from syncline.model.notifications import MailMessage, NotificationSettings, Recipient

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
NOTIFIED = "notified.notifications.argoproj.io"


def settings(**data: str) -> NotificationSettings:
    return read_settings({"data": {name.replace("__", "."): text for name, text in data.items()}}, None)


def app(status: dict[str, Any], remembered: dict[str, int] | None = None, trigger: str = "t") -> dict[str, Any]:
    annotations = {f"notifications.argoproj.io/subscribe.{trigger}.hook": "a"}
    if remembered is not None:
        annotations[NOTIFIED] = json.dumps(remembered)
    return {"metadata": {"name": "cart", "annotations": annotations}, "status": status}


DEGRADED = {"health": {"status": "Degraded"}}
TRIGGER = "- when: app.status.health.status == 'Degraded'\n  send: [x]\n"


def keys(obj: dict[str, Any], known: NotificationSettings) -> tuple[list[str], dict[str, int]]:
    found = about_app(obj, None, known, {}, NOW)
    assert found is not None
    return [one.key for one in found.due], found.told


def test_what_holds_is_due_until_it_was_told_and_again_after_it_no_longer_held() -> None:
    known = settings(trigger__t=TRIGGER)
    [key], remembered = keys(app(DEGRADED), known)
    assert key.startswith("t:[0].")
    assert key.endswith(":hook:a")
    assert remembered == {}
    assert keys(app(DEGRADED, {key: 1, "other": 2}), known) == ([], {key: 1, "other": 2})
    assert keys(app({"health": {"status": "Healthy"}}, {key: 1, "other": 2}), known) == ([], {"other": 2})


def test_what_is_told_once_per_something_is_remembered_after_it_no_longer_holds() -> None:
    known = settings(trigger__t=TRIGGER + "  oncePer: app.status.sync.revision\n")
    first = {**DEGRADED, "sync": {"revision": "abc"}}
    [key], _ = keys(app(first), known)
    assert key.startswith("abc:t:[0].")
    assert keys(app({"health": {"status": "Healthy"}}, {key: 1}), known) == ([], {key: 1})
    assert keys(app(first, {key: 1}), known) == ([], {key: 1})
    [second], _ = keys(app({**DEGRADED, "sync": {"revision": "def"}}, {key: 1}), known)
    assert second == key.replace("abc", "def")


def test_a_mistake_in_a_condition_is_told_with_its_trigger_and_a_field_that_is_not_there_is_not() -> None:
    known = settings(trigger__t="- when: app.status.health.status + 1 == 2\n- when: app.status.nobody.there\n")
    found = about_app(app(DEGRADED), None, known, {}, NOW)
    assert found is not None
    [problem] = found.problems
    assert problem == (
        "trigger t: condition 0 cannot be worked out: string + int cannot be calculated:"
        " app.status.health.status + 1 == 2"
    )


def test_an_application_never_brings_about_triggers_of_causes() -> None:
    found = about_app(app(DEGRADED, trigger="on-cause"), None, settings(), {}, NOW)
    assert found is not None
    assert (found.due, found.problems) == ((), ())


@pytest.mark.parametrize(
    ("state", "more", "expected"),
    [
        (None, {}, True),
        ({"phase": "Running", "startedAt": "2026-01-01T00:00:00Z"}, {}, True),
        ({"phase": "Succeeded"}, {"reconciledAt": "2026-01-01T00:00:01Z"}, False),
        ({"phase": "Succeeded", "finishedAt": "2026-01-01T00:00:00Z"}, {}, False),
        ({"phase": "Succeeded", "finishedAt": "2026-01-01T00:00:02Z"}, {"reconciledAt": "2026-01-01T00:00:01Z"}, False),
        ({"phase": "Failed", "finishedAt": "2026-01-01T00:00:01Z"}, {"reconciledAt": "2026-01-01T00:00:01Z"}, True),
        ({"phase": "Error", "finishedAt": "2026-01-01T00:00:01Z"}, {"observedAt": "2026-01-01T00:00:05Z"}, True),
        ({"phase": "Succeeded", "finishedAt": "soon"}, {"reconciledAt": "2026-01-01T00:00:01Z"}, False),
    ],
)
def test_nothing_is_told_of_a_status_that_is_older_than_the_last_operation(
    state: dict[str, str] | None, more: dict[str, str], *, expected: bool
) -> None:
    status = {**({"operationState": state} if state else {}), **more}
    assert is_refreshed({"status": status}) is expected


def test_the_annotation_keeps_the_newest_hundred_and_is_gone_when_there_is_nothing_to_say() -> None:
    text = told.write({f"key-{at:03}": at for at in range(130)})
    assert text is not None
    assert list(told.read(text)) == [f"key-{at:03}" for at in range(30, 130)]
    assert told.write({}) is None
    assert told.read("[not it]") == {}


@pytest.mark.parametrize(
    ("service", "options", "to", "words"),
    [
        ("nobody", {}, "a", "has no service named nobody"),
        ("telegram", {}, "a", "services of type telegram are not supported"),
        ("webhook", {"url": "ftp://x"}, "a", "url is not an address that begins with http"),
        ("slack", {"apiURL": "file:///etc/passwd"}, "a", "apiURL is not an address"),
        ("teams", {"recipientUrls": {"b": "https://x"}}, "a", "recipientUrls has no a"),
        ("pagerdutyv2", {"serviceKeys": {"b": "x"}}, "a", "serviceKeys has no a"),
        ("pagerdutyv2", {"serviceKeys": {"a": "x"}}, "a", "the template has no section pagerdutyv2"),
        ("email", {"host": "mail"}, "a@b.example", "host and from are needed"),
        ("email", {"host": "m", "from": "x@y.example"}, "a", "'a' is not a mail address"),
        ("email", {"host": "m", "from": "x@y.example"}, "a@b.example\r\nBcc: c@d.example", "is not a mail address"),
        ("email", {"host": "m", "from": "x@y.example"}, "a@b.example>, <c@d.example", "is not a mail address"),
        ("email", {"host": "m", "from": "x@y.example", "port": "no"}, "a@b.example", "service email: "),
    ],
)
def test_settings_that_make_no_message_say_why(service: str, options: dict[str, Any], to: str, words: str) -> None:
    data = {"template.x": "message: hi\n"}
    if service != "nobody":
        data[f"service.{service}"] = json.dumps(options)
    known = read_settings({"data": data}, None)
    with pytest.raises(NotifyError, match=words):
        message_for(_due(service, to), {"app": {}}, known, {}, NOW)


def _due(service: str, to: str) -> Any:
    from syncline.core.notify.due import Due

    return Due(key="", trigger="t", to=Recipient(service, to), templates=("x",))


def test_a_mail_is_made_of_options_and_template() -> None:
    options = {"host": "mail.example", "port": 587, "from": "x@y.example", "username": "u", "password": "p"}
    data = {"template.x": "message: hi\nemail: {subject: hello}\n", "service.email": json.dumps(options)}
    made = message_for(_due("email", "a@b.example"), {"app": {}}, read_settings({"data": data}, None), {}, NOW)
    assert made == MailMessage(
        host="mail.example",
        port=587,
        sender="x@y.example",
        to=("a@b.example",),
        subject="hello",
        body="hi",
        username="u",
        password="p",
    )
