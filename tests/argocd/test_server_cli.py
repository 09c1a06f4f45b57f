"""Argo CD's own command line logs in to Syncline's server and works: nothing of it is told that this is not Argo CD."""

import json
import pathlib
from collections.abc import Iterator

import pytest

from tests.argocd import served
from tests.argocd.build import Programs
from tests.argocd.served import Cli, Shop, bare
from tests.argocd.test_harness import eventually
from tests.real.cluster import free_ports, spawn, stop_all
from tests.support.certificates import Authority

APP = ("applications.argoproj.io", "-n", "argocd")
WEB_LIVE = ("get", "deployment", "web", "-o", "jsonpath={.spec.template.metadata.annotations}")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, programs: Programs) -> Iterator[Shop]:
    with served.running(tmp_path_factory.mktemp("argocd-cli"), programs) as running:
        yield running


@pytest.fixture(scope="module")
def cli(shop: Shop) -> Cli:
    made = shop.cli("admin")
    words = ("login", shop.address, "--plaintext", "--grpc-web", "--username", "admin")
    assert "'admin:login' logged in successfully" in made.text(*words, "--password", shop.password())
    return made


@pytest.fixture(scope="module")
def synced(cli: Cli) -> Cli:
    """The command line, once the shop is delivered."""
    cli.text("app", "sync", "shop", "--timeout", "60")
    cli.text("app", "wait", "shop", "--sync", "--health", "--operation", "--timeout", "60")
    return cli


def test_it_falls_back_to_grpc_web_where_nobody_told_it_to(shop: Shop) -> None:
    cli = shop.cli("fallback")
    wrong = cli.refused("login", shop.address, "--plaintext", "--username", "admin", "--password", "wrong")
    assert "code = Unauthenticated desc = Invalid username or password" in wrong
    done = cli.run("login", shop.address, "--plaintext", "--username", "admin", "--password", shop.password())
    assert done.returncode == 0, done.stderr
    assert "Failed to invoke grpc call. Use flag --grpc-web" in done.stderr
    assert "argocd-server: v3.2.11+syncline" in cli.text("version")
    assert [one["metadata"]["name"] for one in cli.json("app", "list")] == ["shop", "slow"]


def test_nobody_gets_in_without_a_token_and_a_bad_one_is_told(shop: Shop) -> None:
    stranger = shop.cli("stranger")
    words = ("--server", shop.address, "--plaintext", "--grpc-web")
    assert "code = Unauthenticated desc = no session information" in stranger.refused("app", "list", *words)
    assert "code = Unauthenticated" in stranger.refused(
        "app", "list", *words, "--auth-token", "eyJhbGciOiJub25lIn0.e30."
    )
    assert "argocd-server: v3.2.11+syncline" in stranger.text("version", *words)


def test_over_tls_it_works_with_a_server_of_its_own(shop: Shop, tmp_path: pathlib.Path) -> None:
    certificate, key = Authority().client("localhost")
    (tmp_path / "tls.crt").write_text(certificate)
    (tmp_path / "tls.key").write_text(key)
    (port,) = free_ports(1)
    pair = ("--tls-cert", str(tmp_path / "tls.crt"), "--tls-key", str(tmp_path / "tls.key"))
    where = ("--kubeconfig", shop.kubeconfig, "--port", str(port), "--local-repos", str(shop.repo))
    process = spawn([served.PROGRAM, "server", *where, *pair], tmp_path / "server.log")
    try:
        eventually(lambda: "serving https://" in (tmp_path / "server.log").read_text(), True)
        cli = shop.cli("tls")
        for words in (["--grpc-web"], []):
            login = ["login", f"localhost:{port}", "--insecure", "--username", "admin", *words]
            cli.text(*login, "--password", shop.password())
            assert [one["metadata"]["name"] for one in cli.json("app", "list", *words)] == ["shop", "slow"]
    finally:
        stop_all([process])
    log = (tmp_path / "server.log").read_text()
    assert "Invalid HTTP" not in log
    assert "Traceback" not in log


