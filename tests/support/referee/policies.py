"""Cases about policies and verdicts: automation, self-healing, ignore rules, health, failures, projects, deletions."""

from tests.support.referee.case import (
    API,
    CONTROL,
    SERVER,
    Case,
    Change,
    Commit,
    Delete,
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

_TWO: Json = {"one.yaml": config("one"), "two.yaml": config("two")}
_GONE = Commit({"one.yaml": None})
_LIVE = Change("ConfigMap", "one", {"data": {"colour": "live"}})

AUTOMATION = (
    Case("auto-off", _TWO, automated=None),
    Case("auto-disabled", _TWO, automated={"enabled": False}),
    Case("auto-enabled", _TWO, automated={"enabled": True}),
    Case("auto-no-prune", _TWO, steps=(_GONE,)),
    Case("auto-prune", _TWO, automated={"prune": True}, steps=(_GONE,)),
    Case(
        "auto-prune-all",
        _TWO,
        automated={"prune": True},
        steps=(Commit({"one.yaml": None, "two.yaml": None, "README.md": "empty\n"}),),
    ),
    Case(
        "auto-prune-all-allowed",
        _TWO,
        automated={"prune": True, "allowEmpty": True},
        steps=(Commit({"one.yaml": None, "two.yaml": None, "README.md": "empty\n"}),),
    ),
    Case("auto-drift-without-self-heal", _TWO, steps=(_LIVE,)),
    Case("auto-self-heal", _TWO, automated={"selfHeal": True}, steps=(_LIVE,)),
    Case("auto-self-heal-removed", _TWO, automated={"selfHeal": True}, steps=(Remove("ConfigMap", "one"),)),
    Case("auto-removed-without-self-heal", _TWO, steps=(Remove("ConfigMap", "one"),)),
    Case("auto-changed", _TWO, steps=(Commit({"one.yaml": config("one", colour="red")}),)),
    Case(
        "auto-key-removed",
        {"one.yaml": config("one", a="1", b="2")},
        steps=(Commit({"one.yaml": config("one", a="1")}),),
    ),
    Case("auto-renamed", _TWO, automated={"prune": True}, steps=(Commit({"one.yaml": config("three")}),)),
    Case("auto-fails-then-mended", {"one.yaml": config("One")}, steps=(Commit({"one.yaml": config("one")}),)),
    Case(
        "auto-retries",
        {"one.yaml": config("One")},
        retry={"limit": 2, "backoff": {"duration": "1s", "factor": 1, "maxDuration": "1s"}},
    ),
    Case("auto-one-of-two-refused", {"one.yaml": config("One"), "two.yaml": config("two")}),
    Case("auto-extra-live-key", _TWO, steps=(Change("ConfigMap", "one", {"data": {"added": "live"}}),)),
    Case("auto-extra-live-label", _TWO, steps=(Change("ConfigMap", "one", {"metadata": {"labels": {"a": "b"}}}),)),
    Case("auto-takes-over", _TWO, before=(config("one", colour="old"),)),
    Case("auto-takes-over-equal", _TWO, before=(config("one"),)),
    Case("auto-paused-then-on", _TWO, automated=None, steps=(Edit({"spec": {"syncPolicy": {"automated": {}}}}),)),
)


def _ignored(name: str, rule: Json, *steps: object, **more: object) -> Case:
    rules = {"ignoreDifferences": [{"kind": "ConfigMap", **rule}]}
    return Case(f"ignored-{name}", _TWO, automated=None, spec=rules, steps=(Sync(), *steps), **more)  # type: ignore[arg-type]


COMPARING = (
    _ignored("pointer", {"jsonPointers": ["/data/colour"]}, _LIVE),
    _ignored("pointer-elsewhere", {"jsonPointers": ["/data/size"]}, _LIVE),
    _ignored("expression", {"jqPathExpressions": [".data.colour"]}, _LIVE),
    _ignored("expression-of-many", {"jqPathExpressions": [".data[]"]}, _LIVE),
    _ignored("expression-wrong", {"jqPathExpressions": [".data[["]}, _LIVE),
    _ignored("manager", {"managedFieldsManagers": ["kubectl-edit"]}, _LIVE),
    _ignored("other-manager", {"managedFieldsManagers": ["somebody"]}, _LIVE),
    _ignored("by-name", {"name": "one", "jsonPointers": ["/data"]}, _LIVE),
    _ignored("by-other-name", {"name": "two", "jsonPointers": ["/data"]}, _LIVE),
    _ignored("by-namespace", {"namespace": "elsewhere", "jsonPointers": ["/data"]}, _LIVE),
    _ignored("every-kind", {"kind": "*", "group": "*", "jsonPointers": ["/data"]}, _LIVE),
    _ignored(
        "labels",
        {"jsonPointers": ["/metadata/labels"]},
        Change("ConfigMap", "one", {"metadata": {"labels": {"app.kubernetes.io/instance": "x"}}}),
    ),
    Case(
        "compared-extraneous-ignored",
        {"one.yaml": config("one", argo(compare_options="IgnoreExtraneous"))},
        automated=None,
        steps=(Sync(), Commit({"one.yaml": None, "two.yaml": config("two")})),
    ),
    Case(
        "compared-server-side",
        _TWO,
        annotations=argo(compare_options="ServerSideDiff=true"),
        automated=None,
        steps=(Sync(), _LIVE),
    ),
    Case(
        "compared-secret",
        {"one.yaml": obj("Secret", "one", stringData={"key": "canary"}, data={"other": "Y2FuYXJ5"})},
        steps=(Change("Secret", "one", {"data": {"key": "b3RoZXI="}}),),
    ),
    Case(
        "compared-defaults",
        {
            "one.yaml": service("one"),
            "two.yaml": obj(
                "Pod",
                "two",
                spec={
                    "containers": [
                        {"name": "main", "image": "example/web:1", "resources": {"limits": {"cpu": "1000m"}}}
                    ]
                },
            ),
        },
    ),
    Case(
        "compared-empty-fields",
        {
            "one.yaml": obj("ConfigMap", "one", annotations={}, labels={}, data={"a": ""}),
            "two.yaml": obj("ServiceAccount", "two"),
        },
    ),
    Case(
        "compared-null-field",
        {
            "one.yaml": (
                "apiVersion: v1\nkind: ConfigMap\n"
                "metadata: {name: one, creationTimestamp: null}\ndata: {a: '1', b: null}\n"
            )
        },
    ),
    Case(
        "compared-numbers-in-data",
        {"one.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {a: 1}\n"},
    ),
    Case(
        "compared-custom-kind",
        {"one.yaml": obj("Widget", "one", "example.com/v1", spec={"size": 1})},
        steps=(Change("Widget", "one", {"spec": {"size": 2}}, "example.com/v1"),),
    ),
    Case(
        "compared-tracked-by-another",
        _TWO,
        before=(config("one", argo(tracking_id="somebody:/ConfigMap:compared-tracked-by-another/one"), colour="blue"),),
        automated=None,
    ),
    Case(
        "compared-tracking-copied",
        _TWO,
        before=(
            config(
                "copy",
                argo(tracking_id="compared-tracking-copied:/ConfigMap:compared-tracking-copied/one"),
                colour="blue",
            ),
        ),
    ),
    Case(
        "compared-tracked-leftover",
        _TWO,
        before=(
            config(
                "left",
                argo(tracking_id="compared-tracked-leftover:/ConfigMap:compared-tracked-leftover/left"),
                colour="blue",
            ),
        ),
    ),
)

HEALTH = (
    Case("health-deployment", {"one.yaml": deployment("one")}),
    Case("health-deployment-without-pods", {"one.yaml": deployment("one", image="example/web:missing")}),
    Case("health-deployment-of-none", {"one.yaml": deployment("one", replicas=0)}),
    Case(
        "health-load-balancer",
        {
            "one.yaml": {
                **service("one"),
                "spec": {"type": "LoadBalancer", "ports": [{"port": 80}], "selector": {"app": "one"}},
            }
        },
    ),
    Case(
        "health-external-name",
        {"one.yaml": {**service("one"), "spec": {"type": "ExternalName", "externalName": "example.com"}}},
    ),
    Case(
        "health-ingress",
        {
            "one.yaml": obj(
                "Ingress",
                "one",
                "networking.k8s.io/v1",
                spec={
                    "rules": [
                        {
                            "host": "shop.example.com",
                            "http": {
                                "paths": [
                                    {
                                        "path": "/",
                                        "pathType": "Prefix",
                                        "backend": {"service": {"name": "one", "port": {"number": 80}}},
                                    }
                                ]
                            },
                        }
                    ]
                },
            )
        },
    ),
    Case("health-job", {"one.yaml": job("one")}),
    Case("health-bad-job", {"one.yaml": job("one", image="example/job:bad")}),
    Case(
        "health-ignored", {"one.yaml": deployment("one", argo(ignore_healthcheck="true"), image="example/web:missing")}
    ),
    Case(
        "health-link",
        {
            "one.yaml": config("one", {"link.argocd.argoproj.io/external-link": "https://example.com"}),
            "two.yaml": deployment("two"),
        },
    ),
    Case(
        "health-pod", {"one.yaml": obj("Pod", "one", spec={"containers": [{"name": "main", "image": "example/web:1"}]})}
    ),
    Case("health-missing", {"one.yaml": deployment("one"), "two.yaml": config("two")}, automated=None),
    Case(
        "health-missing-one",
        {"one.yaml": config("one"), "two.yaml": deployment("two")},
        automated=None,
        steps=(Sync(), Remove("ConfigMap", "one")),
    ),
    Case(
        "health-missing-deployment",
        {"one.yaml": config("one"), "two.yaml": deployment("two")},
        automated=None,
        steps=(Sync(), Remove("Deployment", "two", "apps/v1")),
    ),
)

FAILURES = (
    Case("wrong-path", _TWO, source={"path": "absent"}),
    Case("wrong-revision", _TWO, source={"targetRevision": "absent"}),
    Case(
        "wrong-repository",
        _TWO,
        spec={"source": {"repoURL": "file:///nonexistent/repository", "path": "x", "targetRevision": "main"}},
    ),
    Case(
        "wrong-cluster",
        _TWO,
        spec={"destination": {"server": "https://elsewhere.invalid", "namespace": "wrong-cluster"}},
    ),
    Case("wrong-cluster-name", _TWO, spec={"destination": {"name": "elsewhere", "namespace": "wrong-cluster-name"}}),
    Case("wrong-no-destination", _TWO, spec={"destination": {"namespace": "wrong-no-destination"}}),
    Case(
        "wrong-both-destinations",
        _TWO,
        spec={"destination": {"server": SERVER, "name": "in-cluster", "namespace": "wrong-both-destinations"}},
    ),
    Case("right-cluster-name", _TWO, spec={"destination": {"name": "in-cluster", "namespace": "right-cluster-name"}}),
    Case("wrong-project", _TWO, spec={"project": "absent"}),
    Case("wrong-kind", {"one.yaml": obj("Gadget", "one", "absent.example.com/v1"), "two.yaml": config("two")}),
    Case(
        "wrong-no-namespace",
        {"one.yaml": config("one"), "two.yaml": obj("ConfigMap", "two", namespace="wrong-no-namespace")},
        spec={"destination": {"server": SERVER}},
    ),
    Case("wrong-version", {"one.yaml": obj("ConfigMap", "one", "v9"), "two.yaml": config("two")}),
    Case("wrong-yaml", {"one.yaml": "a: b: c\n", "two.yaml": config("two")}),
    Case("wrong-no-kind", {"one.yaml": "apiVersion: v1\nmetadata: {name: one}\n", "two.yaml": config("two")}),
    Case(
        "wrong-no-name",
        {"one.yaml": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {}}, "two.yaml": config("two")},
    ),
    Case("wrong-name", {"one.yaml": config("One"), "two.yaml": config("two")}),
    Case("wrong-field", {"one.yaml": {**service("one"), "spec": {"ports": "many"}}, "two.yaml": config("two")}),
    Case(
        "wrong-required-field", {"one.yaml": obj("Widget", "one", "example.com/v1", spec={}), "two.yaml": config("two")}
    ),
    Case(
        "wrong-denied",
        {"one.yaml": obj("ConfigMap", "one", labels={"denied": "yes"}, data={}), "two.yaml": config("two")},
    ),
    Case(
        "wrong-namespace-of-object",
        {"one.yaml": obj("ConfigMap", "one", namespace="absent", data={"a": "1"}), "two.yaml": config("two")},
    ),
    Case(
        "wrong-two-source-types",
        {
            "Chart.yaml": {"apiVersion": "v2", "name": "x", "version": "1.0.0"},
            "kustomization.yaml": {"resources": ["one.yaml"]},
            "one.yaml": config("one"),
        },
    ),
    Case(
        "wrong-source-type",
        {"one.yaml": config("one")},
        source={"helm": {"values": "a: 1"}, "kustomize": {"namePrefix": "x-"}},
    ),
    Case("wrong-then-right-path", _TWO, source={"path": "absent"}, steps=(Commit({"absent/one.yaml": config("one")}),)),
    Case("wrong-commit-after-good", _TWO, steps=(Commit({"one.yaml": "a: b: c\n"}),)),
    Case("wrong-path-after-good", _TWO, steps=(Edit({"spec": {"source": {"path": "absent"}}}),)),
    Case(
        "right-definition-and-object",
        {
            "crd.yaml": obj(
                "CustomResourceDefinition",
                "gears.fleet.example.com",
                "apiextensions.k8s.io/v1",
                spec={
                    "group": "fleet.example.com",
                    "scope": "Namespaced",
                    "names": {"plural": "gears", "singular": "gear", "kind": "Gear"},
                    "versions": [
                        {
                            "name": "v1",
                            "served": True,
                            "storage": True,
                            "schema": {
                                "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
                            },
                        }
                    ],
                },
            ),
            "gear.yaml": obj("Gear", "one", "fleet.example.com/v1", spec={"teeth": 12}),
        },
    ),
)

