"""P1: repository addresses that lead to this machine, to metadata services or to another protocol."""

from __future__ import annotations

from typing import Any

from tests.hostile.attack import Attack
from tests.hostile.installation import config

REFUSED = "is this machine|which is not a repository address"
# Hosts as an attacker spells them; those with @PORT@ lead to the listener, which must hear nothing.
LOOPBACK = {
    "plain": "127.0.0.1:@PORT@",
    "other": "127.9.9.9:@PORT@",
    "name": "localhost:@PORT@",
    "dot": "localhost.:@PORT@",
    "ipv6": "[::1]:@PORT@",
    "mapped": "[::ffff:127.0.0.1]:@PORT@",
    "decimal": "2130706433:@PORT@",
    "hex": "0x7f000001:@PORT@",
    "octal": "0177.0.0.1:@PORT@",
    "short": "127.1:@PORT@",
    "zero": "0.0.0.0:@PORT@",
    "zero-ipv6": "[::]:@PORT@",
    "login": "user:pass@127.0.0.1:@PORT@",
}
METADATA = {
    "aws": "169.254.169.254",
    "aws-ipv6": "[fd00:ec2::254]",
    "google-ipv6": "[fd20:ce::254]",
    "alibaba": "100.100.100.200",
    "azure": "168.63.129.16",
    "link-local": "[fe80::1]",
    "mapped": "[::ffff:169.254.169.254]",
    "decimal": "2852039166",
    "nat64": "[64:ff9b::a9fe:a9fe]",
}


def _git(name: str, host: str) -> Attack:
    # No resolver here knows "localhost.": it leads nowhere.
    reason = "Could not resolve host|is this machine" if name == "here-dot" else REFUSED
    return Attack(f"p1-git-{name}", reason, {}, {"repoURL": f"http://{host}/p1-git-{name}/x.git"}, project="open-a")


def _chart(name: str, url: str, **source: Any) -> Attack:
    chosen = {"repoURL": url, "path": None, "chart": "web", "targetRevision": "1.0.0", **source}
    return Attack(f"p1-chart-{name}", REFUSED, {}, chosen, project="open-a")


ATTACKS = (
    *(_git(f"here-{name}", host) for name, host in LOOPBACK.items()),
    *(_git(f"metadata-{name}", host) for name, host in METADATA.items()),
    *(_chart(f"here-{name}", f"http://{LOOPBACK[name]}/p1-chart-{name}") for name in ("plain", "ipv6", "decimal")),
    *(
        _chart(f"metadata-{name}", f"http://{METADATA[name]}/charts")
        for name in ("aws", "aws-ipv6", "alibaba", "azure")
    ),
    Attack(
        "p1-oci-here", REFUSED, {}, {"repoURL": "oci://127.0.0.1:@PORT@/p1-oci-here", "path": "."}, project="open-a"
    ),
    Attack("p1-oci-metadata", REFUSED, {}, {"repoURL": "oci://169.254.169.254/x", "path": "."}, project="open-a"),
    *(
        Attack(
            f"p1-scheme-{scheme}",
            "invalid repoURL",
            {},
            {"repoURL": f"{scheme}://127.0.0.1:@PORT@/x"},
            project="open-a",
        )
        for scheme in ("gopher", "dict", "ftp", "git", "ldap")
    ),
    Attack(
        "p1-other-port",
        REFUSED,
        {"good.yaml": config("good")},
        {"repoURL": "http://127.0.0.1:@PORT@/team-a/main/.git"},
        project="open-a",
    ),
)