def test_applications_are_shown_as_kubectl_has_them(cli: Cli, shop: Shop) -> None:
    """Go's own types are the judge of our bytes: what it read is what is stored, field by field."""

    def both() -> tuple[object, object]:
        theirs = shop.apps()["items"]
        for one in theirs:
            del one["apiVersion"], one["kind"]
        return bare(cli.json("app", "list")), bare(theirs)

    # A pass may be recorded between the two.
    eventually(lambda: len({json.dumps(one, sort_keys=True) for one in both()}), 1)
    assert [one["metadata"]["name"] for one in cli.json("app", "list", "-l", "tier=slow")] == ["slow"]
    assert cli.json("app", "list", "--project", "other") == []
    assert "Sync Status:        OutOfSync from main" in cli.text("app", "get", "shop")
    assert "code = NotFound desc = " in cli.refused("app", "get", "nothing")


def test_what_git_wants_is_shown_before_it_is_delivered(cli: Cli, shop: Shop) -> None:
    app = served.application("waiting", shop.repo)
    app["spec"]["source"]["path"] = "shop"
    app["spec"]["destination"]["namespace"] = "elsewhere"
    shop.kubectl("apply", "-f", "-", stdin=json.dumps(app))
    try:
        eventually(lambda: shop.apps("waiting").get("status", {}).get("sync", {}).get("status"), "OutOfSync")
        done = cli.run("app", "diff", "waiting")
        assert done.returncode == 1, done.stderr
        assert "===== /ConfigMap elsewhere/settings ======" in done.stdout
        assert ">   colour: blue" in done.stdout
        manifests = cli.text("app", "manifests", "waiting")
        assert "kind: Deployment" in manifests
        assert "echo hello from the shop" in manifests
        assert "Deployment" in cli.text("app", "resources", "waiting")
    finally:
        shop.kubectl("delete", "application", "waiting", "-n", "argocd")


def test_a_sync_is_followed_to_its_end(synced: Cli, shop: Shop) -> None:
    assert shop.kubectl("get", "configmap", "settings", "-o", "jsonpath={.data.colour}") == "blue"
    assert synced.run("app", "diff", "shop").returncode == 0
    tree = synced.text("app", "get", "shop", "-o", "tree")
    pods = shop.kubectl("get", "pods", "-o", "jsonpath={.items[*].metadata.name}").split()
    assert len(pods) == 2
    assert all(f"Pod/{pod}" in tree for pod in pods)
    resources = synced.text("app", "resources", "shop")
    assert all(name in resources for name in ("settings", "web"))
    assert "colour: blue" in synced.text("app", "manifests", "shop", "--source", "live")


def test_logs_are_read_and_what_has_none_is_told(synced: Cli) -> None:
    printed = synced.text("app", "logs", "shop", "--kind", "Deployment", "--name", "web")
    assert printed.count("hello from the shop") == 2
    assert "hello" not in synced.text("app", "logs", "shop", "--filter", "nobody said this")
    assert "hello from the shop" in synced.first_line("app", "logs", "shop", "--follow", "--kind", "Deployment")


def test_actions_are_offered_and_run(synced: Cli, shop: Shop) -> None:
    listed = synced.text("app", "actions", "list", "shop", "--kind", "Deployment")
    assert "apps   Deployment  web   restart  false" in listed
    assert "argoproj.io  Application  shop  toggle-auto-sync  false" in synced.text("app", "actions", "list", "shop")
    assert "restartedAt" not in shop.kubectl(*WEB_LIVE)
    synced.text("app", "actions", "run", "shop", "restart", "--kind", "Deployment", "--resource-name", "web")
    assert "restartedAt" in shop.kubectl(*WEB_LIVE)
    itself = ("--kind", "Application", "--group", "argoproj.io")
    synced.text("app", "actions", "run", "slow", "toggle-auto-sync", *itself)
    assert "automated" in shop.apps("slow")["spec"]["syncPolicy"]
    synced.text("app", "set", "slow", "--sync-policy", "none")
    refused = synced.refused("app", "actions", "run", "shop", "dance", "--kind", "Deployment")
    assert "no action dance is defined" in refused


