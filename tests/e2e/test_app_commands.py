"""`syncline app` on a running demo."""

import json
import re

from tests.e2e.demo import Demo


def columns(text: str) -> list[list[str]]:
    return [re.split(r"\s{2,}", line.strip()) for line in text.splitlines()]


def test_app_list_has_the_columns_of_argocd(demo: Demo) -> None:
    answer = demo.syncline("app", "list")
    head = ["NAME", "CLUSTER", "NAMESPACE", "PROJECT", "STATUS", "HEALTH", "SYNCPOLICY", "CONDITIONS", "REPO"]
    head += ["PATH", "TARGET"]
    good = ["default", "Synced", "Healthy", "Auto-Prune", "<none>"]
    rows = [
        [f"argocd/{name}", "https://kubernetes.default.svc", namespace, *good, str(demo.repository), path, "HEAD"]
        for name, namespace, path in (
            ("demo", "argocd", "root"),
            ("hello", "hello", "apps/hello"),
            ("platform", "platform", "apps/platform/demo"),
            ("shop", "shop", "apps/shop"),
        )
    ]
    assert (answer.code, columns(answer.out)) == (0, [head, *rows])


def test_app_list_prints_names_alone_for_scripts(demo: Demo) -> None:
    names = ["argocd/demo", "argocd/hello", "argocd/platform", "argocd/shop"]
    assert demo.syncline("app", "list", "-o", "name").out.splitlines() == names


def test_app_get_shows_every_object_with_its_sync_and_health(demo: Demo) -> None:
    answer = demo.syncline("app", "get", "hello")
    head, _, rows = answer.out.partition("\n\n")
    fields = dict(re.split(r":\s+", line, maxsplit=1) for line in head.splitlines() if re.search(r":\s+\S", line))
    revision = demo.git("rev-parse", "HEAD")[:7]
    assert answer.code == 0
    assert (fields["Name"], fields["Sync Status"], fields["Health Status"]) == (
        "argocd/hello",
        f"Synced to HEAD ({revision})",
        "Healthy",
    )
    found = {tuple(row.split()[-20:]) for row in rows.splitlines()}
    for kind, name in [("ConfigMap", "settings"), ("Service", "web"), ("Deployment", "web"), ("Deployment", "worker")]:
        assert any(kind in row and name in row and "Synced" in row for row in found), (kind, name)


def test_app_get_gives_the_object_itself_as_json(demo: Demo) -> None:
    answer = demo.syncline("app", "get", "argocd/hello", "-o", "json")
    assert json.loads(answer.out)["metadata"]["uid"] == demo.get("app", "hello", "-n", "argocd")["metadata"]["uid"]


def test_app_sync_follows_a_sync_to_its_end(demo: Demo) -> None:
    answer = demo.syncline("app", "sync", "hello", "--timeout", "60")
    assert answer.code == 0
    assert re.search(r"^Message: +successfully synced \(all tasks run\)\Z", answer.out.rstrip(), re.MULTILINE)
    waves = re.findall(r"^\+[0-9.]+s (\w+ wave -?\d+): ", answer.out, re.MULTILINE)
    assert waves == ["PreSync wave 0", "Sync wave -1", "Sync wave 0", "Sync wave 1"]
    # Nothing of the sync before is shown as if it were this one's.
    assert answer.out.index("successfully synced") > answer.out.index("job.batch/prepare created")
    demo.running.says("started: The sync was requested")


def test_why_answers_as_data_too(demo: Demo) -> None:
    answer = demo.syncline("why", "hello", "-o", "json")
    found = json.loads(answer.out)
    assert (answer.code, found["sync"], found["health"], found.get("findings", [])) == (0, "Synced", "Healthy", [])


def test_an_unknown_app_is_answered_with_the_ones_there_are(demo: Demo) -> None:
    for command in (["why"], ["app", "get"], ["app", "sync"]):
        answer = demo.syncline(*command, "nope")
        assert (answer.code, answer.out) == (2, "")
        assert (
            answer.err
            == "syncline: Application nope not found in namespace argocd (known: demo, hello, platform, shop)\n"
        )
