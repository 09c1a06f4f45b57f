"""How the image runs: user, environment, entry point and labels. The Containerfile repeats it, and a test compares."""

from __future__ import annotations

from typing import Any

USER = 65532
HOME = "/home/syncline"
ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": HOME,
    "SYNCLINE_CACHE": f"{HOME}/.cache",
    "LANG": "C.UTF-8",
    "PYTHONUTF8": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
}
ENTRYPOINT = ("/usr/local/bin/syncline",)
PYTHON_PACKAGES = "usr/local/lib/python3.11/dist-packages"


def run_config(version: str, revision: str) -> dict[str, Any]:
    """Return the part of the image's config that says how to run it."""
    labels = {
        "org.opencontainers.image.title": "syncline",
        "org.opencontainers.image.description": "GitOps delivery for Kubernetes that explains itself",
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.base.name": "scratch",
    }
    if revision:
        labels["org.opencontainers.image.revision"] = revision
    return {
        "User": f"{USER}:{USER}",
        "Env": [f"{name}={value}" for name, value in ENVIRONMENT.items()],
        "Entrypoint": list(ENTRYPOINT),
        "WorkingDir": HOME,
        "Labels": labels,
    }
