"""An ApplicationSet with every field of every generator set."""

from typing import Any

from tests.unit.crds import rich

Json = dict[str, Any]

_SELECTOR: Json = {
    "matchLabels": {"stage": "prod"},
    "matchExpressions": [{"key": "region", "operator": "In", "values": ["eu", "us"]}],
}
_VALUES = {"cluster": "{{ .name }}"}
_TOKEN = {"secretName": "token", "key": "value"}


def template() -> Json:
    metadata = {
        "name": "{{ .name }}-shop",
        "namespace": "argocd",
        "labels": {"team": "shop"},
        "annotations": {"owner": "shop"},
        "finalizers": ["resources-finalizer.argocd.argoproj.io"],
    }
    return {"metadata": metadata, "spec": rich.spec()}


def _git() -> Json:
    return {
        "repoURL": "https://git.example.com/fleet.git",
        "revision": "HEAD",
        "directories": [{"path": "apps/*"}, {"path": "apps/old", "exclude": True}],
        "files": [{"path": "clusters/**/config.json"}, {"path": "clusters/old/*", "exclude": True}],
        "requeueAfterSeconds": 60,
        "template": template(),
        "pathParamPrefix": "app",
        "values": _VALUES,
    }


def _scm_provider() -> Json:
    return {
        "github": {"organization": "shop", "tokenRef": _TOKEN, "allBranches": True},
        "gitlab": {"group": "shop", "includeSubgroups": True, "topic": "deploy"},
        "gitea": {"owner": "shop", "api": "https://gitea.example.com", "insecure": True},
        "bitbucket": {"owner": "shop", "user": "bot", "appPasswordRef": _TOKEN},
        "bitbucketServer": {"project": "SHOP", "api": "https://bitbucket.example.com"},
        "azureDevOps": {"organization": "shop", "teamProject": "web", "accessTokenRef": _TOKEN},
        "awsCodeCommit": {"region": "eu-central-1", "tagFilters": [{"key": "deploy", "value": "yes"}]},
        "filters": [
            {
                "repositoryMatch": "^shop",
                "pathsExist": ["deploy"],
                "pathsDoNotExist": ["disabled.txt"],
                "labelMatch": "deploy-ok",
                "branchMatch": "main",
            }
        ],
        "cloneProtocol": "ssh",
        "requeueAfterSeconds": 1800,
        "template": template(),
        "values": _VALUES,
    }


def _pull_request() -> Json:
    return {
        "github": {"owner": "shop", "repo": "web", "labels": ["preview"]},
        "gitlab": {"project": "42", "pullRequestState": "opened"},
        "gitea": {"owner": "shop", "repo": "web", "api": "https://gitea.example.com"},
        "bitbucket": {"owner": "shop", "repo": "web", "bearerToken": {"tokenRef": _TOKEN}},
        "bitbucketServer": {"project": "SHOP", "repo": "web", "api": "https://bitbucket.example.com"},
        "azuredevops": {"organization": "shop", "project": "web", "repo": "web"},
        "filters": [{"branchMatch": "feature/.*", "targetBranchMatch": "main", "titleMatch": "^feat"}],
        "requeueAfterSeconds": 1800,
        "template": template(),
        "values": _VALUES,
        "continueOnRepoNotFoundError": True,
    }


def generators() -> list[Json]:
    clusters = {"selector": _SELECTOR, "template": template(), "values": _VALUES, "flatList": True}
    duck = {
        "configMapRef": "placements",
        "name": "prod",
        "requeueAfterSeconds": 180,
        "labelSelector": _SELECTOR,
        "template": template(),
        "values": _VALUES,
    }
    plugin = {
        "configMapRef": {"name": "my-plugin"},
        "input": {"parameters": {"list": [1, "two", None], "flag": True, "map": {"a": None}}},
        "requeueAfterSeconds": 1800,
        "template": template(),
        "values": _VALUES,
    }
    elements = [{"cluster": "eu", "replicas": 3, "tags": ["a"], "extra": None}, {"cluster": "us"}]
    inner = [{"git": _git()}, {"matrix": {"generators": [{"clusters": {}}, {"list": {"elements": elements}}]}}]
    return [
        {"list": {"elements": elements, "elementsYaml": "[]", "template": template()}, "selector": _SELECTOR},
        {"clusters": clusters},
        {"git": _git()},
        {"scmProvider": _scm_provider()},
        {"clusterDecisionResource": duck},
        {"pullRequest": _pull_request()},
        {"plugin": plugin},
        {"matrix": {"generators": inner, "template": template()}},
        {"merge": {"generators": inner, "mergeKeys": ["server"], "template": template()}},
    ]


def status() -> Json:
    return {
        "conditions": [
            {
                "type": "ErrorOccurred",
                "status": "False",
                "reason": "ApplicationSetUpToDate",
                "message": "all well",
                "lastTransitionTime": rich.TIME,
            }
        ],
        "applicationStatus": [
            {
                "application": "eu-shop",
                "step": "1",
                "status": "Progressing",
                "message": "syncing",
                "targetRevisions": ["abc"],
                "lastTransitionTime": rich.TIME,
            }
        ],
        "resources": rich.status()["resources"],
        "resourcesCount": 1,
        "health": {"status": "Progressing", "message": "rolling", "lastTransitionTime": rich.TIME},
    }


def applicationset(name: str = "shops") -> Json:
    steps = [
        {"matchExpressions": [{"key": "stage", "operator": "In", "values": ["dev"]}], "maxUpdate": 1},
        {"matchExpressions": [{"key": "stage", "operator": "NotIn", "values": ["dev"]}], "maxUpdate": "25%"},
    ]
    spec = {
        "generators": generators(),
        "template": template(),
        "goTemplate": True,
        "goTemplateOptions": ["missingkey=error"],
        "templatePatch": "spec:\n  project: other\n",
        "syncPolicy": {"preserveResourcesOnDeletion": True, "applicationsSync": "create-update"},
        "strategy": {"type": "RollingSync", "rollingSync": {"steps": steps}, "deletionOrder": "Reverse"},
        "preservedFields": {"annotations": ["note"], "labels": ["team"]},
        "ignoreApplicationDifferences": [
            {"name": "eu-shop", "jsonPointers": ["/spec/source/targetRevision"], "jqPathExpressions": [".spec.info"]}
        ],
        "applyNestedSelectors": True,
    }
    return rich.named("ApplicationSet", name, spec=spec, status=status())
