"""Secrets that anybody who reads the repository can read."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any

from syncline.core.compare.prepare import Prepared
from syncline.core.diagnose.live.around import listed
from syncline.core.diagnose.live.pods import containers, template
from syncline.core.diagnose.repository.pointing import SECRET_WORDS, at, dig, entries
from syncline.core.diagnose.repository.rendered import delivered
from syncline.core.diagnose.repository.world import Delivery, Made
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import Repo
from syncline.core.references.pods import SECRET
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="SEC-001",
    name="secret-in-git",
    severity=Severity.ERROR,
    summary="A Secret has a credential in plain text, or a container variable has a token in it.",
    fix="rotate it, then keep it out of Git: use an ExternalSecret, a SealedSecret or SOPS",
    looks_at=(
        LooksAt.FILES,
        LooksAt.RENDERED,
    ),
    why="Anyone who has ever read the repository has it, even after it is deleted. Base64 is not encryption.",
    bad="""\
apiVersion: v1
kind: Secret
metadata: {name: db}
stringData:
  password: correct-horse-battery
""",
    good="""\
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: db}
spec:
  secretStoreRef: {name: vault, kind: ClusterSecretStore}
  target: {name: db}
  dataFrom: [{extract: {key: db}}]
---
apiVersion: external-secrets.io/v1
kind: ClusterSecretStore
metadata: {name: vault}
spec: {provider: {fake: {data: []}}}
""",
)
_SHORTEST = 4
_HARMLESS = ("kubernetes.io/service-account-token", "helm.sh/release.v1", "bootstrap.kubernetes.io/token")
_TOKEN = re.compile(
    r"gh[pousr]_[A-Za-z0-9]{30,}|github_pat_\w{20,}|glpat-[\w-]{16,}|AKIA[0-9A-Z]{16}|xox[abprs]-[\w-]{10,}"
    r"|-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----|sk_live_\w{16,}|AIza[\w-]{35}|hvs\.[\w-]{20,}"
)
_PLACEHOLDER = re.compile(
    r"^<.*>$|\$\(|\$\{|\{\{|ENC\["
    r"|^(?:change[-_ ]?me|replace[-_ ]?me|todo|placeholder|example|dummy|redacted|x{3,}|\*{3,})",
    re.IGNORECASE,
)


@RULE.on_each(Repo, delivered)
def check(_repo: Repo, one: Made) -> Iterator[Finding]:
    """Yield one finding per Secret or container, never with the value."""
    delivery, item = one
    if item.key.group_kind == SECRET:
        yield from _of_secret(delivery, item)
        return
    path, spec = template(item.obj) if item.key.group in ("", "apps", "batch") else ("", {})
    for place, entry in containers(spec):
        for index, variable in enumerate(entries(entry, "env")):
            if _TOKEN.search(str(variable.get("value") or "")):
                field = f"{path}.{place}.env[{index}].value"
                message = f"{item.key.short} of {delivery} has a token in plain text: {variable.get('name')}"
                evidence = [at(item, field, str(variable.get("name")))]
                yield RULE.finding(item.key.short, message, evidence=evidence, fix=RULE.usual_fix)


def _of_secret(delivery: Delivery, item: Prepared) -> Iterator[Finding]:
    steady = delivery.app.desired is None or delivery.app.desired.steady
    if str(item.obj.get("type") or "") in _HARMLESS or "sops" in item.obj or not steady:
        return
    found = []
    for name, value in {**_decoded(dig(item.obj, "data")), **_plain(dig(item.obj, "stringData"))}.items():
        sensitive = any(word in name.lower() for word in SECRET_WORDS) or _TOKEN.search(value)
        if sensitive and not _PLACEHOLDER.search(value) and len(value.strip()) >= _SHORTEST:
            found.append(name)
    if found:
        fields = [f"{part}.{found[0]}" for part in ("stringData", "data")]
        known = item.origin.positions.paths
        path = next((one for one in fields if one in known), fields[0])
        message = f"{item.key.short} of {delivery} is in Git in plain text: {listed(sorted(found))}"
        yield RULE.finding(item.key.short, message, evidence=[at(item, path, found[0])], fix=RULE.usual_fix)


def _decoded(data: Any) -> dict[str, str]:
    found = {}
    for name, value in data.items() if isinstance(data, dict) else ():
        try:
            found[str(name)] = base64.b64decode(str(value or ""), validate=True).decode("utf-8", "replace")
        except (binascii.Error, ValueError):
            continue
    return found


def _plain(data: Any) -> dict[str, str]:
    return {str(name): str(value or "") for name, value in data.items()} if isinstance(data, dict) else {}
