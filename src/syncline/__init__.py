"""Syncline: GitOps delivery for Kubernetes that explains itself.

The command line is `syncline`; these functions are for Python programs and tests of GitOps repositories, on files and
objects, without a cluster (docs/guide/python.md):

    render(path) -> Desired                  the objects that a folder of files makes, each with file and line
    render_application(app) -> Desired       the objects of an Application
    generate_applications(appset) -> [...]   the Applications that an ApplicationSet creates
    check(path) -> Checked                   what is wrong with a GitOps repository
    preview(base, head) -> Preview           what a change of a repository does to every app
    diff(desired, live) -> Diff              what differs, field by field, and why
    health(objects) -> (ObjectHealth, ...)   how healthy objects are, and why
    plan(app, desired, live) -> Planned      what a sync would do, in order

They raise `SynclineError` with one sentence: `InvalidSpec` where an input cannot be read, `SourceError` where something
cannot be fetched, `RenderError` where files make no objects, all of them `NeedsUser`. Everything is imported on first
use, so that `import syncline` costs nothing.
"""

TYPE_CHECKING = False  # Importing typing for it would take longer than all the rest.
if TYPE_CHECKING:
    from syncline.api.applications import render_application
    from syncline.api.applicationsets import GeneratedApplication, generate_applications
    from syncline.api.check import Checked, check
    from syncline.api.diffing import Diff, diff
    from syncline.api.health import ObjectHealth, health
    from syncline.api.planning import Planned, plan
    from syncline.api.preview import preview
    from syncline.api.rendering import render
    from syncline.model.desired import Desired, DesiredObject
    from syncline.model.errors import InvalidSpec, NeedsUser, RenderError, SourceError, SynclineError
    from syncline.model.preview import Preview

__version__ = "0.2.0.dev0"

__all__ = [
    "Checked",
    "Desired",
    "DesiredObject",
    "Diff",
    "GeneratedApplication",
    "InvalidSpec",
    "NeedsUser",
    "ObjectHealth",
    "Planned",
    "Preview",
    "RenderError",
    "SourceError",
    "SynclineError",
    "__version__",
    "check",
    "diff",
    "generate_applications",
    "health",
    "plan",
    "preview",
    "render",
    "render_application",
]

_HOMES = {
    "syncline.api.applications": ("render_application",),
    "syncline.api.applicationsets": ("GeneratedApplication", "generate_applications"),
    "syncline.api.check": ("Checked", "check"),
    "syncline.api.diffing": ("Diff", "diff"),
    "syncline.api.health": ("ObjectHealth", "health"),
    "syncline.api.planning": ("Planned", "plan"),
    "syncline.api.preview": ("preview",),
    "syncline.api.rendering": ("render",),
    "syncline.model.desired": ("Desired", "DesiredObject"),
    "syncline.model.errors": ("InvalidSpec", "NeedsUser", "RenderError", "SourceError", "SynclineError"),
    "syncline.model.preview": ("Preview",),
}


if not TYPE_CHECKING:  # Type checkers see the imports above, and would take any name to be there.

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used."""
        for module, names in _HOMES.items():
            if name in names:
                from importlib import import_module

                found: object = getattr(import_module(module), name)
                globals()[name] = found
                return found
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
