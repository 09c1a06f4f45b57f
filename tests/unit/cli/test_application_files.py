"""Files of Applications that `syncline up` is given: a misspelt field is told and left out, the rest goes on."""

from pathlib import Path

import pytest

from syncline.cli.run.app_files import elsewhere, namespaces_of, read_apps

APP = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: NAME
spec:
  project: default
  source:
    repoURL: https://git.example/x.git
    FIELD: main
  destination:
    namespace: a
"""


def test_an_unknown_field_is_told_with_its_line_and_the_nearest_and_the_other_apps_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.yaml").write_text(APP.replace("NAME", "a").replace("FIELD", "targetRevison"))
    (tmp_path / "b.yaml").write_text(APP.replace("NAME", "b").replace("FIELD", "targetRevision"))
    first, second = (given.obj for given in read_apps((tmp_path,), "argocd").objects)
    assert first["spec"]["source"] == {"repoURL": "https://git.example/x.git"}
    assert second["spec"]["source"]["targetRevision"] == "main"
    assert capsys.readouterr().err == (
        f'warning: {tmp_path}/a.yaml:9: unknown field "spec.source.targetRevison" is left out'
        " (did you mean targetRevision?)\n"
    )


def test_applications_that_this_installation_does_not_look_at_are_counted_by_namespace(tmp_path: Path) -> None:
    for number, namespace in enumerate(["argocd", "openshift-gitops", "openshift-gitops"]):
        metadata = f"{{name: app-{number}, namespace: {namespace}}}"
        text = (
            f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {metadata}\nspec: {{project: default}}\n"
        )
        (tmp_path / f"{number}.yaml").write_text(text)
    given = read_apps([tmp_path], "argocd")
    assert [one["metadata"]["name"] for one in namespaces_of(given)] == ["argocd", "openshift-gitops"]
    (sentence,) = elsewhere(given, "argocd")
    assert sentence.startswith("2 Applications are in namespace openshift-gitops")
    assert list(elsewhere(given._replace(objects=given.objects[:1]), "argocd")) == []
