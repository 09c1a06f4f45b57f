"""What `check` takes a repository to be: charts, settings, facts about clusters, other repositories, branches."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from syncline.api.applications import RenderFlags
from syncline.api.check import Selection, checked
from syncline.api.repository.snapshot import Taken, snapshot
from syncline.apimachinery import yaml
from syncline.cli.show.checked import screen
from syncline.model.errors import InvalidSpec
from tests.component.check.test_check import app, config

HERE = "https://git.example/team/platform.git"
SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: fleet, namespace: argocd}
spec:
  generators: [{clusters: {selector: {matchLabels: {env: prod}}}}]
  template:
    metadata: {name: "web-{{name}}"}
    spec:
      project: default
      source: {repoURL: https://git.example/team/platform.git, path: web}
      destination: {name: "{{name}}", namespace: web}
"""
FACTS = """\
version: v1.31.0
facts:
  date: "%s"
  labels: {env: %s}
  namespaces: [web]
  kinds: [{group: example.com, kind: Widget, versions: [v1]}]
"""
NEW, OLD = "2999-01-01T00:00:00Z", "2020-01-01T00:00:00Z"


def checkout(folder: Path, files: dict[str, str]) -> Path:
    root = folder / "platform"
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for arguments in (["init", "-q"], ["remote", "add", "origin", HERE]):
        subprocess.run(["git", *arguments], cwd=root, check=True)
    return root


def taken(root: Path, **more: object) -> Taken:
    return asyncio.run(snapshot(root, RenderFlags(local=True), **more))  # type: ignore[arg-type]


def names(found: Taken) -> list[str]:
    return sorted(one.manifest.key.name for one in found.repo.apps)


def test_cluster_generators_take_clusters_from_facts(tmp_path: Path) -> None:
    files = {
        "set.yaml": SET,
        "web/a.yaml": config("a"),
        ".syncline/clusters/one.yaml": FACTS % (NEW, "prod"),
        ".syncline/clusters/two.yaml": FACTS % (NEW, "test"),
    }
    found = taken(checkout(tmp_path, files))
    assert names(found) == ["web-one"]
    facts = found.repo.clusters["one"]
    assert (facts.minor, facts.stale, facts.namespaces) == ("1.31", False, frozenset({"web"}))
    assert found.left_out == ()


def test_old_facts_are_noted_and_nonsense_is_one_sentence(tmp_path: Path) -> None:
    root = checkout(tmp_path, {".syncline/clusters/one.yaml": FACTS % (OLD, "prod")})
    found = taken(root)
    assert found.repo.clusters["https://kubernetes.default.svc"].stale
    assert found.notes == ("the facts about one are old: write them again with syncline facts",)
    (root / ".syncline/clusters/one.yaml").write_text("nodes: 3\n")
    with pytest.raises(InvalidSpec, match=r"^\.syncline/clusters/one\.yaml: these facts cannot be read: .*nodes"):
        taken(root)


def test_sets_that_need_clusters_are_named_with_what_helps(tmp_path: Path) -> None:
    (left,) = taken(checkout(tmp_path, {"set.yaml": SET})).left_out
    assert left.what == "ApplicationSets that generate nothing without clusters"
    assert "syncline facts" in left.remedy


def test_a_chart_that_no_app_leads_to_is_a_root_of_its_own(tmp_path: Path) -> None:
    files = {
        "bootstrap/Chart.yaml": "apiVersion: v2\nname: bootstrap\nversion: 0.1.0\n",
        "bootstrap/values.yaml": "apps: [web]\n",
        "bootstrap/templates/apps.yaml": "{{- range .Values.apps }}\n" + SET_APP + "{{- end }}\n",
        "web/a.yaml": config("a"),
    }
    found = taken(checkout(tmp_path, files))
    assert names(found) == ["web"]
    assert found.repo.apps[0].roots == ("bootstrap",)
    assert found.repo.apps[0].desired is not None


SET_APP = """\
---
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: {{ . }}, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://git.example/team/platform.git, path: {{ . }}}
  destination: {server: https://kubernetes.default.svc, namespace: web}
"""


def test_other_repositories_are_read_from_where_the_configuration_says(tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "x").mkdir(parents=True)
    (other / "x/a.yaml").write_text(config("a"))
    subprocess.run(["git", "init", "-q"], cwd=other, check=True)
    url = "https://git.example/team/other"
    files = {"app.json": app("far", "x", url), "syncline.toml": f'[repositories]\n"{url}" = "../other"\n'}
    found = taken(checkout(tmp_path, files))
    assert found.left_out == ()
    (one,) = found.repo.apps
    assert one.desired is not None
    assert [item.key.name for item in one.desired.objects] == ["a"]


