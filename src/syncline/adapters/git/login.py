"""Tells git who we are: a private folder with a configuration, keys and certificates, gone when the call has ended.

Called by `syncline.adapters.git.remote` around each call of git that uses the network. Secrets are in files that only
we can read, never in arguments and never in the environment, both of which other programs of the machine can list.
The one text that git hands to a shell, its ssh command, holds nothing but the path of that folder.
"""

from __future__ import annotations

import contextlib
import pathlib
import shlex
import sys
import tempfile
from collections.abc import Iterator, Sequence

from syncline.adapters.git import tunnel
from syncline.adapters.git.addresses import Address
from syncline.model.errors import SourceError
from syncline.model.sources.repository import Credentials
from syncline.net import downloads, proxies, urls


@contextlib.contextmanager
def prepared(address: Address, credentials: Credentials, pins: Sequence[str] = ()) -> Iterator[dict[str, str]]:
    """Yield the environment that makes git log in; `pins` are the checked places of the server's name."""
    if address.local:
        yield {}
        return
    with tempfile.TemporaryDirectory(prefix="syncline-") as name:
        folder = pathlib.Path(name)
        if address.scheme == "ssh":
            yield _ssh(folder, address, credentials)
        else:
            yield _http(folder, address, credentials, pins)


def _http(folder: pathlib.Path, address: Address, credentials: Credentials, pins: Sequence[str]) -> dict[str, str]:
    way = address.repository.way
    # We look at redirects ourselves: git would follow one to anywhere.
    settings: list[tuple[str, str]] = [("followRedirects", "false")]
    if header := _authorization(credentials):
        settings.append(("extraHeader", f"Authorization: {header}"))
    if address.certificates:
        settings.append(("sslCAInfo", _write(folder, "ca.pem", address.certificates)))
    if way.insecure:
        settings.append(("sslVerify", "false"))
    if credentials.tls_client_certificate:
        settings.append(("sslCert", _write(folder, "certificate.pem", credentials.tls_client_certificate)))
        settings.append(("sslKey", _write(folder, "key.pem", credentials.tls_client_key)))
    environment: dict[str, str] = {}
    if way.proxy:
        # Decided here and not by git, so that everything that is fetched follows one rule.
        settings.append(("proxy", proxy(address)))
        environment = {"no_proxy": "", "NO_PROXY": ""}
    settings += [("curloptResolve", pin) for pin in pins]
    lines = ["[http]", *(f"\t{key} = {_quoted(value)}" for key, value in settings), ""]
    return {"GIT_CONFIG_GLOBAL": _write(folder, "config", "\n".join(lines)), **environment}


def _authorization(credentials: Credentials) -> str:
    if credentials.username or credentials.password:
        return downloads.basic(credentials.username, credentials.password)
    return f"Bearer {credentials.bearer_token}" if credentials.bearer_token else ""


def _ssh(folder: pathlib.Path, address: Address, credentials: Credentials) -> dict[str, str]:
    way = address.repository.way
    through = _tunnel(folder, address)
    lines = [
        "BatchMode yes",
        "ConnectTimeout 20",
        "PermitLocalCommand no",
        "ForwardAgent no",
        "ClearAllForwardings yes",
    ]
    private = bool(credentials.ssh_private_key)
    if private:
        key = credentials.ssh_private_key.replace("\r\n", "\n").strip() + "\n"
        lines += ["IdentitiesOnly yes", "IdentityAgent none", f"IdentityFile {_write(folder, 'key', key)}"]
    if way.ignore_host_key or way.insecure:
        lines += ["StrictHostKeyChecking no", "UserKnownHostsFile /dev/null", "GlobalKnownHostsFile /dev/null"]
    elif address.known_hosts is not None:
        hosts = _write(folder, "known_hosts", address.known_hosts)
        lines += ["StrictHostKeyChecking yes", f"UserKnownHostsFile {hosts}", "GlobalKnownHostsFile /dev/null"]
    else:
        lines += ["StrictHostKeyChecking yes"]
    if through:
        lines += ["CheckHostIP no", f"ProxyCommand {through}"]
    if not (private or through or way.ignore_host_key or way.insecure) and address.known_hosts is None:
        # Nobody told us anything: the user's own ssh configuration counts.
        return {"GIT_SSH_COMMAND": "ssh -o BatchMode=yes -o ConnectTimeout=20"}
    config = _write(folder, "ssh_config", "\n".join([*lines, ""]))
    return {"GIT_SSH_COMMAND": f"ssh -F {shlex.quote(config)}", "GIT_SSH_VARIANT": "ssh"}


def _tunnel(folder: pathlib.Path, address: Address) -> str:
    """Return the command that carries ssh through the repository's proxy, or nothing; its login is in a file."""
    text = proxy(address)
    if not text:
        return ""
    trust = tunnel.TRUSTED if not address.repository.project else "judged"
    place = _write(folder, "proxy", f"{text}\n{address.host}\n{address.port}\n{trust}\n")
    words = (sys.executable, "-P", "-m", "syncline.adapters.git.tunnel", place)
    return " ".join(shlex.quote(word).replace("%", "%%") for word in words)


def proxy(address: Address) -> str:
    """Return the proxy a repository is reached through, or nothing; raises `SourceError` for what is none."""
    way = address.repository.way
    if not way.proxy:
        return ""
    try:
        found = proxies.parse(way.proxy)
    except urls.RefusedAddress as refused:
        raise SourceError(f"invalid proxy {urls.scrub(way.proxy)!r}: {refused}") from None
    if proxies.exempt(urls.Url(address.scheme, address.host, address.port), way.no_proxy):
        return ""
    # The proxy looks names up, with every program alike: git's `socks5` would do so here.
    text = way.proxy if "://" in way.proxy else f"http://{way.proxy}"
    return text.replace("socks5://", "socks5h://", 1) if found.scheme == "socks5" else text


def _quoted(value: str) -> str:
    if any(ord(letter) < 32 for letter in value):
        raise SourceError("the credentials of the repository contain control characters", hint="enter them again")
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _write(folder: pathlib.Path, name: str, text: str) -> str:
    path = folder / name
    path.touch(mode=0o600)
    path.write_text(text)
    return str(path)
