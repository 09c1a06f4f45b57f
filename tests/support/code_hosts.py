"""A local server that answers as GitHub, GitLab, Gitea, Bitbucket, Azure DevOps and a plugin document it.

One organization with a few repositories and pull requests stands behind all of them; whoever does not show the token
gets 401. Asked by our client in `tests/component/controller/test_code_hosts.py` and by the real Argo CD in
`tests/argocd/test_sets.py`. `most` is how many entries a page has at most, whatever is asked for.
"""

import base64
import contextlib
import dataclasses
import http.server
import json
import re
import threading
import urllib.parse
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Json = dict[str, Any]

TOKEN = "t0ken-of-nobody"
USER = "somebody"


@dataclasses.dataclass(frozen=True)
class Repo:
    """A repository: branches with their commits, the default one first, and paths that each of them has."""

    name: str
    number: int
    branches: dict[str, str]
    topics: Sequence[str] = ()
    paths: Sequence[str] = ()


REPOS = (
    Repo(
        "web", 12345678, {"main": "a1" * 20, "release/1.0": "b2" * 20}, ("shop", "front"), ("deploy", "deploy/app.yaml")
    ),
    Repo("api", 7, {"trunk": "c3" * 20}, ("shop",), ("README.md",)),
    Repo("Docs_Site", 8, {"main": "d4" * 20}),
    Repo("empty", 9, {}),
)


ARCHIVED = ("Docs_Site",)


@dataclasses.dataclass(frozen=True)
class PullRequest:
    """An open pull request of the repository web."""

    number: int
    title: str
    branch: str
    target: str
    labels: Sequence[str] = ()


PULLS = (
    PullRequest(1, "Add a cart", "feature/New_Cart", "main", ("preview", "big")),
    PullRequest(2, "Mend the cart", "fix/cart", "main", ("preview",)),
    PullRequest(3, "Back-port", "feature/port", "release/1.0"),
)
HEAD = "0123456789abcdef0123456789abcdef01234567"
PLUGIN: Json = {
    "output": {
        "parameters": [
            {"name": "one", "size": 3, "deep": {"l": ["x", "y"], "on": True}},
            {"name": "two", "size": 12345678, "deep": {"l": [], "on": False}},
        ]
    }
}


@dataclasses.dataclass
class Hosts:
    """The running server, what it was asked, and how it is to behave."""

    address: str = ""
    most: int = 100
    asked: list[str] = dataclasses.field(default_factory=list)
    posted: list[Json] = dataclasses.field(default_factory=list)
    refusal: tuple[int, dict[str, str]] | None = None
    """A status and headers to answer everything with."""


@dataclasses.dataclass(frozen=True)
class Answer:
    """What is sent back."""

    content: Any
    status: int = 200
    headers: dict[str, str] = dataclasses.field(default_factory=dict)


NOT_FOUND = Answer({"message": "Not Found"}, 404)
Route = Callable[["Asked"], Answer]


