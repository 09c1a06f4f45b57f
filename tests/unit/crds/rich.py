"""One object of each kind with every field set, to something other than its zero value."""

from typing import Any

Json = dict[str, Any]

TIME = "2026-03-01T08:30:00Z"


def source(name: str) -> Json:
    """A source in which every tool has every option; no real Application looks like it."""
    return {
        "repoURL": "https://git.example.com/shop.git",
        "path": f"deploy/{name}",
        "targetRevision": "main",
        "chart": "shop",
        "ref": "values",
        "name": name,
        "tagPrefix": "shop-",
        "helm": _helm(),
        "kustomize": _kustomize(),
        "directory": {
            "recurse": True,
            "include": "*.yaml",
            "exclude": "secret*",
            "disableExtensionFilter": True,
            "jsonnet": {
                "libs": ["vendor"],
                "extVars": [{"name": "env", "value": "prod", "code": True}],
                "tlas": [{"name": "replicas", "value": "3", "code": True}],
            },
        },
        "plugin": {
            "name": "render",
            "env": [{"name": "STAGE", "value": "prod"}],
            "parameters": [
                {"name": "text", "string": "a"},
                {"name": "list", "array": ["a", "b"]},
                {"name": "map", "map": {"a": "1"}},
            ],
        },
    }


def _helm() -> Json:
    return {
        "valueFiles": ["values.yaml", "$values/prod.yaml"],
        "parameters": [{"name": "image.tag", "value": "1.2", "forceString": True}],
        "fileParameters": [{"name": "config", "path": "files/config.json"}],
        "releaseName": "shop",
        "values": "replicas: 2\n",
        "valuesObject": {"ingress": {"enabled": True, "hosts": ["a", {"name": "b"}]}, "replicas": 2, "ratio": 0.5},
        "version": "v3",
        "passCredentials": True,
        "ignoreMissingValueFiles": True,
        "skipCrds": True,
        "skipTests": True,
        "skipSchemaValidation": True,
        "namespace": "shop",
        "kubeVersion": "1.31.0",
        "apiVersions": ["monitoring.coreos.com/v1"],
    }


def _kustomize() -> Json:
    return {
        "namePrefix": "eu-",
        "nameSuffix": "-v2",
        "images": ["shop=registry.example.com/shop:1.2"],
        "replicas": [{"name": "web", "count": 3}, {"name": "worker", "count": "4"}],
        "commonLabels": {"team": "shop"},
        "commonAnnotations": {"owner": "${ARGOCD_APP_NAME}"},
        "commonAnnotationsEnvsubst": True,
        "forceCommonLabels": True,
        "forceCommonAnnotations": True,
        "labelWithoutSelector": True,
        "labelIncludeTemplates": True,
        "namespace": "shop",
        "patches": [
            {
                "path": "patches/web.yaml",
                "patch": "- op: remove\n  path: /spec/replicas\n",
                "target": {
                    "group": "apps",
                    "version": "v1",
                    "kind": "Deployment",
                    "name": "web",
                    "namespace": "shop",
                    "annotationSelector": "a=b",
                    "labelSelector": "tier=web",
                },
                "options": {"allowNameChange": True},
            }
        ],
        "components": ["../components/tls"],
        "ignoreMissingComponents": True,
        "version": "v5.4.0",
        "kubeVersion": "1.31.0",
        "apiVersions": ["monitoring.coreos.com/v1"],
    }


def hydrator() -> Json:
    return {
        "drySource": {
            "repoURL": "https://git.example.com/dry.git",
            "targetRevision": "main",
            "path": "shop",
            "helm": {"values": "a: 1\n"},
            "kustomize": {"namePrefix": "eu-"},
            "directory": {"recurse": True},
            "plugin": {"name": "render"},
        },
        "syncSource": {"repoURL": "https://git.example.com/wet.git", "targetBranch": "env/prod", "path": "shop"},
        "hydrateTo": {"targetBranch": "env/prod-next"},
    }


