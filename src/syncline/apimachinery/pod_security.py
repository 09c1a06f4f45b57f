"""The pod security standards: what the spec of a pod does that a level forbids.

Asked by the sandbox when a pod is written, and by the rule on what a namespace enforces. A namespace says by its labels
which of `LEVELS` its pods have to keep to; versions of the standards are not told apart.
"""

from __future__ import annotations

from typing import Final

from syncline.apimachinery import pod_security_checks as checks
from syncline.apimachinery.keys import Object

PREFIX: Final = "pod-security.kubernetes.io/"
LEVELS: Final = ("privileged", "baseline", "restricted")
"""From the one that forbids nothing to the one that forbids most."""
BASELINE: Final[tuple[checks.Check, ...]] = (
    checks.app_armor,
    checks.capabilities,
    checks.host_namespaces,
    checks.host_paths,
    checks.host_ports,
    checks.probe_hosts,
    checks.privileged,
    checks.proc_mount,
    checks.selinux,
    checks.seccomp,
    checks.sysctls,
)
RESTRICTED: Final[tuple[checks.Check, ...]] = (
    checks.app_armor,
    checks.host_namespaces,
    checks.host_ports,
    checks.probe_hosts,
    checks.privileged,
    checks.selinux,
    checks.sysctls,
    checks.escalation,
    checks.dropped,
    checks.proc_mount_strict,
    checks.volume_types,
    checks.root_user,
    checks.user_zero,
    checks.seccomp_strict,
)


def violations(spec: Object, level: str) -> list[tuple[str, str]]:
    """Return what the spec of a pod does that a level forbids, each in short and in full."""
    wanted = {"baseline": BASELINE, "restricted": RESTRICTED}.get(level, ())
    return [found for one in wanted if (found := one(spec)) is not None]
