"""Messages of each service reach a real receiver as it wants them; a refusal is told without credentials."""

import asyncio
import datetime as dt
import email
import email.policy
import json
import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs

import pytest

from syncline.adapters.notify import Courier
from syncline.core.notify.due import Due, message_for
from syncline.core.notify.settings import read_settings
from syncline.model.notifications import Message, Recipient
from syncline.net.urls import Reach
from syncline.ports.notify import NotDelivered
from tests.support.certificates import Authority
from tests.support.expressions import APP
from tests.support.listener import listening
from tests.support.receivers import MailReceiver, WebReceiver, mail_receiver, web_receiver

NOW = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
TOKEN = "t0p-s3cret-token"
MESSAGE = "{{.app.metadata.name}} is {{.app.status.health.status}}"


@pytest.fixture
def web() -> Iterator[WebReceiver]:
    with web_receiver() as receiver:
        yield receiver


@pytest.fixture
def mail() -> Iterator[MailReceiver]:
    with mail_receiver() as receiver:
        yield receiver


def made(
    service: str, options: dict[str, Any], to: Recipient, sections: dict[str, Any] | None = None, **more: Any
) -> Message:
    """Return what a template makes of an Application."""
    data = {
        f"service.{service}": json.dumps(options),
        "template.t": json.dumps({"message": MESSAGE, **(sections or {}), **more}),
        "context": "argocdUrl: https://argocd.example\n",
    }
    settings = read_settings({"data": data}, {"stringData": {"token": TOKEN}})
    assert settings.problems == ()
    message = message_for(Due(key="", trigger="t", to=to, templates=("t",)), {"app": APP}, settings, {}, NOW)
    assert TOKEN not in repr(message)
    return message


def send(
    service: str, options: dict[str, Any], to: Recipient, sections: dict[str, Any] | None = None, **more: Any
) -> None:
    """Send what a template makes of an Application, as a controller does that runs for others."""
    message = made(service, options, to, sections, **more)
    asyncio.run(Courier(Reach(loopback=False)).deliver(message))


def test_a_webhook_is_asked_as_its_section_says(web: WebReceiver) -> None:
    options = {
        "url": f"{web.url}/hooks/",
        "headers": [{"name": "Content-Type", "value": "application/json"}, {"name": "X-Token", "value": "$token"}],
        "basicAuth": {"username": "us", "password": "$token"},
    }
    body = '{"state": "{{.app.status.sync.status}}", "sha": "{{.app.status.sync.revision}}"}'
    section = {"ops": {"method": "put", "path": "/{{.app.metadata.name}}/status", "body": body}}
    send("webhook.ops", options, Recipient("ops"), webhook=section)
    [(method, path, headers, text)] = web.requests
    assert (method, path) == ("PUT", "/hooks/cart/status")
    assert json.loads(text) == {"state": "OutOfSync", "sha": "8f3c1d2"}
    assert (headers["content-type"], headers["x-token"]) == ("application/json", TOKEN)
    assert headers["authorization"].startswith("Basic ")


def test_a_webhook_without_a_section_of_its_own_gets_the_message(web: WebReceiver) -> None:
    send("webhook.ops", {"url": web.url}, Recipient("ops"), webhook={"other": {"method": "POST", "body": "no"}})
    assert [(method, text) for method, _, _, text in web.requests] == [("GET", "cart is Degraded")]


def test_slack_is_sent_a_form(web: WebReceiver) -> None:
    web.answers = [(200, '{"ok": true, "ts": "1.2"}')]
    attachments = '[{"title": "{{.app.metadata.name}}", "title_link": "{{.context.argocdUrl}}/applications/cart"}]'
    options = {
        "token": "$token",
        "apiURL": f"{web.url}/api/",
        "username": "bot",
        "icon": ":rocket:",
        "disableUnfurl": True,
    }
    send("slack", options, Recipient("slack", "dev"), slack={"attachments": attachments, "username": "cart-bot"})
    [(method, path, headers, text)] = web.requests
    assert (method, path, headers["authorization"]) == ("POST", "/api/chat.postMessage", f"Bearer {TOKEN}")
    assert headers["content-type"] == "application/x-www-form-urlencoded"
    form = {name: values[0] for name, values in parse_qs(text).items()}
    assert json.loads(form.pop("attachments")) == [
        {"title": "cart", "title_link": "https://argocd.example/applications/cart"}
    ]
    assert form == {
        "channel": "dev",
        "text": "cart is Degraded",
        "username": "cart-bot",
        "icon_emoji": ":rocket:",
        "unfurl_links": "false",
        "unfurl_media": "false",
    }


