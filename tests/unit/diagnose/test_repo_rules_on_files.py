"""Rules on values, charts and kustomizations: what is set and read by nobody, and what is nearly so."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from syncline.core.diagnose import registry
from syncline.core.diagnose.engine import run
from syncline.core.diagnose.repository.charts import keys, uses
from syncline.core.diagnose.repository.slips import slip
from syncline.core.diagnose.subjects import Repo, RepoApp, RepoSet
from syncline.core.settings.report import SettingsReport
from syncline.model.desired import Desired
from syncline.model.finding import Finding, Severity
from syncline.model.settings.settings import Settings
from syncline.model.sources import repository_urls
from tests.unit.diagnose.repos import APP, SERVER, app, read, repo

CHART = {
    "chart/Chart.yaml": b"apiVersion: v2\nname: chart\nversion: 1.0.0\n",
    "chart/values.yaml": b"image:\n  tag: '1'\nhost: ''\n",
    "chart/templates/web.yaml": b"{{ .Values.image.tag }} {{ .Values.replicas }} {{ toYaml .Values.resources }}",
    "chart/templates/_helpers.tpl": b'{{ if $.Values.ingress.host }}{{ index .Values "named-so" }}{{ end }}',
}
OWN = repository_urls.spelling("https://git.example.com/shop.git")


def of(subject: Repo, name: str) -> list[Finding]:
    (rule,) = [rule for rule in registry.rules() if rule.name == name]
    return list(run([one for one in registry.checks(Repo) if one.rule is rule], subject))


def places(found: list[Finding]) -> list[str]:
    return [str(one.evidence[0].place) for one in found]


def charted(folder: Path, files: Mapping[str, bytes], helm: str) -> Repo:
    text = APP.format(name="web", options="", server=SERVER).replace(
        "    path: web", f"    path: chart\n    helm: {helm}"
    )
    every = {**CHART, **files}
    manifest = read(folder, "apps/web.yaml", text)[0]
    return Repo(apps=(RepoApp(manifest=manifest),), files=every, tree=frozenset(every))


@pytest.mark.parametrize(
    ("values", "lines"),
    [
        ("replicaCount: 2\n", ["v.yaml:1"]),
        ("image:\n  tag: '2'\n  env:\n    A: b\n", ["v.yaml:3"]),
        ("ingress:\n  hostname: a.example.com\n", ["v.yaml:2"]),
        # Read, or declared, or below something that is read as a whole.
        ("replicas: 2\nhost: a\nnamed-so: 1\nresources:\n  limits:\n    cpu: 1\n", []),
        # For other charts, and for anchors.
        ("global:\n  a: 1\nx-shared: &a\n  b: 1\n", []),
        # Text that only looks like a key.
        ("image:\n  tag: |\n    nothing: here\n", []),
    ],
)
def test_a_value_that_no_template_reads_is_found_at_its_highest_key(
    tmp_path: Path, values: str, lines: list[str]
) -> None:
    subject = charted(tmp_path, {"v.yaml": values.encode()}, "{valueFiles: [/v.yaml]}")
    assert places(of(subject, "unread-value")) == lines


def test_values_of_the_application_itself_are_looked_at_too(tmp_path: Path) -> None:
    (finding,) = of(charted(tmp_path, {}, "{parameters: [{name: replica, value: '2'}]}"), "unread-value")
    assert finding.message.endswith("did you mean replicas?")
    (finding,) = of(charted(tmp_path, {}, "{valuesObject: {image: {tga: '2'}}}"), "unread-value")
    assert "sets image.tga" in finding.message


@pytest.mark.parametrize("template", [b"{{ toYaml .Values }}", b'{{ tpl (.Files.Get "a") . }}'])
def test_nothing_is_said_of_a_chart_that_may_read_everything(tmp_path: Path, template: bytes) -> None:
    files = {"v.yaml": b"replicaCount: 2\n", "chart/templates/all.yaml": template}
    assert of(charted(tmp_path, files, "{valueFiles: [/v.yaml]}"), "unread-value") == []


def test_nothing_is_said_of_a_chart_whose_other_charts_are_elsewhere(tmp_path: Path) -> None:
    about = (
        CHART["chart/Chart.yaml"] + b"dependencies: [{name: common, version: 1.0.0, repository: https://a.example}]\n"
    )
    files = {"v.yaml": b"replicaCount: 2\n", "chart/Chart.yaml": about}
    assert of(charted(tmp_path, files, "{valueFiles: [/v.yaml]}"), "unread-value") == []
    local = about.replace(b"https://a.example", b"file://../common")
    there = {
        **files,
        "chart/Chart.yaml": local,
        "common/Chart.yaml": b"name: common\n",
        "common/templates/a.tpl": b"{{ .Values.replicaCount }}",
    }
    assert of(charted(tmp_path, there, "{valueFiles: [/v.yaml]}"), "unread-value") == []
    there["common/templates/a.tpl"] = b"{{ .Values.other }}"
    assert places(of(charted(tmp_path, there, "{valueFiles: [/v.yaml]}"), "unread-value")) == ["v.yaml:1"]


def test_a_file_that_two_charts_share_is_judged_by_both(tmp_path: Path) -> None:
    one = charted(tmp_path, {"v.yaml": b"replicaCount: 2\n"}, "{valueFiles: [/v.yaml]}")
    other = APP.format(name="api", options="", server=SERVER).replace(
        "    path: api", "    path: more\n    helm: {valueFiles: [/v.yaml]}"
    )
    more = {"more/Chart.yaml": b"name: more\n", "more/templates/a.yaml": b"{{ .Values.replicaCount }}"}
    files = {**one.files, **more}
    apps = (*one.apps, RepoApp(manifest=read(tmp_path, "apps/api.yaml", other)[0]))
    assert of(Repo(apps=apps, files=files, tree=frozenset(files)), "unread-value") == []


def test_keys_and_uses_are_read_from_lines() -> None:
    assert [(path, line) for path, line in keys(b"a:\n  b: 1\n  c:\n    - d: 1\n      e: 2\nf: {g: 1}\n")] == [
        (("a",), 1),
        (("a", "b"), 2),
        (("a", "c"), 3),
        (("f",), 6),
    ]
    assert uses(b"{{ .Values.a.b }}{{- with $.Values.c }}") == frozenset({("a", "b"), ("c",)})
    assert uses(b"{{ range .Values }}") is None


def test_a_key_that_is_given_twice_is_found_in_values_and_manifests(tmp_path: Path) -> None:
    subject = charted(tmp_path, {"v.yaml": b"host: a\nreplicas: 1\nhost: b\n"}, "{valueFiles: [/v.yaml]}")
    (finding,) = of(subject, "repeated-key")
    assert (places([finding]), finding.severity) == (["v.yaml:3"], Severity.WARNING)
    made = app(tmp_path, "web", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    told = 'web/all.yaml:7: key "data" is given twice: first on line 4, again here; the last one counts'
    desired = Desired(made.objects, manifest_warnings=(told, "something else"))
    subject = Repo(apps=(RepoApp(manifest=made.manifest, desired=desired),))
    assert places(of(subject, "repeated-key")) == ["web/all.yaml:7"]
    once = charted(tmp_path, {"v.yaml": b"host: a\nother: {host: b}\n"}, "{valueFiles: [/v.yaml]}")
    assert of(once, "repeated-key") == []


def test_marks_of_a_merge_are_found_and_lines_of_text_are_not() -> None:
    conflict = b"a: 1\n<<<<<<< HEAD\nb: 1\n=======\nb: 2\n>>>>>>> main\n"
    text = b"a: |\n  <<<<<<< HEAD\n  >>>>>>> main\n======= \n"
    assert places(of(Repo(files={"a.yaml": conflict, "b.yaml": text}), "merge-conflict")) == ["a.yaml:2"]


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"chart/charts/common/Chart.yaml": b"version: 1.0.0\n"}, []),
        ({"chart/charts/common/Chart.yaml": b"version: 0.9.0\n"}, [Severity.WARNING]),
        ({"chart/charts/common-0.9.0.tgz": b""}, [Severity.WARNING]),
        ({"chart/Chart.lock": b"dependencies: [{name: common, version: 0.9.0}]\n"}, [Severity.ERROR]),
        ({"chart/Chart.lock": b"dependencies: [{name: common, version: 1.0.0}]\n"}, []),
    ],
)
def test_a_dependency_of_another_version_is_found(
    tmp_path: Path, files: dict[str, bytes], found: list[Severity]
) -> None:
    about = b"name: chart\ndependencies:\n  - name: common\n    version: 1.0.0\n    repository: https://a.example\n"
    subject = charted(tmp_path, {"chart/Chart.yaml": about, **files}, "{}")
    told = of(subject, "dependency-version")
    assert [one.severity for one in told] == found
    assert places(told) == ["chart/Chart.yaml:4"] * len(found)


DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: PREweb}
spec:
  template:
    spec:
      containers: [{name: web, image: "example/web:2"}]
"""


