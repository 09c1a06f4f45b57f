"""Sets that change, and Applications that somebody else changes: policies, what is kept, what an error holds back."""

from typing import Any

from tests.support.judged_sets.case import (
    API,
    CONTROL,
    SERVER,
    Case,
    DeleteApp,
    DeleteSet,
    EditApp,
    Json,
    Respec,
    elements,
    fast,
    template,
)

_AB = elements("a", "b")
_ONLY_A = Respec({"generators": [elements("a")]})
_KEPT = "resources-finalizer.argocd.argoproj.io"


def _moved(path: str, **more: Any) -> Respec:
    return Respec(
        {
            "template": template(
                "CASE-{{name}}", app={"source": {"repoURL": "REPO", "path": path, "targetRevision": "main"}}, **more
            )
        }
    )


def _path(path: str) -> Json:
    return {"spec": {"source": {"path": path}}}


def _policy(word: str) -> Case:
    steps = (_moved("moved"), _ONLY_A, EditApp("CASE-a", {"metadata": {"labels": {"by": "hand"}}}))
    return fast(f"policy-{word}", _AB, syncPolicy={"applicationsSync": word}, steps=steps)


def _application(name: str, **metadata: Any) -> Json:
    return {
        "apiVersion": API,
        "kind": "Application",
        "metadata": {"name": name, "namespace": CONTROL, **metadata},
        "spec": {
            "project": "default",
            "source": {"repoURL": "REPO", "path": "by-hand"},
            "destination": {"server": SERVER, "namespace": "by-hand"},
        },
    }


_HAND = EditApp("CASE-a", {"metadata": {"labels": {"by": "hand"}, "annotations": {"by": "hand", "kept": "hand"}}})

