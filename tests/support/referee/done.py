"""Differences in what is done, and those of the ground it is done on. `judged.py` joins the tables."""

from tests.support.referee.known import Known
from tests.support.referee.patterns import APP, EVERY, OWN, REFUSED, STOPPED_BY_ONE

LATER = (
    Known(
        "later",
        EVERY,
        rf"{APP}health",
        "since 3.4 an app is Missing when none of its objects is live, only then: controller/health.go of v3.6.0-rc2",
        theirs="Healthy|Missing",
        ours="Healthy|Missing",
    ),
    Known(
        "later",
        "option-prune-(off|confirm)",
        r"1\.(history|objects\.ConfigMap/one|operation|resources\..*|state\.(message|phase|rows.*)|sync)",
        "Prune in the options of an app came after 3.2: controller/sync.go of v3.6.0-rc2, WithDefaultPruneOption",
    ),
    Known(
        "later",
        "parent-.*",
        rf"{APP}summary",
        "isAppOfApps came after 3.2: pkg/apis/application/v1alpha1/types.go of v3.6.0-rc2",
        ours='{"isAppOfApps": true}',
    ),
    Known(
        "later",
        "hook-again",
        rf"{APP}state\.by\.automated",
        "since then a new state replaces the one before, which was merged into it: setOperationState in"
        " controller/appcontroller.go of v3.6.0-rc2",
        theirs="true",
        ours="null",
    ),
)

PURPOSE = (
    Known(
        "purpose",
        "project-(no-config-maps|nothing-cluster-wide|only-secrets|object-in-another-namespace)",
        rf"{APP}resources\..*\.health",
        "of an object that the project denies nobody learns whether it is live",
        theirs="Missing",
        ours="null",
        named="Live objects that the project does not permit are not shown",
    ),
    Known(
        "purpose",
        "project-object-in-another-namespace",
        rf"{APP}resources\..*\.status",
        "what the project denies is not compared",
        theirs="OutOfSync",
        ours="Unknown",
        named="Live objects that the project does not permit are not shown",
    ),
    Known(
        "purpose",
        "option-shared-resource-fails",
        rf"{APP}(conditions\.SyncError|state)",
        "nothing is synced before the take-over is approved",
        ours="null",
        named="Objects of an unknown app are taken over after an approval",
    ),
    Known(
        "purpose",
        "parent-of-two",
        r"0\.(sync|resources\.\S+/Application/\S+\.status)",
        "the operation alone is written into an Application; Argo CD writes all of it and loses zeros: retry.limit",
        theirs="OutOfSync",
        ours="Synced",
        named="Only what changes is written into an Application",
    ),
    Known(
        "purpose",
        "option-namespace-metadata(-of-another)?",
        r"0\.objects\.Namespace/\S+?\.annotations(\.argocd\.argoproj\.io/sync-options)?",
        "everything is server-side applied: the namespace needs no mark for it",
        theirs=".*ServerSideApply=true.*",
        ours="null",
        named="do not get the annotation `argocd.argoproj.io/sync-options: ServerSideApply=true`",
    ),
    Known(
        "purpose",
        "option-field-that-nobody-knows",
        r"0\.(conditions|history|objects\.Service/one|resources\..*|state\.(phase|message|rows\..*))",
        "a field that the schema does not have fails its object; Argo CD lets the server drop it",
        named="A field that the schema does not have fails its object",
    ),
    Known(
        "purpose",
        "option-field-that-nobody-knows-validate-off",
        r"0\.(sync|resources\..*\.status)",
        "what cannot be compared is Unknown",
        theirs="OutOfSync",
        ours="Unknown",
        modes=OWN,
        named="One object that cannot be compared is one Unknown row",
    ),
    Known(
        "purpose",
        "wrong-no-kind",
        r"0\.(conditions|history|objects\.ConfigMap/two|resources\..*|state(\.phase|\.message)?|sync)",
        "a document without a kind is told; Argo CD skips a file that has none",
        named="Argo CD skips a file in which the word kind does not occur",
    ),
    Known(
        "purpose",
        "wrong-no-name",
        r"0\.(conditions\.\w+|resources\./v1/ConfigMap/(wrong-no-name)?/|state|sync|state\.rows\./v1/ConfigMap/wrong-no-name/)",
        "an object without a name is told when it is compared, not only when it is applied",
        named="notices a missing name when it syncs",
    ),
    Known(
        "purpose",
        "wrong-no-namespace",
        r"0\.(conditions\.SyncError|state)",
        "a sync is not started of which it is known that it ends with an error",
        ours="null",
        named="An automatic sync is not started of which it is known that it ends with an error",
    ),
    Known(
        "purpose",
        "wrong-no-namespace",
        r"0\.(health|sync|objects\.ConfigMap/two|resources\./v1/ConfigMap/\S*|state\.(message|phase|rows))",
        "an object without a namespace leaves the app Unknown and does not stop the others",
        modes=OWN,
        named="The same holds for an object without a namespace",
    ),
    Known(
        "purpose",
        "compared-null-field",
        r"0\.(objects\.ConfigMap/one\.data\.b|resources\..*\.status|sync)",
        "objects are server-side applied: a null in data is an empty text, and the app is Synced",
        modes=OWN,
        named="A null in the data of a ConfigMap becomes an empty text",
    ),
    Known(
        "purpose",
        "auto-prune-all(-allowed)?|folder-nothing|helm-no-chart",
        rf"{APP}conditions(\.ManifestWarning)?",
        "that a source makes no objects is told",
        theirs="null",
        modes=OWN,
        named="A source that makes no objects says so",
    ),
    Known(
        "purpose",
        "option-(misspelt|replace-and-force)",
        rf"{APP}conditions(\.SyncOptionWarning)?",
        "sync options without effect are reported",
        theirs="null",
        modes=OWN,
        named="Sync options without effect are reported",
    ),
    Known(
        "purpose",
        "parent-.*",
        rf"{APP}(resources\..*/Application/.*\.)?health",
        "a child Application has health",
        theirs="null|Healthy",
        ours="Healthy|Progressing",
        modes=OWN,
        named="A child Application has health",
    ),
    Known(
        "purpose",
        STOPPED_BY_ONE,
        r"0\.(objects\.ConfigMap/\w+|resources\..*/ConfigMap/.*\.(health|status)|state\.rows\..*/ConfigMap/\S+)",
        "objects that cannot be synced fail alone; the others of the wave are synced",
        modes=OWN,
        named="Objects that cannot be synced fail alone",
    ),
    Known(
        "purpose",
        REFUSED,
        r"0\.state\.message",
        "all that failed is named, each with its reason",
        theirs="one or more (synchronization tasks are not valid|objects failed to apply \\(dry run\\))",
        ours="one or more .*, reason: .*",
        modes=OWN,
        named="all errors are reported together",
    ),
)