CHART_VALUES = """\
configs:
  cm: {application.resourceTrackingMethod: label}
  params: {controller.diff.server.side: "true"}
"""


def test_settings_are_read_from_values_of_the_chart(tmp_path: Path) -> None:
    repo = taken(checkout(tmp_path, {"argocd/values.yaml": CHART_VALUES})).repo
    assert repo.one_installation
    assert repo.settings.settings.server_side_diff


def test_settings_in_a_base_and_in_an_overlay_are_not_those_of_one_installation(tmp_path: Path) -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: argocd-cm}\ndata: {url: https://cd.example}\n"
    repo = taken(checkout(tmp_path, {"base/cm.yaml": text, "overlay/cm.yaml": text})).repo
    assert not repo.one_installation


def test_progress_is_told_app_by_app(tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    files = {"a.json": app("a", "a"), "b.json": app("b", "b"), "a/a.yaml": config("a"), "b/b.yaml": config("b")}
    taken(checkout(tmp_path, files), progress=lambda *one: told.append(one))
    assert [(done, known) for done, known, _ in told] == [(1, 2), (2, 2)]


def test_rules_on_trial_run_only_where_they_are_asked_for(tmp_path: Path) -> None:
    policy = "  syncPolicy: {automated: {prune: true}}\n"
    text = f"{yaml.dump(yaml.load(app('a', 'a').encode()))}{policy}"
    root = checkout(tmp_path, {"a.yaml": text, "a/a.yaml": config("a")})

    def codes(selection: Selection) -> list[str]:
        found = asyncio.run(checked(root, RenderFlags(local=True), selection=selection))
        return [one.name for one in found.findings]

    assert "automated-without-retry" not in codes(Selection())
    assert "automated-without-retry" in codes(Selection(preview_rules=True))
    assert codes(Selection(select=("automated-without-retry",))) == ["automated-without-retry"]


def test_files_outside_of_the_checkout_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret.yaml").write_text("password: hunter2\n")
    chart = {"chart/Chart.yaml": "apiVersion: v2\nname: chart\nversion: 0.1.0\n", "chart/templates/a.yaml": config("a")}
    helm = {"valueFiles": ["../../secret.yaml", "link.yaml"]}
    root = checkout(tmp_path, {"app.json": app("web", "chart", helm=helm), **chart})
    (root / "chart/link.yaml").symlink_to(tmp_path / "secret.yaml")
    assert not any(b"hunter2" in text for text in taken(root).repo.files.values())


def test_values_with_objects_inside_are_not_taken_for_broken_manifests(tmp_path: Path) -> None:
    inside = "extraObjects:\n  - apiVersion: argoproj.io/v1alpha1\n    kind: AppProject\n    metadata: {name: a}\n"
    nameless = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: []\n"
    found = taken(checkout(tmp_path, {"values.yaml": inside, "apps/nameless.yaml": nameless}))
    assert found.notes == ("not read: apps/nameless.yaml: this is not a Kubernetes object",)


def test_a_repository_without_apps_is_not_called_clean(tmp_path: Path) -> None:
    root = checkout(tmp_path, {"web/settings.yaml": config("settings")})
    shown = screen(asyncio.run(checked(root, RenderFlags(local=True))), 1.0, verbose=False)
    assert "no Application or ApplicationSet" in shown
    assert "nothing found" not in shown


def test_a_link_that_leads_to_nothing_is_named(tmp_path: Path) -> None:
    root = checkout(tmp_path, {"apps/a.json": app("a", "a"), "a/a.yaml": config("a")})
    (root / "a/gone.yaml").symlink_to("nowhere.yaml")
    assert [one.what for one in taken(root).left_out] == ["a/gone.yaml, a link that leads to nothing"]


def test_a_root_that_delivers_itself_is_one_root_and_what_it_leads_to_is_looked_at(tmp_path: Path) -> None:
    files = {"apps/root.json": app("root", "apps"), "apps/web.json": app("web", "web"), "web/a.yaml": config("a")}
    found = taken(checkout(tmp_path, files))
    assert (names(found), found.roots) == (["root", "web"], 1)


def test_of_roots_that_deliver_each_other_one_stays(tmp_path: Path) -> None:
    files = {"a/one.json": app("one", "b"), "b/two.json": app("two", "a")}
    found = taken(checkout(tmp_path, files))
    assert (names(found), found.roots) == (["one", "two"], 1)