@pytest.mark.parametrize(
    ("policy", "paths"),
    [
        ("Post", ["/chat.postMessage", "/chat.postMessage"]),
        ("Update", ["/chat.postMessage", "/chat.update"]),
        ("PostAndUpdate", ["/chat.postMessage", "/chat.postMessage", "/chat.update"]),
    ],
)
def test_messages_of_slack_with_one_key_share_a_thread(web: WebReceiver, policy: str, paths: list[str]) -> None:
    web.answers = [(200, '{"ok": true, "ts": "17.5", "channel": "C01"}')] * 4
    options = {"token": "$token", "apiURL": web.url}
    section = {"groupingKey": "{{.app.status.sync.revision}}", "deliveryPolicy": policy, "notifyBroadcast": True}
    message = made("slack", options, Recipient("slack", "dev"), slack=section)
    other = made("slack", options, Recipient("slack", "dev"), slack={**section, "groupingKey": "other"})

    async def main() -> None:
        courier = Courier(Reach(loopback=False))
        await courier.deliver(message)
        await courier.deliver(message)
        assert [path for _, path, _, _ in web.requests] == paths
        first, *later = [{name: found[0] for name, found in parse_qs(text).items()} for *_, text in web.requests]
        assert "thread_ts" not in first
        for path, form in zip(paths[1:], later, strict=True):
            if path == "/chat.update":
                assert (form["ts"], form["channel"]) == ("17.5", "C01")
            else:
                assert (form["thread_ts"], form["channel"], form["reply_broadcast"]) == ("17.5", "dev", "true")
        web.answers = [(200, '{"ok": true, "ts": "18.0"}')]
        await courier.deliver(other)
        assert "thread_ts" not in parse_qs(web.requests[-1][3])

    asyncio.run(main())


@pytest.mark.parametrize(
    ("answer", "again"),
    [
        ('{"ok": false, "error": "channel_not_found"}', False),
        ('{"ok": false, "error": "ratelimited"}', True),
        ("<p>", False),
    ],
)
def test_slack_says_no_with_200(web: WebReceiver, answer: str, *, again: bool) -> None:
    web.answers = [(200, answer)]
    with pytest.raises(NotDelivered) as refused:
        send("slack", {"token": "$token", "apiURL": web.url}, Recipient("slack", "dev"))
    assert refused.value.again is again
    assert TOKEN not in str(refused.value)


def test_teams_is_sent_a_card_and_takes_it_by_saying_1(web: WebReceiver) -> None:
    web.answers = [(200, "1"), (200, "Webhook message delivery failed")]
    options = {"recipientUrls": {"ops": f"{web.url}/$token"}}
    section = {
        "title": "{{.app.metadata.name}}",
        "themeColor": "#FF0000",
        "facts": '[{"name": "Health", "value": "{{.app.status.health.status}}"}]',
        "potentialAction": '[{"@type": "OpenUri", "name": "Open", "targets": [{"os": "default", "uri": "https://a.example"}]}]',
    }
    send("teams", options, Recipient("teams", "ops"), teams=section)
    assert json.loads(web.requests[0][3]) == {
        "@type": "MessageCard",
        "context": "https://schema.org/extensions",
        "title": "cart",
        "summary": "",
        "text": "cart is Degraded",
        "themeColor": "#FF0000",
        "sections": [{"facts": [{"name": "Health", "value": "Degraded"}]}],
        "potentialAction": [
            {"@type": "OpenUri", "name": "Open", "targets": [{"os": "default", "uri": "https://a.example"}]}
        ],
    }
    with pytest.raises(NotDelivered, match="did not take the card: Webhook message delivery failed"):
        send("teams", options, Recipient("teams", "ops"))


def test_a_workflow_of_teams_is_sent_an_adaptive_card(web: WebReceiver) -> None:
    web.answers = [(202, "")]
    section = {
        "title": "{{.app.metadata.name}}",
        "sections": '[{"facts": [{"name": "Health", "value": "Degraded"}]}]',
        "potentialAction": '[{"@type": "OpenUri", "name": "Open", "targets": [{"uri": "https://a.example"}]}]',
    }
    options = {"recipientUrls": {"ops": f"{web.url}/powerautomate/x"}}
    send("teams-workflows", options, Recipient("teams-workflows", "ops"), sections={"teams-workflows": section})
    [attachment] = json.loads(web.requests[0][3])["attachments"]
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    assert attachment["content"] == {
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [
            {"type": "TextBlock", "text": "cart", "size": "Large", "weight": "Bolder", "wrap": True},
            {"type": "TextBlock", "text": "cart is Degraded", "wrap": True},
            {"type": "FactSet", "facts": [{"title": "Health", "value": "Degraded"}]},
        ],
        "actions": [{"type": "Action.OpenUrl", "title": "Open", "url": "https://a.example"}],
    }


def test_pagerduty_is_sent_an_event(web: WebReceiver) -> None:
    web.answers = [(202, '{"status": "success"}')]
    section = {
        "summary": "{{.app.metadata.name}} failed",
        "severity": "critical",
        "source": "{{.app.metadata.name}}",
        "class": "sync",
        "url": "{{.context.argocdUrl}}/applications/cart",
        "dedupKey": "{{.app.metadata.name}}",
    }
    options = {"apiURL": web.url, "serviceKeys": {"team": "$token"}}
    send("pagerdutyv2", options, Recipient("pagerdutyv2", "team"), pagerdutyv2=section)
    [(_, path, _, text)] = web.requests
    assert path == "/v2/enqueue"
    assert json.loads(text) == {
        "routing_key": TOKEN,
        "event_action": "trigger",
        "client": "ArgoCD",
        "client_url": "https://argocd.example/applications/cart",
        "dedup_key": "cart",
        "payload": {"summary": "cart failed", "source": "cart", "severity": "critical", "class": "sync"},
    }


