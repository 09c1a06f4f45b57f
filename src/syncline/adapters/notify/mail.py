"""Sends a mail over SMTP: TLS from the start on port 465, else as soon as the server offers it.

Called by `syncline.adapters.notify`. The mail server is the one that the operator named, so it may be anywhere. A login
is never sent without TLS, except to this machine.
"""

from __future__ import annotations

import asyncio
import email.message
import email.utils
import smtplib
import ssl

from syncline.model.notifications import MailMessage
from syncline.net import urls
from syncline.ports.notify import NotDelivered

_SECONDS = 15.0
_ALL_SECONDS = 45.0
_TLS_PORT = 465
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})


async def send_mail(message: MailMessage) -> None:
    """Send a mail; raises `NotDelivered`."""
    try:
        async with asyncio.timeout(_ALL_SECONDS):
            await asyncio.to_thread(_send, message)
    except TimeoutError:
        raise NotDelivered(f"{message.host} took longer than {_ALL_SECONDS:g} seconds") from None


def _send(message: MailMessage) -> None:
    try:
        with _connected(message) as server:
            refused = server.send_message(_mail(message), from_addr=message.sender, to_addrs=list(message.to))
    except smtplib.SMTPRecipientsRefused as error:
        raise NotDelivered(_said(message, error.recipients), again=_for_now(error.recipients)) from None
    except smtplib.SMTPResponseException as error:
        text = error.smtp_error.decode("utf-8", "replace") if isinstance(error.smtp_error, bytes) else error.smtp_error
        words = urls.scrub(f"{message.host} answered {error.smtp_code} {text}", (message.password,))
        raise NotDelivered(" ".join(words.split())[:300], again=400 <= error.smtp_code < 500) from None
    except ssl.SSLCertVerificationError as error:
        words = f"{message.host}: its certificate is not trusted ({error.verify_message})"
        raise NotDelivered(words, again=False) from None
    except (OSError, smtplib.SMTPException) as error:
        raise NotDelivered(
            f"{message.host} did not take the mail: {urls.scrub(str(error), (message.password,))}"
        ) from None
    if refused:
        raise NotDelivered(_said(message, refused), again=_for_now(refused))


def _said(message: MailMessage, refused: dict[str, tuple[int, bytes]]) -> str:
    one, (code, text) = next(iter(refused.items()))
    return f"{message.host} refuses {one}: {code} {text.decode('utf-8', 'replace')[:200]}"


def _for_now(refused: dict[str, tuple[int, bytes]]) -> bool:
    return all(400 <= code < 500 for code, _ in refused.values())


def _connected(message: MailMessage) -> smtplib.SMTP:
    """Return a session with the mail server, logged in where there is a login."""
    context = ssl.create_default_context()
    if message.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if message.port == _TLS_PORT:
        server: smtplib.SMTP = smtplib.SMTP_SSL(message.host, message.port, timeout=_SECONDS, context=context)
    else:
        server = smtplib.SMTP(message.host, message.port, timeout=_SECONDS)
    try:
        server.ehlo_or_helo_if_needed()
        if message.port != _TLS_PORT and server.has_extn("starttls"):
            server.starttls(context=context)
        elif message.username and message.port != _TLS_PORT and message.host not in _LOCAL:
            raise NotDelivered(f"{message.host} offers no TLS, and a login is not sent without it", again=False)
        if message.username:
            server.login(message.username, message.password)
    except BaseException:
        server.close()
        raise
    return server


def _mail(message: MailMessage) -> email.message.EmailMessage:
    mail = email.message.EmailMessage()
    mail["From"] = message.sender
    mail["To"] = ", ".join(message.to)
    mail["Subject"] = message.subject
    mail["Date"] = email.utils.localtime()
    mail["Message-ID"] = email.utils.make_msgid(domain=message.sender.rpartition("@")[2].strip("> ") or None)
    mail.set_content(message.body, subtype="html" if message.html else "plain", cte="quoted-printable")
    return mail