@dataclasses.dataclass(frozen=True)
class Asked:
    """One request."""

    hosts: Hosts
    path: str
    query: dict[str, str]
    found: Sequence[str]

    @property
    def repo(self) -> Repo | None:
        return next((repo for repo in REPOS if repo.name in self.found), None)

    def page(self, entries: Sequence[Any], size: str) -> tuple[Sequence[Any], dict[str, str]]:
        """Return one page by number, with the headers that GitHub, GitLab and Gitea send."""
        many = min(int(self.query.get(size) or 0) or 30, self.hosts.most)
        number = int(self.query.get("page") or 1)
        pages = max(1, -(-len(entries) // many))
        headers = {"X-Page": str(number), "X-Total-Pages": str(pages), "X-Next-Page": ""}
        if number < pages:
            query = urllib.parse.urlencode({**self.query, "page": str(number + 1)})
            headers["Link"] = f'<{self.hosts.address}{self.path}?{query}>; rel="next"'
            headers["X-Next-Page"] = str(number + 1)
        return entries[(number - 1) * many : number * many], headers


def _listed(asked: Asked, entries: Sequence[Any], size: str) -> Answer:
    shown, headers = asked.page(entries, size)
    return Answer(list(shown), headers=headers)


# GitHub


def _github_repos(asked: Asked) -> Answer:
    repos = [
        {
            "id": repo.number,
            "name": repo.name,
            "owner": {"login": "acme"},
            "ssh_url": f"git@github.example:acme/{repo.name}.git",
            "clone_url": f"https://github.example/acme/{repo.name}.git",
            "default_branch": next(iter(repo.branches), "main"),
            "topics": list(repo.topics),
            "archived": repo.name in ARCHIVED,
        }
        for repo in REPOS
    ]
    return _listed(asked, repos, "per_page")


def _github_branches(asked: Asked) -> Answer:
    branches = (asked.repo or REPOS[-1]).branches
    return _listed(asked, [{"name": name, "commit": {"sha": sha}} for name, sha in branches.items()], "per_page")


def _github_branch(asked: Asked) -> Answer:
    sha = (asked.repo or REPOS[-1]).branches.get(asked.found[-1])
    return Answer({"name": asked.found[-1], "commit": {"sha": sha}}) if sha else NOT_FOUND


def _contents(asked: Asked) -> Answer:
    path = asked.found[-1]
    if asked.repo is None or path not in asked.repo.paths:
        return NOT_FOUND
    if any(other.startswith(f"{path}/") for other in asked.repo.paths):
        return Answer([{"type": "file", "path": f"{path}/x"}])
    return Answer({"type": "file", "path": path, "encoding": "base64", "content": ""})


def _github_pulls(asked: Asked) -> Answer:
    if asked.repo is None:
        return NOT_FOUND
    pulls = [
        {
            "number": pull.number,
            "title": pull.title,
            "head": {"ref": pull.branch, "sha": HEAD},
            "base": {"ref": pull.target},
            "user": {"login": "octocat"},
            "labels": [{"name": label} for label in pull.labels],
        }
        for pull in PULLS
    ]
    return _listed(asked, pulls, "per_page" if "per_page" in asked.query else "limit")


def _installation(_asked: Asked) -> Answer:
    return Answer({"token": TOKEN, "expires_at": "2099-01-01T00:00:00Z"}, 201)


# GitLab


def _gitlab_projects(asked: Asked) -> Answer:
    projects = [
        {
            "id": repo.number,
            "path": repo.name,
            "namespace": {"full_path": "acme"},
            "ssh_url_to_repo": f"git@gitlab.example:acme/{repo.name}.git",
            "http_url_to_repo": f"https://gitlab.example/acme/{repo.name}.git",
            "default_branch": next(iter(repo.branches), "main"),
            "topics": list(repo.topics),
        }
        for repo in REPOS
        if not asked.query.get("topic") or asked.query["topic"] in repo.topics
    ]
    return _listed(asked, projects, "per_page")


def _numbered(asked: Asked) -> Repo:
    return next(repo for repo in REPOS if str(repo.number) == asked.found[0])


def _gitlab_project(asked: Asked) -> Answer:
    repo = next(repo for repo in REPOS if f"acme/{repo.name}" == asked.found[0])
    return Answer({"id": repo.number, "path": repo.name})


def _gitlab_branches(asked: Asked) -> Answer:
    branches = [{"name": name, "commit": {"id": sha}} for name, sha in _numbered(asked).branches.items()]
    return _listed(asked, branches, "per_page")


def _gitlab_branch(asked: Asked) -> Answer:
    sha = _numbered(asked).branches.get(asked.found[1])
    return Answer({"name": asked.found[1], "commit": {"id": sha}}) if sha else NOT_FOUND


def _gitlab_file(asked: Asked) -> Answer:
    is_file = "." in asked.found[1] and asked.found[1] in _numbered(asked).paths
    return Answer({"file_path": asked.found[1]}) if is_file else NOT_FOUND


def _gitlab_tree(asked: Asked) -> Answer:
    return Answer([{"name": "x"}]) if asked.query.get("path") in _numbered(asked).paths else NOT_FOUND


def _merge_requests(asked: Asked) -> Answer:
    requests = [
        {
            "iid": pull.number,
            "title": pull.title,
            "source_branch": pull.branch,
            "target_branch": pull.target,
            "sha": HEAD,
            "author": {"username": "tanuki"},
            "labels": list(pull.labels),
        }
        for pull in PULLS
        if set(filter(None, asked.query.get("labels", "").split(","))) <= set(pull.labels)
    ]
    return _listed(asked, requests, "per_page")


# Gitea


def _gitea_repos(asked: Asked) -> Answer:
    repos = [
        {
            "id": repo.number,
            "name": repo.name,
            "ssh_url": f"git@gitea.example:acme/{repo.name}.git",
            "html_url": f"https://gitea.example/acme/{repo.name}",
            "default_branch": next(iter(repo.branches)),
            "archived": repo.name in ARCHIVED,
        }
        for repo in REPOS
        if repo.branches
    ]
    return _listed(asked, repos, "limit")


def _gitea_labels(asked: Asked) -> Answer:
    labels = (asked.repo or REPOS[-1]).topics
    return _listed(asked, [{"id": number, "name": label} for number, label in enumerate(labels)], "limit")


def _gitea_branches(asked: Asked) -> Answer:
    branches = (asked.repo or REPOS[-1]).branches
    return _listed(asked, [{"name": name, "commit": {"id": sha}} for name, sha in branches.items()], "limit")


def _gitea_branch(asked: Asked) -> Answer:
    sha = (asked.repo or REPOS[-1]).branches.get(asked.found[-1])
    return Answer({"name": asked.found[-1], "commit": {"id": sha}}) if sha else NOT_FOUND


# Bitbucket Server


def _from_start(asked: Asked, entries: Sequence[Any]) -> Answer:
    many, start = min(int(asked.query.get("limit") or 25), asked.hosts.most), int(asked.query.get("start") or 0)
    shown = list(entries[start : start + many])
    last = start + many >= len(entries)
    told: Json = {"values": shown, "size": len(shown), "limit": many, "start": start, "isLastPage": last}
    return Answer(told if last else {**told, "nextPageStart": start + many})


def _server_repos(asked: Asked) -> Answer:
    repos = [
        {
            "id": repo.number,
            "name": repo.name,
            "slug": repo.name.lower(),
            "project": {"key": "ACME"},
            "links": {
                "clone": [
                    {"name": "ssh", "href": f"ssh://git@bitbucket.example/acme/{repo.name}.git"},
                    {"name": "http", "href": f"https://bitbucket.example/scm/acme/{repo.name}.git"},
                ]
            },
        }
        for repo in REPOS
    ]
    return _from_start(asked, repos)


def _server_branch(name: str, sha: str) -> Json:
    return {"id": f"refs/heads/{name}", "displayId": name, "latestCommit": sha}


def _server_default(asked: Asked) -> Answer:
    branches = (asked.repo or REPOS[-1]).branches
    return Answer(_server_branch(*next(iter(branches.items())))) if branches else NOT_FOUND


def _server_branches(asked: Asked) -> Answer:
    branches = (asked.repo or REPOS[-1]).branches
    return _from_start(asked, [_server_branch(name, sha) for name, sha in branches.items()])


def _server_browse(asked: Asked) -> Answer:
    there = asked.repo is not None and asked.found[-1] in asked.repo.paths
    return Answer({"type": "FILE"}) if there else NOT_FOUND


def _server_pulls(asked: Asked) -> Answer:
    pulls = [
        {
            "id": pull.number,
            "title": pull.title,
            "fromRef": {"displayId": pull.branch, "latestCommit": HEAD},
            "toRef": {"displayId": pull.target},
            "author": {"user": {"name": "bucket"}},
        }
        for pull in PULLS
    ]
    return _from_start(asked, pulls)


# Bitbucket's cloud


def _cloud(asked: Asked, entries: Sequence[Any]) -> Answer:
    many, number = min(int(asked.query.get("pagelen") or 10), asked.hosts.most), int(asked.query.get("page") or 1)
    told: Json = {"values": list(entries[(number - 1) * many : number * many]), "pagelen": many, "page": number}
    if number * many < len(entries):
        query = urllib.parse.urlencode({**asked.query, "page": str(number + 1)})
        told["next"] = f"{asked.hosts.address}{asked.path}?{query}"
    return Answer(told)


def _cloud_repos(asked: Asked) -> Answer:
    repos = [
        {
            "uuid": f"{{{repo.number}}}",
            "slug": repo.name,
            "mainbranch": {"name": next(iter(repo.branches))},
            "links": {
                "clone": [
                    {"name": "https", "href": f"https://bitbucket.org/acme/{repo.name}.git"},
                    {"name": "ssh", "href": f"git@bitbucket.org:acme/{repo.name}.git"},
                ]
            },
        }
        for repo in REPOS
        if repo.branches
    ]
    return _cloud(asked, repos)


def _cloud_branches(asked: Asked) -> Answer:
    branches = (asked.repo or REPOS[-1]).branches
    return _cloud(asked, [{"name": name, "target": {"hash": sha}} for name, sha in branches.items()])


def _cloud_branch(asked: Asked) -> Answer:
    sha = (asked.repo or REPOS[-1]).branches.get(asked.found[-1])
    return Answer({"name": asked.found[-1], "target": {"hash": sha}}) if sha else NOT_FOUND


def _cloud_pulls(asked: Asked) -> Answer:
    pulls = [
        {
            "id": pull.number,
            "title": pull.title,
            "source": {"branch": {"name": pull.branch}, "commit": {"hash": HEAD}},
            "destination": {"branch": {"name": pull.target}},
            "author": {"nickname": "bucket"},
        }
        for pull in PULLS
    ]
    return _cloud(asked, pulls)


# Azure DevOps


def _azure_repos(asked: Asked) -> Answer:
    repos: list[Json] = [
        {
            "id": f"00000000-0000-0000-0000-{repo.number:012d}",
            "name": repo.name,
            "remoteUrl": f"https://dev.azure.example/acme/shop/_git/{repo.name}",
            **({"defaultBranch": f"refs/heads/{next(iter(repo.branches))}"} if repo.branches else {}),
        }
        for repo in REPOS
    ]
    return Answer({"count": len(repos), "value": repos})


def _azure_branches(asked: Asked) -> Answer:
    branches = [{"name": name, "commit": {"commitId": sha}} for name, sha in (asked.repo or REPOS[-1]).branches.items()]
    if "name" in asked.query:
        named = [one for one in branches if one["name"] == asked.query["name"]]
        return Answer(named[0]) if named else NOT_FOUND
    return Answer({"count": len(branches), "value": branches})


def _azure_item(asked: Asked) -> Answer:
    there = asked.query.get("path") in _numbered(dataclasses.replace(asked, found=(asked.found[0].lstrip("0-"),))).paths
    return Answer({"path": asked.query["path"]}) if there else NOT_FOUND


def _azure_pulls(asked: Asked) -> Answer:
    pulls = [
        {
            "pullRequestId": pull.number,
            "title": pull.title,
            "repository": {"name": "web" if pull.number < 3 else "api"},
            "sourceRefName": f"refs/heads/{pull.branch}",
            "targetRefName": f"refs/heads/{pull.target}",
            "lastMergeSourceCommit": {"commitId": HEAD},
            "createdBy": {"uniqueName": "azure@acme.example"},
            "labels": [{"name": label} for label in pull.labels],
        }
        for pull in PULLS
    ]
    skip, top = int(asked.query.get("$skip") or 0), int(asked.query.get("$top") or 100)
    return Answer({"value": pulls[skip : skip + top]})


ROUTES: tuple[tuple[str, Route], ...] = (
    (r"/api/v3/app/installations/5/access_tokens", _installation),
    (r"/api/v3/orgs/acme/repos", _github_repos),
    (r"/api/v3/repos/acme/([^/]+)/branches", _github_branches),
    (r"/api/v3/repos/acme/([^/]+)/branches/(.+)", _github_branch),
    (r"/api/v3/repos/acme/([^/]+)/contents/(.+)", _contents),
    (r"/api/v3/repos/acme/([^/]+)/pulls", _github_pulls),
    (r"/api/v4/groups/acme/projects", _gitlab_projects),
    (r"/api/v4/projects/(\d+)/repository/branches", _gitlab_branches),
    (r"/api/v4/projects/(\d+)/repository/branches/(.+)", _gitlab_branch),
    (r"/api/v4/projects/(\d+)/repository/files/(.+)", _gitlab_file),
    (r"/api/v4/projects/(\d+)/repository/tree", _gitlab_tree),
    (r"/api/v4/projects/(acme/web)/merge_requests", _merge_requests),
    (r"/api/v4/projects/(acme/[^/]+)", _gitlab_project),
    (r"/api/v1/version", lambda _asked: Answer({"version": "1.22.0"})),
    (r"/api/v1/orgs/acme/repos", _gitea_repos),
    (r"/api/v1/repos/acme/([^/]+)/labels", _gitea_labels),
    (r"/api/v1/repos/acme/([^/]+)/branches", _gitea_branches),
    (r"/api/v1/repos/acme/([^/]+)/branches/(.+)", _gitea_branch),
    (r"/api/v1/repos/acme/([^/]+)/contents/(.+)", _contents),
    (r"/api/v1/repos/acme/([^/]+)/pulls", _github_pulls),
    (r"/rest/api/1.0/projects/ACME/repos", _server_repos),
    (r"/rest/api/1.0/projects/ACME/repos/([^/]+)/branches/default", _server_default),
    (r"/rest/api/1.0/projects/ACME/repos/([^/]+)/branches", _server_branches),
    (r"/rest/api/1.0/projects/ACME/repos/([^/]+)/browse/(.+)", _server_browse),
    (r"/rest/api/1.0/projects/ACME/repos/([^/]+)/pull-requests", _server_pulls),
    (r"/2.0/repositories/acme", _cloud_repos),
    (r"/2.0/repositories/acme/([^/]+)/refs/branches", _cloud_branches),
    (r"/2.0/repositories/acme/([^/]+)/refs/branches/(.+)", _cloud_branch),
    (r"/2.0/repositories/acme/([^/]+)/src/[0-9a-f]+/(.+)", _contents),
    (r"/2.0/repositories/acme/([^/]+)/pullrequests/?", _cloud_pulls),
    (r"/acme/shop/_apis/git/repositories", _azure_repos),
    (r"/acme/shop/_apis/git/repositories/([^/]+)/stats/branches", _azure_branches),
    (r"/acme/shop/_apis/git/repositories/([0-9-]+)/items", _azure_item),
    (r"/acme/shop/_apis/git/pullrequests", _azure_pulls),
    (r"/api/v1/getparams.execute", lambda _asked: Answer(PLUGIN)),
)


_BASIC = [base64.b64encode(f"{user}:{TOKEN}".encode()).decode() for user in ("", USER)]
_PERMITTED = (f"Bearer {TOKEN}", f"token {TOKEN}", *(f"Basic {one}" for one in _BASIC))


def respond(hosts: Hosts, address: str, authorization: str, private_token: str) -> Answer:
    """Return the answer to whoever shows that token."""
    hosts.asked.append(address)
    if hosts.refusal is not None:
        return Answer({"message": "no"}, *hosts.refusal)
    # Who signs with a key shows three parts with dots between them, and is given the token for it.
    signed = address.endswith("/access_tokens") and authorization.count(".") == 2
    if authorization not in _PERMITTED and private_token != TOKEN and not signed:
        return Answer({"message": "Bad credentials"}, 401)
    path, _, query = address.partition("?")
    path = urllib.parse.unquote(path)
    for pattern, route in ROUTES:
        if found := re.fullmatch(pattern, path):
            return route(Asked(hosts, path, dict(urllib.parse.parse_qsl(query)), found.groups()))
    return NOT_FOUND


class _Handler(http.server.BaseHTTPRequestHandler):
    hosts: Hosts

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"] or 0))
        if body:
            self.hosts.posted.append(json.loads(body))
        self._answer()

    def _answer(self) -> None:
        shown = (self.headers.get("Authorization") or "", self.headers.get("Private-Token") or "")
        self._send(respond(self.hosts, self.path, *shown))

    def _send(self, answer: Answer) -> None:
        body = json.dumps(answer.content).encode()
        self.send_response(answer.status)
        for name, text in {**answer.headers, "Content-Type": "application/json"}.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing."""


@contextlib.contextmanager
def serving() -> Iterator[Hosts]:
    """Serve until the block ends."""
    hosts = Hosts()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hosts": hosts}))
    hosts.address = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield hosts
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()
