"""The services that notifications can be sent by, one file each: from a filled notification to a message.

Belongs here: what a service wants to be sent. Does not belong here: sending it. `TYPES` is the table that
`syncline.core.notify.due` looks a service up in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from syncline.core.notify.services.email import email
from syncline.core.notify.services.pagerduty import pagerduty
from syncline.core.notify.services.slack import slack
from syncline.core.notify.services.teams import teams
from syncline.core.notify.services.teams_workflows import teams_workflows
from syncline.core.notify.services.webhook import webhook
from syncline.model.notifications import Message, Recipient

TYPES: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any], Recipient], Message]] = {
    "email": email,
    "pagerdutyv2": pagerduty,
    "slack": slack,
    "teams": teams,
    "teams-workflows": teams_workflows,
    "webhook": webhook,
}
"""What makes a message of a filled notification, the options of the service and the recipient."""
