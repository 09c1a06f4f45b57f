"""A1, A2 and A4: links, paths and Git objects that lead out of the checkout."""

from __future__ import annotations

import subprocess

from tests.hostile.attack import Attack
from tests.hostile.installation import Installation, config

LINK = "out of bounds symlink"
GOOD = {"good.yaml": config("good")}


def _raw_tree(installation: Installation) -> None:
    """Commit a tree with entries that the git program itself refuses to add: .git/hooks and twins of .git."""
    repository = installation.repository("team-a/raw")
    repository.commit({"a4-git-folder/good.yaml": config("good")})

    def make(text: str, *command: str) -> str:
        done = subprocess.run(
            ["git", *command], cwd=repository.folder, input=text, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    touch = f"#!/bin/sh\ntouch {installation.folder}/hook-ran\n"
    blob = make(touch, "hash-object", "-w", "--stdin")
    hooks = make(f"100755 blob {blob}\tpost-checkout\n100755 blob {blob}\tpost-merge\n", "mktree")
    folder = make(f"040000 tree {hooks}\thooks\n", "mktree")
    listed = repository.git("ls-tree", "HEAD")
    twins = "".join(f"040000 tree {folder}\t{name}\n" for name in (".git", ".GIT", ".git ", "git~1"))
    root = make(f"{listed}\n{twins}", "mktree")
    commit = make("", "commit-tree", root, "-m", "hooks")
    repository.git("update-ref", "refs/heads/main", commit)


def _submodule(name: str, address: str) -> Attack:
    """Return an attack by a submodule at an address; its repository is its own."""

    def prepare(installation: Installation) -> None:
        from tests.hostile.attack import placed

        repository = installation.repository(f"team-a/{name}")
        url = placed(address, installation)
        text = f'[submodule "x"]\n\tpath = {name}/x\n\turl = {url}\n'
        repository.write({".gitmodules": text, f"{name}/good.yaml": config("good")})
        repository.git("add", "--all")
        private = installation.repository("private/vault").git("rev-parse", "HEAD")
        repository.git("update-index", "--add", "--cacheinfo", f"160000,{private},{name}/x")
        repository.git("commit", "--quiet", "-m", "submodule")

    return Attack(
        name, "submodule cannot be fetched", repository=name, prepare=prepare, source={"directory": {"recurse": True}}
    )


def _large(installation: Installation) -> None:
    """Commit a pointer to a large file whose server is the listener."""
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 10\n"
    installation.repository("team-a/large").commit(
        {
            ".lfsconfig": f"[lfs]\n\turl = {installation.listener.url('a4-large')}\n",
            ".gitattributes": "*.yaml filter=lfs\n",
            "a4-large/good.yaml": pointer,
        }
    )


def _path(name: str, path: str, reason: str) -> Attack:
    return Attack(name, reason, GOOD, {"path": path})


ATTACKS = (
    Attack("a1-absolute", LINK, {**GOOD, "x.yaml": "-> @FILE@"}),
    Attack("a1-relative", LINK, {**GOOD, "x.yaml": "-> ../../../../canary.yaml"}),
    Attack("a1-chain", LINK, {**GOOD, "x.yaml": "-> y.yaml", "y.yaml": "-> ../../../../canary.yaml"}),
    # A folder behind a link is not entered; the rest is delivered, and the canary beside it is not.
    Attack("a1-folder", "", {**GOOD, "x": "-> @FOLDER@"}, {"directory": {"recurse": True}}, written=True),
    Attack(
        "a1-chart-folder",
        LINK,
        {"Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0\n", "templates": "-> @FOLDER@"},
    ),
    Attack("a1-proc", LINK, {**GOOD, "x.yaml": "-> /proc/self/environ"}),
    Attack("a1-loop", "symlink loop", {**GOOD, "x.yaml": "-> y.yaml", "y.yaml": "-> x.yaml"}),
    Attack("a1-own-absolute", LINK, {**GOOD, "x.yaml": "-> /a1-own-absolute/good.yaml"}),
    Attack("a1-chart", LINK, {"Chart.yaml": "apiVersion: v2\nname: x\nversion: 1.0.0\n", "values.yaml": "-> @FILE@"}),
    Attack("a1-kustomize", LINK, {"kustomization.yaml": "resources: [x.yaml]\n", "x.yaml": "-> @FILE@"}),
    _path("a2-parent", "../a2-parent", "app path"),
    _path("a2-root", "/etc", "app path"),
    _path("a2-around", "a2-around/../../x", "app path"),
    _path("a2-git", ".git", "app path"),
    _path("a2-git-hooks", ".git/hooks", "app path"),
    _path("a2-long", "x/" * 3000, "app path"),
    _path("a2-nul", "a2-nul\0b", "app path"),
    _path("a2-twin", "a2-twin-e\u0301", "app path"),
    _submodule("a4-submodule-file", "file:///etc"),
    _submodule("a4-submodule-ext", "ext::sh -c 'touch @FILE@.made'"),
    _submodule("a4-submodule-option", "--upload-pack=touch @FILE@.made"),
    _submodule("a4-submodule-private", "@PRIVATE@"),
    _submodule("a4-submodule-listener", "@LISTENER@/a4-submodule-listener"),
    _submodule("a4-submodule-metadata", "http://169.254.169.254/x"),
    Attack("a4-git-folder", "", repository="raw", prepare=_raw_tree, written=True, source={"path": "."}, spec={}),
    Attack("a4-large", "", repository="large", prepare=_large),
    Attack("a4-revision-option", "invalid revision", GOOD, {"targetRevision": "--upload-pack=touch @FILE@.made"}),
    Attack("a4-revision-newline", "invalid revision", GOOD, {"targetRevision": "main\n--exec"}),
    Attack(
        "a4-url-newline",
        "invalid repoURL|is a local path",
        GOOD,
        {"repoURL": "@GIT@/team-a/main\nhost=evil"},
        project="open-a",
    ),
    Attack(
        "a4-url-ext",
        "invalid repoURL|is a local path",
        GOOD,
        {"repoURL": "ext::sh -c 'touch @FILE@.made'"},
        project="open-a",
    ),
    Attack(
        "a4-url-option",
        "invalid repoURL|is a local path",
        GOOD,
        {"repoURL": "--upload-pack=touch @FILE@.made"},
        project="open-a",
    ),
    Attack("a4-url-file", "invalid repoURL|is a local path", GOOD, {"repoURL": "file:///etc"}, project="open-a"),
    Attack("a4-url-path", "invalid repoURL|is a local path", GOOD, {"repoURL": "/etc"}, project="open-a"),
    Attack("a4-private", "is not permitted in project", GOOD, {"repoURL": "@PRIVATE@", "path": "app"}),
    Attack("a4-other-team", "is not permitted in project", GOOD, {"repoURL": "@OTHER@", "path": "honest"}),
    Attack(
        "a4-dotted-private",
        "is not permitted in project",
        GOOD,
        {"repoURL": "@GIT@/team-a/../private/vault/.git"},
    ),
    Attack(
        "a4-encoded-private",
        "is not permitted in project",
        GOOD,
        {"repoURL": "@GIT@/team-a/%2e%2e/private/vault/.git", "path": "app"},
    ),
)