def test_a_rollback_goes_to_the_entry_that_is_named(synced: Cli, shop: Shop) -> None:
    for colour in ("green", "red"):
        shop.commit({"shop/settings.yaml": served.SETTINGS.format(colour=colour)})
        synced.text("app", "get", "shop", "--refresh")
        synced.text("app", "sync", "shop", "--timeout", "60")
    differs = synced.run("app", "diff", "shop", "--revision", shop.commits()[1])
    assert (differs.returncode, ">   colour: green" in differs.stdout) == (1, True), differs.stderr
    ids = synced.text("app", "history", "shop", "-o", "id").split()
    assert ids == ["0", "1", "2"]
    assert "main (" in synced.text("app", "history", "shop")
    synced.text("app", "rollback", "shop", "0", "--timeout", "60")
    assert shop.kubectl("get", "configmap", "settings", "-o", "jsonpath={.data.colour}") == "blue"
    (shop.folder / "mine").mkdir()
    (shop.folder / "mine" / "settings.yaml").write_text(served.SETTINGS.format(colour="mine"))
    (shop.folder / "mine" / "web.yaml").write_text(served.WEB)
    synced.text("app", "sync", "shop", "--local", str(shop.folder / "mine"), "--timeout", "60")
    assert shop.kubectl("get", "configmap", "settings", "-o", "jsonpath={.data.colour}") == "mine"
    assert "77" in synced.refused("app", "rollback", "shop", "77")


def test_fields_that_settings_ignore_do_not_differ(synced: Cli, shop: Shop) -> None:
    shop.kubectl("scale", "deployment", "web", "--replicas", "3")
    eventually(lambda: "replicas" in synced.run("app", "diff", "shop", "--refresh").stdout, True)
    setting = {"resource.customizations.ignoreDifferences.apps_Deployment": "jsonPointers: [/spec/replicas]\n"}
    shop.kubectl("patch", "configmap", "argocd-cm", "-n", "argocd", "-p", json.dumps({"data": setting}))
    eventually(lambda: "replicas" in synced.run("app", "diff", "shop", "--refresh").stdout, False)


def test_an_operation_is_ended(cli: Cli, shop: Shop) -> None:
    cli.text("app", "sync", "slow", "--async")
    eventually(lambda: shop.apps("slow")["status"].get("operationState", {}).get("phase"), "Running")
    assert "another operation is already in progress" in cli.refused("app", "sync", "slow")
    assert "Application 'slow' operation terminating" in cli.text("app", "terminate-op", "slow")
    cli.run("app", "wait", "slow", "--operation", "--timeout", "60")
    assert shop.apps("slow")["status"]["operationState"]["phase"] == "Failed"
    assert "nothing to terminate" in cli.refused("app", "terminate-op", "slow")


def test_projects_repositories_and_clusters_are_listed(cli: Cli, shop: Shop) -> None:
    project = json.loads(shop.kubectl("get", "appproject", "default", "-n", "argocd", "-o", "json"))
    (listed,) = cli.json("proj", "list")
    assert bare(listed)["spec"] == bare(project["spec"])
    assert "Destinations:                *,*" in cli.text("proj", "get", "default")
    secret = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "repo",
            "namespace": "argocd",
            "labels": {"argocd.argoproj.io/secret-type": "repository"},
        },
        "stringData": {"url": "https://git.example/shop.git", "username": "ann", "password": "canary"},
    }
    shop.kubectl("apply", "-f", "-", stdin=json.dumps(secret))
    (repo,) = cli.json("repo", "list")
    assert (repo["repo"], repo["username"]) == ("https://git.example/shop.git", "ann")
    assert "canary" not in json.dumps(repo)
    assert cli.json("repo", "get", "https://git.example/shop.git")["repo"] == "https://git.example/shop.git"
    (cluster,) = cli.json("cluster", "list")
    assert (cluster["name"], cluster["server"]) == ("in-cluster", "https://kubernetes.default.svc")
    version = json.loads(shop.kubectl("version", "-o", "json"))["serverVersion"]["gitVersion"]
    for named in ("in-cluster", "https://kubernetes.default.svc"):
        assert cli.json("cluster", "get", named)["serverVersion"].lstrip("v") in version
    assert "code = NotFound" in cli.refused("cluster", "get", "nowhere")