SERVER = (
    Known(
        "server",
        "compared-null-field",
        r"0\.(objects\.ConfigMap/one\.data\.b|resources\..*\.status|sync)",
        "a real server makes an empty text of a null in data when the object is created; the sandbox leaves it out",
        modes=("compat",),
    ),
)

SANDBOX = (
    Known(
        "sandbox",
        "health-.*|hook-.*|wave-stopped-by-health",
        rf"{APP}summary(\.images)?",
        "a bare API server has no controllers, and so no pods whose images count",
        theirs="null",
    ),
    Known(
        "sandbox",
        "compared-defaults|health-pod",
        r"0\.objects\.Pod/\w+\.spec\.(containers|nodeName|serviceAccount|serviceAccountName|volumes)",
        "a bare API server has neither nodes nor the admission of service accounts",
    ),
    Known(
        "sandbox",
        "compared-defaults|health-(ingress|load-balancer|pod)",
        rf"{APP}(resources\..*/(Pod|Ingress|Service)/.*\.)?health",
        "a bare API server has no nodes and hands out no addresses",
        theirs="Progressing",
        ours="Healthy",
    ),
)

_HEALED = r"configmap/(one|two) (created|unchanged)|null|\{.*\}"
RACES = (
    Known(
        "race",
        "auto-self-heal(-removed)?",
        r"0\.state\.rows\./v1/ConfigMap/auto-self-heal(-removed)?/(one|two)(\.message)?",
        "after its sync Argo CD compares with its own cache of the cluster; where that is behind, it takes what it has"
        " just created for missing and heals it at once: selfHealRemainingBackoff in controller/appcontroller.go of"
        " v3.2.11 waits only from the second attempt on. Such an operation says that it heals, though nothing had been"
        " changed: only then may the rows differ",
        theirs=_HEALED,
        ours=_HEALED,
        hasty=True,
    ),
    Known(
        "race",
        "living-hooks",
        r"1\.objects\.Job/after\.finalizers",
        "Argo CD's cache takes events up in batches, every 100 ms (pkg/cache/cluster.go of gitops-engine); a hook that"
        " it has just made anew still looks like the one of the sync before, which is complete and has no finalizer any"
        " more: so the sync succeeds at once, and the finalizer of the new Job stays",
        theirs=r'\["argocd\.argoproj\.io/hook-finalizer"\]',
        ours="null",
    ),
)
