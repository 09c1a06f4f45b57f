"""Which words mean files with Applications, and which an Application on a cluster."""

from pathlib import Path

import pytest

from syncline.api.application_files import is_file

APP = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: web}\n"


@pytest.mark.parametrize(
    ("name", "files", "expected"),
    [
        ("web", {}, False),
        ("web", {"web/deployment.yaml": "kind: Deployment\n"}, False),
        ("web", {"web/app.yaml": APP}, True),
        ("web/", {"web/deployment.yaml": "kind: Deployment\n"}, True),
        ("./web", {}, True),
        ("web.yaml", {}, True),
        ("argocd/web", {}, False),
        ("-", {}, True),
    ],
)
def test_a_word_is_a_folder_only_where_applications_stand_in_it(
    name: str, files: dict[str, str], expected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    monkeypatch.chdir(tmp_path)
    assert is_file(name) is expected
