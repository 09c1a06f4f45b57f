"""Who hears of what: annotations in both forms, defaults, and everybody's subscriptions."""

import pytest

from syncline.apimachinery.selectors import LabelSelector
from syncline.core.notify.subscriptions import subscribed
from syncline.model.notifications import GlobalSubscription, NotificationSettings, Recipient

P = "notifications.argoproj.io/subscribe."
LISTED = """\
- trigger: [one, two]
  destinations:
  - service: slack
    recipients: [dev, ops]
- destinations:
  - service: mail
    recipients: [a@b.example]
"""
DEV, OPS = Recipient("slack", "dev"), Recipient("slack", "ops")


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ({f"{P}failed.slack": "dev"}, {"failed": [DEV]}),
        ({f"{P}failed.slack": "dev;ops; "}, {"failed": [DEV, OPS]}),
        ({f"{P}failed.hook": ""}, {"failed": [Recipient("hook")]}),
        ({f"{P}slack": "dev"}, {"standard": [DEV]}),
        ({f"{P}.slack": "dev"}, {"standard": [DEV]}),
        ({f"{P}pager": "key"}, {"urgent": [Recipient("pager", "key")]}),
        ({"notifications.argoproj.io/other": "dev"}, {}),
        ({"other.example/subscribe.failed.slack": "dev"}, {}),
        (
            {"notifications.argoproj.io/subscriptions": LISTED},
            {"one": [DEV, OPS], "standard": [Recipient("mail", "a@b.example")], "two": [DEV, OPS]},
        ),
        ({"notifications.argoproj.io/subscriptions": "not: [a list"}, {}),
    ],
)
def test_annotations_subscribe(annotations: dict[str, str], expected: dict[str, list[Recipient]]) -> None:
    settings = NotificationSettings(default_triggers=("standard",), service_default_triggers={"pager": ("urgent",)})
    assert subscribed({}, (annotations,), settings) == expected


def test_everybodys_subscriptions_count_where_the_selector_matches_and_each_recipient_once() -> None:
    settings = NotificationSettings(
        default_triggers=("standard",),
        subscriptions=(
            GlobalSubscription(recipients=(DEV,), triggers=("failed",), selector=LabelSelector.parse("team=a")),
            GlobalSubscription(recipients=(OPS, DEV)),
        ),
    )
    own = {f"{P}failed.slack": "dev", f"{P}standard.slack": "ops"}
    assert subscribed({"team": "a"}, (own, {}), settings) == {"failed": [DEV], "standard": [OPS, DEV]}
    assert subscribed({"team": "b"}, ({}, {}), settings) == {"standard": [OPS, DEV]}