@pytest.mark.parametrize(
    ("kustomization", "line"),
    [
        ("patches:\n  - target: {kind: Deployment, name: wbe}\n    patch: '[]'\n", 2),
        ("patches:\n  - target:\n      kind: StatefulSet\n    patch: '[]'\n", 3),
        ("patches:\n  - target: {kind: Deployment, name: web}\n    patch: '[]'\n", 0),
        ("patches:\n  - target: {kind: Deploy.*, name: w.b}\n    patch: '[]'\n", 0),
        ("patches:\n  - target: {kind: Service, name: old}\n    patch: '{$patch: delete}'\n", 0),
        ("patches:\n  - target: {labelSelector: a=b}\n    patch: '[]'\n", 0),
        ("images:\n  - name: example/wbe\n    newTag: '2'\n", 2),
        ("images:\n  - name: example/web\n    newTag: '2'\n", 0),
        ("images:\n  - name: web\n    newName: example/web\n", 0),
    ],
)
def test_an_override_of_what_is_not_there_is_found(tmp_path: Path, kustomization: str, line: int) -> None:
    made = app(tmp_path, "web", DEPLOYMENT.replace("PRE", "dev-"))
    subject = Repo(
        apps=(made,),
        files={"web/kustomization.yaml": kustomization.encode()},
        kustomizations={"web": ()},
        own_addresses=frozenset({OWN}),
    )
    expected = [f"web/kustomization.yaml:{line}"] if line else []
    assert places(of(subject, "override-without-effect")) == expected


