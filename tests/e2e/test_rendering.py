"""`syncline app manifests` and `syncline blame` on a running demo: the Application and its files come from there."""

from syncline.apimachinery import yaml
from tests.e2e.demo import Demo


def test_manifests_of_an_application_on_the_cluster_name_their_lines(demo: Demo) -> None:
    answer = demo.syncline("app", "manifests", "hello", "--show-origin")
    assert answer.code == 0, answer.err
    kinds = {document.value["kind"] for document in yaml.load_documents(answer.out.encode(), source="manifests")}
    assert kinds >= {"Deployment", "Service", "ConfigMap"}
    origins = [line for line in answer.out.splitlines() if line.startswith("# apps/hello/")]
    assert len(origins) == answer.out.count("---\n")


def test_blame_finds_the_application_of_a_live_object_and_the_line_of_its_field(demo: Demo) -> None:
    answer = demo.syncline("blame", "Deployment/web", "spec.replicas")
    assert answer.code == 0, answer.err
    assert "belongs to Application argocd/hello" in answer.err
    assert "  file  apps/hello/" in answer.out


def test_blame_of_an_object_that_nobody_delivers_is_one_sentence(demo: Demo) -> None:
    answer = demo.syncline("blame", "Namespace/kube-system", "metadata.name")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == ("syncline: no Application delivers Namespace/kube-system (name the Application with --app)\n")