PROJECTS = (
    Case("project-permits", _TWO, project={}),
    Case("project-other-repository", _TWO, project={"sourceRepos": ["https://git.example/*"]}),
    Case("project-other-namespace", _TWO, project={"destinations": [{"server": "*", "namespace": "other"}]}),
    Case("project-other-server", _TWO, project={"destinations": [{"server": "https://other", "namespace": "*"}]}),
    Case("project-not-this-repository", _TWO, project={"sourceRepos": ["*", "!file://*"]}),
    Case("project-no-config-maps", _TWO, project={"namespaceResourceBlacklist": [{"group": "", "kind": "ConfigMap"}]}),
    Case("project-only-secrets", _TWO, project={"namespaceResourceWhitelist": [{"group": "", "kind": "Secret"}]}),
    Case(
        "project-nothing-cluster-wide",
        {
            "one.yaml": config("one"),
            "role.yaml": obj("ClusterRole", "refused", "rbac.authorization.k8s.io/v1", rules=[]),
        },
        project={"clusterResourceWhitelist": []},
    ),
    Case(
        "project-object-in-another-namespace",
        {"one.yaml": config("one"), "two.yaml": obj("ConfigMap", "stray", namespace="default")},
        project={"destinations": [{"server": "*", "namespace": "project-object-in-another-namespace"}]},
    ),
    Case(
        "project-window-closed",
        _TWO,
        project={"syncWindows": [{"kind": "deny", "schedule": "* * * * *", "duration": "24h", "applications": ["*"]}]},
    ),
    Case(
        "project-window-closed-asked",
        _TWO,
        automated=None,
        project={"syncWindows": [{"kind": "deny", "schedule": "* * * * *", "duration": "24h", "applications": ["*"]}]},
        steps=(Sync(),),
    ),
    Case(
        "project-window-for-hands",
        _TWO,
        automated=None,
        project={
            "syncWindows": [
                {"kind": "deny", "schedule": "* * * * *", "duration": "24h", "applications": ["*"], "manualSync": True}
            ]
        },
        steps=(Sync(),),
    ),
    Case(
        "project-window-open",
        _TWO,
        project={"syncWindows": [{"kind": "allow", "schedule": "* * * * *", "duration": "24h", "applications": ["*"]}]},
    ),
    Case("project-orphans-warned", _TWO, before=(config("orphan"),), project={"orphanedResources": {"warn": True}}),
    Case(
        "project-orphans-ignored",
        _TWO,
        before=(config("orphan"),),
        project={"orphanedResources": {"warn": True, "ignore": [{"kind": "ConfigMap", "name": "orphan"}]}},
    ),
)