def test_accounts_and_their_rights(cli: Cli, shop: Shop) -> None:
    entries = {"data": {"accounts.ci": "apiKey", "accounts.ann": "login"}}
    shop.kubectl("patch", "configmap", "argocd-cm", "-n", "argocd", "-p", json.dumps(entries))
    policy = {"data": {"policy.csv": "p, ci, applications, get, */shop, allow\n"}}
    shop.kubectl("patch", "configmap", "argocd-rbac-cm", "-n", "argocd", "-p", json.dumps(policy))
    eventually(lambda: sorted(one["name"] for one in cli.json("account", "list")), ["admin", "ann", "ci"])
    assert cli.json("account", "get", "--account", "ci")["capabilities"] == ["apiKey"]
    me = cli.json("account", "get-user-info")
    assert (me["loggedIn"], me["username"]) == (True, "admin")
    assert cli.text("account", "can-i", "sync", "applications", "*/*").strip() == "yes"
    token = cli.text("account", "generate-token", "--account", "ci").strip()
    ci, with_token = shop.cli("ci"), ("--server", shop.address, "--plaintext", "--grpc-web", "--auth-token", token)
    assert [one["metadata"]["name"] for one in ci.json("app", "list", *with_token)] == ["shop"]
    assert ci.text("account", "can-i", "sync", "applications", "default/shop", *with_token).strip() == "no"
    assert "code = PermissionDenied desc = permission denied" in ci.refused("app", "sync", "shop", *with_token)
    assert "code = PermissionDenied desc = permission denied" in ci.refused("app", "get", "slow", *with_token)
    assert ci.json("cluster", "list", *with_token) == []


def test_applications_are_made_changed_and_deleted(cli: Cli, shop: Shop) -> None:
    source = ("--repo", str(shop.repo), "--path", "shop", "--revision", "main")
    place = ("--dest-server", "https://kubernetes.default.svc", "--dest-namespace", "made")
    cli.text("app", "create", "made", *source, *place, "--sync-policy", "auto", "--auto-prune", "--label", "by=cli")
    made = shop.apps("made")
    assert made["spec"]["syncPolicy"]["automated"]["prune"] is True
    assert made["metadata"]["labels"] == {"by": "cli"}
    assert made["spec"]["source"] == {"repoURL": str(shop.repo), "path": "shop", "targetRevision": "main"}
    cli.text("app", "set", "made", "--sync-policy", "none", "--revision", "HEAD")
    assert "automated" not in shop.apps("made")["spec"].get("syncPolicy", {})
    assert shop.apps("made")["spec"]["source"]["targetRevision"] == "HEAD"
    patch = '[{"op": "replace", "path": "/spec/destination/namespace", "value": "other"}]'
    cli.text("app", "patch", "made", "--patch", patch)
    assert shop.apps("made")["spec"]["destination"]["namespace"] == "other"
    cli.text("app", "delete", "made", "--cascade=false", "--yes")
    eventually(lambda: shop.kubectl("get", "application", "made", "-n", "argocd", "--ignore-not-found"), "")


def test_applicationsets_are_shown_as_kubectl_has_them(cli: Cli, shop: Shop) -> None:
    lists = [{"list": {"elements": [{"name": "a", "deep": {"n": 1}}]}}, {"list": {"elements": []}}]
    template = {"metadata": {"name": "{{name}}"}, "spec": served.application("shop", shop.repo)["spec"]}
    made = {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": "many", "namespace": "argocd"},
        "spec": {"generators": [{"matrix": {"generators": lists}}], "template": template},
    }
    shop.kubectl("apply", "-f", "-", stdin=json.dumps(made))

    def theirs() -> object:
        return json.loads(shop.kubectl("get", "applicationset", "many", "-n", "argocd", "-o", "json"))["spec"]

    eventually(lambda: [bare(one["spec"]) for one in cli.json("appset", "list")] == [bare(theirs())], True)
    assert bare(cli.json("appset", "get", "many")["spec"]) == bare(theirs())
    assert "code = NotFound" in cli.refused("appset", "get", "nothing")
    assert "ApplicationSetService/Create is not served here" in cli.refused("appset", "create", _file(shop, made))


def _file(shop: Shop, value: object) -> str:
    path = shop.folder / "set.yaml"
    path.write_text(json.dumps(value))
    return str(path)


def test_what_needs_a_stream_of_files_is_refused_in_one_sentence(synced: Cli, shop: Shop) -> None:
    words = ("app", "diff", "shop", "--local", str(shop.repo / "shop"), "--server-side-generate")
    refused = synced.refused(*words)
    # It may still be sending when the answer comes, and then it does not read it.
    told = "code = Unimplemented desc = a stream of files is not read here; leave out --server-side-generate"
    assert told in refused or "error sending stream: EOF" in refused
    assert "leave out --server-side-diff" in synced.refused("app", "diff", "shop", "--server-side-diff")
    assert "GPGKeyService/List is not served here" in synced.refused("gpg", "list")


def test_the_server_never_stumbled(shop: Shop, cli: Cli) -> None:
    log = (shop.folder / "up.log").read_text()
    assert "Traceback" not in log
    assert "Invalid HTTP" not in log
