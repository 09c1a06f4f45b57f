"""Which pull secret of a pod is not there, by the words of the kubelet; Secrets themselves are not read."""

from __future__ import annotations

import re

from syncline.core.diagnose.live.pods import FailingContainer
from syncline.core.diagnose.subjects import App
from syncline.core.health import events

_UNREAD = re.compile(r"Unable to retrieve some image pull secrets \((?P<names>[^)]*)\)")


def missing_pull_secret(app: App, one: FailingContainer) -> str:
    """Return the name of a pull secret that the kubelet could not find; empty where it found all."""
    for event in app.assessment.snapshot.events:
        if events.subject(event) == one.of.key and (found := _UNREAD.search(events.message(event))):
            return found["names"].split(",")[0].strip()
    return ""
