"""The version of a cluster as helm takes it.

Used for `helm template` and for charts inside of kustomizations. Providers call their versions `1.31+` or
`1.30.1_IKS`, which are no versions to helm.
"""

from __future__ import annotations

import re

_VERSION = re.compile(r"(?P<number>v?\d+(?:\.\d+){0,2})(?P<suffix>.*)")
_WORDS = r"[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*"
_SUFFIX = re.compile(rf"(?:-{_WORDS})?(?:\+{_WORDS})?")


def as_semver(kube_version: str) -> str:
    """Return a version of three parts with its suffix where that has the form of semantic versions, else without it.

    Helm 3 makes v1.31.0 of 1.31, and Helm 4 leaves it so: charts see the same with either.
    """
    found = _VERSION.match(kube_version.strip())
    if found is None:
        return kube_version
    number = found["number"] + ".0" * (2 - found["number"].count("."))
    return number + (found["suffix"] if _SUFFIX.fullmatch(found["suffix"]) else "")
