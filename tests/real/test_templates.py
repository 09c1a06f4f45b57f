"""Go's own templates as judge of ours: the written cases asked again, and thousands of random ones."""

import json
import os
import pathlib
import random
import secrets
import subprocess
import sys
from typing import Any

import pytest
import yaml

from tests.real import build_templates
from tests.support import gotemplates

pytestmark = pytest.mark.real

RANDOM_TEMPLATES = 4000
CALLS_PER_FUNCTION = 20


def seed() -> int:
    """Return the same seed in every run, or with SYNCLINE_EXPLORE=1 a new one."""
    return secrets.randbelow(10**6) if os.environ.get("SYNCLINE_EXPLORE") else 20261116


def disagreements(cases: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Return where we and Go differ."""
    pairs = zip(cases, build_templates.ask(cases), strict=True)
    return [
        (case, answer, given)
        for case, answer in pairs
        if not gotemplates.agrees(given := gotemplates.ours(case), answer)
    ]


def test_the_written_cases_are_answered_as_recorded() -> None:
    assert disagreements(gotemplates.written()) == []


def test_calls_of_every_function_agree() -> None:
    assert disagreements(gotemplates.drawn(seed(), CALLS_PER_FUNCTION)) == []


def test_random_templates_agree() -> None:
    assert disagreements(gotemplates.random_templates(RANDOM_TEMPLATES, seed())) == []


def test_placeholders_agree() -> None:
    chance = random.Random(seed())
    pieces = ["{{", "}}", "{{name}}", "{{ name }}", "name", " ", "\n", "{{nope}}", "{{a.b}}", "{", "}", "é", "{{}}"]
    params = {"name": "eu", "a.b": "c", "number": 1}
    cases: list[dict[str, Any]] = [
        {"text": "".join(chance.choices(pieces, k=chance.randrange(1, 8))), "fast": True, "params": params}
        for _ in range(2000)
    ]
    answers = build_templates.ask(cases)
    for case, answer in zip(cases, answers, strict=True):
        given = gotemplates.ours(case)
        assert given.get("out") == answer.get("out"), case
        assert ("error" in given) == ("error" in answer), case


def test_helm_agrees_on_functions_that_it_has_too(tmp_path: pathlib.Path) -> None:
    texts = [
        '{{ .name | upper | quote }}', '{{ range $i, $e := .words }}{{ $i }}={{ $e }};{{ end }}',
        '{{ printf "%05d|%-5s|%q" 42 "ab" "x" }}', '{{ toJson .map }}', '{{ .nums | join "," }}',
        '{{ regexReplaceAll "a(p*)" "apple" "<${1}>" }}', '{{ dict "a" (list 1 2) | toYaml }}',
        '{{ semverCompare "^1.2" "1.9.0" }}', '{{ with .map.nested }}{{ .deep }}{{ end }}', '{{ add 1 2 | mul 3 }}',
        '{{ .words | uniq | sortAlpha | first | title | nindent 2 }}', '{{ "a-b_c D" | camelcase | kebabcase }}',
    ]  # fmt: skip
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: judge\nversion: 1.0.0\n")
    values = {key: value for key, value in gotemplates.PARAMS.items() if key not in ("labels", "segments", "null")}
    (tmp_path / "values.yaml").write_text(json.dumps({"params": values, "texts": texts}))
    (tmp_path / "templates").mkdir()
    loop = "{{ range .Values.texts }}\n- {{ tpl . (merge (deepCopy $.Values.params) $own) | toJson }}{{ end }}"
    own = '{{- $own := dict "Template" $.Template }}'
    (tmp_path / "templates" / "made.yaml").write_text(f"{own}made:{loop}\n")
    helm = pathlib.Path(sys.executable).parent / "helm"
    done = subprocess.run([helm, "template", "x", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    made = yaml.safe_load(done.stdout)["made"]
    assert [gotemplates.ours({"text": text}).get("out") for text in texts] == made
