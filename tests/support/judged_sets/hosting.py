"""Sets whose generators ask code hosts and plugins; `tests.support.code_hosts` answers them.

Azure DevOps and repositories of Bitbucket's cloud are left out: Argo CD cannot be pointed at a local address for them.
"""

from typing import Any

from tests.support.code_hosts import USER
from tests.support.judged_sets.case import Case, Json, elements, fast, go

_REF = {"secretName": "token", "key": "token"}
_BASIC = {"username": USER, "passwordRef": _REF}
_REPOSITORIES: dict[str, Json] = {
    "github": {"organization": "acme", "api": "HOST", "tokenRef": _REF},
    "gitlab": {"group": "acme", "api": "HOST", "tokenRef": _REF},
    "gitea": {"owner": "acme", "api": "HOST", "tokenRef": _REF},
    "bitbucketServer": {"project": "ACME", "api": "HOST", "basicAuth": _BASIC},
}
_PULLS: dict[str, Json] = {
    "github": {"owner": "acme", "repo": "web", "api": "HOST", "tokenRef": _REF},
    "gitlab": {"project": "acme/web", "api": "HOST", "tokenRef": _REF},
    "gitea": {"owner": "acme", "repo": "web", "api": "HOST", "tokenRef": _REF},
    "bitbucketServer": {"project": "ACME", "repo": "web", "api": "HOST", "bearerToken": {"tokenRef": _REF}},
    "bitbucket": {"owner": "acme", "repo": "web", "api": "HOST/2.0", "basicAuth": _BASIC},
}
_REPOSITORY = "CASE-{{short_sha}}"
_SHOWN = {
    "x": "{{organization}} {{repository}} {{url}} {{branch}} {{branchNormalized}} {{sha}} {{short_sha_7}} {{labels}}"
}
_GO_SHOWN = {"x": "{{.organization}} {{.repository}} {{.repository_id}} {{.url}} {{.branch}} {{.labels}}"}
_PULL = "CASE-{{number}}"
_PULL_SHOWN = {
    "x": "{{title}} {{branch}} {{branch_slug}} {{target_branch}} {{target_branch_slug}} {{head_sha}} {{author}}"
}
_GO_PULL_SHOWN = {"x": "{{.number}} {{.title}} {{.head_short_sha}} {{.head_short_sha_7}} {{.labels}}"}


def _repos(host: str, *filters: Json, clone: str = "", **more: Any) -> Json:
    block: Json = {host: {**_REPOSITORIES[host], **more}}
    if filters:
        block["filters"] = list(filters)
    return {"scmProvider": {**block, **({"cloneProtocol": clone} if clone else {})}}


def _pulls(host: str, *filters: Json, **more: Any) -> Json:
    block: Json = {host: {**_PULLS[host], **more}}
    return {"pullRequest": {**block, "filters": list(filters)} if filters else block}


def _plugin(ref: str, **more: Any) -> Json:
    return {"plugin": {"configMapRef": {"name": ref}, **more}}


def _of_each(host: str) -> tuple[Case, ...]:
    name = host.lower()
    return (
        fast(f"scm-{name}", _repos(host), called=_REPOSITORY, show=_SHOWN),
        go(f"scm-{name}-go", _repos(host), called="CASE-{{.short_sha}}", show=_GO_SHOWN),
        fast(f"scm-{name}-https", _repos(host, clone="https"), called=_REPOSITORY, show=_SHOWN),
        fast(f"scm-{name}-protocol", _repos(host, clone="other"), called=_REPOSITORY),
        fast(f"scm-{name}-branches", _repos(host, allBranches=True), called=_REPOSITORY, show=_SHOWN),
        fast(f"scm-{name}-paths", _repos(host, {"pathsExist": ["deploy/"]}), called=_REPOSITORY, show=_SHOWN),
        fast(f"scm-{name}-file", _repos(host, {"pathsExist": ["README.md"]}), called=_REPOSITORY, show=_SHOWN),
        fast(f"scm-{name}-no-paths", _repos(host, {"pathsDoNotExist": ["deploy"]}), called=_REPOSITORY, show=_SHOWN),
        fast(f"scm-{name}-name", _repos(host, {"repositoryMatch": "^w"}), called=_REPOSITORY, show=_SHOWN),
        fast(f"scm-{name}-label", _repos(host, {"labelMatch": "shop"}), called=_REPOSITORY, show=_SHOWN),
    )