@pytest.mark.parametrize(("html", "kind"), [(False, "text/plain"), (True, "text/html")])
def test_a_mail_arrives(mail: MailReceiver, *, html: bool, kind: str) -> None:
    options = {
        "host": "127.0.0.1", "port": mail.port, "from": "bot@team.example", "username": "bot", "password": "right",
        "html": html,
    }  # fmt: skip
    section = {
        "subject": "{{.app.metadata.name}}: ü\nBcc: evil@x.example",
        "body": "<b>{{.app.status.health.status}}</b> ü",
    }
    send("email", options, Recipient("email", "ann@team.example, ben@team.example"), email=section)
    [(sender, to, text)] = mail.mails
    assert (sender, to) == ("bot@team.example", ["ann@team.example", "ben@team.example"])
    found = email.message_from_string(text, policy=email.policy.default)
    assert (found["Subject"], found["Bcc"]) == ("cart: ü Bcc: evil@x.example", None)
    assert (found["From"], found["To"]) == ("bot@team.example", "ann@team.example, ben@team.example")
    assert found.get_content_type() == kind
    assert found.get_content().strip() == "<b>Degraded</b> ü"
    assert mail.logins == [("bot", "right", False)]


def test_a_mail_goes_over_tls_where_the_server_offers_it_and_its_certificate_is_checked() -> None:
    with mail_receiver(Authority().server_context("127.0.0.1")) as mail:
        options = {
            "host": "127.0.0.1", "port": mail.port, "from": "bot@team.example", "username": "b", "password": "right"
        }  # fmt: skip
        with pytest.raises(NotDelivered, match="certificate is not trusted") as refused:
            send("email", options, Recipient("email", "ann@team.example"))
        assert not refused.value.again
        assert mail.mails == []
        send("email", {**options, "insecure_skip_verify": True}, Recipient("email", "ann@team.example"))
        assert len(mail.mails) == 1
        assert mail.logins == [("b", "right", True)]


@pytest.mark.parametrize(("answer", "again"), [("550 nobody of that name", False), ("450 later", True)])
def test_a_mail_that_is_refused_says_why(mail: MailReceiver, answer: str, *, again: bool) -> None:
    mail.refuses = answer
    options = {"host": "127.0.0.1", "port": mail.port, "from": "bot@team.example"}
    with pytest.raises(NotDelivered, match=answer) as refused:
        send("email", options, Recipient("email", "ann@team.example"))
    assert refused.value.again is again


def test_a_login_that_is_refused_does_not_show_its_password(mail: MailReceiver) -> None:
    options = {
        "host": "127.0.0.1", "port": mail.port, "from": "bot@team.example", "username": "b", "password": "$token"
    }  # fmt: skip
    with pytest.raises(NotDelivered) as refused:
        send("email", options, Recipient("email", "ann@team.example"))
    assert "535" in str(refused.value)
    assert TOKEN not in str(refused.value)


@pytest.mark.parametrize(
    ("status", "again"), [(400, False), (401, False), (404, False), (429, True), (500, True), (503, True)]
)
def test_an_answer_that_is_no_success_says_whether_to_try_again(web: WebReceiver, status: int, *, again: bool) -> None:
    web.answers = [(status, f"the path /{TOKEN} of Bearer {TOKEN}")]
    web.headers = {"Retry-After": "30"}
    options = {"url": f"{web.url}/{TOKEN}", "headers": [{"name": "Authorization", "value": "Bearer $token"}]}
    with pytest.raises(NotDelivered) as refused:
        send("webhook.ops", options, Recipient("ops"))
    assert (refused.value.again, refused.value.pause) == (again, 30.0)
    assert str(refused.value).startswith(f"127.0.0.1:{web.port} answered {status}: ")
    assert TOKEN not in str(refused.value)


def test_a_receiver_that_is_away_is_named_without_its_path() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(NotDelivered) as refused:
        send("webhook.ops", {"url": f"http://127.0.0.1:{port}/{TOKEN}?key={TOKEN}"}, Recipient("ops"))
    assert refused.value.again
    assert TOKEN not in str(refused.value)
    assert f"127.0.0.1:{port} did not answer" in str(refused.value)


@pytest.mark.parametrize("elsewhere", ["http://127.0.0.1:{port}/x", "http://169.254.169.254/latest", "gopher://x/"])
def test_a_receiver_cannot_redirect_us_to_where_the_operator_did_not_send_us(web: WebReceiver, elsewhere: str) -> None:
    with listening() as other:
        web.answers = [(302, "")]
        web.headers = {"Location": elsewhere.format(port=other.port)}
        with pytest.raises(NotDelivered) as refused:
            send("webhook.ops", {"url": f"{web.url}/{TOKEN}"}, Recipient("ops"))
        assert other.connections == 0
        assert TOKEN not in str(refused.value)
