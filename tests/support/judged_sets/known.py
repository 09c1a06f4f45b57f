"""Where our verdicts differ from Argo CD's on purpose: cases, by the reason that docs/reference/differences.md gives.

Each reason starts with words of that document, so that neither goes without the other. A case stands for all of its
steps, or with a number behind it for one.
"""

from tests.argocd.differences import document

MISTAKES = "A mistake in a generator is an error of the set"
GIVES_UP = "Where Argo CD's ApplicationSet controller gives up"
OWN_VALUES = "The `values` of the second generator of a matrix"
DEEPER = "Generators nest as deep as they are written"
PATCHED = "A `templatePatch` changes metadata and spec alone"
PLUGIN_INPUT = "The input of a plugin is a parameter that can be read"
PRE_DELETE = "Finalizers of pre-delete hooks stay"

KNOWN: dict[str, tuple[str, ...]] = {
    MISTAKES: ("list-entry-without-generator", "folders-malformed", "files-twice", "ignore-jq-broken 0"),
    GIVES_UP: ("go-option-unknown", "go-option-empty", "decisions-numbers", "merge-go-clusters"),
    OWN_VALUES: ("matrix-go-values-filled", "matrix-go-values-filled-strict"),
    DEEPER: ("matrix-in-matrix-in-matrix",),
    PATCHED: ("patch-kind",),
    PLUGIN_INPUT: ("plugin-go",),
    PRE_DELETE: ("hand-hook-finalizer 1",),
}


def unknown(found: dict[str, str]) -> str:
    """Return the differences that are not known, as a text for whoever has to judge them; empty where all are."""
    known = {case for cases in KNOWN.values() for case in cases}
    new = [name for name in found if name not in known and name.partition(" ")[0] not in known]
    return "\n".join(f"{name}: {found[name]}" for name in new)


def untold() -> list[str]:
    """Return the reasons that the document does not give."""
    text = document()
    return [reason for reason in KNOWN if reason not in text]
