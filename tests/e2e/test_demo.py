"""The demo as its user lives it: changes arrive, deletions are healed, trouble is explained and goes away."""

import re

from tests.e2e.demo import Demo, Object
from tests.e2e.program import until


def test_kubectl_shows_applications_with_the_usual_columns(demo: Demo) -> None:
    answer = demo.kubectl("get", "applications", "-n", "argocd")
    apps = [[name, "Synced", "Healthy"] for name in ("demo", "hello", "platform", "shop")]
    lines = [re.split(r"\s{2,}", line.strip()) for line in answer.out.splitlines()]
    assert lines == [["NAME", "SYNC STATUS", "HEALTH STATUS"], *apps]


def test_a_commit_arrives_in_the_cluster(demo: Demo) -> None:
    demo.edit("web.yaml", "replicas: 2", "replicas: 3")
    demo.running.says("Deployment/web: spec.replicas")
    demo.running.says(f"sync to {demo.git('rev-parse', 'HEAD')[:7]} started: Git has changes that are not synced yet")
    demo.running.says("sync succeeded")
    demo.settle()
    web = demo.get("deployment", "web", "-n", "hello")
    assert (web["spec"]["replicas"], web["status"]["readyReplicas"]) == (3, 3)
    demo.revert()


def test_a_file_that_leaves_git_leaves_the_cluster(demo: Demo) -> None:
    demo.git("rm", "--quiet", "apps/hello/worker.yaml")
    demo.git("commit", "--quiet", "--message", "no worker")
    until(lambda: not demo.get("deployment", "worker", "-n", "hello") or None, lambda: "the worker is still there")
    demo.settle()
    demo.revert()
    until(lambda: demo.get("deployment", "worker", "-n", "hello") or None, lambda: "the worker did not come back")


def test_a_deleted_deployment_is_explained_and_healed(demo: Demo) -> None:
    before = demo.get("deployment", "web", "-n", "hello")["metadata"]["uid"]
    assert demo.kubectl("delete", "deployment", "web", "-n", "hello").code == 0
    demo.running.says("Deployment/web: missing live")
    demo.running.says("started: The cluster has drifted from a revision that was already synced")
    demo.running.says("deployment.apps/web created")
    demo.settle()
    assert demo.get("deployment", "web", "-n", "hello")["metadata"]["uid"] != before


def test_a_field_changed_by_hand_is_named_and_put_back(demo: Demo) -> None:
    assert demo.kubectl("scale", "deployment", "web", "-n", "hello", "--replicas=5").code == 0
    demo.running.says(r"Deployment/web: spec\.replicas")
    demo.settle()
    assert demo.get("deployment", "web", "-n", "hello")["spec"]["replicas"] == 2


def test_why_names_the_image_the_file_and_the_line_until_it_is_mended(demo: Demo) -> None:
    demo.edit("web.yaml", "registry.example/hello:1.0", "registry.example/hello:broken")
    lines = (demo.repository / "apps/hello/web.yaml").read_text().splitlines()
    line = 1 + next(number for number, text in enumerate(lines) if "hello:broken" in text)
    said = until(
        lambda: next((one for one in [demo.syncline("why", "hello")] if "cannot be pulled" in one.out), None),
        lambda: demo.syncline("why", "hello").out,
    )
    assert said.code == 1
    assert "Deployment/web: image registry.example/hello:broken of container web cannot be pulled" in said.out
    assert f"apps/hello/web.yaml:{line}  image: registry.example/hello:broken" in said.out
    assert re.search(rf"fix +.*apps/hello/web\.yaml:{line}", said.out)
    demo.revert()
    demo.settle()
    well = demo.syncline("why", "hello")
    assert (well.code, well.out.count("nothing to explain")) == (0, 1)


def test_broken_yaml_is_one_sentence_with_its_place_and_harms_nothing(demo: Demo) -> None:
    before = demo.get("deployment,configmap,service", "-n", "hello")["items"]
    demo.edit("settings.yaml", "  colour: blue", "  colour: [blue")
    told = demo.running.says(r"✖ (.*apps/hello/settings\.yaml:\d+.*)\n")[1]
    status = until(
        lambda: next((s for s in [_status(demo)] if s["sync"]["status"] == "Unknown"), None), lambda: str(_status(demo))
    )
    assert [condition["type"] for condition in status["conditions"]] == ["ComparisonError"]
    assert status["conditions"][0]["message"] == told
    said = demo.syncline("why", "hello")
    assert said.code == 1
    # Whoever looks once has no earlier render to fall back on; what stands around the place and the words is left out.
    assert told[told.index("apps/hello/") :].partition(" (")[0] in " ".join(said.out.split()), (
        "the words are told, in lines of any length"
    )
    demo.revert()
    demo.running.says("fixed: ")
    demo.settle()
    after = demo.get("deployment,configmap,service", "-n", "hello")["items"]
    assert [obj["metadata"]["uid"] for obj in after] == [obj["metadata"]["uid"] for obj in before]


def _status(demo: Demo) -> Object:
    status: Object = demo.get("application", "hello", "-n", "argocd")["status"]
    return status


def test_the_kubeconfig_is_for_its_owner_alone(demo: Demo) -> None:
    assert demo.kubeconfig.stat().st_mode & 0o777 == 0o600


def test_nothing_is_written_to_standard_error(demo: Demo) -> None:
    assert demo.running.err == ""
