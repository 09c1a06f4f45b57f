"""The ConfigMap and the Secret of notifications are read key by key; what cannot be used is named, never a secret."""

import base64

from syncline.apimachinery.selectors import LabelSelector
from syncline.core.notify.settings import read_settings
from syncline.model.notifications import GlobalSubscription, NotificationService, Recipient, TriggerCondition

TOKEN = "xoxb-very-secret"


def secret(**values: str) -> dict[str, object]:
    return {"data": {name: base64.b64encode(text.encode()).decode() for name, text in values.items()}}


def test_all_that_argo_cd_documents_is_read() -> None:
    data = {
        "service.slack": "token: $slack-token\nusername: bot\n",
        "service.webhook.ops": (
            "url: https://ops.example/$slack-token/x\nheaders:\n- name: A\n  value: b-$slack-token\n"
        ),
        "trigger.on-failed": (
            "- when: app.status.operationState.phase in ['Failed']\n  oncePer: app.status.sync.revision\n"
            "  description: it failed\n  send: [failed]\n"
        ),
        "template.failed": "message: it failed\nslack: {attachments: '[]'}\n",
        "defaultTriggers": "[on-failed]",
        "defaultTriggers.ops": "- on-deployed\n",
        "subscriptions": "- recipients: [slack:dev, ops]\n  triggers: [on-failed]\n  selector: team in (a, b)\n",
        "context": "argocdUrl: https://argocd.example\n",
    }
    found = read_settings({"data": data}, secret(**{"slack-token": TOKEN}))
    assert found.problems == ()
    assert found.services == {
        "slack": NotificationService("slack", {"token": TOKEN, "username": "bot"}),
        "ops": NotificationService(
            "webhook",
            {"url": f"https://ops.example/{TOKEN}/x", "headers": [{"name": "A", "value": f"b-{TOKEN}"}]},
        ),
    }
    assert found.triggers["on-failed"] == (
        TriggerCondition(
            when="app.status.operationState.phase in ['Failed']",
            once_per="app.status.sync.revision",
            description="it failed",
            send=("failed",),
        ),
    )
    assert found.templates["failed"] == {"message": "it failed", "slack": {"attachments": "[]"}}
    assert (found.default_triggers, found.service_default_triggers) == (("on-failed",), {"ops": ("on-deployed",)})
    assert found.subscriptions == (
        GlobalSubscription(
            recipients=(Recipient("slack", "dev"), Recipient("ops")),
            triggers=("on-failed",),
            selector=LabelSelector.parse("team in (a, b)"),
        ),
    )
    assert found.context == {"argocdUrl": "https://argocd.example"}
    assert TOKEN not in repr(found)


def test_what_cannot_be_used_is_named_and_the_rest_is_read() -> None:
    data = {
        "service.slack": "token: $nobody\n",
        "service.telegram": "token: x\n",
        "service.webhook.a.b": "url: x\n",
        "trigger.bad-when": "- when: 'app.status. =='\n",
        "trigger.bad-once": "- when: 'true'\n  oncePer: '('\n",
        "trigger.not-a-list": "when: 'true'\n",
        "template.bad": "message: {a: ]\n",
        "subscriptions": "- recipients: [slack:dev]\n  selector: 'team in'\n- recipients: [slack:ops]\n",
        "context": "[]",
        "trigger.good": "- when: 'true'\n  send: [x]\n",
    }
    found = read_settings({"data": data}, secret())
    assert set(found.triggers) == {"good", "not-a-list", "on-cause", "on-cause-gone"}
    assert found.triggers["not-a-list"] == ()
    assert [one.recipients for one in found.subscriptions] == [(Recipient("slack", "ops"),)]
    words = [problem.removeprefix("argocd-notifications-cm: ") for problem in found.problems]
    beginnings = [
        "service.slack: the Secret has no key nobody, which $nobody stands for",
        "service.telegram: services of type telegram are not supported, only email, pagerdutyv2, slack, teams",
        "service.webhook.a.b: a service is service.<type> or service.<type>.<name>",
        "template.bad: ",
        "trigger.bad-once: oncePer of condition 0: unexpected the end",
        "trigger.bad-when: when of condition 0: unexpected '=='",
        "trigger.not-a-list: Expected `array`, got `object`",
        "subscriptions: selector team in: ",
        "context: Expected `object`, got `array`",
    ]
    assert len(words) == len(beginnings)
    for beginning, word in zip(beginnings, words, strict=True):
        assert word.startswith(beginning), word


def test_without_a_config_map_there_is_only_what_causes_need() -> None:
    found = read_settings(None, None)
    assert (found.services, found.problems, found.subscriptions) == ({}, (), ())
