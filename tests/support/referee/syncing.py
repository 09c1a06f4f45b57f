"""Cases about syncing: hooks, waves, options, operations that somebody asked for, retries."""

from tests.support.referee.case import (
    Case,
    Change,
    Commit,
    Edit,
    Json,
    Remove,
    Sync,
    argo,
    config,
    deployment,
    job,
    obj,
    service,
)


def _hook(name: str, phase: str, policy: str = "", wave: int = 0, **more: str) -> Json:
    wanted = {"hook": phase, **more}
    if policy:
        wanted["hook_delete_policy"] = policy
    if wave:
        wanted["sync_wave"] = str(wave)
    return config(name, argo(**wanted))


_PHASES = ("PreSync", "Sync", "PostSync", "SyncFail", "PostDelete", "PreDelete", "Skip")
_POLICIES = ("HookSucceeded", "HookFailed", "BeforeHookCreation")

HOOKS = (
    *(
        Case(f"hook-{phase.lower()}", {"own.yaml": config("own"), "hook.yaml": _hook("extra", phase)})
        for phase in _PHASES
    ),
    *(
        Case(
            f"hook-{policy.lower()}-of-{phase.lower()}",
            {
                "own.yaml": config("own"),
                "hook.yaml": _hook("extra", phase, policy),
            },
        )
        for policy in _POLICIES
        for phase in ("PreSync", "PostSync")
    ),
    *(
        Case(
            f"hook-job-{policy.lower()}",
            {
                "own.yaml": config("own"),
                "job.yaml": job("work", argo(hook="PreSync", hook_delete_policy=policy)),
            },
        )
        for policy in _POLICIES
    ),
    *(
        Case(
            f"hook-bad-job-{policy.lower()}",
            {
                "own.yaml": config("own"),
                "job.yaml": job("work", argo(hook="PreSync", hook_delete_policy=policy), image="example/job:bad"),
            },
        )
        for policy in _POLICIES
    ),
    Case(
        "hook-two-policies",
        {"own.yaml": config("own"), "hook.yaml": _hook("extra", "PreSync", "BeforeHookCreation,HookSucceeded")},
    ),
    Case("hook-of-two-phases", {"own.yaml": config("own"), "hook.yaml": _hook("extra", "PreSync,PostSync")}),
    Case("hook-of-an-unknown-phase", {"own.yaml": config("own"), "hook.yaml": _hook("extra", "Sometimes")}),
    Case("hook-alone", {"hook.yaml": _hook("extra", "PreSync")}),
    Case(
        "hook-waves",
        {
            "own.yaml": config("own"),
            "a.yaml": _hook("a", "PreSync", wave=2),
            "b.yaml": _hook("b", "PreSync", wave=-2),
            "c.yaml": _hook("c", "PreSync"),
        },
    ),
    Case(
        "hook-generated-name",
        {
            "own.yaml": config("own"),
            "job.yaml": {
                **job("gone", argo(hook="PreSync")),
                "metadata": {
                    "generateName": "work-",
                    "annotations": argo(hook="PreSync", hook_delete_policy="HookSucceeded"),
                },
            },
        },
    ),
    Case(
        "hook-post-sync-fails",
        {
            "own.yaml": config("own"),
            "job.yaml": job("work", argo(hook="PostSync"), image="example/job:bad"),
            "rescue.yaml": _hook("rescue", "SyncFail"),
        },
    ),
    Case(
        "hook-rescue",
        {
            "own.yaml": config("own"),
            "job.yaml": job("work", argo(hook="PreSync"), image="example/job:bad"),
            "rescue.yaml": _hook("rescue", "SyncFail"),
        },
    ),
    Case(
        "hook-rescue-fails-too",
        {
            "own.yaml": config("own"),
            "job.yaml": job("work", argo(hook="PreSync"), image="example/job:bad"),
            "rescue.yaml": job("rescue", argo(hook="SyncFail"), image="example/job:bad"),
        },
    ),
    Case(
        "hook-again",
        {"own.yaml": config("own"), "hook.yaml": _hook("extra", "PreSync", "HookSucceeded")},
        steps=(Sync(), Sync({"syncStrategy": {"hook": {"force": True}}})),
    ),
    Case(
        "hook-that-is-gone-from-git",
        {"own.yaml": config("own"), "hook.yaml": _hook("extra", "PreSync")},
        steps=(Commit({"hook.yaml": None}),),
    ),
    Case(
        "hook-strategy-apply",
        {"own.yaml": config("own"), "hook.yaml": _hook("extra", "PreSync")},
        automated=None,
        steps=(Sync({"syncStrategy": {"apply": {}}}),),
    ),
    Case(
        "hook-refused",
        {"own.yaml": config("own"), "hook.yaml": obj("ConfigMap", "Extra", annotations=argo(hook="PreSync"), data={})},
    ),
    Case("hook-plain-job", {"own.yaml": config("own"), "job.yaml": job("work")}),
    Case("hook-plain-bad-job", {"own.yaml": config("own"), "job.yaml": job("work", image="example/job:bad")}),
    Case(
        "hook-job-changed",
        {"own.yaml": config("own"), "job.yaml": job("work", argo(hook="PreSync"))},
        steps=(Commit({"own.yaml": config("own", colour="red")}),),
    ),
)

