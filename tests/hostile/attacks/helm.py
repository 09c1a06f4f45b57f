"""B1 to B4: values, parameters, charts and templates that read files, call out, or never end."""

from __future__ import annotations

import tarfile
from typing import Any

from tests.component.render.rendering import chart_archive
from tests.hostile.attack import Attack
from tests.hostile.installation import config

CHART = "apiVersion: v2\nname: web\nversion: 1.0.0\n"
PLAIN = {"Chart.yaml": CHART, "templates/a.yaml": config("good")}
SAID = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: said}\ndata: {said: {{ %s | toString | quote }}}\n"


def _values(name: str, file: str, reason: str) -> Attack:
    return Attack(f"b1-{name}", reason, PLAIN, {"helm": {"valueFiles": [file]}})


def _template(name: str, expression: str, reason: str = "") -> Attack:
    """Return a chart whose template asks for something; without a reason it gets nothing and is delivered."""
    files = {"Chart.yaml": CHART, "templates/a.yaml": SAID % expression}
    return Attack(f"b4-{name}", reason, files, written=not reason)


def _bomb(name: str, text: str, **more: Any) -> Attack:
    return Attack(
        f"b4-{name}",
        "exceeded its memory limit|gave no answer within|nested reference",
        {"Chart.yaml": CHART, "templates/x.yaml": text},
        endless=True,
        **more,
    )


def _packed(name: str, member: str, reason: str, **settings: Any) -> Attack:
    files: dict[str, str | bytes] = {
        **PLAIN,
        "charts/sub-1.0.0.tgz": chart_archive(member, config("escaped"), **settings),
    }
    return Attack(f"b3-{name}", reason, files, written=not reason)


def _dependency(name: str, repository: str, reason: str) -> Attack:
    entry = f"dependencies: [{{name: lib, version: 1.0.0, repository: '{repository}'}}]\n"
    return Attack(f"b3-{name}", reason, {**PLAIN, "Chart.yaml": CHART + entry})


OUTSIDE = "outside repository root"
NOT_READ = "is not read"

ATTACKS = (
    _values("parent", "../../x", OUTSIDE),
    _values("absolute", "@FILE@", "open "),
    _values("file-url", "file://@FILE@", NOT_READ),
    Attack(
        "b1-reference",
        OUTSIDE,
        PLAIN,
        spec={
            "source": None,
            "sources": [
                {
                    "repoURL": "@GIT@/team-a/attacks/.git",
                    "targetRevision": "HEAD",
                    "path": "b1-reference",
                    "helm": {"valueFiles": ["$vals/../../x"]},
                },
                {"repoURL": "@GIT@/team-a/attacks/.git", "targetRevision": "HEAD", "ref": "vals"},
            ],
        },
    ),
    _values("glob", "/**/canary.yaml", "matched no files"),
    _values("secrets", "secrets://x.yaml", NOT_READ),
    _values("metadata", "http://169.254.169.254/latest", NOT_READ),
    _values("listener", "@LISTENER@/b1-listener", NOT_READ),
    _values("git", "/.git/config", "names no file|open "),
    _values("environ", "/proc/self/environ", "open "),
    Attack("b2-outside", OUTSIDE, PLAIN, {"helm": {"fileParameters": [{"name": "a", "path": "../../x"}]}}),
    Attack("b2-absolute", "open ", PLAIN, {"helm": {"fileParameters": [{"name": "a", "path": "@FILE@"}]}}),
    Attack("b2-file-url", NOT_READ, PLAIN, {"helm": {"fileParameters": [{"name": "a", "path": "file://@FILE@"}]}}),
    _packed("link", "sub/templates/x.yaml", "", type=tarfile.SYMTYPE, linkname="/etc/passwd"),
    _packed("hard-link", "sub/templates/x.yaml", "", type=tarfile.LNKTYPE, linkname="/etc/passwd"),
    _packed("device", "sub/templates/x.yaml", "", type=tarfile.CHRTYPE),
    _packed("parent-member", "sub/../../escape.yaml", "parent directory"),
    _packed("absolute-member", "/escape.yaml", ""),
    _dependency("file-outside", "file://../../..", OUTSIDE),
    _dependency("file-etc", "file:///etc", OUTSIDE),
    _dependency("listener", "@LISTENER@/b3-listener", "is not permitted in project"),
    _dependency("private", "@PRIVATE@", "is not permitted in project"),
    _dependency("metadata", "http://169.254.169.254/charts", "is not permitted in project"),
    Attack(
        "b3-schema-file",
        "schema refers to a file outside the chart",
        {**PLAIN, "values.schema.json": '{"$ref": "file://@FILE@"}'},
    ),
    Attack(
        "b3-schema-listener",
        "is not fetched",
        {**PLAIN, "values.schema.json": '{"$ref": "@LISTENER@/b3-schema-listener"}'},
    ),
    _template("files-get", '.Files.Get "../../../canary.yaml"'),
    _template("files-absolute", '.Files.Get "@FILE@"'),
    _template("lookup", 'lookup "v1" "Secret" "vault" "payments"'),
    _template("lookup-all", 'lookup "v1" "Secret" "" ""'),
    _template("host", 'getHostByName "localhost"'),
    _template("env", 'env "CANARY"', "not defined"),
    _template("expandenv", 'expandenv "$CANARY"', "not defined"),
    _bomb("recursion", '{{ define "x" }}{{ include "x" . }}{{ end }}{{ include "x" . }}'),
    _bomb("repeat", '{{ repeat 1000000000 "aaaaaaaaaa" }}'),
    _bomb("range", "{{ range until 1000000000 }}x{{ end }}"),
    _bomb("time", "{{ range until 100000 }}{{ range until 100000 }}{{ $x := 1 }}{{ end }}{{ end }}"),
    Attack("b4-post-renderer", "release name", PLAIN, {"helm": {"releaseName": "--post-renderer=/bin/sh"}}),
    Attack("b4-kube-version", "kubeVersion", PLAIN, {"helm": {"kubeVersion": "1.30\n--post-renderer"}}),
)
