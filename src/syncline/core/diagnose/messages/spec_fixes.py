"""What to do about an Application that cannot be worked with as written, read from the sentence that says so.

Called by `syncline.core.diagnose.messages.complaints` for one app and by
`syncline.core.diagnose.graph.applications.complaining` for those of a fleet: the project, cluster or namespace that
must have been meant, where one is near.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from syncline.apimachinery.nearest import nearest
from syncline.core.diagnose.messages.source_fixes import ChangeApp
from syncline.model.application import ApplicationSpec
from syncline.model.finding import Fix
from syncline.model.logins import without_logins

_NO_PROJECT = re.compile(r"referencing project (?P<wrong>\S+) which does not exist")
_NO_CLUSTER = re.compile(r"there are no clusters with this name: (?P<wrong>\S+) \(known: (?P<known>[^)]*)\)")


def fix(spec: ApplicationSpec, change: ChangeApp, projects: Sequence[str], text: str) -> Fix | None:
    """Return what to do about a complaint; None where only its rule can say something.

    `projects` are those that exist, `change` makes the fix that gives a field of the Application another value.
    """
    if found := _NO_PROJECT.search(text):
        return _project(spec, change, projects, found["wrong"])
    if found := _NO_CLUSTER.search(text):
        return _cluster(change, found["wrong"], [one.strip() for one in found["known"].split(",")])
    return None


def _project(spec: ApplicationSpec, change: ChangeApp, known: Sequence[str], wrong: str) -> Fix:
    if near := nearest(wrong, known):
        return change("--project", near[0], "spec.project", f"or create the project {wrong}", "")
    # Without the names of all there are: whoever may see the Application need not see all projects.
    return Fix(text=f"decide: create it ({_created(spec, wrong)}), or name another in spec.project")


def _created(spec: ApplicationSpec, project: str) -> str:
    """Return the command that creates a project which permits this app: one without options permits nothing."""
    sources = [spec.source] if spec.source is not None else list(spec.sources)
    repos = dict.fromkeys(without_logins(one.repo_url) for one in sources)
    # A project knows destinations by their server; of one that is named only the namespace is sure.
    where = f"{spec.destination.server or '*'},{spec.destination.namespace or '*'}"
    flags = [part for repo in repos for part in ("-s", repo)]
    return shlex.join(["syncline", "proj", "create", project, *flags, "-d", where])


def _cluster(change: ChangeApp, wrong: str, known: list[str]) -> Fix:
    if near := nearest(wrong, known):
        return change("--dest-name", near[0], "spec.destination.name", "or add the cluster", "")
    return Fix(
        text=f"decide: add the cluster (syncline cluster add CONTEXT --name {wrong}), or name one that is known in "
        "spec.destination.name"
    )