WAVES = (
    Case(
        "wave-three",
        {
            "a.yaml": config("a", argo(sync_wave="-1")),
            "b.yaml": config("b"),
            "c.yaml": config("c", argo(sync_wave="5")),
        },
    ),
    Case("wave-no-number", {"a.yaml": config("a", argo(sync_wave="first"))}),
    Case(
        "wave-stopped-by-health",
        {
            "a.yaml": deployment("a", argo(sync_wave="0"), image="example/web:missing"),
            "b.yaml": config("b", argo(sync_wave="1")),
        },
    ),
    Case(
        "wave-stopped-by-a-refusal",
        {
            "a.yaml": config("A", argo(sync_wave="0")),
            "b.yaml": config("b", argo(sync_wave="1")),
        },
    ),
    Case(
        "wave-of-kinds",
        {
            "all.yaml": [
                service("web"),
                obj("ServiceAccount", "web"),
                config("web"),
                obj("Secret", "web", stringData={"key": "canary"}),
            ]
        },
    ),
    Case(
        "wave-pruned-in-reverse",
        {
            "a.yaml": config("a", argo(sync_wave="1")),
            "b.yaml": config("b", argo(sync_wave="2")),
            "c.yaml": config("c"),
        },
        automated={"prune": True},
        steps=(Commit({"a.yaml": None, "b.yaml": None}),),
    ),
)


def _option(name: str, *options: str, **more: object) -> Case:
    files = {"one.yaml": config("one"), "two.yaml": config("two")}
    return Case(f"option-{name}", files, options=options, **more)  # type: ignore[arg-type]


def _annotated(name: str, option: str, *steps: object, **more: object) -> Case:
    files = {"one.yaml": config("one", argo(sync_options=option)), "two.yaml": config("two")}
    return Case(f"object-option-{name}", files, steps=steps, **more)  # type: ignore[arg-type]


_GONE = Commit({"one.yaml": None})
_RED = Commit({"one.yaml": config("one", colour="red")})
_PRUNING: Json = {"prune": True}

