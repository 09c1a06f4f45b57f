"""Commands over an API server: the same words and exit codes as on the Kubernetes API, and who may do what.

The judge is the same command with the kubeconfig: only the first line, which names the installation, may differ.
"""

from __future__ import annotations

import json
import pathlib
import stat
import time
from collections.abc import Iterator

import pytest
import yaml

from tests.support.installation import SETTINGS, Installation, installed

pytestmark = pytest.mark.timeout(180)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    with installed(tmp_path_factory.mktemp("served"), served=True) as found:
        arguments = ("--repo", str(found.repository), "--path", "web", "--dest-namespace", "shop")
        policy = ("--sync-option", "CreateNamespace=true", "--dest-server", "https://kubernetes.default.svc")
        assert found.run("app", "create", "shop", *arguments, *policy).code == 0
        assert found.run("app", "sync", "shop", "--timeout", "60").code == 0
        assert found.run("app", "wait", "shop", "--timeout", "60").code == 0
        yield found


@pytest.fixture
def logins(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """Return where logins of this test are kept."""
    for name in ("SERVER", "AUTH_TOKEN"):
        monkeypatch.delenv(f"SYNCLINE_{name}", raising=False)
        monkeypatch.delenv(f"ARGOCD_{name}", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    monkeypatch.setenv("SYNCLINE_LOGINS", str(tmp_path / "logins" / "config"))
    return tmp_path / "logins" / "config"


def logged_in(served: Installation) -> None:
    answer = served.run_apart(
        "login", served.server, "--plaintext", "--username", "admin", "--password", served.password()
    )
    assert answer.code == 0, answer.errors
    assert answer.output == f"'admin' logged in successfully\ncontext '{served.server}' updated\n"


def token_in(logins: pathlib.Path) -> str:
    found: str = yaml.safe_load(logins.read_text())["users"][0]["auth-token"]
    return found


COMMANDS = (
    ("app", "list", "-o", "wide"),
    ("app", "list", "-o", "name"),
    ("app", "list", "-l", "nothing=here"),
    ("app", "get", "shop", "-o", "json"),
    ("app", "get", "shop", "-o", "tree"),
    ("app", "history", "shop"),
    ("app", "wait", "shop", "--timeout", "30"),
    ("app", "diff", "shop"),
    ("app", "resources", "shop"),
    ("app", "actions", "list", "shop", "--kind", "Deployment"),
    ("app", "get", "shoop"),
    ("app", "rollback", "shop", "77"),
    ("app", "terminate-op", "shop"),
    ("appset", "list"),
    ("appset", "get", "none"),
    ("proj", "list"),
    ("proj", "get", "default"),
    ("account", "list"),
    ("account", "get"),
    ("why", "shop", "-o", "json"),
    ("app", "logs", "shop"),
    ("app", "get-resource", "shop", "--kind", "ConfigMap", "-o", "yaml"),
    ("app", "manifests", "shop", "--source", "live"),
    ("app", "manifests", "shop"),
    ("cluster", "list"),
    ("cluster", "list", "-o", "server"),
    ("repo", "list"),
    ("repo", "get", "https://nobody.example/x.git", "-o", "url"),
)


def comparable(output: str) -> object:
    """Return what a command printed; of an Application without what a server adds to it, as Argo CD's does."""
    try:
        found = json.loads(output)
    except ValueError:
        return output
    status = found.get("status", {}) if isinstance(found, dict) else {}
    for row in status.get("resources", ()):
        row.pop("health", None)
    if status.get("sourceHydrator") == {}:
        del status["sourceHydrator"]
    return found


def test_commands_say_the_same_over_a_server(served: Installation, logins: pathlib.Path) -> None:
    logged_in(served)
    token = token_in(logins)
    for command in COMMANDS:
        directly, over = served.run(*command), served.run_apart(*command)
        assert (over.code, comparable(over.output)) == (directly.code, comparable(directly.output)), command
        assert len(over.errors.splitlines()) == len(directly.errors.splitlines()), (command, over.errors)
        assert token not in over.output + over.errors


def test_a_change_is_shown_and_synced_over_a_server(served: Installation, logins: pathlib.Path) -> None:
    logged_in(served)
    served.run("app", "set", "shop", "--sync-policy", "none")
    served.write("web/settings.yaml", SETTINGS.replace("blue", "green"))
    served.commit("green")
    assert served.run_apart("app", "get", "shop", "--refresh", "-o", "json").code == 0
    # A server looks at repositories in its own time.
    deadline = time.monotonic() + 60
    while (over := served.run_apart("app", "diff", "shop")).code == 0 and time.monotonic() < deadline:
        time.sleep(0.2)
    directly = served.run("app", "diff", "shop")
    assert (over.code, over.output) == (directly.code, directly.output) == (1, directly.output)
    assert '"green"' in over.output
    answer = served.run_apart("app", "sync", "shop", "--timeout", "60")
    assert answer.code == 0, answer.output + answer.errors
    assert "Succeeded: successfully synced" in answer.output
    stored = json.loads(served.run("app", "get", "shop", "-o", "json").output)
    assert stored["status"]["operationState"]["operation"]["initiatedBy"] == {"username": "admin"}
    answer = served.run_apart("app", "set", "shop", "--revision", "main", "--path", "web")
    assert (answer.code, answer.output) == (0, "application 'shop' updated\n"), answer.errors
    answer = served.run_apart("app", "rollback", "shop", "--timeout", "60")
    assert answer.code == 0, answer.output + answer.errors
    assert served.run_apart("app", "delete", "shop", "--no-cascade", "--yes").output == "application 'shop' deleted\n"
    assert served.run_apart("app", "wait", "shop", "--delete", "--timeout", "60").code == 0


def test_a_login_is_its_owners_alone_and_ends_with_logout(served: Installation, logins: pathlib.Path) -> None:
    logged_in(served)
    assert stat.S_IMODE(logins.stat().st_mode) == 0o600
    token = token_in(logins)
    assert token not in served.run_apart("context").output
    answer = served.run_apart("logout")
    assert (answer.code, answer.output) == (0, f"Logged out from '{served.server}'\n"), answer.errors
    assert token not in logins.read_text()
    # The token is good no longer, wherever it was copied to.
    answer = served.run_apart("app", "list", "--server", served.server, "--plaintext", "--auth-token", token)
    assert answer.code == 2
    assert "token is revoked" in answer.errors
    assert token not in answer.errors
    # Nothing is in use, so the Kubernetes API is asked again.
    assert served.run("app", "list", "-o", "name").code == 0
    answer = served.run_apart("logout")
    assert (answer.code, answer.errors) == (2, "syncline: not logged in to a server (logins: none)\n")


def test_a_wrong_password_and_a_file_that_others_may_read_are_refused(
    served: Installation, logins: pathlib.Path
) -> None:
    wrong = ("login", f"http://{served.server}", "--username", "admin", "--password", "a wrong one")
    answer = served.run_apart(*wrong)
    assert (answer.code, answer.errors) == (2, f"syncline: {served.server}: Invalid username or password\n")
    assert not logins.exists()
    logged_in(served)
    logins.chmod(0o644)
    answer = served.run_apart("app", "list")
    assert answer.code == 2
    assert f"{logins} holds tokens and can be read by others (run: chmod 600 {logins})" in answer.errors


def test_what_needs_the_kubernetes_api_says_so(served: Installation, logins: pathlib.Path) -> None:
    logged_in(served)
    for command in (("repo", "rm", "https://x.example/y.git"), ("app", "diff", "shop", "--local", "web")):
        answer = served.run_apart(*command)
        assert answer.code == 2
        assert "add --core to use your kubeconfig" in answer.errors, (command, answer.errors)
    answer = served.run("app", "list", "--server", served.server)
    assert answer.code == 2
    assert "mutually exclusive" in answer.errors


def test_the_environment_chooses_a_server_as_for_argocd(
    served: Installation, logins: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged_in(served)
    token = token_in(logins)
    logins.unlink()
    monkeypatch.setenv("ARGOCD_SERVER", f"http://{served.server}")
    answer = served.run_apart("account", "list", "-o", "name")
    assert answer.code == 2
    assert f"syncline login {served.server}" in answer.errors
    monkeypatch.setenv("ARGOCD_AUTH_TOKEN", token)
    assert served.run_apart("account", "list", "-o", "name").output == "admin\n"
    # A kubeconfig that somebody names wins.
    assert served.run("account", "list", "-o", "name").output == "admin\n"
