"""Says in one sentence why no answer came.

Called by `syncline.adapters.kube.http` with whatever the HTTP library raised; the sentence is all a user
sees. The text of an exception is used only where it cannot hold what was sent.
"""

from __future__ import annotations

import asyncio
import errno
import re
import ssl

from syncline.adapters.kube.resolving import InnerAddress

_TOKEN = re.compile(r"/[0-9a-f]{32,}(?=/|$)")
_CAUSES = {
    errno.ECONNREFUSED: "connection refused",
    errno.ECONNRESET: "the connection was reset",
    errno.EPIPE: "the connection was reset",
    errno.EHOSTUNREACH: "no route to the host",
    errno.ENETUNREACH: "the network is unreachable",
    errno.ETIMEDOUT: "timed out",
}


def sentence(server: str, error: BaseException, *, timeout: float | None) -> str:
    """Return the sentence for an error met while speaking to a server."""
    import aiohttp

    server = shown(server)
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return _untrusted(server, error.certificate_error)
    if isinstance(error, ssl.SSLCertVerificationError):
        return _untrusted(server, error)
    return f"cannot reach {server}: {_cause(error, timeout)}"


def shown(server: str) -> str:
    """Return the address of a server as people may see it: a long part of its path is a token, as a sandbox has it."""
    return _TOKEN.sub("/…", server)


def is_refused(error: BaseException) -> bool:
    """Whether nothing listens at the address."""
    return isinstance(error, OSError) and _of_system(error) == _CAUSES[errno.ECONNREFUSED]


def _untrusted(server: str, error: BaseException) -> str:
    told = getattr(error, "verify_message", "") or "its certificate was rejected"
    return f"cannot trust {server}: {told} (check certificate-authority and tls-server-name of this cluster)"


def _cause(error: BaseException, timeout: float | None) -> str:
    import aiohttp

    if isinstance(error, aiohttp.ClientConnectorDNSError):
        if isinstance(error.os_error, InnerAddress):
            return str(error.os_error)
        return f"the host name {error.host} cannot be resolved"
    if isinstance(error, aiohttp.ClientHttpProxyError):
        return f"the proxy answered {error.status}"
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        return "the proxy does not answer"
    if isinstance(error, aiohttp.ClientConnectorSSLError | ssl.SSLError):
        return "the TLS handshake failed, or the server requires a different client certificate"
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return "the connection timed out"
    if isinstance(error, asyncio.TimeoutError):
        return f"no answer within {timeout:g} seconds" if timeout else "the watch went silent"
    if isinstance(error, aiohttp.InvalidURL):
        return "the address is not a URL"
    if isinstance(error, aiohttp.ServerDisconnectedError | aiohttp.ClientPayloadError):
        return "the connection was reset"
    if isinstance(error, OSError):
        return _of_system(error)
    return type(error).__name__


def _of_system(error: OSError) -> str:
    inner = error.__cause__ if error.errno is None else None
    code = inner.errno if isinstance(inner, OSError) else error.errno
    if code in _CAUSES:
        return _CAUSES[code]
    text = str(error)
    # Several addresses were tried and each failed: the library joins them in one text without a number.
    return next((cause for number, cause in _CAUSES.items() if f"Errno {number}]" in text), "connection failed")