OPTIONS = (
    _option("create-namespace", "CreateNamespace=true", namespace=False),
    _option("no-namespace", namespace=False),
    _option("managed-namespace", "CreateNamespace=true", namespace=False),
    Case(
        "option-namespace-metadata",
        {"one.yaml": config("one")},
        namespace=False,
        spec={
            "syncPolicy": {
                "automated": {},
                "syncOptions": ["CreateNamespace=true"],
                "retry": {"limit": 0},
                "managedNamespaceMetadata": {"labels": {"team": "blue"}, "annotations": {"note": "managed"}},
            }
        },
    ),
    Case(
        "option-namespace-metadata-of-another",
        {"one.yaml": config("one")},
        spec={
            "syncPolicy": {
                "automated": {},
                "syncOptions": ["CreateNamespace=true"],
                "retry": {"limit": 0},
                "managedNamespaceMetadata": {"labels": {"team": "blue"}},
            }
        },
    ),
    _option("server-side-apply", "ServerSideApply=true", steps=(_RED,)),
    _option("replace", "Replace=true", steps=(_RED,)),
    _option("replace-and-force", "Replace=true", "Force=true", steps=(_RED,)),
    _option("validate-off", "Validate=false"),
    _option("apply-out-of-sync-only", "ApplyOutOfSyncOnly=true", steps=(_RED,)),
    _option(
        "prune-last",
        "PruneLast=true",
        automated=_PRUNING,
        steps=(Commit({"one.yaml": None, "three.yaml": config("three")}),),
    ),
    _option("prune-propagation", "PrunePropagationPolicy=background", automated=_PRUNING, steps=(_GONE,)),
    _option("prune-orphans", "PrunePropagationPolicy=orphan", automated=_PRUNING, steps=(_GONE,)),
    _option("prune-off", "Prune=false", automated=_PRUNING, steps=(_GONE,)),
    _option("prune-confirm", "Prune=confirm", automated=_PRUNING, steps=(_GONE,)),
    _option("skip-dry-run", "SkipDryRunOnMissingResource=true"),
    _option("disable-last-applied", "ClientSideApplyMigration=false"),
    _option("misspelt", "CreateNamespaces=true", namespace=False),
    Case(
        "option-shared-resource-fails",
        {"one.yaml": config("one")},
        options=("FailOnSharedResource=true",),
        before=(config("one", argo(tracking_id="somebody:/ConfigMap:option-shared-resource-fails/one")),),
    ),
    Case(
        "option-shared-resource-warns",
        {"one.yaml": config("one")},
        automated=None,
        before=(config("one", argo(tracking_id="somebody:/ConfigMap:option-shared-resource-warns/one")),),
    ),
    Case(
        "option-respects-ignored",
        {"one.yaml": config("one", colour="blue", size="1")},
        options=("RespectIgnoreDifferences=true",),
        spec={"ignoreDifferences": [{"kind": "ConfigMap", "jsonPointers": ["/data/colour"]}]},
        steps=(
            Change("ConfigMap", "one", {"data": {"colour": "live"}}),
            Commit({"one.yaml": config("one", colour="git", size="2")}),
        ),
    ),
    Case(
        "option-ignores-but-applies",
        {"one.yaml": config("one", colour="blue", size="1")},
        spec={"ignoreDifferences": [{"kind": "ConfigMap", "jsonPointers": ["/data/colour"]}]},
        steps=(
            Change("ConfigMap", "one", {"data": {"colour": "live"}}),
            Commit({"one.yaml": config("one", colour="git", size="2")}),
        ),
    ),
    _annotated("prune-off", "Prune=false", _GONE, automated=_PRUNING),
    _annotated("prune-confirm", "Prune=confirm", _GONE, automated=_PRUNING),
    _annotated(
        "prune-confirmed",
        "Prune=confirm",
        _GONE,
        Edit({"metadata": {"annotations": argo(deletion_approved="2040-01-01T00:00:00Z")}}),
        automated=_PRUNING,
    ),
    _annotated(
        "replace", "Replace=true", Commit({"one.yaml": config("one", argo(sync_options="Replace=true"), a="2")})
    ),
    _annotated(
        "force-replace",
        "Force=true,Replace=true",
        Commit({"one.yaml": config("one", argo(sync_options="Force=true,Replace=true"), a="2")}),
    ),
    _annotated(
        "server-side",
        "ServerSideApply=true",
        Commit({"one.yaml": config("one", argo(sync_options="ServerSideApply=true"), a="2")}),
    ),
    _annotated("validate-off", "Validate=false"),
    _annotated("delete-off", "Delete=false"),
    _annotated(
        "prune-last", "PruneLast=true", Commit({"one.yaml": None, "three.yaml": config("three")}), automated=_PRUNING
    ),
    Case(
        "object-option-skip-dry-run",
        {
            "one.yaml": obj(
                "Gadget", "one", "absent.example.com/v1", argo(sync_options="SkipDryRunOnMissingResource=true")
            ),
            "two.yaml": config("two"),
        },
    ),
    Case(
        "option-field-that-nobody-knows",
        {"one.yaml": {**service("one"), "spec": {"ports": [{"port": 80}], "colour": "blue"}}},
    ),
    Case(
        "option-field-that-nobody-knows-validate-off",
        {"one.yaml": {**service("one"), "spec": {"ports": [{"port": 80}], "colour": "blue"}}},
        options=("Validate=false",),
    ),
    Case(
        "object-option-immutable-field",
        {"one.yaml": obj("ConfigMap", "one", immutable=True, data={"a": "1"})},
        steps=(Commit({"one.yaml": obj("ConfigMap", "one", immutable=True, data={"a": "2"})}),),
    ),
    Case(
        "object-option-immutable-field-forced",
        {
            "one.yaml": obj(
                "ConfigMap",
                "one",
                annotations=argo(sync_options="Force=true,Replace=true"),
                immutable=True,
                data={"a": "1"},
            )
        },
        steps=(
            Commit(
                {
                    "one.yaml": obj(
                        "ConfigMap",
                        "one",
                        annotations=argo(sync_options="Force=true,Replace=true"),
                        immutable=True,
                        data={"a": "2"},
                    )
                }
            ),
        ),
    ),
)

