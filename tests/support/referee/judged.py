"""Every difference from the referee that somebody has judged, each with its reason.

Read by `tests.support.referee.recorded`. A rule names the field and the cases it is about, and what both sides say
where that tells it from something else.
"""

from tests.support.referee.known import Known, Mode

_APP = r"\d+\.(app \S+?\.)?"
_ROWS = rf"{_APP}state\.rows\..*"
_RESOURCES = rf"{_APP}resources\..*"
_MESSAGES = rf"{_APP}(state|state\.rows\..*|resources\..*)\.message"
_CONDITIONS = rf"{_APP}conditions\.\w+"
_EVERY = ".*"
_HOOKS = "hook-.*|helm-hooks|living-.*hook.*"
_OWN: tuple[Mode, ...] = ("own",)

# Objects of which the API server, the project or Argo CD's own checks want nothing to do.
_REFUSED = (
    "wrong-(name|kind|version|field|required-field|denied|no-name|namespace-of-object)|auto-one-of-two-refused"
    "|project-(no-config-maps|nothing-cluster-wide|object-in-another-namespace|only-secrets)|folder-generated-name"
    "|compared-numbers-in-data|object-option-skip-dry-run"
)
_STOPPED_BY_ONE = (
    "wrong-(kind|version|no-name)|project-(nothing-cluster-wide|object-in-another-namespace)|object-option-skip-dry-run"
)

MESSAGES = (
    Known(
        "purpose",
        _EVERY,
        rf"{_MESSAGES}|{_CONDITIONS}",
        "messages begin as Argo CD's and say more: which object, what is known instead, what to do",
        theirs="(?!null).*",
        ours="(?!null).*",
        alike=True,
    ),
    Known("purpose", _HOOKS, rf"{_ROWS}\.message", "hooks have a kind in messages", "[a-z]+ created"),
    Known(
        # On a bare API server there are no pods to tell anything.
        "sandbox",
        f"{_HOOKS}|health-.*|wave-stopped-by-health|living-.*",
        _MESSAGES,
        "what a workload waits for is told by its pods",
        theirs="(Job has reached|Waiting for rollout).*",
        ours=".*-POD: container main: .*",
    ),
    Known(
        "purpose",
        "option-.*|object-option-.*|asked-.*",
        rf"{_ROWS}\.message",
        "the row says what became of an object, however it was written",
        theirs='(configmap "one" deleted .*\n)?configmap/\\w+ (serverside-applied|replaced)',
        ours=r"configmap/\w+ (created|configured|unchanged)",
    ),
    Known(
        "purpose",
        "object-option-prune-confirm(ed)?",
        rf"{_APP}state\.message",
        "what is to be approved is called an approval",
        theirs="Waiting for pruning confirmation of v1/ConfigMap/one",
        ours="waiting for approval to prune ConfigMap/one",
    ),
    Known(
        "purpose",
        "asked-dry-run",
        _MESSAGES,
        "a dry run says that it was one",
        theirs=".* (\\(no more tasks\\)|created \\(dry run\\))",
        ours=".* \\((server )?dry run\\)",
    ),
    Known(
        "purpose",
        "auto-takes-over(-equal)?",
        rf"{_ROWS}\.message",
        "objects are applied server-side, which needs no annotation to warn about",
        theirs="configmap/one configured. Warning: .* missing the kubectl.kubernetes.io/last-applied.*",
        ours="configmap/one configured",
    ),
    Known(
        "purpose",
        "object-option-(immutable-field|skip-dry-run)",
        rf"{_ROWS}\.message",
        "messages name no files of the server's disk",
        theirs='.*"/dev/shm/.*',
    ),
    Known(
        "purpose",
        "wrong-field|compared-numbers-in-data",
        rf"{_ROWS}\.message",
        "objects are server-side applied, and the server words it differently then",
        theirs=".* cannot be handled as a .*",
        ours="failed to create typed patch object .*",
        modes=_OWN,
    ),
    Known(
        "purpose",
        f"{_HOOKS}|health-(bad-job|deployment-without-pods|ignored|ingress|load-balancer)|wave-stopped-by-health|parent-of-a-broken-one",
        rf"{_RESOURCES}\.message",
        "health has a message where Argo CD's has none",
        theirs="null",
    ),
)

