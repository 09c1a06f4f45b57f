"""Random projects against a simple model of their rules; and whatever a denial tells to do allows what was denied."""

from __future__ import annotations

import fnmatch
import re
import shlex
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from syncline.apimachinery.globs import matches
from syncline.apimachinery.keys import ObjectKey
from syncline.core.policy.denials import Denial
from syncline.core.policy.projects import destination_denials, object_denial, source_denials
from syncline.model import project
from syncline.model.application import Destination
from syncline.model.project import AppProject
from tests.support.objects import typed_application

WORDS = st.text(alphabet="ab", min_size=1, max_size=3)
PATTERNS = st.text(alphabet="ab*?", min_size=1, max_size=3)
RULES = st.builds(lambda no, pattern: f"{no}{pattern}", st.sampled_from(["", "", "!"]), PATTERNS)
KINDS = st.fixed_dictionaries({"group": PATTERNS, "kind": PATTERNS}, optional={"name": PATTERNS})
SPECS = st.fixed_dictionaries(
    {},
    optional={
        "sourceRepos": st.lists(RULES, max_size=3, unique=True),
        "destinations": st.lists(
            st.fixed_dictionaries({"server": RULES, "namespace": RULES}), max_size=3, unique_by=str
        ),
        "clusterResourceWhitelist": st.lists(KINDS, max_size=2),
        "clusterResourceBlacklist": st.lists(KINDS, max_size=2),
        "namespaceResourceWhitelist": st.lists(KINDS, max_size=2),
        "namespaceResourceBlacklist": st.lists(KINDS, max_size=2),
    },
)


def typed(spec: dict[str, Any]) -> AppProject:
    return project.parse({"metadata": {"name": "team"}, "spec": spec})


def hit(value: str, pattern: str) -> bool:
    """The model: these letters and wildcards mean the same to everybody."""
    return fnmatch.fnmatchcase(value, pattern)


@given(st.text(alphabet="ab/", max_size=6), st.text(alphabet="ab*?/", max_size=6))
def test_stars_and_questions_match_what_the_model_says(value: str, pattern: str) -> None:
    assert matches(value, pattern) is hit(value, pattern)
    within = "".join({"*": "[^/]*", "?": "[^/]"}.get(letter, letter) for letter in pattern.replace("**", "*"))
    if "**" not in pattern:
        assert matches(value, pattern, separator="/") is bool(re.fullmatch(within, value))


@given(st.lists(RULES, max_size=4), WORDS)
def test_repositories_are_permitted_as_the_model_says(rules: list[str], repo: str) -> None:
    app = typed_application(source={"repoURL": repo, "path": "x"})
    denied = any(rule[0] == "!" and hit(repo, rule[1:]) for rule in rules)
    allowed = any(rule[0] == "!" or hit(repo, rule) for rule in rules)
    assert (source_denials(app, typed({"sourceRepos": rules})) == ()) is (allowed and not denied)


@given(SPECS, WORDS, WORDS, WORDS)
def test_kinds_are_permitted_as_the_model_says(spec: dict[str, Any], group: str, kind: str, name: str) -> None:
    def listed(field: str) -> bool:
        return any(
            hit(group, one["group"]) and hit(kind, one["kind"]) and hit(name, one.get("name", "*"))
            for one in spec.get(field) or ()
        )

    in_cluster = listed("clusterResourceWhitelist") and not listed("clusterResourceBlacklist")
    anything = spec.get("namespaceResourceWhitelist") is None
    in_namespace = (anything or listed("namespaceResourceWhitelist")) and not listed("namespaceResourceBlacklist")
    open_to_all = typed({**spec, "destinations": [{"server": "*", "namespace": "*"}]})
    there = Destination(server="a")
    assert (object_denial(ObjectKey(group, kind, "", name), there, open_to_all) is None) is in_cluster
    assert (object_denial(ObjectKey(group, kind, "a", name), there, open_to_all) is None) is in_namespace


@given(SPECS, WORDS, WORDS, WORDS)
def test_what_a_denial_tells_to_do_allows_it(spec: dict[str, Any], repo: str, server: str, namespace: str) -> None:
    app = typed_application(
        source={"repoURL": repo, "path": "x"}, destination={"server": server, "namespace": namespace}
    )
    for denials in (source_denials, destination_denials):
        for denial in denials(app, typed(spec)):
            assert denials(app, typed(obeyed(spec, denial))) == ()
    for key in (ObjectKey("a", "b", "", repo), ObjectKey("a", "b", namespace, repo)):
        changed = spec
        while (denied := object_denial(key, app.spec.destination, typed(changed))) is not None:
            after = obeyed(changed, denied)
            assert after != changed, "a denial of the kind may be followed by one of the namespace, and by nothing else"
            changed = after


def obeyed(spec: dict[str, Any], denial: Denial) -> dict[str, Any]:
    """Return the project after the commands of a denial; what it names as deciding is there."""
    at = re.fullmatch(r"spec\.(\w+)(?:\[(\d+)\])?", denial.field)
    assert at is not None
    assert at[2] is None or int(at[2]) < len(spec[at[1]])
    changed = {field: list(entries) for field, entries in spec.items()}
    for told in denial.why.partition(": ")[2].split(" && "):
        program, group, verb, name, *arguments = shlex.split(told)
        assert (program, group, name) == ("syncline", "proj", "team")
        change(changed, verb, arguments)
    return changed


def change(spec: dict[str, Any], verb: str, arguments: list[str]) -> None:
    """Do what a command of `proj` does."""
    if verb in ("add-source", "remove-source"):
        field = "sourceRepos"
        entry: Any = arguments[0]
    elif verb in ("add-destination", "remove-destination"):
        field, entry = "destinations", {"server": arguments[0], "namespace": arguments[1]}
    else:
        *kind, _, which = arguments
        field = f"{verb.split('-')[1]}Resource{'Whitelist' if which == 'allow' else 'Blacklist'}"
        entry = dict(zip(("group", "kind", "name"), kind, strict=False))
        verb = "add" if which == "allow" else "remove"
    if verb.startswith("add"):
        spec.setdefault(field, []).append(entry)
    else:
        spec[field].remove(entry)
