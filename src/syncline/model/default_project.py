"""The project that every Application without one belongs to: everything is permitted, as with Argo CD.

Created where it is missing, by `syncline.server.access.bootstrap` and by commands that install.
"""

from __future__ import annotations

from syncline.apimachinery.keys import Object
from syncline.model import names

DEFAULT_PROJECT = "default"


def default_project(namespace: str) -> Object:
    """Return the project."""
    return {
        "apiVersion": names.API_VERSION,
        "kind": "AppProject",
        "metadata": {"name": DEFAULT_PROJECT, "namespace": namespace},
        "spec": {
            "sourceRepos": ["*"],
            "destinations": [{"server": "*", "namespace": "*"}],
            "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
        },
    }