CASES: tuple[Case, ...] = (
    *(_policy(word) for word in ("sync", "create-only", "create-update", "create-delete")),
    fast("change-nothing-declared", _AB, steps=(_moved("moved"), _ONLY_A)),
    fast(
        "change-labels",
        _AB,
        labels={"one": "1", "two": "2"},
        steps=(Respec({"template": template("CASE-{{name}}", labels={"two": "x", "three": "3"})}),),
    ),
    fast("change-all-gone", _AB, steps=(Respec({"generators": [elements()]}),)),
    fast("change-rename", _AB, steps=(Respec({"template": template("CASE-new-{{name}}")}),)),
    fast("change-preserve", elements("a"), steps=(Respec({"syncPolicy": {"preserveResourcesOnDeletion": True}}),)),
    fast(
        "change-to-sources",
        elements("a"),
        steps=(
            Respec(
                {
                    "template": template(
                        "CASE-{{name}}", app={"source": None, "sources": [{"repoURL": "REPO", "path": "x"}]}
                    )
                }
            ),
        ),
    ),
    fast(
        "change-drops-sync-policy",
        elements("a"),
        app={"syncPolicy": {"automated": {"prune": True}}},
        steps=(Respec({"template": template("CASE-{{name}}")}),),
    ),
    fast("hand-labels", elements("a"), steps=(_HAND,)),
    fast("hand-spec", elements("a"), steps=(EditApp("CASE-a", _path("by-hand")),)),
    fast(
        "hand-adds-to-spec",
        elements("a"),
        steps=(EditApp("CASE-a", {"spec": {"revisionHistoryLimit": 3, "syncPolicy": {"automated": {}}}}),),
    ),
    fast(
        "hand-finalizer",
        elements("a"),
        steps=(EditApp("CASE-a", {"metadata": {"finalizers": [_KEPT, "example.com/by-hand"]}}),),
    ),
    fast(
        "hand-hook-finalizer",
        elements("a"),
        steps=(
            EditApp(
                "CASE-a",
                {
                    "metadata": {
                        "finalizers": [
                            _KEPT,
                            "post-delete-finalizer.argocd.argoproj.io",
                            "pre-delete-finalizer.argocd.argoproj.io/cleanup",
                        ]
                    }
                },
            ),
        ),
    ),
    fast("hand-no-finalizer", elements("a"), steps=(EditApp("CASE-a", {"metadata": {"finalizers": None}}),)),
    fast("hand-no-owner", elements("a"), steps=(EditApp("CASE-a", {"metadata": {"ownerReferences": None}}),)),
    fast(
        "hand-notified",
        elements("a"),
        steps=(
            EditApp(
                "CASE-a",
                {
                    "metadata": {
                        "annotations": {
                            "notified.notifications.argoproj.io": "{}",
                            "argocd.argoproj.io/hydrate": "normal",
                        }
                    }
                },
            ),
        ),
    ),
    fast("hand-deletes", elements("a"), syncPolicy={"preserveResourcesOnDeletion": True}, steps=(DeleteApp("CASE-a"),)),
    fast("keep-annotation", elements("a"), preservedFields={"annotations": ["kept"]}, steps=(_HAND,)),
    fast("keep-label", elements("a"), preservedFields={"labels": ["by"]}, steps=(_HAND,)),
    fast(
        "keep-over-template",
        elements("a"),
        show={"kept": "template"},
        preservedFields={"annotations": ["kept"]},
        steps=(_HAND, Respec({"template": template("CASE-{{name}}", show={"kept": "other"})})),
    ),
    fast(
        "ignore-pointer",
        elements("a"),
        ignoreApplicationDifferences=[{"jsonPointers": ["/spec/source/targetRevision"]}],
        steps=(EditApp("CASE-a", {"spec": {"source": {"targetRevision": "hand", "path": "hand"}}}),),
    ),
    fast(
        "ignore-added-field",
        elements("a"),
        ignoreApplicationDifferences=[{"jsonPointers": ["/spec/syncPolicy"]}],
        steps=(EditApp("CASE-a", {"spec": {"syncPolicy": {"automated": {}}}}),),
    ),
    fast(
        "ignore-jq",
        elements("a"),
        ignoreApplicationDifferences=[{"jqPathExpressions": [".spec.source.helm.values", ".spec.source.path"]}],
        steps=(EditApp("CASE-a", _path("hand")),),
    ),
    fast(
        "ignore-jq-broken",
        elements("a"),
        ignoreApplicationDifferences=[{"jqPathExpressions": [".spec["]}],
        steps=(EditApp("CASE-a", _path("hand")),),
    ),
    fast(
        "ignore-named",
        _AB,
        ignoreApplicationDifferences=[{"name": "CASE-a", "jsonPointers": ["/spec/source/path"]}],
        steps=(EditApp("CASE-a", _path("hand")), EditApp("CASE-b", _path("hand"))),
    ),
    fast(
        "ignore-label",
        elements("a"),
        ignoreApplicationDifferences=[{"jsonPointers": ["/metadata/labels"]}],
        steps=(_HAND,),
    ),
    fast(
        "ignore-then-template",
        elements("a"),
        ignoreApplicationDifferences=[{"jsonPointers": ["/spec/source/path"]}],
        steps=(EditApp("CASE-a", _path("hand")), _moved("moved")),
    ),
    fast(
        "ignore-in-a-list",
        elements("a"),
        app={
            "source": None,
            "sources": [
                {"repoURL": "REPO", "path": "x", "targetRevision": "main"},
                {"repoURL": "REPO", "path": "y", "targetRevision": "main"},
            ],
        },
        ignoreApplicationDifferences=[{"jqPathExpressions": ['.spec.sources[] | select(.path == "y").targetRevision']}],
        steps=(
            EditApp(
                "CASE-a",
                {
                    "spec": {
                        "sources": [
                            {"repoURL": "REPO", "path": "x", "targetRevision": "hand"},
                            {"repoURL": "REPO", "path": "y", "targetRevision": "hand"},
                        ]
                    }
                },
            ),
        ),
    ),
    fast(
        "error-keeps-all",
        _AB,
        steps=(
            Respec(
                {
                    "generators": [
                        elements("a"),
                        {"git": {"repoURL": "REPO", "revision": "nothing", "directories": [{"path": "*"}]}},
                    ]
                }
            ),
        ),
    ),
    fast(
        "error-in-template-keeps-all",
        _AB,
        steps=(
            Respec({"template": template("CASE-{{name}}", show={"x": "{{name"})}),
            Respec({"template": template("CASE-{{name}}")}),
        ),
    ),
    fast(
        "error-of-one-keeps-it",
        elements({"name": "a", "p": "default"}, {"name": "b", "p": "default"}, {"name": "c", "p": "default"}),
        app={"project": "{{p}}"},
        steps=(Respec({"generators": [elements({"name": "a", "p": "none"}, {"name": "b", "p": "default"})]}),),
    ),
    fast(
        "error-refused-update",
        elements("a"),
        steps=(Respec({"template": template("CASE-{{name}}", labels={"x": "not a label!"})}),),
    ),
    fast("error-then-fine", elements({"name": "a", "n": 1}), steps=(Respec({"generators": [elements("a")]}),)),
    fast("owner-adopts", elements("a"), before=(_application("CASE-a", labels={"by": "hand"}),)),
    fast(
        "owner-adopts-create-only",
        elements("a"),
        syncPolicy={"applicationsSync": "create-only"},
        before=(_application("CASE-a", labels={"by": "hand"}),),
    ),
    fast("owner-another-set", elements("a"), called="policy-sync-{{name}}"),
    fast(
        "delete-set-create-only",
        elements("a"),
        syncPolicy={"applicationsSync": "create-only"},
        finalizers=(_KEPT,),
        steps=(DeleteSet(),),
    ),
)