def _destination() -> Json:
    return {"server": "https://kubernetes.default.svc", "namespace": "shop", "name": "in-cluster"}


def _ignore_difference() -> Json:
    return {
        "group": "apps",
        "kind": "Deployment",
        "name": "web",
        "namespace": "shop",
        "jsonPointers": ["/spec/replicas"],
        "jqPathExpressions": [".spec.template.spec.containers[0].image"],
        "managedFieldsManagers": ["autoscaler"],
    }


def _retry() -> Json:
    return {"limit": 5, "refresh": True, "backoff": {"duration": "5s", "factor": 2, "maxDuration": "3m"}}


def spec() -> Json:
    return {
        "project": "shop",
        "destination": _destination(),
        "source": source("one"),
        "sources": [source("two"), source("three")],
        "sourceHydrator": hydrator(),
        "syncPolicy": {
            "automated": {"enabled": True, "prune": True, "selfHeal": True, "allowEmpty": True},
            "syncOptions": ["CreateNamespace=true"],
            "retry": _retry(),
            "managedNamespaceMetadata": {"labels": {"team": "shop"}, "annotations": {"owner": "shop"}},
        },
        "ignoreDifferences": [_ignore_difference()],
        "info": [{"name": "docs", "value": "https://docs.example.com"}],
        "revisionHistoryLimit": 7,
    }


def operation() -> Json:
    return {
        "sync": {
            "revision": "abc",
            "revisions": ["abc", "def"],
            "prune": True,
            "dryRun": True,
            "syncStrategy": {"apply": {"force": True}, "hook": {"force": True}},
            "resources": [{"group": "apps", "kind": "Deployment", "name": "web", "namespace": "shop", "exclude": True}],
            "source": source("one"),
            "sources": [source("two")],
            "manifests": ["kind: ConfigMap"],
            "syncOptions": ["Replace=true"],
            "autoHealAttemptsCount": 2,
        },
        "initiatedBy": {"username": "jane", "automated": True},
        "info": [{"name": "Reason", "value": "asked"}],
        "retry": _retry(),
    }


def _health() -> Json:
    return {"status": "Degraded", "message": "no pods", "lastTransitionTime": TIME}


def _resource() -> Json:
    return {
        "group": "apps",
        "version": "v1",
        "kind": "Deployment",
        "namespace": "shop",
        "name": "web",
        "status": "OutOfSync",
        "health": _health(),
        "hook": True,
        "requiresPruning": True,
        "syncWave": -3,
        "requiresDeletionConfirmation": True,
    }


def _operation_state() -> Json:
    return {
        "operation": operation(),
        "phase": "Running",
        "startedAt": TIME,
        "finishedAt": TIME,
        "message": "waiting for wave 1",
        "retryCount": 1,
        "syncResult": {
            "revision": "abc",
            "revisions": ["abc", "def"],
            "source": source("one"),
            "sources": [source("two")],
            "managedNamespaceMetadata": {"labels": {"team": "shop"}, "annotations": {"owner": "shop"}},
            "resources": [
                {
                    "group": "batch",
                    "version": "v1",
                    "kind": "Job",
                    "namespace": "shop",
                    "name": "migrate",
                    "status": "Synced",
                    "message": "created",
                    "hookType": "PreSync",
                    "hookPhase": "Succeeded",
                    "syncPhase": "PreSync",
                    "images": ["shop:1.2"],
                }
            ],
        },
    }


