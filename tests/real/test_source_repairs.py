"""Sources that the real helm and kustomize cannot render: the printed edit is made, and they can."""

import pathlib

import pytest

from syncline.cli.main import main
from syncline.core.decide import decide
from syncline.core.diagnose.explain import explain
from syncline.model.finding import Edit
from syncline.model.reason import Reason
from syncline.model.snapshot import Trouble
from tests.support.breakages import config
from tests.support.objects import application_object, assessed

CHART = "apiVersion: v2\nname: web\nversion: 0.1.0\n"
VALUES = "size: {large: 3}\n"
TEMPLATE = config("web").replace("blue", "{{ .Values.size.large | quote }}")
CASES = {
    "value": {"Chart.yaml": CHART, "values.yaml": VALUES, "templates/a.yaml": TEMPLATE.replace(".size", ".sise")},
    "function": {"Chart.yaml": CHART, "values.yaml": VALUES, "templates/a.yaml": TEMPLATE.replace("quote", "qoute")},
    "template": {
        "Chart.yaml": CHART,
        "templates/_helpers.tpl": '{{- define "web.name" -}}web{{- end -}}\n',
        "templates/a.yaml": config("a").replace("name: a", 'name: {{ include "web.nme" . }}'),
    },
    "file": {"kustomization.yaml": "resources:\n  - settngs.yaml\n", "settings.yaml": config("a")},
    "field": {"kustomization.yaml": "resorces:\n  - settings.yaml\n", "settings.yaml": config("a")},
    "target": {
        "kustomization.yaml": "resources:\n  - settings.yaml\npatches:\n  - path: patch.yaml\n",
        "settings.yaml": config("settings"),
        "patch.yaml": config("setings", "red"),
    },
}


def render(folder: pathlib.Path, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        main(["render", str(folder)])
    return int(str(ended.value.code or 0)), capsys.readouterr().err.removeprefix("syncline: ").strip()


def edits(complaint: str) -> tuple[Edit, ...]:
    """Return what `why` would print for an app whose source says this."""
    assessment = assessed(application_object(), troubles=(Trouble(Reason.SOURCE_FAILED, complaint),))
    fix = explain(assessment, decide(assessment, ())).findings[0].fix
    return fix.edits if fix else ()


@pytest.mark.parametrize("name", CASES)
def test_the_printed_edit_makes_it_render(
    name: str, tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "web"
    for file, text in CASES[name].items():
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    code, complaint = render(folder, capsys)
    assert code != 0
    found = edits(complaint)
    assert found, complaint
    for edit in found:
        path = next(one for one in (tmp_path / edit.place.file, folder / edit.place.file) if one.exists())
        lines = path.read_text().splitlines(keepends=True)
        assert edit.before in lines[edit.place.line - 1]
        lines[edit.place.line - 1] = lines[edit.place.line - 1].replace(edit.before, edit.after, 1)
        path.write_text("".join(lines))
    assert render(folder, capsys)[0] == 0