ROWS = (
    Known(
        "purpose",
        _EVERY,
        rf"{_ROWS}\.hookPhase",
        "a row is finished once nothing about its object is waited for; with Argo CD the last wave stays Running",
        theirs="Running",
        ours="Succeeded|Failed",
    ),
    Known(
        "purpose",
        _REFUSED,
        rf"{_ROWS}\.hookPhase",
        "a row that was refused is finished too",
        theirs="null",
        ours="Failed",
    ),
    Known(
        "purpose",
        _HOOKS,
        rf"{_ROWS} (PreSync|Sync|PostSync|SyncFail)\.status",
        "the row of a hook says what became of its object, as every other row",
        theirs="null",
    ),
    Known(
        "purpose",
        _HOOKS,
        r"\d+\.objects\..*\.annotations\.syncline\.io/operation",
        "a hook object bears the mark of its operation, so that a restarted controller knows its own",
        theirs="null",
    ),
    Known(
        "purpose",
        f"{_HOOKS}|health-ignored",
        rf"{_RESOURCES}\.health",
        "health is shown of hooks too, and of objects whose health is ignored",
        theirs="null",
    ),
    Known("purpose", "hook-waves|helm-hooks", rf"{_RESOURCES}\.syncWave", "the row of a hook says its wave", "null"),
    Known(
        "purpose",
        "folder-cluster-wide|helm-crds|right-definition-and-object|project-nothing-cluster-wide",
        rf"{_APP}state\.rows\.\S+/(ClusterRole|CustomResourceDefinition)/\S*/\S+",
        "the row of a cluster-wide object has no namespace; with Argo CD it has that of the destination",
    ),
    Known(
        "purpose",
        "folder-generated-name",
        rf"{_APP}(resources|state\.rows)\./v1/ConfigMap/folder-generated-name/(made-0)?",
        "an object without a name has a row under the name that it is compared by",
    ),
    Known(
        "purpose",
        "compared-tracking-copied",
        r"0\.resources\./v1/ConfigMap/compared-tracking-copied/copy",
        "a copy that bears the tracking id of another object is no row",
        theirs="{}",
        ours="null",
    ),
    Known(
        "purpose",
        "wrong-path-after-good",
        r"1\.(sourceTypes|resources\..*\.requiresPruning)",
        "where the source cannot be rendered nothing is said to be pruned, and its type is the last that was known",
    ),
)

REVISIONS = (
    Known(
        "purpose",
        "folder-jsonnet-error|helm-.*|kustomize-.*|parent-of-a-broken-one|wrong-.*",
        rf"{_APP}revisions",
        "where nothing could be rendered no revision was compared; Argo CD shows the name of the branch",
        theirs=r'\["(main|absent)"\]',
    ),
    Known(
        "purpose",
        "asked-revision-absent",
        r"1\.state\.revisions",
        "a sync to a revision that is not there has no revision; the name is in its operation",
        theirs=r'\["absent"\]',
        ours="null",
    ),
    Known(
        "purpose",
        "project-window-closed-asked",
        r"1\.state\.revisions",
        "a sync that waits for a window is bound to the commit at which somebody asked for it",
        theirs="null",
    ),
    Known(
        "purpose",
        "asked-local",
        r"1\.(history|objects\.ConfigMap/local\.annotations|resources\..*|revisions|sourceTypes|state\.revisions|sync)",
        "after a sync of local manifests the app is compared with Git, and they are tracked",
    ),
)

LATER = (
    Known(
        "later",
        _EVERY,
        rf"{_APP}health",
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
        rf"{_APP}summary",
        "isAppOfApps came after 3.2: pkg/apis/application/v1alpha1/types.go of v3.6.0-rc2",
        ours='{"isAppOfApps": true}',
    ),
    Known(
        "later",
        "hook-again",
        rf"{_APP}state\.by\.automated",
        "since then a new state replaces the one before, which was merged into it: setOperationState in"
        " controller/appcontroller.go of v3.6.0-rc2",
        theirs="true",
        ours="null",
    ),
)