_GITHUB: tuple[Case, ...] = (
    fast(
        "scm-filters-or",
        _repos("github", {"repositoryMatch": "^web$"}, {"repositoryMatch": "^api$"}),
        called=_REPOSITORY,
        show=_SHOWN,
    ),
    fast(
        "scm-filters-both",
        _repos("github", {"repositoryMatch": "^web$"}, {"branchMatch": "^rel"}, allBranches=True),
        called=_REPOSITORY,
        show=_SHOWN,
    ),
    fast(
        "scm-filters-and",
        _repos("github", {"repositoryMatch": "^web$", "branchMatch": "^main$"}, allBranches=True),
        called=_REPOSITORY,
        show=_SHOWN,
    ),
    fast("scm-filters-empty", _repos("github", {}), called=_REPOSITORY, show=_SHOWN),
    fast("scm-filters-broken", _repos("github", {"repositoryMatch": "("}), called=_REPOSITORY),
    fast("scm-no-token", _repos("github", tokenRef=None), called=_REPOSITORY),
    fast("scm-no-secret", _repos("github", tokenRef={"secretName": "nothing", "key": "token"}), called=_REPOSITORY),
    fast("scm-no-key", _repos("github", tokenRef={"secretName": "token", "key": "nothing"}), called=_REPOSITORY),
    fast("scm-not-there", _repos("github", organization="nobody"), called=_REPOSITORY),
    fast("scm-api-with-path", _repos("github", api="HOST/api/v3/"), called=_REPOSITORY, show=_SHOWN),
    fast("scm-gitlab-topic", _repos("gitlab", topic="front"), called=_REPOSITORY, show=_SHOWN),
    fast("scm-gitlab-api-with-path", _repos("gitlab", api="HOST/api/v4"), called=_REPOSITORY, show=_SHOWN),
    fast("scm-bitbucket-api-with-path", _repos("bitbucketServer", api="HOST/rest/"), called=_REPOSITORY, show=_SHOWN),
    fast(
        "scm-values",
        {"scmProvider": {"github": _REPOSITORIES["github"], "values": {"of": "{{repository}}-x"}}},
        called=_REPOSITORY,
        show={"x": "{{values.of}}"},
    ),
    fast(
        "scm-matrix",
        {"matrix": {"generators": [_repos("github", {"repositoryMatch": "^api$"}), elements({"e": "{{branch}}"})]}},
        called=_REPOSITORY,
        show={"x": "{{e}} {{repository}}"},
    ),
    fast("scm-nothing", {"scmProvider": {}}, called=_REPOSITORY),
)


def _pulls_of(host: str) -> tuple[Case, ...]:
    name = host.lower()
    return (
        fast(f"pull-{name}", _pulls(host), called=_PULL, show=_PULL_SHOWN),
        go(f"pull-{name}-go", _pulls(host), called="CASE-{{.number}}", show=_GO_PULL_SHOWN),
        fast(f"pull-{name}-branch", _pulls(host, {"branchMatch": "^feature"}), called=_PULL),
        fast(f"pull-{name}-target", _pulls(host, {"targetBranchMatch": "release"}), called=_PULL),
    )


_MORE_PULLS: tuple[Case, ...] = (
    fast("pull-labels", _pulls("github", labels=["preview", "big"]), called=_PULL),
    fast("pull-labels-gitlab", _pulls("gitlab", labels=["preview"]), called=_PULL),
    fast("pull-labels-gitea", _pulls("gitea", labels=["preview"]), called=_PULL),
    fast("pull-filters-or", _pulls("github", {"branchMatch": "^fix"}, {"titleMatch": "port$"}), called=_PULL),
    fast("pull-filters-and", _pulls("github", {"branchMatch": "^feature", "titleMatch": "cart"}), called=_PULL),
    fast("pull-filters-broken", _pulls("github", {"branchMatch": "("}), called=_PULL),
    fast("pull-not-there", _pulls("github", repo="gone"), called=_PULL),
    fast(
        "pull-not-there-and-skipped",
        {"pullRequest": {"github": {**_PULLS["github"], "repo": "gone"}, "continueOnRepoNotFoundError": True}},
        called=_PULL,
    ),
    fast("pull-no-token", _pulls("github", tokenRef=None), called=_PULL),
    fast(
        "pull-values",
        {"pullRequest": {"github": _PULLS["github"], "values": {"of": "{{branch}}"}}},
        called=_PULL,
        show={"x": "{{values.of}}"},
    ),
    fast("pull-nothing", {"pullRequest": {}}, called=_PULL),
)

_PLUGINS: tuple[Case, ...] = (
    fast(
        "plugin-fast",
        _plugin("plugin"),
        show={"x": "{{size}} {{deep.l.0}} {{deep.on}} {{generator.input.parameters.k}}"},
    ),
    go(
        "plugin-go",
        _plugin("plugin", input={"parameters": {"k": "v", "n": 3}}),
        show={"x": "{{.size}} {{.deep}} {{.generator.input.parameters.k}} {{.generator.input.parameters}}"},
    ),
    fast("plugin-slash", _plugin("plugin-with-slash")),
    fast("plugin-values", _plugin("plugin", values={"of": "{{name}}"}), show={"x": "{{values.of}}"}),
    fast("plugin-selector", {**_plugin("plugin"), "selector": {"matchLabels": {"deep.on": "true"}}}),
    fast("plugin-no-address", _plugin("plugin-without-address")),
    fast("plugin-token", _plugin("plugin-plain-token")),
    fast("plugin-secret", _plugin("plugin-other-secret")),
    fast("plugin-not-there", _plugin("plugin-elsewhere")),
    fast("plugin-no-config", _plugin("nothing")),
)

CASES: tuple[Case, ...] = (
    *(case for host in _REPOSITORIES for case in _of_each(host)),
    *_GITHUB,
    *(case for host in _PULLS for case in _pulls_of(host)),
    *_MORE_PULLS,
    *_PLUGINS,
)
