"""What well-known last words of a program mean, and what is to be decided about them.

Used by what rules say about containers that crash or do not start. Only words that mean the same whoever prints them
are here; everything else is left to whoever reads the log.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind
from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.live import around
from syncline.core.diagnose.live.pods import PodOf, containers, template
from syncline.core.diagnose.live.written import item, place
from syncline.core.diagnose.subjects import App
from syncline.core.references.pods import NODE

_ARCH = "kubernetes.io/arch"
_HOST = re.compile(
    r"could not translate host name \"(?P<quoted>[^\"]+)\"|lookup (?P<looked>[\w.-]+?)(?: on \S+)?: no such host"
    r"|getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (?P<node>[\w.-]+)|Could not resolve host: (?P<curl>[\w.-]+)"
    r"|UnknownHostException: (?P<java>[\w.-]+)"
)
_SERVICE = GroupKind("", "Service")


def decision(app: App, pod: PodOf, said: Sequence[str]) -> str:
    """Return what is to be decided about what a container said; empty where its words are its own."""
    for text in reversed(said):
        for words, meaning in _MEANINGS:
            if found := words.search(text):
                return meaning(app, pod, found)
    return ""


def _other_machine(app: App, pod: PodOf, _found: re.Match[str]) -> str:
    name = (pod.pod.get("spec") or {}).get("nodeName")
    arch = next((meta.labels(node).get(_ARCH) for key, node in around.of_kind(app, NODE) if key.name == name), None)
    node = f"{arch}, as its node is" if arch else "the architecture of its node"
    return f"build the image for {node}, or let the pods run where it fits (nodeSelector {_ARCH})"


def _no_host(app: App, pod: PodOf, found: re.Match[str]) -> str:
    host = next(one for one in found.groupdict().values() if one)
    known = {key.name for key, _obj in around.of_kind(app, _SERVICE, pod.key.namespace)}
    known |= {one.key.name for one in app.assessment.prepared.objects if one.key.group_kind == _SERVICE}
    near = nearest(host.partition(".")[0], sorted(known))
    where = _named_at(app, pod, host)
    meant = f"; did you mean Service {near[0]}?" if near else ""
    return f"correct the host name {host}{f' at {where}' if where else ''}, or deliver the Service of that name{meant}"


def _named_at(app: App, pod: PodOf, host: str) -> str:
    """Return the line of the environment variable that has a host name."""
    found = item(app, pod.root)
    base, spec = template(found.obj) if found is not None else ("", {})
    for at, entry in containers(spec):
        for index, variable in enumerate(entry.get("env") or ()):
            if host in str(variable.get("value") or ""):
                return str(place(app, pod.root, f"{base}.{at}.env[{index}].value") or "")
    return ""


def _plain(text: str) -> Callable[[App, PodOf, re.Match[str]], str]:
    return lambda _app, _pod, _found: text


_MEANINGS: tuple[tuple[re.Pattern[str], Callable[[App, PodOf, re.Match[str]], str]], ...] = (
    (re.compile(r"exec format error"), _other_machine),
    (_HOST, _no_host),
    (
        re.compile(r"runAsNonRoot and image will run as root|runAsNonRoot and image has non-numeric user"),
        _plain("set securityContext.runAsUser to a user other than 0, or use an image that names one by number"),
    ),
    (
        re.compile(r"password authentication failed|Access denied for user|invalid username-password pair|WRONGPASS"),
        _plain("correct the login that the program uses: in its Secret, or on the server that refuses it"),
    ),
    (
        re.compile(r"[Rr]ead-only file system"),
        _plain("mount a volume where it writes (an emptyDir), or set readOnlyRootFilesystem to false"),
    ),
    (
        re.compile(r"bind: address already in use|EADDRINUSE"),
        _plain("give the program a port that no other container of the pod and its host uses"),
    ),
    (
        re.compile(r"failed to prepare subPath"),
        _plain("correct the subPath of the volumeMount, or create what it names in the volume"),
    ),
    (
        re.compile(r"executable file not found in \$PATH|no such file or directory: unknown"),
        _plain("correct the command of the container: the image has no such program"),
    ),
)
