"""Attacks by Applications, by class; each module lists them as `ATTACKS`."""

from __future__ import annotations

import os

from tests.hostile.attack import Attack
from tests.hostile.attacks import (
    addresses,
    bombs,
    commands,
    expressions,
    files,
    helm,
    kustomize,
    objects,
    yaml_texts,
)

MODULES = (files, helm, kustomize, commands, objects, yaml_texts, bombs, expressions, addresses)


def chosen(attacks: tuple[Attack, ...]) -> list[Attack]:
    """Return the attacks of this run: slow ones are left to `make test-hostile-all`."""
    return [attack for attack in attacks if not attack.slow or os.environ.get("SYNCLINE_WHOLE")]


def everything() -> list[Attack]:
    """Return all attacks of this run."""
    return [attack for module in MODULES for attack in chosen(module.ATTACKS)]
