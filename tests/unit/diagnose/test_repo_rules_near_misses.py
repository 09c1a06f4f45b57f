"""Rules on repositories whose findings hang on a detail: what is one, and what only looks like it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from syncline.core.diagnose.engine import run
from syncline.core.diagnose.registry import checks
from syncline.core.diagnose.rules.differences import defaults_in_lists
from syncline.core.diagnose.rules.ordering import image_before_build, wave_never_healthy
from syncline.core.diagnose.rules.secrets import copied_login
from syncline.core.diagnose.subjects import Repo, RepoApp
from syncline.core.settings.keys import Home
from syncline.core.settings.parse import parse_texts
from syncline.model.cluster_facts import ClusterFacts, parse
from syncline.model.desired import Desired
from syncline.model.finding import Finding, Severity
from tests.unit.diagnose.repos import APP, SERVER, app, read, repo


def of(made: Repo, name: str) -> list[Finding]:
    return [one for one in run(checks(Repo), made) if one.name == name]


def facts(**known: Any) -> dict[str, ClusterFacts]:
    return {SERVER: parse(known, "home.yaml", name="home", default_server=SERVER)}


def with_facts(made: Repo, **known: Any) -> Repo:
    return msgspec.structs.replace(made, clusters=facts(**known))


# SRC-003


def looked_up(folder: Path, file: str, made_in: str) -> Repo:
    one = app(folder, "web", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: zone}\n")
    assert one.desired is not None
    (item,) = one.desired.objects
    origin = msgspec.structs.replace(item.origin, file=made_in, repo_url="https://git.example.com/shop.git")
    desired = Desired(
        (msgspec.structs.replace(item, origin=origin),),
        warnings=(f"lookup at {file}:4: finds nothing here, because no cluster is queried",),
    )
    own = frozenset({"git.example.com/shop"})
    return Repo(apps=(msgspec.structs.replace(one, desired=desired),), own_addresses=own)


@pytest.mark.parametrize(
    ("file", "made_in", "severity"),
    [
        ("c/templates/a.yaml", "c/templates/a.yaml", Severity.WARNING),
        ("c/templates/off.yaml", "c/templates/a.yaml", None),  # a template that made nothing is switched off
        ("c/templates/_helpers.tpl", "c/templates/a.yaml", Severity.INFO),
        ("c/charts/common.tgz/common/templates/_all.tpl", "c/templates/a.yaml", None),  # somebody else's chart
    ],
)
def test_a_lookup_is_found_in_templates_that_made_something(
    file: str, made_in: str, severity: Severity | None, tmp_path: Path
) -> None:
    found = of(looked_up(tmp_path, file, made_in), "lookup-without-cluster")
    assert [one.severity for one in found] == ([severity] if severity else [])
    assert [str(one.evidence[0].place) for one in found] == ([f"{file}:4"] if severity else [])


def test_a_lookup_in_a_chart_of_others_is_theirs(tmp_path: Path) -> None:
    made = looked_up(tmp_path, "c/templates/a.yaml", "c/templates/a.yaml")
    other = msgspec.structs.replace(made, own_addresses=frozenset({"git.example.com/another"}))
    assert of(other, "lookup-without-cluster") == []


# DIF-001


def widgets(folder: Path, options: str, more: str = "") -> Repo:
    text = defaults_in_lists.RULE.bad.split("---\n", 1)[1].rpartition("---\n")[0]
    one = app(folder, "web", text, options=options)
    if more:
        (manifest,) = read(folder, "more.yaml", (folder / "apps/web.yaml").read_text() + more)
        one = msgspec.structs.replace(one, manifest=manifest)
    return Repo(apps=(one,))


@pytest.mark.parametrize(
    ("options", "more", "count"),
    [
        ("ServerSideApply=true", "", 1),
        ("CreateNamespace=true", "", 0),  # the live object is cut to what Git has before it is compared
        (
            "ServerSideApply=true",
            "  ignoreDifferences: [{group: example.com, kind: Widget, jsonPointers: [/spec]}]\n",
            0,
        ),
    ],
)
def test_defaults_in_lists_count_where_the_outcome_of_an_apply_is_predicted(
    options: str, more: str, count: int, tmp_path: Path
) -> None:
    found = of(widgets(tmp_path, options, more), "defaults-in-lists")
    assert [one.severity for one in found] == [Severity.INFO] * count  # whether the server makes the diff is not known


def test_lists_with_keys_are_merged_entry_by_entry(tmp_path: Path) -> None:
    text = defaults_in_lists.RULE.bad.split("---\n", 1)[1].rpartition("---\n")[0]
    keyed = text.replace("type: array\n", "type: array\n" + " " * 18 + "x-kubernetes-list-type: map\n").replace(
        "x-kubernetes-list-type: map\n",
        "x-kubernetes-list-type: map\n" + " " * 18 + "x-kubernetes-list-map-keys: [name]\n",
    )
    made = Repo(apps=(app(tmp_path, "web", keyed, options="ServerSideApply=true"),))
    assert keyed != text
    assert of(made, "defaults-in-lists") == []


# ORD-012

SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: web, annotations: {argocd.argoproj.io/sync-wave: "0"}}
spec: {type: LoadBalancer, ports: [{port: 80}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, annotations: {argocd.argoproj.io/sync-wave: "0"}}
spec: {ingressClassName: nginx, defaultBackend: {service: {name: web, port: {number: 80}}}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: after, annotations: {argocd.argoproj.io/sync-wave: "1"}}
"""


