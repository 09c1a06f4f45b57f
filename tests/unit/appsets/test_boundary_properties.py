"""Whatever a set is written with, no Application leaves its project, and refusals write nothing."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from syncline.apimachinery.keys import Object
from syncline.core.appset.changes import Controller
from syncline.core.appset.decide import AppFacts, decide
from tests.unit.appsets.test_boundary import HOME, OWN_UID, PROJECTS, appset, live_app, over, owner, snapshot, writes

NAMES = st.sampled_from(["one", "two", "three"])
WRITTEN = st.sampled_from(["team-a", "team-b", "default", "{{.p}}", "gone", ""])
ELEMENTS = st.lists(
    st.fixed_dictionaries({"name": NAMES, "p": st.sampled_from(["team-a", "team-b", "default"])}),
    min_size=1,
    max_size=3,
    unique_by=lambda one: one["name"],
)
GENERATORS = st.lists(
    st.one_of(
        ELEMENTS.map(lambda elements: {"list": {"elements": elements}}),
        st.builds(lambda project, elements: over(project, *elements), WRITTEN, ELEMENTS),
    ),
    min_size=1,
    max_size=2,
)
OWNERS = st.sampled_from(["none", "own", "older", "other"])
LIVE = st.dictionaries(NAMES, st.tuples(st.sampled_from(["team-a", "team-b", "default"]), OWNERS), max_size=3)
REFERENCES = {
    "own": ("fleet", OWN_UID),
    "older": ("fleet", "older-uid"),
    "other": ("other-set", "other-uid"),
}


def facts_of(name: str, project: str, whose: str) -> tuple[AppFacts, Object]:
    if whose == "none":
        return AppFacts(name, 1, None, project), live_app(name, project)
    controller = Controller("ApplicationSet", *REFERENCES[whose], is_set=True)
    return AppFacts(name, 1, controller, project), live_app(name, project, owner(*REFERENCES[whose]))


@given(
    written=WRITTEN,
    mark=st.sampled_from(["", "team-a", "team-b"]),
    namespace=st.sampled_from([HOME, "a-sets"]),
    generators=GENERATORS,
    live=LIVE,
)
def test_no_application_crosses_a_project(
    written: str, mark: str, namespace: str, generators: list[Any], live: dict[str, tuple[str, str]]
) -> None:
    obj = appset(written, *generators, namespace=namespace, mark=mark)
    known = {name: facts_of(name, *described) for name, described in live.items()}
    decision = decide(
        snapshot(
            obj, {name: facts for name, (facts, _) in known.items()}, {name: app for name, (_, app) in known.items()}
        )
    )
    bound = mark or (written if "{{" not in written else "")
    projects = [one["spec"]["project"] for one in decision.create]
    for change in decision.change:
        before, whose = live[change.name]
        after = change.patch.get("spec", {}).get("project", before)
        projects.append(after)
        assert whose != "other", "an Application of another set is never changed"
        assert whose == "own" or after == before, "what is not its own is never moved to another project"
    if bound:
        assert set(projects) <= {bound}
    if namespace != HOME:
        assert all(namespace in PROJECTS[project].spec.source_namespaces for project in projects)
    assert all(live[one.name][1] == "own" for one in decision.delete)
    if any(one.reason == "ProjectBoundaryError" for one in decision.said):
        assert writes(decision) == []
