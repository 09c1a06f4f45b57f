"""Reads the operator's `kustomize.buildOptions`: which of them kustomize is run with, and which are left out.

Used by `syncline.adapters.render.means`, which holds the parsed options, and
`syncline.adapters.render.kustomize.build`. Only what makes kustomize read files or charts of the repository is taken
over: nothing that starts programs, mounts folders or reaches a network.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from syncline.adapters.render.kube_versions import as_semver

ANYWHERE = "LoadRestrictionsNone"
_RESTRICTORS = ("LoadRestrictionsRootOnly", ANYWHERE)


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What the operator wants of kustomize; `refused` are options that are not for us."""

    helm: bool = False
    restrictor: str = ""
    refused: tuple[str, ...] = ()

    def arguments(self, helm: str, kube_version: str, api_versions: tuple[str, ...]) -> list[str]:
        """Return the arguments of `kubectl kustomize`; `helm` is the program that charts are rendered with."""
        found = [f"--load-restrictor={self.restrictor}"] if self.restrictor else []
        if self.helm and helm:
            found += ["--enable-helm", f"--helm-command={helm}"]
            found += [f"--helm-kube-version={as_semver(kube_version)}"] if kube_version else []
            found += [f"--helm-api-versions={','.join(api_versions)}"] if api_versions else []
        return found

    @property
    def warnings(self) -> tuple[str, ...]:
        """One sentence for what was left out."""
        if not self.refused:
            return ()
        return (f"kustomize.buildOptions: {' '.join(self.refused)} is ignored: it is not allowed",)


def parse(text: str) -> BuildOptions:
    """Return the options of a text as the settings have it."""
    try:
        words = shlex.split(text)
    except ValueError:
        return BuildOptions(refused=(text,))
    helm, restrictor, refused = False, "", list[str]()
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if name in ("--load-restrictor", "--load_restrictor"):
            value = value if equals else words.pop(0) if words else ""
            if value in _RESTRICTORS:
                restrictor = value
            else:
                refused.append(f"{name}={value}")
        elif name == "--enable-helm" and value in ("", "true"):
            helm = True
        else:
            refused.append(word)
    return BuildOptions(helm, restrictor, tuple(refused))
