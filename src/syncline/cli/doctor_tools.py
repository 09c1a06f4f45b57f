"""What `syncline doctor` says about the programs and libraries that Syncline uses: versions, and known advisories.

Called by `syncline.cli.doctor`. The advisories are those of `syncline.core.advisories`; when that table was reviewed is
said too, since an old one knows nothing of newer ones.
"""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import AsyncIterator, Iterator

from syncline import wiring
from syncline.cli.doctor import MachineCheck
from syncline.core import advisories

_NEEDED = {
    "git": ("error", "install git: repositories are read with it"),
    "helm": ("warning", "install helm, or pip install 'syncline[tools]': charts are rendered with it"),
    "kubectl": ("warning", "install kubectl, or pip install 'syncline[tools]': kustomizations are built with it"),
    "ssh": ("warning", "install an ssh client: repositories over ssh are read with it"),
}
_LIBRARIES = ("pygit2", "jq", "lupa", "gojsonnet")
_VERSION = re.compile(r"\bv?(\d+\.\d+(?:\.\d+)?)")
_OF_THE_SYSTEM = frozenset({"git"})


async def programs() -> AsyncIterator[MachineCheck]:
    """Say which programs there are, what is known against them, and which libraries are in use."""
    chosen = wiring.programs_found()
    found = await wiring.versions(list(_NEEDED))
    for name, (severity, fix) in _NEEDED.items():
        said = found.get(name, "")
        lacking = "not found (optional)" if severity == "warning" else "not found"
        if not said:
            yield MachineCheck(name, severity, lacking, fix)
            continue
        program = chosen.get(name)
        words = f"{said} ({program.path}, {program.why})" if program is not None else said
        for check in _judged(name, words, said):
            yield check
        if program is not None and program.trouble:
            yield MachineCheck(f"another {name}", "warning", program.trouble, f"install a {name} that says its version")
    yield _library_check()
    yield _table()


def _judged(name: str, words: str, said: str) -> Iterator[MachineCheck]:
    """Yield the check of a program, and one for each advisory that concerns its version."""
    version = _VERSION.search(said)
    if version is None:
        yield MachineCheck(name, "ok", f"{words}; its version cannot be read, so nothing is known of advisories")
        return
    known = advisories.known(name, version[1])
    if not known:
        yield MachineCheck(name, "ok", words)
        return
    # Of what comes with the system a number alone does not tell: its packages get fixes under an old one.
    status = "ok" if name in _OF_THE_SYSTEM else "warning"
    unless = ", unless its package has the fix" if name in _OF_THE_SYSTEM else ""
    count = f"{len(known)} known {'advisory' if len(known) == 1 else 'advisories'}{unless}"
    fix = f"install {name} {advisories.safe_from(name, version[1])} or newer and put it on PATH"
    yield MachineCheck(name, status, f"{words}: {count}", fix)
    for one in known:
        yield MachineCheck(one.id, status, f"{name}: {one.about} ({one.cve}); here: {one.here}")


def _library_check() -> MachineCheck:
    """Return the check that names the libraries with code of others in them."""
    return MachineCheck("libraries", "ok", ", ".join(_libraries()))


def _libraries() -> Iterator[str]:
    for name in _LIBRARIES:
        try:
            yield f"{name} {importlib.metadata.version(name)}"
        except importlib.metadata.PackageNotFoundError:
            continue


def _table() -> MachineCheck:
    reviewed = advisories.REVIEWED.isoformat()
    if advisories.is_stale(wiring.clock().now().date()):
        found = f"the list was reviewed on {reviewed}, more than {advisories.STALE_AFTER_MONTHS} months ago"
        return MachineCheck(
            "advisories", "warning", found, "install a newer Syncline, or look at the advisories of helm and kubectl"
        )
    return MachineCheck("advisories", "ok", f"as known on {reviewed}")
