"""What all sets of the comparison find: clusters, a repository, decisions of another controller."""

from typing import Any

from tests.support.code_hosts import TOKEN
from tests.support.judged_sets.case import CONTROL, Json

FILES: dict[str, str] = {
    "apps/web/web.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n",
    "apps/Data_Base/db.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: db}\n",
    "apps/old/x.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
    "apps/deep/inner/x.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
    "apps/.hidden/x.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n",
    "apps/README.md": "not a folder\n",
    "envs/east/config.json": (
        '{"name": "east", "cluster": {"size": 3, "zones": ["a", "b"], "spot": true}, "ratio": 0.5}'
    ),
    "envs/west/config.json": (
        '{"name": "west", "cluster": {"size": 12345678, "zones": [], "spot": false}, "ratio": 2.0}'
    ),
    "envs/west/more/config.json": '{"name": "more", "cluster": {"size": 1}}',
    "yaml/one.yaml": (
        "name: one\nlabels: {team: 'a b', tier: web}\nempty: {}\nnothing: null\ntext: |\n  line\n  other\n"
    ),
    "yaml/two.yaml": (
        "base: &base {team: red}\nname: two\nlabels: {<<: *base, tier: back}\nversion: 1.10\nwhen: 2024-01-02\n"
    ),
    "arrays/both.yaml": "- {name: first, port: 80}\n- {name: second, port: 443}\n",
    "arrays/one.json": '[{"name": "third", "port": 8080}]',
    "lists/items.yaml": "name: items\nitems:\n- {name: i1, port: 80}\n- {name: i2, port: 90}\n",
    "odd/scalar.yaml": "just a text\n",
    "odd/broken.yaml": "a: [1,\nb: }\n",
    "odd/empty.yaml": "",
    "odd/documents.yaml": "name: first-document\n---\nname: second-document\n",
    "odd/mixed.yaml": "- {name: map}\n- text\n",
    "odd/twice.yaml": "name: a\nname: b\n",
    "Top-Level.json": '{"name": "top"}',
}


def cluster(name: str, server: str, labels: Json, annotations: Json | None = None, **data: str) -> Json:
    """Return the Secret that makes a cluster known."""
    metadata: Json = {
        "name": f"cluster-{server.removeprefix('https://')}",
        "namespace": CONTROL,
        "labels": {"argocd.argoproj.io/secret-type": "cluster", **labels},
    }
    if annotations:
        metadata["annotations"] = annotations
    content = {"name": name, "server": server, "config": '{"tlsClientConfig":{"insecure":true}}', **data}
    return {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "stringData": content}


CLUSTERS = (
    cluster("east", "https://east.example", {"env": "prod", "region": "eu"}, {"owner": "Ann & Co"}),
    cluster("West_Side", "https://west.example", {"env": "prod", "region": "us", "acme.io/tier": "1"}),
    cluster("stage", "https://stage.example", {"env": "stage"}, project="default"),
)

_DECISIONS: Json = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "placements.example.com"},
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"plural": "placements", "singular": "placement", "kind": "Placement", "listKind": "PlacementList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}
KINDS = (_DECISIONS,)


def _placement(name: str, labels: Json, *decisions: Json, key: str = "decisions") -> Json:
    metadata = {"name": name, "namespace": CONTROL, "labels": labels}
    status = {key: list(decisions)}
    return {"apiVersion": "example.com/v1", "kind": "Placement", "metadata": metadata, "status": status}


def _finding(name: str, **data: str) -> Json:
    told = {"apiVersion": "example.com/v1", "kind": "placements", "statusListKey": "decisions", **data}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": CONTROL}, "data": told}


_PLUGINS = {
    "plugin": {"baseUrl": "HOST", "token": "$token:token"},
    "plugin-with-slash": {"baseUrl": "HOST/", "token": "$token:token", "requestTimeout": "10"},
    "plugin-without-address": {"token": "$token:token"},
    "plugin-plain-token": {"baseUrl": "HOST", "token": "plain"},
    "plugin-other-secret": {"baseUrl": "HOST", "token": "$nothing:token"},
    "plugin-elsewhere": {"baseUrl": "HOST/nothing", "token": "$token:token"},
}


def _plugin(name: str, **data: str) -> Json:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": CONTROL}, "data": data}


OBJECTS: tuple[Json, ...] = (
    *CLUSTERS,
    _placement("both", {"use": "all"}, {"clusterName": "east", "weight": "3"}, {"clusterName": "stage", "reason": "x"}),
    _placement("numbers", {"use": "numbers"}, {"clusterName": "east", "weight": 3}),
    _placement("strange", {"use": "strange"}, {"clusterName": "nowhere"}, {"other": "east"}),
    _placement("clusters", {"use": "other"}, {"clusterName": "West_Side"}, key="clusters"),
    {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "token", "namespace": CONTROL},
        "stringData": {"token": TOKEN},
    },
    *(_plugin(name, **data) for name, data in _PLUGINS.items()),
    _finding("placements", matchKey="clusterName"),
    _finding("placements-by-default-list", matchKey="clusterName", statusListKey=""),
    _finding("placements-without-key"),
)


def git(**more: Any) -> Json:
    """Return a git generator over the repository."""
    return {"git": {"repoURL": "REPO", "revision": "main", **more}}


def folders(*patterns: str, exclude: tuple[str, ...] = (), **more: Any) -> Json:
    """Return a git generator of folders."""
    return git(directories=_items(patterns, exclude), **more)


def files(*patterns: str, exclude: tuple[str, ...] = (), **more: Any) -> Json:
    """Return a git generator of files."""
    return git(files=_items(patterns, exclude), **more)


def _items(patterns: tuple[str, ...], exclude: tuple[str, ...]) -> list[Json]:
    return [*({"path": one} for one in patterns), *({"path": one, "exclude": True} for one in exclude)]
