"""Findings that one line causes in several apps are one for people, and stay several where they differ."""

from syncline.core.diagnose.findings.joined import joined
from syncline.model.errors import Place
from syncline.model.finding import Evidence, EvidenceKind, Finding, Severity


def finding(subject: str, message: str, line: int = 3) -> Finding:
    evidence = (Evidence(kind=EvidenceKind.FILE, text=subject, place=Place("values.yaml", line)),)
    return Finding(
        code="SRC-001", name="a", severity=Severity.ERROR, subject=subject, message=message, evidence=evidence
    )


def test_what_one_line_causes_in_several_apps_is_one_finding_with_a_count() -> None:
    found = joined([finding(f"argocd/{name}", f"argocd/{name}: it fails") for name in "abcdef"])
    assert [(one.message, one.count) for one in found] == [
        ("argocd/a: it fails (the same in argocd/b, argocd/c, argocd/d and 2 more)", 6)
    ]


def test_objects_are_told_by_their_apps() -> None:
    found = joined([finding("Deployment/web", f"Deployment/web of argocd/{name}: no") for name in ("dev", "prod")])
    assert [one.message for one in found] == ["Deployment/web of argocd/dev: no (the same in argocd/prod)"]


def test_names_with_hashes_are_those_of_one_object() -> None:
    messages = [
        f"Deployment/web of argocd/{name} needs settings-{hash_}"
        for name, hash_ in (("a", "6d4tt6h846"), ("b", "gb8bkbtgb7"))
    ]
    assert len(joined([finding("Deployment/web", message) for message in messages])) == 1


def test_other_lines_and_other_words_stay_apart_and_in_order() -> None:
    listed = [
        finding("argocd/a", "argocd/a: it fails"),
        finding("argocd/b", "argocd/b: it fails", line=4),
        finding("argocd/c", "argocd/c: it fails otherwise"),
        finding("argocd/d", "argocd/d: it fails", line=0),
        finding("argocd/e", "argocd/e: it fails", line=0),
    ]
    assert joined(listed) == tuple(listed)