@pytest.mark.parametrize(
    ("balancers", "subjects"),
    [
        (None, []),  # nobody can tell
        ({"enabled": True, "ingressClasses": ["", "nginx"]}, []),
        ({"enabled": False, "ingressClasses": ["", "nginx"]}, ["Service/web"]),
        ({"enabled": True, "ingressClasses": ["", "traefik"]}, ["Ingress/web"]),
        ({"enabled": True}, []),
    ],
)
def test_what_gets_no_address_holds_up_later_waves(
    balancers: dict[str, Any] | None, subjects: list[str], tmp_path: Path
) -> None:
    known = {"loadBalancers": balancers} if balancers is not None else {}
    made = with_facts(repo(tmp_path, {"web": SERVICE}), **known)
    assert [one.subject for one in of(made, "wave-never-healthy")] == subjects


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("paused: true", "paused: false"),
        ('sync-wave: "1"', 'sync-wave: "0"'),  # one wave alone waits for nothing
    ],
)
def test_a_deployment_that_holds_up_nobody_may_be_paused(before: str, after: str, tmp_path: Path) -> None:
    text = wave_never_healthy.RULE.bad
    assert len(of(repo(tmp_path, {"web": text}), "wave-never-healthy")) == 1
    assert of(repo(tmp_path, {"web": text.replace(before, after)}), "wave-never-healthy") == []


def test_a_suspended_cron_job_is_healthy(tmp_path: Path) -> None:
    cron = """\
apiVersion: batch/v1
kind: {kind}
metadata: {{name: clean, annotations: {{argocd.argoproj.io/sync-wave: "0"}}}}
spec: {{suspend: true}}
---
apiVersion: v1
kind: ConfigMap
metadata: {{name: after, annotations: {{argocd.argoproj.io/sync-wave: "1"}}}}
"""
    assert of(repo(tmp_path, {"web": cron.format(kind="CronJob")}), "wave-never-healthy") == []
    assert len(of(repo(tmp_path, {"web": cron.format(kind="Job")}), "wave-never-healthy")) == 1


# ORD-015

WAITER = """\
---
apiVersion: batch/v1
kind: Job
metadata: {{name: wait, namespace: shop, annotations: {{argocd.argoproj.io/sync-wave: "{wave}"}}}}
spec:
  template:
    spec: {{containers: [{{name: wait, image: example/oc:1, args: ["oc get imagestreamtag {image}:latest"]}}]}}
"""


@pytest.mark.parametrize(
    ("wave", "image", "count"),
    [(0, "web", 0), (0, "other", 1), (1, "web", 1)],
    ids=["waits", "for another", "too late"],
)
def test_a_job_between_build_and_user_is_the_wait(wave: int, image: str, count: int, tmp_path: Path) -> None:
    text = image_before_build.RULE.bad + WAITER.format(wave=wave, image=image)
    assert len(of(repo(tmp_path, {"web": text}), "image-before-build")) == count


def test_an_image_of_another_namespace_is_not_the_one_that_is_built(tmp_path: Path) -> None:
    text = image_before_build.RULE.bad.replace("5000/shop/web", "5000/tools/web")
    assert of(repo(tmp_path, {"web": text}), "image-before-build") == []


def test_a_job_that_pushes_an_image_comes_before_its_user(tmp_path: Path) -> None:
    text = """\
apiVersion: batch/v1
kind: Job
metadata: {{name: build, annotations: {{argocd.argoproj.io/sync-wave: "{wave}"}}}}
spec:
  template:
    spec: {{containers: [{{name: build, image: example/kaniko:1, args: [--destination=registry.example.com/web:1]}}]}}
---
apiVersion: v1
kind: Pod
metadata: {{name: web, annotations: {{argocd.argoproj.io/sync-wave: "1"}}}}
spec: {{containers: [{{name: web, image: "registry.example.com/web:1"}}]}}
"""
    assert len(of(repo(tmp_path, {"web": text.format(wave=1)}), "image-before-build")) == 1
    assert of(repo(tmp_path, {"web": text.format(wave=0)}), "image-before-build") == []


