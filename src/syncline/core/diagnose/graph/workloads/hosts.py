"""Which Service of a cluster an address names; shared by all checks that read addresses out of fields and logs."""

from __future__ import annotations

from syncline.apimachinery.keys import ObjectKey

_SUFFIXES = (".svc.cluster.local", ".svc", ".cluster.local")


def in_cluster(host: str, namespace: str) -> ObjectKey | None:
    """Return the Service that a host name means in a namespace; None for one that is outside."""
    name = host.rstrip(".").lower()
    inside = next((suffix for suffix in _SUFFIXES if name.endswith(suffix)), "")
    parts = name.removesuffix(inside).split(".") if inside else name.split(".")
    if not all(parts) or name.replace(".", "").isdigit() or ":" in name or name == "localhost":
        return None
    if len(parts) == 1:
        return ObjectKey("", "Service", namespace, parts[0]) if namespace else None
    if len(parts) == 2 and (inside or not _is_domain(parts[1])):
        return ObjectKey("", "Service", parts[1], parts[0])
    if len(parts) == 3 and inside:  # One pod of a StatefulSet behind a headless Service.
        return ObjectKey("", "Service", parts[2], parts[1])
    return None


def _is_domain(word: str) -> bool:
    return word in ("com", "io", "org", "net", "dev", "local", "internal", "cloud", "app", "eu", "de", "uk", "fr", "ai")