def test_an_image_that_the_application_overrides_is_not_judged(tmp_path: Path) -> None:
    made = app(tmp_path, "web", DEPLOYMENT)
    source = made.manifest.obj["spec"]["source"]
    source["kustomize"] = {"images": ["example/other:1"]}
    subject = Repo(
        apps=(made,),
        files={"web/kustomization.yaml": b"images:\n  - name: example/wbe\n"},
        kustomizations={"web": ()},
        own_addresses=frozenset({OWN}),
    )
    assert of(subject, "override-without-effect") == []


def test_an_address_that_is_a_slip_of_that_of_many_is_found(tmp_path: Path) -> None:
    subject = repo(tmp_path, dict.fromkeys("abcd"))
    wrong = APP.format(name="e", options="", server=SERVER).replace("shop.git", "shpo.git")
    odd = RepoApp(manifest=read(tmp_path, "apps/e.yaml", wrong)[0])
    (finding,) = of(Repo(apps=(*subject.apps, odd)), "repository-misspelled")
    assert finding.fix is not None
    assert finding.fix.text == "write https://git.example.com/shop.git"
    other = APP.format(name="e", options="", server=SERVER).replace("shop.git", "shop2.git")
    second = RepoApp(manifest=read(tmp_path, "apps/e.yaml", other)[0])
    assert of(Repo(apps=(*subject.apps, second)), "repository-misspelled") == []


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("platform", "plattform", True),
        ("platform", "platfrom", True),
        ("platform", "platform", False),
        ("shop-1", "shop-2", False),
        ("apps", "maps", False),
        ("shop-dev", "shop-prd", False),
    ],
)
def test_a_slip_is_one_letter_or_two_exchanged_and_never_a_digit(one: str, other: str, *, expected: bool) -> None:
    assert slip(one, other) is expected