def status() -> Json:
    return {
        "sync": {
            "status": "OutOfSync",
            "revision": "abc",
            "revisions": ["abc", "def"],
            "comparedTo": {
                "destination": _destination(),
                "source": source("one"),
                "sources": [source("two")],
                "ignoreDifferences": [_ignore_difference()],
            },
        },
        "health": _health(),
        "resources": [_resource()],
        "conditions": [{"type": "ComparisonError", "message": "no such branch", "lastTransitionTime": TIME}],
        "operationState": _operation_state(),
        "history": [
            {
                "id": 3,
                "revision": "abc",
                "revisions": ["abc", "def"],
                "deployStartedAt": TIME,
                "deployedAt": TIME,
                "source": source("one"),
                "sources": [source("two")],
                "initiatedBy": {"username": "jane", "automated": True},
            }
        ],
        "reconciledAt": TIME,
        "observedAt": TIME,
        "sourceType": "Helm",
        "sourceTypes": ["Helm", "Kustomize"],
        "summary": {"images": ["shop:1.2"], "externalURLs": ["https://shop.example.com"], "isAppOfApps": True},
        "resourceHealthSource": "appTree",
        "controllerNamespace": "argocd",
        "sourceHydrator": {
            "lastComparedDryRevision": "abc",
            "currentOperation": {
                "startedAt": TIME,
                "finishedAt": TIME,
                "phase": "Hydrated",
                "message": "done",
                "drySHA": "abc",
                "hydratedSHA": "def",
                "sourceHydrator": hydrator(),
            },
            "lastSuccessfulOperation": {"drySHA": "abc", "hydratedSHA": "def", "sourceHydrator": hydrator()},
        },
    }


def named(kind: str, name: str, **fields: Json) -> Json:
    """An object with the metadata they all share."""
    metadata = {
        "name": name,
        "labels": {"team": "shop"},
        "annotations": {"argocd.argoproj.io/refresh": "normal"},
        "finalizers": ["resources-finalizer.argocd.argoproj.io"],
    }
    return {"apiVersion": "argoproj.io/v1alpha1", "kind": kind, "metadata": metadata, **fields}


def application(name: str = "shop") -> Json:
    return named("Application", name, spec=spec(), operation=operation(), status=status())


def appproject(name: str = "shop") -> Json:
    token = {"iat": 1700000000, "exp": 1800000000, "id": "one"}
    project = {
        "sourceRepos": ["https://git.example.com/*"],
        "sourceNamespaces": ["team-*"],
        "description": "The shop",
        "permitOnlyProjectScopedClusters": True,
        "sourceIntegrity": {
            "git": {
                "policies": [
                    {
                        "repos": [{"url": "https://git.example.com/*"}],
                        "gpg": {"mode": "head", "keys": ["4AEE18F83AFDEB23"]},
                    }
                ]
            }
        },
        "destinations": [{"server": "https://kubernetes.default.svc", "name": "in-cluster", "namespace": "shop-*"}],
        "clusterResourceWhitelist": [{"group": "", "kind": "Namespace", "name": "shop-*"}],
        "clusterResourceBlacklist": [{"group": "*", "kind": "ClusterRole", "name": "admin"}],
        "namespaceResourceWhitelist": [{"group": "apps", "kind": "*"}],
        "namespaceResourceBlacklist": [{"group": "", "kind": "ResourceQuota"}],
        "roles": [
            {
                "name": "deployer",
                "description": "may sync",
                "policies": ["p, proj:shop:deployer, applications, sync, shop/*, allow"],
                "groups": ["shop-team"],
                "jwtTokens": [token],
            }
        ],
        "syncWindows": [
            {
                "kind": "allow",
                "schedule": "0 8 * * 1-5",
                "duration": "8h",
                "applications": ["*"],
                "namespaces": ["shop"],
                "clusters": ["in-cluster"],
                "manualSync": True,
                "timeZone": "Europe/Zurich",
                "andOperator": True,
                "description": "office hours",
                "syncOverrun": True,
            }
        ],
        "orphanedResources": {"warn": True, "ignore": [{"group": "apps", "kind": "ReplicaSet", "name": "old-*"}]},
        "signatureKeys": [{"keyID": "4AEE18F83AFDEB23"}],
        "destinationServiceAccounts": [
            {"server": "https://kubernetes.default.svc", "namespace": "shop-*", "defaultServiceAccount": "deployer"}
        ],
    }
    return named("AppProject", name, spec=project, status={"jwtTokensByRole": {"deployer": {"items": [token]}}})