PURPOSE = (
    Known(
        "purpose",
        "parent-of-two",
        r"0\.(sync|resources\.\S+/Application/\S+\.status)",
        "the operation alone is written into an Application; Argo CD writes all of it and loses zeros: retry.limit",
        theirs="OutOfSync",
        ours="Synced",
    ),
    Known(
        "purpose",
        "option-namespace-metadata(-of-another)?",
        r"0\.objects\.Namespace/\S+?\.annotations(\.argocd\.argoproj\.io/sync-options)?",
        "everything is server-side applied: the namespace needs no mark for it",
        theirs=".*ServerSideApply=true.*",
        ours="null",
    ),
    Known(
        "purpose",
        "option-field-that-nobody-knows",
        r"0\.(conditions|history|objects\.Service/one|resources\..*|state\.(phase|message|rows\..*))",
        "a field that the schema does not have fails its object; Argo CD lets the server drop it",
    ),
    Known(
        "purpose",
        "option-field-that-nobody-knows-validate-off",
        r"0\.(sync|resources\..*\.status)",
        "what cannot be compared is Unknown",
        theirs="OutOfSync",
        ours="Unknown",
        modes=_OWN,
    ),
    Known(
        "purpose",
        "wrong-no-kind",
        r"0\.(conditions|history|objects\.ConfigMap/two|resources\..*|state(\.phase|\.message)?|sync)",
        "a document without a kind is told; Argo CD skips a file that has none",
    ),
    Known(
        "purpose",
        "wrong-no-name",
        r"0\.(conditions\.\w+|resources\./v1/ConfigMap/(wrong-no-name)?/|state|sync|state\.rows\./v1/ConfigMap/wrong-no-name/)",
        "an object without a name is told when it is compared, not only when it is applied",
    ),
    Known(
        "purpose",
        "wrong-no-namespace",
        r"0\.(conditions\.SyncError|state)",
        "a sync is not started of which it is known that it ends with an error",
        ours="null",
    ),
    Known(
        "purpose",
        "wrong-no-namespace",
        r"0\.(health|sync|objects\.ConfigMap/two|resources\./v1/ConfigMap/\S*|state\.(message|phase|rows))",
        "an object without a namespace leaves the app Unknown and does not stop the others",
        modes=_OWN,
    ),
    Known(
        "purpose",
        "compared-null-field",
        r"0\.(objects\.ConfigMap/one\.data\.b|resources\..*\.status|sync)",
        "objects are server-side applied: a null in data is an empty text, and the app is Synced",
        modes=_OWN,
    ),
    Known(
        "purpose",
        "auto-prune-all(-allowed)?|folder-nothing|helm-no-chart",
        rf"{_APP}conditions(\.ManifestWarning)?",
        "that a source makes no objects is told",
        theirs="null",
        modes=_OWN,
    ),
    Known(
        "purpose",
        "option-(misspelt|replace-and-force)",
        rf"{_APP}conditions(\.SyncOptionWarning)?",
        "sync options without effect are reported",
        theirs="null",
        modes=_OWN,
    ),
    Known(
        "purpose",
        "parent-.*",
        rf"{_APP}(resources\..*/Application/.*\.)?health",
        "a child Application has health",
        theirs="null|Healthy",
        ours="Healthy|Progressing",
        modes=_OWN,
    ),
    Known(
        "purpose",
        _STOPPED_BY_ONE,
        r"0\.(objects\.ConfigMap/\w+|resources\..*/ConfigMap/.*\.(health|status)|state\.rows\..*/ConfigMap/\S+)",
        "objects that cannot be synced fail alone; the others of the wave are synced",
        modes=_OWN,
    ),
    Known(
        "purpose",
        _REFUSED,
        r"0\.state\.message",
        "all that failed is named, each with its reason",
        theirs="one or more (synchronization tasks are not valid|objects failed to apply \\(dry run\\))",
        ours="one or more .*, reason: .*",
        modes=_OWN,
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
        rf"{_APP}summary(\.images)?",
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
        rf"{_APP}(resources\..*/(Pod|Ingress|Service)/.*\.)?health",
        "a bare API server has no nodes and hands out no addresses",
        theirs="Progressing",
        ours="Healthy",
    ),
)

KNOWN: tuple[Known, ...] = (*MESSAGES, *ROWS, *REVISIONS, *LATER, *PURPOSE, *SERVER, *SANDBOX)