def test_an_app_where_nobody_looks_is_found(tmp_path: Path) -> None:
    subject = repo(tmp_path, dict.fromkeys("abcd"))
    text = APP.format(name="e", options="", server=SERVER).replace("namespace: argocd", "namespace: default")
    apps = (*subject.apps, RepoApp(manifest=read(tmp_path, "apps/e.yaml", text)[0]))
    assert len(of(Repo(apps=apps, one_installation=True, installed_in="argocd"), "out-of-reach")) == 1
    allowed = SettingsReport(settings=Settings(application_namespaces=("def*",)))
    assert of(Repo(apps=apps, one_installation=True, settings=allowed), "out-of-reach") == []
    assert of(Repo(apps=apps), "out-of-reach") == []


SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: teams, namespace: argocd}
spec:
  goTemplate: true
  generators:
    - matrix:
        generators:
          - git:
              directories:
                - path: team/*
  template:
    metadata: {name: a}
    spec:
      source:
        path: "{{path}}"
"""


def test_a_set_that_generates_nothing_points_at_its_glob_or_at_the_template_that_fails(tmp_path: Path) -> None:
    (item,) = read(tmp_path, "set.yaml", SET)
    (finding,) = of(Repo(sets=(RepoSet(manifest=item),)), "generates-nothing")
    assert finding.message == "argocd/teams generates no Application: nothing matches team/*"
    assert places([finding])[0].endswith(":11")
    problem = 'failed to parse template {{path}}: template: :1: function "path" not defined (did you mean repeat?)'
    (finding,) = of(Repo(sets=(RepoSet(manifest=item, problem=problem),)), "generates-nothing")
    assert "repeat" not in finding.message
    assert finding.fix is not None
    assert "{{ .path.path }}" in finding.fix.text
    assert places([finding])[0].endswith(":16")


def test_a_container_that_a_patch_adds_by_a_slip_is_found_in_the_patch(tmp_path: Path) -> None:
    patched = DEPLOYMENT.replace("PRE", "").replace("[{name: web,", "[{name: wbe}, {name: web,")
    made = app(tmp_path, "web", patched)
    file = made.objects[0].origin.file
    subject = Repo(
        apps=(made,),
        files={file: DEPLOYMENT.encode(), "web/patch.yaml": b"spec:\n  containers:\n    - name: wbe\n"},
        kustomizations={"web": (file, "web/patch.yaml")},
    )
    (finding,) = of(subject, "required-field-empty")
    assert finding.message.endswith("a patch adds container wbe, which has no image; did you mean web?")
    assert places([finding]) == ["web/patch.yaml:3"]
    # Without a patch the workload itself lacks it.
    (finding,) = of(Repo(apps=(made,), files={file: patched.encode()}), "required-field-empty")
    assert finding.message.endswith("containers[0].image is empty")


NAMESPACES = "".join(f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}}}\n---\n" for name in ("one", "two"))


def test_a_namespace_that_is_not_among_those_of_the_repository_is_a_remark(tmp_path: Path) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
    apps = (app(tmp_path, "all", NAMESPACES, options=""), app(tmp_path, "web", text, options=""))
    (finding,) = of(Repo(apps=apps), "namespace-absent")
    assert (finding.severity, "whether namespace shop will exist" in finding.message) == (Severity.INFO, True)
    # One that makes its own, and a repository that leaves namespaces to others.
    assert of(Repo(apps=(apps[0], app(tmp_path, "web", text))), "namespace-absent") == []
    assert of(Repo(apps=apps[1:]), "namespace-absent") == []