_FOREGROUND = "resources-finalizer.argocd.argoproj.io"

DELETIONS = (
    Case("deleted-plain", _TWO, steps=(Delete(),)),
    Case("deleted-foreground", _TWO, finalizers=(_FOREGROUND,), steps=(Delete(),)),
    Case("deleted-foreground-named", _TWO, finalizers=(f"{_FOREGROUND}/foreground",), steps=(Delete(),)),
    Case("deleted-background", _TWO, finalizers=(f"{_FOREGROUND}/background",), steps=(Delete(),)),
    Case(
        "deleted-but-kept",
        {"one.yaml": config("one", argo(sync_options="Delete=false")), "two.yaml": config("two")},
        finalizers=(_FOREGROUND,),
        steps=(Delete(),),
    ),
    Case(
        "deleted-but-kept-by-helm",
        {"one.yaml": config("one", {"helm.sh/resource-policy": "keep"}), "two.yaml": config("two")},
        finalizers=(_FOREGROUND,),
        steps=(Delete(),),
    ),
    Case(
        "deleted-to-be-confirmed",
        {"one.yaml": config("one", argo(sync_options="Delete=confirm")), "two.yaml": config("two")},
        finalizers=(_FOREGROUND,),
        steps=(Delete(),),
    ),
    Case(
        "deleted-confirmed",
        {"one.yaml": config("one", argo(sync_options="Delete=confirm")), "two.yaml": config("two")},
        finalizers=(_FOREGROUND,),
        annotations=argo(deletion_approved="2040-01-01T00:00:00Z"),
        steps=(Delete(),),
    ),
    Case(
        "deleted-waves",
        {"one.yaml": config("one", argo(sync_wave="1")), "two.yaml": config("two")},
        finalizers=(_FOREGROUND,),
        steps=(Delete(),),
    ),
    Case(
        "deleted-with-hook",
        {"one.yaml": config("one"), "hook.yaml": config("farewell", argo(hook="PostDelete"))},
        finalizers=(_FOREGROUND,),
        steps=(Delete(),),
    ),
    Case("deleted-never-synced", _TWO, automated=None, finalizers=(_FOREGROUND,), steps=(Delete(),)),
    Case("deleted-broken", _TWO, finalizers=(_FOREGROUND,), steps=(Commit({"one.yaml": "a: b: c\n"}), Delete())),
    Case("deleted-other-finalizer", _TWO, finalizers=("example.com/hold",), steps=(Delete(),)),
)


def _child(name: str, path: str, **spec: object) -> Json:
    policy = {"automated": {}, "retry": {"limit": 0}}
    return {
        "apiVersion": API,
        "kind": "Application",
        "metadata": {"name": name, "namespace": CONTROL},
        "spec": {
            "project": "default",
            "syncPolicy": policy,
            "source": {"repoURL": "REPOSITORY", "path": path, "targetRevision": "main"},
            "destination": {"server": SERVER, "namespace": "parent-of-two"},
            **spec,
        },
    }


PARENTS = (
    Case(
        "parent-of-two",
        {
            "apps/first.yaml": _child("child-first", "parent-of-two/first"),
            "apps/second.yaml": _child("child-second", "parent-of-two/second"),
            "first/one.yaml": config("one"),
            "second/two.yaml": config("two"),
        },
        source={"path": "apps"},
        further=("child-first", "child-second"),
    ),
    Case(
        "parent-of-a-broken-one",
        {
            "apps/first.yaml": _child("child-broken", "parent-of-a-broken-one/absent"),
        },
        source={"path": "apps"},
        further=("child-broken",),
    ),
)

CASES = (*AUTOMATION, *COMPARING, *HEALTH, *FAILURES, *PROJECTS, *DELETIONS, *PARENTS)
