"""In which namespaces Applications may live, and which project they may use from there.

Asked by `syncline.core.policy.permission` and the controller. The control-plane namespace is always one; others are
named by `application.namespaces`, as globs or as `/regular expressions/`, and have to be permitted by the project too.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from syncline.apimachinery.globs import matches
from syncline.core.policy.denials import Denial
from syncline.model.application import Application
from syncline.model.project import AppProject
from syncline.model.settings.settings import Settings


def permitted(namespace: str, settings: Settings) -> bool:
    """Whether Applications in a namespace are looked at."""
    return namespace == settings.namespace or listed(namespace, settings.application_namespaces)


def listed(namespace: str, patterns: Iterable[str]) -> bool:
    """Whether a namespace is one of a list of patterns."""
    return any(_matches(namespace, pattern) for pattern in patterns)


def denial(app: Application, project: AppProject, settings: Settings) -> Denial | None:
    """Return why an Application may not use a project from where it lives, in Argo CD's words; None when it may."""
    namespace = app.metadata.namespace
    if namespace == settings.namespace or listed(namespace, project.spec.source_namespaces):
        return None
    name = project.metadata.name
    message = f"application '{app.metadata.name}' in namespace '{namespace}' is not permitted to use project '{name}'"
    fix = f"syncline proj add-source-namespace {name} {namespace}"
    return Denial(message, f"spec.sourceNamespaces does not list it; to add it: {fix}", name, "spec.sourceNamespaces")


def _matches(namespace: str, pattern: str) -> bool:
    if len(pattern) > 2 and pattern.startswith("/") and pattern.endswith("/"):
        return _expression(pattern[1:-1]).search(namespace) is not None
    return matches(namespace, pattern)


@functools.lru_cache(maxsize=64)
def _expression(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error:
        return re.compile(r"(?!)")