# SEC-007


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("username: root", "username: reader"),  # another user has another password
        ("git.shop.svc", "git.tools.svc"),  # another service
        ("password: second", "token: second"),
    ],
)
def test_a_login_is_a_copy_only_for_the_same_user_of_the_same_service(before: str, after: str, tmp_path: Path) -> None:
    text = copied_login.RULE.bad
    assert before in text
    assert of(repo(tmp_path, {"web": text.replace(before, after)}), "copied-login") == []


def test_no_password_is_in_a_finding(tmp_path: Path) -> None:
    (finding,) = of(repo(tmp_path, {"web": copied_login.RULE.bad}), "copied-login")
    said = msgspec.json.encode(finding).decode()
    assert "second" not in said
    assert "first" not in said


def test_the_login_of_a_database_is_in_the_environment_of_its_pods(tmp_path: Path) -> None:
    text = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: shop}
spec:
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers:
        - name: db
          image: example/postgres:1
          env:
            - {name: POSTGRES_USER, value: app}
            - {name: POSTGRES_PASSWORD, value: first}
---
apiVersion: v1
kind: Service
metadata: {name: db, namespace: shop}
spec: {selector: {app: db}, ports: [{port: 5432}]}
---
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: shop}
stringData: {DB_HOST: db.shop, DB_USER: app, DB_PASSWORD: second}
"""
    (finding,) = of(repo(tmp_path, {"web": text}), "copied-login")
    assert [one.place.line for one in finding.evidence if one.place] == [24, 14]
    assert of(repo(tmp_path, {"web": text.replace("second", "first")}), "copied-login") == []


# WKL-005

STATEFUL = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: db}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: db}}}}
  template:
    metadata: {{labels: {{app: db}}}}
    spec:
      nodeSelector: {{{selector}}}
      containers: [{{name: db, image: "example/db:1"}}]
  volumeClaimTemplates:
    - metadata: {{name: data}}
      spec: {{accessModes: [{mode}], resources: {{requests: {{storage: 1Gi}}}}}}
"""
NODES = [
    {"name": "one", "volumeLimit": 2, "labels": {"pool": "a"}},
    {"name": "two", "volumeLimit": 2, "labels": {"pool": "b"}},
]


@pytest.mark.parametrize(
    ("replicas", "selector", "mode", "words"),
    [
        (4, "", "ReadWriteOnce", ""),
        (5, "", "ReadWriteOnce", "need 5 volumes attached at once, and the nodes of home can attach 4"),
        (3, "pool: a", "ReadWriteOnce", "need 3 volumes attached at once, and one can attach 2"),
        (2, "pool: a", "ReadWriteOnce", ""),
        (5, "", "ReadWriteMany", ""),  # mounted over the network
    ],
)
def test_volumes_are_counted_against_the_nodes_that_may_run_the_pods(
    replicas: int, selector: str, mode: str, words: str, tmp_path: Path
) -> None:
    made = repo(tmp_path, {"web": STATEFUL.format(replicas=replicas, selector=selector, mode=mode)})
    assert of(made, "too-many-volumes") == []  # without facts nobody can tell
    found = of(with_facts(made, nodes=NODES), "too-many-volumes")
    assert [one.message for one in found] == ([f"StatefulSet/db {words}"] if words else [])


def test_nodes_without_a_known_limit_are_not_counted(tmp_path: Path) -> None:
    made = repo(tmp_path, {"web": STATEFUL.format(replicas=50, selector="", mode="ReadWriteOnce")})
    assert of(with_facts(made, nodes=[*NODES, {"name": "three"}]), "too-many-volumes") == []


# APP-004


