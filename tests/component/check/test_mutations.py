# ruff: noqa: E501 - a table is read row by row
"""One mistake is planted in a healthy repository: `check` finds exactly it, and nothing in the healthy one."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import syncline
from syncline.model.finding import Severity
from tests.component.check.healthy import FILES, HERE

WEB, APP, SET = "web/deployment.yaml", "apps/web.yaml", "apps/teams.yaml"
OTHERS, HOOKS, HOOK, DATA, SECRETS = (
    "web/others.yaml",
    "web/hooks.yaml",
    "web/webhook.yaml",
    "data/database.yaml",
    "data/secrets.yaml",
)
CM, PARAMS = "settings/argocd-cm.yaml", "settings/argocd-cmd-params-cm.yaml"
OPTIONS = "syncOptions: [CreateNamespace=true, ServerSideApply=true, RespectIgnoreDifferences=true]"
CRON = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec:
  schedule: "0 3 * * *"
  timeZone: Europe/Berlin
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: "example/a:1"}]}}}}
"""
MISTAKES = (
    # What is written in Applications and sets.
    ("a path that is not there", APP, "path: web", "path: wbe", "APP-003"),
    ("a project that is not there", APP, "project: team", "project: taem", "APP-005"),
    ("a sync option that nobody reads", APP, "ServerSideApply=true", "ServerSideAply=true", "SET-001"),
    ("an option in the wrong case", APP, "CreateNamespace=true", "createNamespace=true", "SET-001"),
    ("a field that Applications do not have", APP, "selfHeal", "selfheal", "SET-009"),
    ("an empty render that prunes", APP, "{prune: true, ", "{prune: true, allowEmpty: true, ", "APP-010"),
    ("a wave that is a word", APP, '"1"', "second", "ORD-013"),
    ("a group with a version", APP, "group: apps", "group: apps/v1", "DIF-005"),
    ("a group that is another one", APP, "group: apps", "group: extensions", "DIF-005"),
    ("a kind in the wrong case", APP, "kind: Deployment", "kind: deployment", "DIF-005"),
    ("a whole spec that is ignored", APP, "/spec/template/spec/priority", "/spec", "DIF-006"),
    ("a field that cannot change, ignored", APP, f"{OPTIONS}\n  ignoreDifferences:\n    - group: apps\n      kind: Deployment\n      jsonPointers: [/spec/template/spec/priority]", "syncOptions: [ServerSideApply=true, CreateNamespace=true]\n  ignoreDifferences:\n    - group: policy\n      kind: PodDisruptionBudget\n      jsonPointers: [/spec/minAvailable]", "DIF-007"),
    ("a comparison for a path", APP, "jsonPointers: [/spec/template/spec/priority]", 'jqPathExpressions: [".spec.priority == 1"]', "DIF-005"),
    ("a list of globs without braces", APP, "path: web", 'path: web\n    directory: {exclude: "a.yaml,b.yaml"}', "SRC-102"),
    ("a glob that matches nothing", APP, "path: web", 'path: web\n    directory: {exclude: "old/*"}', "SRC-104"),
    ("a namespace that nobody makes", OTHERS, "metadata: {name: settings}", "metadata: {name: settings, namespace: wbe}", "APP-006 SEC-004"),
    ("the same app under two names", "apps/copy.yaml", "", FILES[APP].replace("name: web\n", "name: copy\n"), "APP-103 OWN-001"),
    ("an app of the same name", "apps/more.yaml", "", FILES[APP].replace("path: web", "path: teams/old"), "APS-002"),
    ("a set without missingkey", SET, "  goTemplateOptions: [missingkey=error]\n", "", "APS-003"),
    ("a set that finds no folder", SET, "path: teams/*", "path: team/*", "APS-001"),
    ("an exclude that excludes nothing", SET, "path: teams/old", "path: teams/odl", "APS-101"),
    ("names that collide", SET, 'name: "team-{{ .path.basename }}"', "name: team-all", "APS-002"),
    ("a template that fails", SET, "{{ .path.basename }}\"}\n    spec", "{{ .nothing }}\"}\n    spec", "APS-001"),
    # Settings.
    ("a key that nobody reads", CM, "data:\n", "data:\n  resource.server-side-diff: 'true'\n", "SET-001"),
    ("the diff on the client", PARAMS, '"true"', '"false"', "SET-002"),
    ("only what is OutOfSync", APP, "ServerSideApply=true", "ServerSideApply=true, ApplyOutOfSyncOnly=true", "SET-006"),
    ("no health of Applications", CM, "health.argoproj.io_Application", "health.argoproj.io_Workflow", "SET-003"),
    ("a verdict from before", CM, " and obj.status.sync.comparedTo ~= nil", "", "SET-004"),
    ("a check that looks at nothing", CM, "if obj.status ~= nil and obj.status.ready then", "if true then", "SET-005"),
    ("an excluded kind", CM, "apiGroups: [cilium.io]\n      kinds: [CiliumIdentity]", "apiGroups: [example.com]\n      kinds: [Widget]", "SET-008"),
    ("tracking by label", CM, "Method: annotation", "Method: label", "SET-010"),
    # What is delivered.
    ("an object twice", OTHERS, "data: {colour: blue}\n", "data: {colour: blue}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {colour: blue}\n", "SRC-008"),
    ("an object of two apps", "data/shared.yaml", "", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: web}\ndata: {colour: red}\n", "OWN-001"),
    ("a misspelled field", WEB, "  selector:", "  replcas: 2\n  selector:", "SRC-009"),
    ("a number for a text", WEB, "{name: MODE, value: fast}", "{name: MODE, value: 1}", "SRC-106"),
    ("a field of another kind", DATA, "strategy: {type: Recreate}", "updateStrategy: {type: OnDelete}", "SRC-009"),
    ("a field that a definition does not have", OTHERS, "spec: {size: 1}", "spec: {sise: 1}", "SRC-009"),
    ("a name with a capital letter", OTHERS, "kind: Widget\nmetadata: {name: one}", "kind: Widget\nmetadata: {name: One}", "SRC-105"),
    ("a label with a space", WEB, "metadata: {name: web}", 'metadata: {name: web, labels: {team: "shop front"}}', "SRC-105"),
    ("a key with a space", OTHERS, "data: {colour: blue}", 'data: {colour: blue, "a b": c}', "SRC-105"),
    ("an amount with a space", DATA, "storage: 1Gi", "storage: 1 Gi", "SRC-013"),
    ("a request above the limit", WEB, "          env:", "          resources: {requests: {memory: 2Gi}, limits: {memory: 1Gi}}\n          env:", "SRC-106"),
    ("a mount without a volume", WEB, "          env:", "          volumeMounts: [{name: cache, mountPath: /cache}]\n          env:", "SRC-106"),
    ("ports without names", OTHERS, "ports: [{port: 80, targetPort: http}]", "ports: [{port: 80, targetPort: http}, {port: 81}]", "SRC-106"),
    ("a hook that restarts always", HOOKS, "restartPolicy: Never", "restartPolicy: Always", "SRC-106"),
    ("a schedule with four fields", "web/report.yaml", "", CRON.replace("0 3 * * *", "0 3 * *"), "WKL-110"),
    ("a time zone that does not exist", "web/report.yaml", "", CRON.replace("Europe/Berlin", "Europe/Berln"), "WKL-110"),
    ("pods that their namespace refuses", APP, "    syncOptions:", "    managedNamespaceMetadata: {labels: {pod-security.kubernetes.io/enforce: restricted}}\n    syncOptions:", "WKL-111"),
    ("a window at 25 o'clock", "apps/project.yaml", "spec:\n", "spec:\n  syncWindows: [{kind: deny, schedule: '0 25 * * *', duration: 1h, applications: ['*']}]\n", "APP-104"),
    ("an amount that is none", WEB, "image: example/web:1", "image: example/web:1\n          resources: {limits: {memory: 1 GB}}", "SRC-013"),
    ("a removed version", OTHERS, "policy/v1", "policy/v1beta1", "SRC-011"),
    ("a misspelled kind", OTHERS, "kind: PodDisruptionBudget", "kind: PodDisruptionBuget", "SRC-011"),
    ("an image that is not there", WEB, "image: example/web:1", "image:", "SRC-006"),
    ("a variable twice", WEB, "{name: MODE, value: fast}", "{name: COLOUR, value: red}", "DIF-010"),
    ("replicas beside an autoscaler", WEB, "  selector:", "  replicas: 2\n  selector:", "DIF-003"),
    ("a certificate that is injected", HOOK, "clientConfig: {", "clientConfig: {caBundle: Cg==, ", "DIF-004"),
    ("a hook that does not exist", HOOKS, "    argocd.argoproj.io/hook: PreSync\n", "    argocd.argoproj.io/hook: Presync\n", "ORD-101"),
    ("two styles of hooks", HOOKS, "    argocd.argoproj.io/hook: PreSync\n", "    argocd.argoproj.io/hook: PreSync\n    helm.sh/hook: pre-install\n", "SRC-012"),
    ("a hook that vanishes", HOOKS, "spec:\n  activeDeadlineSeconds: 600\n", "spec:\n  activeDeadlineSeconds: 600\n  ttlSecondsAfterFinished: 10\n", "ORD-007"),
    ("a hook without an end", HOOKS, "  activeDeadlineSeconds: 600\n", "", "ORD-008"),
    ("a hook before its account", HOOKS, "hook: PreSync, argocd.argoproj.io/sync-wave", "sync-options: Prune=false, argocd.argoproj.io/sync-wave", "ORD-006"),
    ("a webhook for its own pods", HOOK, "    namespaceSelector: {matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [web]}]}\n", "", "ORD-014"),
    ("a webhook with side effects", HOOK, "sideEffects: None", "sideEffects: Unknown", "DIF-014"),
    ("a consumer before its Secret", SECRETS, "metadata: {name: database-login}", 'metadata: {name: database-login, annotations: {argocd.argoproj.io/sync-wave: "5"}}', "ORD-004"),
    ("a claim before its pod", DATA, '  name: data\n  annotations: {argocd.argoproj.io/sync-wave: "1"}', "  name: data", "ORD-005"),
    ("a definition in a later app", "apps/definitions.yaml", 'sync-wave: "0"', 'sync-wave: "3"', "ORD-002"),
    ("a command that is not permitted", DATA, "resources: [pods]", "resources: [configmaps]", "ORD-009"),
    ("a definition that is recreated", "definitions/widgets.yaml", "metadata: {name: widgets.example.com}", 'metadata: {name: widgets.example.com, annotations: {argocd.argoproj.io/sync-options: "Force=true,Replace=true"}}', "OWN-006"),
    ("a claim that is recreated", DATA, '  name: data\n  annotations: {', '  name: data\n  annotations: {argocd.argoproj.io/sync-options: "Force=true,Replace=true", ', "OWN-008"),
    ("a paused workload before a hook", DATA, "strategy: {type: Recreate}", "paused: true\n  strategy: {type: Recreate}", "ORD-012"),
    # What is named, and is not there.
    ("a key that a ConfigMap does not have", WEB, "key: colour", "key: color", "SEC-004"),
    ("a ConfigMap that is misspelled", WEB, "name: settings", "name: setings", "SEC-004"),
    ("a pull secret that is misspelled", WEB, "name: registry-login", "name: registry-logins", "WKL-003"),
    ("an account that is misspelled", WEB, "serviceAccountName: web-runner", "serviceAccountName: web-runer", "WKL-105"),
    ("a scale target that is misspelled", OTHERS, "kind: Deployment, name: web}", "kind: Deployment, name: webb}", "WKL-105"),
    ("a store of the wrong kind", SECRETS, "secretStoreRef: {name: vault, kind: ClusterSecretStore}\n  target: {name: database", "secretStoreRef: {name: vault, kind: SecretStore}\n  target: {name: database", "SEC-002"),
    ("a store in a namespace that nobody makes", SECRETS, "https://vault.example.com", "http://vault.vault-system.svc:8200", "SEC-003"),
    ("a store without its namespace", SECRETS, "serviceAccountRef: {name: default, namespace: data}", "serviceAccountRef: {name: default}", "SEC-005"),
    ("a password in Git", "web/login.yaml", "", "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {password: correct-horse}\n", "SEC-001"),
    ("a selector that selects nothing", OTHERS, "selector: {app: web}\n  ports", "selector: {app: wbe}\n  ports", "WKL-006"),
    ("an annotation that is misspelled", HOOKS, "    argocd.argoproj.io/hook: PreSync\n", "    argocd.argoproj.io/hook: PreSync\n    argocd.argoproj.io/hook-delete-polici: HookSucceeded\n", "SET-101"),
    ("a destination with two names", APP, "    server: https://kubernetes.default.svc\n", "    server: https://kubernetes.default.svc\n    name: in-cluster\n", "APP-106"),
    ("a pointer without a slash", APP, "[/spec/template/spec/priority]", "[spec.template.spec.priority]", "DIF-102"),
    ("an image with two tags", WEB, "image: ", "image: a:1:", "WKL-114"),
    ("a port that pods do not have", OTHERS, "targetPort: http}", "targetPort: htp}", "WKL-006"),
)  # fmt: skip


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mutations") / "platform"
    for name, text in FILES.items():
        write(folder, name, text)
    for arguments in (["init", "-q"], ["remote", "add", "origin", HERE]):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    return folder


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def codes(folder: Path) -> list[str]:
    found = syncline.check(folder).findings
    return sorted({one.code for one in found if one.severity is not Severity.INFO})


def test_nothing_is_found_in_the_healthy_repository(checkout: Path) -> None:
    found = syncline.check(checkout)
    assert (found.rendered, found.left_out) == (found.apps, ())
    assert codes(checkout) == []


@pytest.mark.e2e  # seventy repositories, each looked at as a whole
@pytest.mark.parametrize(
    ("file", "before", "after", "code"),
    [mistake[1:] for mistake in MISTAKES],
    ids=[mistake[0].replace(" ", "-") for mistake in MISTAKES],
)
def test_exactly_the_mistake_is_found(checkout: Path, file: str, before: str, after: str, code: str) -> None:
    text = FILES.get(file, "")
    assert text.count(before) == 1 or not before
    write(checkout, file, text.replace(before, after) if before else after)
    try:
        assert codes(checkout) == code.split()
    finally:
        if text:
            write(checkout, file, text)
        else:
            (checkout / file).unlink()


def test_there_are_sixty_mistakes() -> None:
    assert len(MISTAKES) >= 60
