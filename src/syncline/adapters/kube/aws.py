"""Tokens for EKS clusters, made as `aws eks get-token` makes them: a signed URL that tells AWS who asks.

Chosen by `syncline.adapters.kube.cluster_secret` for `awsAuthConfig`. The URL is not opened here: the cluster opens it
and learns the caller's identity. Keys come from the environment or from the shared credentials file. A role cannot be
assumed, since that needs a call to AWS.
"""

from __future__ import annotations

import base64
import configparser
import hashlib
import hmac
import pathlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from urllib.parse import quote, urlencode

from syncline.adapters.kube.connection import Credential
from syncline.ports.clock import Clock
from syncline.ports.transport import TransportError

EMPTY_PAYLOAD = hashlib.sha256(b"").hexdigest()
_ALGORITHM = "AWS4-HMAC-SHA256"
_LASTS = timedelta(minutes=14)
_SIGNED_SECONDS = 60
_EKS = re.compile(r"\.([a-z]{2}(?:-[a-z]+)+-\d)\.eks\.amazonaws\.com")


@dataclass(frozen=True, slots=True)
class AwsKeys:
    """An access key; temporary ones have a session token too."""

    access_key: str
    secret_key: str = field(repr=False)
    session_token: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedScope:
    """What a signature is for."""

    region: str
    service: str
    seconds: int
    payload: str = EMPTY_PAYLOAD


def presigned(
    url: tuple[str, str],
    query: Mapping[str, str],
    headers: Mapping[str, str],
    keys: AwsKeys,
    now: datetime,
    scope: SignedScope,
) -> str:
    """Return the URL (host and path) of a GET with its signature (Signature Version 4) in the query."""
    host, path = url
    moment = now.strftime("%Y%m%dT%H%M%SZ")
    credential_scope = f"{moment[:8]}/{scope.region}/{scope.service}/aws4_request"
    signed = {"host": host, **headers}
    names = ";".join(sorted(signed))
    given = {
        **query,
        "X-Amz-Algorithm": _ALGORITHM,
        "X-Amz-Credential": f"{keys.access_key}/{credential_scope}",
        "X-Amz-Date": moment,
        "X-Amz-Expires": str(scope.seconds),
        "X-Amz-SignedHeaders": names,
    }
    if keys.session_token:
        given["X-Amz-Security-Token"] = keys.session_token
    encoded = urlencode(sorted(given.items()), quote_via=quote, safe="-_.~")
    lines = "".join(f"{name}:{signed[name]}\n" for name in sorted(signed))
    request = f"GET\n{path}\n{encoded}\n{lines}\n{names}\n{scope.payload}"
    digest = hashlib.sha256(request.encode()).hexdigest()
    text = f"{_ALGORITHM}\n{moment}\n{credential_scope}\n{digest}"
    key = f"AWS4{keys.secret_key}".encode()
    for part in credential_scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    return f"https://{host}{path}?{encoded}&X-Amz-Signature={signature}"


def eks_token(cluster: str, region: str, keys: AwsKeys, now: datetime) -> str:
    """Return the token that proves to a cluster who the owner of the keys is."""
    host = f"sts.{region}.amazonaws.com" + (".cn" if region.startswith("cn-") else "")
    scope = SignedScope(region=region, service="sts", seconds=_SIGNED_SECONDS)
    query = {"Action": "GetCallerIdentity", "Version": "2011-06-15"}
    url = presigned((host, "/"), query, {"x-k8s-aws-id": cluster}, keys, now, scope)
    return "k8s-aws-v1." + base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")


def region_of(server: str, environment: Mapping[str, str]) -> str:
    """Return the region of a cluster: its address names it, else the environment does."""
    if found := _EKS.search(server):
        return found[1]
    return environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION") or "us-east-1"


def find_keys(profile: str, environment: Mapping[str, str]) -> AwsKeys:
    """Return the keys of a profile, else those of the environment; raises `TransportError` where there are none."""
    if not profile and environment.get("AWS_ACCESS_KEY_ID") and environment.get("AWS_SECRET_ACCESS_KEY"):
        session = environment.get("AWS_SESSION_TOKEN", "")
        return AwsKeys(environment["AWS_ACCESS_KEY_ID"], environment["AWS_SECRET_ACCESS_KEY"], session)
    name = profile or environment.get("AWS_PROFILE") or "default"
    home = environment.get("HOME", "")
    path = environment.get("AWS_SHARED_CREDENTIALS_FILE") or f"{home}/.aws/credentials"
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(pathlib.Path(path).read_text("utf-8"))
        found = dict(parser[name])
        session = found.get("aws_session_token", "")
        return AwsKeys(found["aws_access_key_id"], found["aws_secret_access_key"], session)
    except (OSError, UnicodeDecodeError, configparser.Error, KeyError):
        where = f"AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile {name!r} in the shared credentials file"
        message = f"awsAuthConfig: there are no AWS keys: set {where}"
        raise TransportError(message) from None


class AwsTokens:
    """Bearer tokens for one EKS cluster, each kept for as long as it is valid."""

    def __init__(
        self, *, cluster: str, profile: str, server: str, environment: Mapping[str, str], clock: Clock
    ) -> None:
        self._cluster = cluster
        self._profile = profile
        self._region = region_of(server, environment)
        self._environment = environment
        self._clock = clock
        self._cached: Credential | None = None
        self._until = clock.now()

    async def current(self) -> Credential:
        """Return the token; a new one is signed when there is none or it is about to expire."""
        now = self._clock.now()
        if self._cached is None or now >= self._until:
            keys = find_keys(self._profile, self._environment)
            self._cached = Credential(f"Bearer {eks_token(self._cluster, self._region, keys, now)}")
            self._until = now + _LASTS
        return self._cached

    def forget(self) -> bool:
        """Sign another one before the next request: the keys may have changed."""
        had = self._cached is not None
        self._cached = None
        return had