def base(folder: Path, *shared: str, extra: str = "trainer") -> Repo:
    maps = {name: f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n" for name in (*shared, extra)}
    spark = app(folder, "spark", "---\n".join(maps[name] for name in ("spark-a", "spark-b") if name in maps))
    items = [one for name in maps for one in read(folder, f"{_home(name)}/{name}.yaml", maps[name])]
    relative = [
        msgspec.structs.replace(
            one, origin=msgspec.structs.replace(one.origin, file=Path(one.origin.file).relative_to(folder).as_posix())
        )
        for one in items
    ]
    common = msgspec.structs.replace(app(folder, "common", ""), desired=Desired(tuple(relative)))
    text = b"resources:\n  - ../trainer\n  - ../spark\n"
    return Repo(
        apps=(spark, common),
        kustomizations={"common": ("trainer", "spark"), "spark": (), "trainer": ()},
        files={"common/kustomization.yaml": text},
    )


def _home(name: str) -> str:
    return name.partition("-")[0]


def test_a_base_that_lists_the_folder_of_another_app_is_found_at_its_line(tmp_path: Path) -> None:
    (finding,) = of(base(tmp_path, "spark-a", "spark-b"), "renders-another-app")
    assert finding.message == (
        "argocd/common renders spark of argocd/spark too, listed at common/kustomization.yaml:3: 2 of its 2 objects"
    )
    assert str(finding.evidence[0].place) == "common/kustomization.yaml:3"


def test_an_app_that_reads_the_folder_of_another_and_makes_other_objects_is_not(tmp_path: Path) -> None:
    made = base(tmp_path, "spark-a", "spark-b")
    (spark, common) = made.apps
    other = app(tmp_path, "spark", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: elsewhere}\n")
    assert of(msgspec.structs.replace(made, apps=(other, common)), "renders-another-app") == []
    elsewhere = RepoApp(manifest=spark.manifest, desired=spark.desired, roots=("another root",))
    assert of(msgspec.structs.replace(made, apps=(elsewhere, common)), "renders-another-app") == []


# WKL-004

QUOTA = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: team}\nspec: {hard: {requests.memory: 2Gi}}\n"
MEMORY = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}}}
spec:
  replicas: 1
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{containers: [{{name: web, image: "example/web:1", resources: {{requests: {{memory: 1536Mi}}}}}}]}}
"""


def test_only_what_is_sure_to_be_beside_a_quota_counts(tmp_path: Path) -> None:
    one = app(tmp_path, "one", f"{QUOTA}---\n{MEMORY.format(name='web')}")
    two = app(tmp_path, "two", MEMORY.format(name="api"))
    (finding,) = of(Repo(apps=(one, two)), "quota-exceeded")
    assert finding.message == "the pods of namespace shop ask for 3Gi of memory, and ResourceQuota/team allows 2Gi"
    apart = msgspec.structs.replace(two, roots=("another root",))
    assert of(Repo(apps=(msgspec.structs.replace(one, roots=("a root",)), apart)), "quota-exceeded") == []
    again = app(tmp_path, "again", MEMORY.format(name="web"))
    assert of(Repo(apps=(one, again)), "quota-exceeded") == []  # the same object, whoever delivers it


# DIF-011

ROUTE = """\
apiVersion: route.openshift.io/v1
kind: Route
metadata: {name: web}
spec:
  host: ""
"""
IGNORED_HOST = "  ignoreDifferences: [{group: route.openshift.io, kind: Route, %s}]\n"


def routes(folder: Path, more: str = "", settings: dict[str, str] | None = None) -> Repo:
    (manifest,) = read(folder, "more.yaml", APP.format(name="web", options="", server=SERVER) + more)
    one = msgspec.structs.replace(app(folder, "web", ROUTE), manifest=manifest)
    return Repo(apps=(one,), settings=parse_texts({Home.CM: settings or {}}))


@pytest.mark.parametrize(
    ("more", "settings", "count"),
    [
        ("", {}, 1),
        (IGNORED_HOST % "jsonPointers: [/spec/host]", {}, 0),
        (IGNORED_HOST % "jqPathExpressions: [.spec.host]", {}, 0),
        (IGNORED_HOST % "jsonPointers: [/spec/port]", {}, 1),
        ("", {"resource.customizations.ignoreDifferences.route.openshift.io_Route": "jsonPointers: [/spec/host]"}, 0),
        ("", {"resource.customizations.ignoreDifferences.example.com_Route": "jsonPointers: [/spec/host]"}, 1),
    ],
)
def test_an_empty_field_that_somebody_ignores_is_known_to_them(
    more: str, settings: dict[str, str], count: int, tmp_path: Path
) -> None:
    assert len(of(routes(tmp_path, more, settings), "platform-fills-field")) == count


def test_apps_that_are_rendered_from_one_file_have_one_finding(tmp_path: Path) -> None:
    one = app(tmp_path, "web", ROUTE)
    made = Repo(apps=(one, msgspec.structs.replace(app(tmp_path, "shop", ""), desired=one.desired)))
    (found,) = of(made, "platform-fills-field")
    assert found.message == "Route/web of argocd/shop and argocd/web has an empty spec.host, which the cluster fills in"
