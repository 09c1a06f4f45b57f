"""References of a repository to what is elsewhere, to keys that somebody makes, and to what others make of them."""

from pathlib import Path

import pytest

from syncline.core.diagnose.subjects import Repo
from syncline.model.finding import Severity
from tests.unit.diagnose.repos import app, repo
from tests.unit.diagnose.test_repo_rules_on_files import of, places

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: web}}
spec:
  {account}
  containers:
    - name: web
      image: example/web:1
      {more}
"""
EXTERNAL = """\
apiVersion: external-secrets.io/v1
kind: ExternalSecret
metadata: {{name: login{where}}}
spec:
  secretStoreRef: {{name: vault, kind: ClusterSecretStore}}
  target: {{name: login}}
  {keys}
"""
ENV = "env: [{name: A, valueFrom: {secretKeyRef: {name: login, key: passwd}}}]"
KEYS = "data: [{secretKey: password, remoteRef: {key: a}}]"
INGRESS = """\
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {{name: web, annotations: {{{annotation}}}}}
spec:
  tls: [{{hosts: [a.example.com], secretName: web-tls}}]
  defaultBackend: {{resource: {{kind: Bucket, name: a}}}}
"""


def pod(more: str = "", account: str = "") -> str:
    return POD.format(more=more, account=account)


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        (KEYS, ["error"]),
        (KEYS.replace("password", "passwd"), []),
        # Whatever is there comes along, or a template makes more of it.
        ("dataFrom: [{extract: {key: a}}]", []),
        (f"{KEYS}\n  dataFrom: [{{extract: {{key: a}}}}]", []),
    ],
)
def test_a_key_that_an_external_secret_does_not_make_is_found(tmp_path: Path, keys: str, found: list[str]) -> None:
    texts = {"web": f"{pod(ENV)}---\n{EXTERNAL.format(keys=keys, where='')}"}
    told = of(repo(tmp_path, texts), "reference-missing")
    assert [one.severity.value for one in told] == found


def test_what_is_made_only_in_another_namespace_is_told_with_that(tmp_path: Path) -> None:
    other = EXTERNAL.format(keys=KEYS, where=", namespace: data")
    (finding,) = of(repo(tmp_path, {"web": pod(ENV), "data": other}), "reference-missing")
    assert finding.severity is Severity.WARNING
    assert "in namespace shop; this repository creates it only in data" in finding.message
    account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: runner, namespace: data}\n"
    named = repo(tmp_path, {"web": pod(account="serviceAccountName: runner"), "data": account})
    (finding,) = of(named, "named-object-missing")
    assert finding.fix is not None
    # A pod has the accounts of its own namespace only, so there is nothing else to write.
    assert finding.fix.text == "create it in shop too"


def test_a_binding_that_names_another_namespace_is_found_at_that_line(tmp_path: Path) -> None:
    account = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: runner}\n---\n"
    binding = """\
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: runner}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}
subjects:
  - kind: ServiceAccount
    name: runner
    namespace: shops
"""
    (finding,) = of(repo(tmp_path, {"web": account + binding}), "named-object-missing")
    assert places([finding])[0].endswith(":12")
    assert finding.fix is not None
    assert finding.fix.text.startswith("write namespace: shop,")


def test_a_file_that_a_config_map_does_not_have_is_found(tmp_path: Path) -> None:
    volume = "volumes: [{name: conf, configMap: {name: conf}}]"
    mount = f"volumeMounts: [{{name: conf, mountPath: /a, subPath: web.conf}}]\n  {volume}"
    config = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: conf}\ndata: {%s: a}\n"
    (finding,) = of(repo(tmp_path, {"web": pod(mount) + config % "wbe.conf"}), "reference-missing")
    assert "mounts web.conf of ConfigMap/conf, which has no such key" in finding.message
    assert of(repo(tmp_path, {"web": pod(mount) + config % "web.conf"}), "reference-missing") == []


@pytest.mark.parametrize(
    ("annotation", "count"),
    [("cert-manager.io/cluster-issuer: a", 0), ("kubernetes.io/tls-acme: 'true'", 0), ("example.com/a: b", 1)],
)
def test_the_secret_of_an_ingress_is_made_where_cert_manager_is_asked(
    tmp_path: Path, annotation: str, count: int
) -> None:
    subject = repo(tmp_path, {"web": INGRESS.format(annotation=annotation)})
    assert len(of(subject, "reference-missing")) == count


def test_an_issuer_that_is_misspelled_is_found(tmp_path: Path) -> None:
    head = "---\napiVersion: cert-manager.io/v1\nkind: ClusterIssuer\n"
    issuer = f"{head}metadata: {{name: letsencrypt}}\nspec: {{selfSigned: {{}}}}\n"
    text = INGRESS.format(annotation="cert-manager.io/cluster-issuer: lets-encrypt") + issuer
    (finding,) = of(repo(tmp_path, {"web": text}), "named-object-missing")
    assert finding.message.endswith("did you mean letsencrypt?")


def test_a_hook_that_needs_what_an_operator_makes_of_the_sync_is_found(tmp_path: Path) -> None:
    job = pod(ENV.replace("passwd", "password")).replace(
        "metadata: {", "metadata: {annotations: {argocd.argoproj.io/hook: PreSync}, "
    )
    made = f"{job}---\n{EXTERNAL.format(keys=KEYS, where='')}"
    (finding,) = of(repo(tmp_path, {"web": made}), "hook-before-its-needs")
    assert "needs Secret/login, which the sync creates" in finding.message
    earlier = made.replace(
        "{name: login}\nspec", "{name: login, annotations: {argocd.argoproj.io/hook: PreSync}}\nspec"
    )
    assert of(repo(tmp_path, {"web": earlier}), "hook-before-its-needs") == []


def test_a_version_that_a_definition_does_not_serve_is_found(tmp_path: Path) -> None:
    definition = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Boat, plural: boats}
  versions: [{name: v1, served: true, storage: true}, {name: v1beta1, served: false, storage: false}]
---
apiVersion: example.com/%s
kind: Boat
metadata: {name: one}
"""
    (finding,) = of(Repo(apps=(app(tmp_path, "web", definition % "v1beta1"),)), "version-not-served")
    assert "does not serve (it serves: v1)" in finding.message
    assert of(Repo(apps=(app(tmp_path, "web", definition % "v1"),)), "version-not-served") == []
