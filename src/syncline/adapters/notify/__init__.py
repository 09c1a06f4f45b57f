"""Takes messages of notifications to web services and mail servers.

Implements `syncline.ports.notify`; built by `syncline.wiring`. Receivers are named by the operator, in a ConfigMap and
a Secret of the installation, and may be anywhere; where they redirect to may not.
"""

from __future__ import annotations

from syncline.adapters.notify.http import send_http
from syncline.adapters.notify.mail import send_mail
from syncline.adapters.notify.threads import Threads
from syncline.model.notifications import HttpMessage, Message
from syncline.net import urls


class Courier:
    """Delivers messages; `reach` says which machines a receiver may redirect to."""

    def __init__(self, reach: urls.Reach) -> None:
        self._reach = reach
        self._threads = Threads()

    async def deliver(self, message: Message) -> None:
        """Hand a message over."""
        if not isinstance(message, HttpMessage):
            await send_mail(message)
        elif message.thread is None:
            await send_http(message, self._reach)
        else:
            await self._threads.send(message, message.thread, self._reach)