_TWO: Json = {"one.yaml": config("one"), "two.yaml": config("two")}
_ONE_OF_TWO: Json = {"resources": [{"kind": "ConfigMap", "name": "one"}]}

ASKED = (
    Case("asked-nothing", _TWO, automated=None),
    Case("asked-sync", _TWO, automated=None, steps=(Sync(),)),
    Case("asked-twice", _TWO, automated=None, steps=(Sync(), Sync())),
    Case("asked-dry-run", _TWO, automated=None, steps=(Sync({"dryRun": True}),)),
    Case("asked-selected", _TWO, automated=None, steps=(Sync(_ONE_OF_TWO),)),
    Case("asked-selected-then-all", _TWO, automated=None, steps=(Sync(_ONE_OF_TWO), Sync())),
    Case(
        "asked-selected-absent", _TWO, automated=None, steps=(Sync({"resources": [{"kind": "Secret", "name": "x"}]}),)
    ),
    Case("asked-prune", _TWO, automated=None, steps=(Sync(), _GONE, Sync(), Sync({"prune": True}))),
    Case(
        "asked-options",
        _TWO,
        automated=None,
        namespace=False,
        steps=(Sync(), Sync({"syncOptions": ["CreateNamespace=true"]})),
    ),
    Case("asked-server-side", _TWO, automated=None, steps=(Sync({"syncOptions": ["ServerSideApply=true"]}),)),
    Case("asked-replace", _TWO, automated=None, steps=(Sync(), Sync({"syncOptions": ["Replace=true"]}))),
    Case("asked-force", _TWO, automated=None, steps=(Sync(), Sync({"syncStrategy": {"apply": {"force": True}}}))),
    Case("asked-revision-absent", _TWO, automated=None, steps=(Sync({"revision": "absent"}),)),
    Case(
        "asked-local",
        _TWO,
        automated=None,
        steps=(Sync({"manifests": ['{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "local"}}']}),),
    ),
    Case(
        "asked-with-info",
        _TWO,
        automated=None,
        steps=(Sync(info=[{"name": "why", "value": "because"}]),),
        spec={"info": [{"name": "url", "value": "https://example.com"}]},
    ),
    Case("asked-while-wrong", {"one.yaml": config("One")}, automated=None, steps=(Sync(),)),
    Case(
        "asked-with-retries",
        {"one.yaml": config("One")},
        automated=None,
        steps=(Sync(retry={"limit": 2, "backoff": {"duration": "1s", "factor": 1, "maxDuration": "1s"}}),),
    ),
    Case("asked-history-limit", _TWO, automated=None, spec={"revisionHistoryLimit": 2}, steps=(Sync(), Sync(), Sync())),
    Case("asked-no-history", _TWO, automated=None, spec={"revisionHistoryLimit": 0}, steps=(Sync(),)),
    Case("asked-after-removal", _TWO, automated=None, steps=(Sync(), Remove("ConfigMap", "one"), Sync())),
)

CASES = (*HOOKS, *WAVES, *OPTIONS, *ASKED)
