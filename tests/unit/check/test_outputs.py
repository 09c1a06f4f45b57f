"""Findings for code hosts: SARIF that its schema takes, and commands of workflows that nothing can break out of."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import msgspec

from syncline.api.check import Checked
from syncline.apimachinery.keys import ObjectKey
from syncline.cli.show.checked import screen
from syncline.cli.show.checking.github import commands
from syncline.cli.show.checking.markdown import markdown
from syncline.cli.show.checking.page import page
from syncline.cli.show.checking.sarif import sarif
from syncline.model.errors import Place
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity

# What the standard requires of the parts that are used here (OASIS, Static Analysis Results Interchange Format 2.1.0,
# sections 3.13, 3.14, 3.18, 3.19, 3.27 to 3.30).
MESSAGE: dict[str, Any] = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
LOCATION: dict[str, Any] = {
    "type": "object",
    "required": ["physicalLocation"],
    "properties": {
        "id": {"type": "integer", "minimum": 0},
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation"],
            "properties": {
                "artifactLocation": {"required": ["uri"], "properties": {"uri": {"type": "string"}}},
                "region": {
                    "properties": {
                        "startLine": {"type": "integer", "minimum": 1},
                        "startColumn": {"type": "integer", "minimum": 1},
                    },
                    "additionalProperties": False,
                },
            },
        },
    },
}
SARIF: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "required": ["id"],
                                            "properties": {
                                                "shortDescription": MESSAGE,
                                                "fullDescription": MESSAGE,
                                                "help": MESSAGE,
                                                "defaultConfiguration": {
                                                    "properties": {
                                                        "level": {"enum": ["none", "note", "warning", "error"]}
                                                    }
                                                },
                                            },
                                        },
                                    }
                                },
                            }
                        },
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "invocations": {"items": {"required": ["executionSuccessful"]}},
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message"],
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": -1},
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": MESSAGE,
                                "locations": {"type": "array", "items": LOCATION},
                                "relatedLocations": {"type": "array", "items": LOCATION},
                                "occurrenceCount": {"type": "integer", "minimum": 1},
                                "partialFingerprints": {"additionalProperties": {"type": "string"}},
                            },
                        },
                    },
                },
            },
        },
    },
}


def finding(
    message: str = "is wrong", *places: Place, code: str = "APP-003", severity: Severity = Severity.ERROR
) -> Finding:
    return Finding(
        code=code,
        name="path-not-found",
        severity=severity,
        subject="argocd/a",
        message=message,
        evidence=tuple(Evidence(kind=EvidenceKind.FILE, text="x", place=place) for place in places),
        fix=Fix(text="correct the path"),
    )


def checked(*found: Finding, files: dict[str, bytes] | None = None, **more: Any) -> Checked:
    return Checked(
        findings=found, apps=3, rendered=3, sets=0, roots=1, projects=0, objects=9, files=files or {}, **more
    )


def test_sarif_is_what_the_standard_asks_for() -> None:
    found = checked(
        finding("one", Place("a.yaml", 3, 5), Place("b.yaml", 1)),
        finding("two"),
        finding("three", Place("c.yaml", 0), code="SET-001", severity=Severity.INFO),
    )
    value = json.loads(sarif(found))
    jsonschema_rs.validate(SARIF, value)
    (run,) = value["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["APP-003", "SET-001"]
    assert [(one["ruleId"], one["ruleIndex"], one["level"]) for one in run["results"]] == [
        ("APP-003", 0, "error"),
        ("APP-003", 0, "error"),
        ("SET-001", 1, "note"),
    ]
    where = run["results"][0]["locations"][0]["physicalLocation"]
    assert where["artifactLocation"]["uri"] == "a.yaml"
    assert where["region"] == {"startLine": 3, "startColumn": 5}


def test_a_finding_is_one_command_whatever_it_says() -> None:
    hostile = "100%\n::set-env name=PATH::x\r::error::y"
    (line,) = commands(checked(finding(hostile, Place("a,b:c.yaml", 3)))).split("\n")
    assert line.startswith("::error file=a%2Cb%3Ac.yaml,line=3,title=APP-003 path-not-found::100%25%0A")
    assert "\r" not in line


def test_markdown_and_pages_show_hostile_text_as_text() -> None:
    found = checked(finding("<script>alert(1)</script> @all", Place("a.yaml", 1)), files={"a.yaml": b"<b>x</b>\n"})
    assert "<script>alert" not in markdown(found, 1.0)
    shown = page(found, 1.0)
    assert "<script>alert" not in shown
    assert "&lt;b&gt;x&lt;/b&gt;" in shown


def test_very_much_to_say_begins_with_what_concerns_most_and_an_offer() -> None:
    many = [finding(f"number {one}", Place(f"{one}.yaml", 1), code="SRC-002") for one in range(20)]
    few = [finding(f"other {code} {one}", code=code) for code in ("A-1", "A-2", "A-3", "A-4", "A-5") for one in (1, 2)]
    lines = screen(checked(*few, *many), 1.0, verbose=False, offer="syncline check --write-baseline").splitlines()
    titles = [line for line in lines if "path-not-found" in line]
    assert len(titles) == 5
    assert "SRC-002" in titles[0]
    assert "20 times in 20 files" in titles[0]
    assert lines[-1] == "to begin with new findings only: syncline check --write-baseline"
    # With a baseline already there, everything is shown.
    assert "A-5" in screen(checked(*few, *many), 1.0, verbose=False)


def test_what_was_put_aside_is_counted() -> None:
    assert "nothing found · 2 silenced · 5 in the baseline" in screen(checked(silenced=2, known=5), 1.0, verbose=False)


SECRET = b"""\
apiVersion: v1
kind: Secret
metadata: {name: login}
stringData:
  user: canary-user
  password: canary-password
  key: |
    canary-key
"""


def test_the_values_of_a_secret_are_in_no_output() -> None:
    key = ObjectKey("", "Secret", "shop", "login")
    place = Place("login.yaml", 6)
    evidence = (Evidence(kind=EvidenceKind.FILE, text="password", subject=key, place=place),)
    one = msgspec.structs.replace(finding("is in Git in plain text", code="SEC-001"), evidence=evidence)
    found = checked(one, files={"login.yaml": SECRET})
    shown = screen(found, 1.0, verbose=True)
    assert "    6 │   password: (hidden)" in shown
    assert "password: (hidden)" in page(found, 1.0)
    outputs = (shown, page(found, 1.0), markdown(found, 1.0), sarif(found), "\n".join(commands(found)))
    assert [text for text in outputs if "canary" in text] == []


def test_the_line_of_any_other_object_is_shown_as_it_is() -> None:
    key = ObjectKey("", "ConfigMap", "shop", "settings")
    evidence = (Evidence(kind=EvidenceKind.FILE, text="colour", subject=key, place=Place("a.yaml", 1)),)
    one = msgspec.structs.replace(finding("is wrong"), evidence=evidence)
    assert "colour: blue" in screen(checked(one, files={"a.yaml": b"colour: blue\n"}), 1.0, verbose=True)
