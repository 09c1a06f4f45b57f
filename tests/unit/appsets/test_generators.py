"""What each generator makes of what it is told: tables of Argo CD's rules, with and without Go templates."""

from collections.abc import Mapping
from typing import Any

import pytest

from syncline.core.appset.generate import GenerationError, generate
from syncline.core.appset.questions import (
    ClustersQuestion,
    ConfigMapQuestion,
    DirectoriesQuestion,
    Failure,
    File,
    Files,
    FilesQuestion,
    Folders,
    ObjectsQuestion,
    Question,
    Unanswered,
)
from syncline.model.cluster import KnownCluster

REPO = "https://git.example/apps.git"
STAGING = KnownCluster(
    server="https://staging.example",
    name="staging_01",
    labels={"argocd.argoproj.io/secret-type": "cluster", "env": "staging"},
    annotations={"team": "blue"},
)
PRODUCTION = KnownCluster(
    server="https://production.example",
    name="production",
    project="shop",
    labels={"argocd.argoproj.io/secret-type": "cluster", "env": "production"},
)
LOCAL_SECRET = KnownCluster(server="https://kubernetes.default.svc", name="here", labels={"env": "local"})
CLUSTERS: dict[Question, Any] = {ClustersQuestion(): (STAGING, PRODUCTION)}


def appset(*generators: Any, go: bool = False, **more: Any) -> dict[str, Any]:
    spec = {"generators": list(generators), "goTemplate": go, "template": {"metadata": {"name": "app"}, "spec": {}}}
    return {"metadata": {"name": "set", "namespace": "argocd"}, "spec": {**spec, **more}}


def parameters(*generators: Any, answers: Mapping[Question, Any] | None = None, go: bool = False) -> list[Any]:
    return [one.values for one in generate(appset(*generators, go=go), answers or {})]


def refusal(*generators: Any, answers: Mapping[Question, Any] | None = None, go: bool = False) -> str:
    with pytest.raises(GenerationError) as error:
        generate(appset(*generators, go=go), answers or {})
    return error.value.message


def folders(*paths: str, revision: str = "main") -> dict[Question, Any]:
    return {DirectoriesQuestion(REPO, revision): Folders("1" * 40, paths)}


def files(contents: Mapping[str, str], *patterns: str, excluded: tuple[str, ...] = ()) -> dict[Question, Any]:
    found = tuple(File(path, text.encode()) for path, text in sorted(contents.items()))
    return {FilesQuestion(REPO, "main", "", patterns, excluded): Files("1" * 40, found)}


def git(**more: Any) -> dict[str, Any]:
    return {"git": {"repoURL": REPO, "revision": "main", **more}}


# list


def test_elements_are_parameters() -> None:
    elements = [{"cluster": "a", "values": {"size": "1"}}, {"cluster": "b"}]
    assert parameters({"list": {"elements": elements}}) == [{"cluster": "a", "values.size": "1"}, {"cluster": "b"}]


def test_elements_of_go_templates_are_any_json() -> None:
    elements = [{"port": 80, "on": True, "values": {"size": 1}, "none": None}]
    assert parameters({"list": {"elements": elements}}, go=True) == [
        {"port": 80.0, "on": True, "values": {"size": 1.0}, "none": None}
    ]


def test_elements_yaml_comes_after_elements_and_stays_as_it_is() -> None:
    generator = {"list": {"elements": [{"a": "1"}], "elementsYaml": "- a: x\n  b: 2\n- a: z\n"}}
    assert parameters(generator) == [{"a": "1"}, {"a": "x", "b": 2.0}, {"a": "z"}]


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({"elements": [{"port": 80}]}, "spec.generators[0].list.elements[0].port is not a string"),
        ({"elements": [{"values": {"a": 1}}]}, "elements[0].values.a is not a string"),
        ({"elements": [{"values": "x"}]}, "elements[0].values is not a map"),
        ({"elements": ["x"]}, "elements[0] is not a map"),
        ({"elementsYaml": "a: 1"}, "elementsYaml is not a list of maps"),
        ({"elementsYaml": "- ["}, "elementsYaml cannot be read as YAML"),
    ],
)
def test_elements_that_cannot_be_used_are_told(block: dict[str, Any], words: str) -> None:
    assert words in refusal({"list": block})


# clusters


def test_clusters_are_those_of_secrets_and_the_local_one() -> None:
    assert parameters({"clusters": {}}, answers=CLUSTERS) == [
        {
            "name": "in-cluster",
            "nameNormalized": "in-cluster",
            "server": "https://kubernetes.default.svc",
            "project": "",
        },
        {
            "name": "staging_01",
            "nameNormalized": "staging-01",
            "server": "https://staging.example",
            "project": "",
            "metadata.annotations.team": "blue",
            "metadata.labels.argocd.argoproj.io/secret-type": "cluster",
            "metadata.labels.env": "staging",
        },
        {
            "name": "production",
            "nameNormalized": "production",
            "server": "https://production.example",
            "project": "shop",
            "metadata.labels.argocd.argoproj.io/secret-type": "cluster",
            "metadata.labels.env": "production",
        },
    ]


def test_labels_and_annotations_are_nested_for_go_templates() -> None:
    local, staging = parameters({"clusters": {}}, answers={ClustersQuestion(): (STAGING,)}, go=True)
    assert staging["metadata"] == {"annotations": {"team": "blue"}, "labels": dict(STAGING.labels)}
    assert "metadata" not in local


@pytest.mark.parametrize(
    ("block", "names"),
    [
        ({"selector": {"matchLabels": {"env": "staging"}}}, ["staging_01"]),
        ({"selector": {"matchExpressions": [{"key": "env", "operator": "Exists"}]}}, ["staging_01", "production"]),
        (
            {"selector": {"matchExpressions": [{"key": "env", "operator": "NotIn", "values": ["staging"]}]}},
            ["production"],
        ),
        ({"selector": {}}, ["in-cluster", "staging_01", "production"]),
        ({"selector": {"matchLabels": {"env": "none"}}}, []),
    ],
)
def test_a_selector_looks_at_labels_and_leaves_the_local_cluster_out(block: dict[str, Any], names: list[str]) -> None:
    assert [one["name"] for one in parameters({"clusters": block}, answers=CLUSTERS)] == names


def test_a_secret_for_the_local_cluster_stands_for_it() -> None:
    found = parameters({"clusters": {}}, answers={ClustersQuestion(): (LOCAL_SECRET,)})
    assert [one["name"] for one in found] == ["here"]


def test_values_refer_to_parameters_and_not_to_one_another() -> None:
    block = {"values": {"url": "https://{{name}}.example", "other": "{{values.url}}"}}
    found = parameters({"clusters": block}, answers={ClustersQuestion(): ()})
    assert found[0]["values.url"] == "https://in-cluster.example"
    assert found[0]["values.other"] == "{{values.url}}"


def test_a_flat_list_is_one_set_of_parameters() -> None:
    (found,) = parameters({"clusters": {"flatList": True}}, answers=CLUSTERS)
    assert [one["name"] for one in found["clusters"]] == ["in-cluster", "staging_01", "production"]


# git


def test_a_folder_is_told_by_its_path_and_the_parts_of_it() -> None:
    answers = folders("apps", "apps/Web_1")
    assert parameters(git(directories=[{"path": "apps/*"}]), answers=answers) == [
        {
            "path": "apps/Web_1",
            "path.basename": "Web_1",
            "path.basenameNormalized": "web-1",
            "path[0]": "apps",
            "path[1]": "Web_1",
        }
    ]
    assert parameters(git(directories=[{"path": "apps/*"}]), answers=answers, go=True) == [
        {
            "path": {
                "path": "apps/Web_1",
                "basename": "Web_1",
                "basenameNormalized": "web-1",
                "segments": ("apps", "Web_1"),
            }
        }
    ]


@pytest.mark.parametrize(
    ("items", "found"),
    [
        ([{"path": "*"}], ["a", "b"]),
        ([{"path": "*/*"}], ["a/x", "a/y", "b/x"]),
        ([{"path": "*/*"}, {"path": "a/x", "exclude": True}], ["a/y", "b/x"]),
        ([{"path": "a/x", "exclude": True}, {"path": "a/*"}], ["a/y"]),
        ([{"path": "a/*"}, {"path": "*/x"}], ["a/x", "a/y", "b/x"]),
        ([{"path": "*", "exclude": True}], []),
        ([{"path": "c"}], []),
    ],
)
def test_folders_are_taken_by_pattern_and_excluded_ones_never(items: list[Any], found: list[str]) -> None:
    answers = folders("a", "a/x", "a/y", "b", "b/x")
    assert [one["path"] for one in parameters(git(directories=items), answers=answers)] == found


@pytest.mark.parametrize(
    ("go", "found"),
    [
        (False, {"my.path": "a", "my.path.basename": "a", "my.path.basenameNormalized": "a", "my.path[0]": "a"}),
        (True, {"my": {"path": {"path": "a", "basename": "a", "basenameNormalized": "a", "segments": ("a",)}}}),
    ],
)
def test_a_prefix_keeps_two_git_generators_apart(go: bool, found: dict[str, Any]) -> None:
    generator = git(directories=[{"path": "*"}], pathParamPrefix="my")
    assert parameters(generator, answers=folders("a"), go=go) == [found]


def test_a_file_says_parameters_and_where_it_is() -> None:
    answers = files({"config/dev.yaml": "name: dev\nports: [80, 12345678]\nempty: {}\n"}, "config/*.yaml")
    assert parameters(git(files=[{"path": "config/*.yaml"}]), answers=answers) == [
        {
            "name": "dev",
            "ports.0": "80",
            "ports.1": "1.2345678e+07",
            "path": "config",
            "path.basename": "config",
            "path.basenameNormalized": "config",
            "path.filename": "dev.yaml",
            "path.filenameNormalized": "dev.yaml",
            "path[0]": "config",
        }
    ]
    (found,) = parameters(git(files=[{"path": "config/*.yaml"}]), answers=answers, go=True)
    assert found == {
        "name": "dev",
        "ports": [80.0, 12345678.0],
        "empty": {},
        "path": {
            "path": "config",
            "basename": "config",
            "basenameNormalized": "config",
            "filename": "dev.yaml",
            "filenameNormalized": "dev.yaml",
            "segments": ("config",),
        },
    }


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"a": "1"}', [{"a": "1"}]),
        ('[{"a": "1"}, {"a": "2"}]', [{"a": "1"}, {"a": "2"}]),
        ("- a: x\n- {}\n", [{"a": "x"}, {}]),
        ("", [{}]),
        ("# nothing\n", [{}]),
        ("a: x\n---\na: y\n", [{"a": "x"}]),
    ],
)
def test_a_file_is_a_map_or_a_list_of_maps(text: str, found: list[dict[str, str]]) -> None:
    made = parameters(git(files=[{"path": "f.json"}]), answers=files({"f.json": text}, "f.json"))
    assert [{name: value for name, value in one.items() if not name.startswith("path")} for one in made] == found
    assert all(one["path"] == "." and one["path[0]"] == "." for one in made)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("- x\n", "f.json:1 is not a map"),
        ("text", "f.json is neither a map nor a list of maps"),
        ("a: [", "f.json:2"),
    ],
)
def test_a_file_that_says_no_parameters_is_told(text: str, words: str) -> None:
    assert words in refusal(git(files=[{"path": "f.json"}]), answers=files({"f.json": text}, "f.json"))


def test_excluded_files_are_asked_for_as_such() -> None:
    items = [{"path": "a/*.json"}, {"path": "a/no.json", "exclude": True}]
    answers = files({"a/yes.json": "{}"}, "a/*.json", excluded=("a/no.json",))
    assert len(parameters(git(files=items), answers=answers)) == 1


def test_credentials_are_those_of_the_project_unless_that_is_a_template() -> None:
    for project, asked in (("shop", "shop"), ("{{name}}", "")):
        template = {"metadata": {"name": "app"}, "spec": {"project": project}}
        with pytest.raises(Unanswered) as unanswered:
            generate(appset(git(directories=[{"path": "*"}]), template=template), {})
        assert unanswered.value.questions == {DirectoriesQuestion(REPO, "main", asked)}


def test_a_repository_that_cannot_be_read_stops_everything() -> None:
    answers: dict[Question, Any] = {DirectoriesQuestion(REPO, "main"): Failure("authentication required")}
    generators = ({"list": {"elements": [{"a": "1"}]}}, git(directories=[{"path": "*"}]))
    assert refusal(*generators, answers=answers) == "authentication required"


# clusterDecisionResource

PLACEMENTS = ObjectsQuestion("rules.example/v1", "placements", "fleet")
DUCK = {"apiVersion": "rules.example/v1", "kind": "placements", "statusListKey": "decisions", "matchKey": "clusterName"}


def decided(told: Any, *decisions: Any) -> dict[Question, Any]:
    placement = {"metadata": {"name": "fleet"}, "status": {"decisions": list(decisions)}}
    return {**CLUSTERS, ConfigMapQuestion("duck"): told, PLACEMENTS: (placement,)}


@pytest.mark.parametrize("go", [True, False])
def test_clusters_are_those_that_were_decided_for_and_are_known(go: bool) -> None:
    block = {"configMapRef": "duck", "name": "fleet", "values": {"tier": "{{name}}"}}
    answers = decided(DUCK, {"clusterName": "production", "weight": 3}, {"clusterName": "gone"}, {"other": "x"})
    (found,) = parameters({"clusterDecisionResource": block}, answers=answers, go=go)
    values = found.pop("values") if go else {"tier": found.pop("values.tier")}
    assert values == {"tier": "{{name}}"}
    assert found == {
        "name": "production",
        "server": "https://production.example",
        "clusterName": "production",
        "weight": "3",
    }


@pytest.mark.parametrize(
    ("block", "told", "words"),
    [
        ({"configMapRef": "duck"}, DUCK, "needs either a name or a labelSelector"),
        ({"configMapRef": "duck", "name": "fleet"}, {"kind": "x"}, "ConfigMap duck needs kind (the plural)"),
    ],
)
def test_a_decision_that_cannot_be_found_is_told(block: Any, told: Any, words: str) -> None:
    assert words in refusal({"clusterDecisionResource": block}, answers=decided(told))


def test_no_object_that_decides_is_an_error_and_no_matching_key_is_none() -> None:
    block = {"configMapRef": "duck", "name": "fleet"}
    nobody = {**decided(DUCK), PLACEMENTS: ()}
    assert "there is no placements" in refusal({"clusterDecisionResource": block}, answers=nobody)
    keyless = decided({**DUCK, "matchKey": ""}, {"clusterName": "production"})
    assert parameters({"clusterDecisionResource": block}, answers=keyless) == []


# matrix


def matrix(*generators: Any) -> dict[str, Any]:
    return {"matrix": {"generators": list(generators)}}


def listed(*elements: dict[str, Any]) -> dict[str, Any]:
    return {"list": {"elements": list(elements)}}


def test_a_matrix_pairs_everything() -> None:
    found = parameters(matrix(listed({"a": "1"}, {"a": "2"}), listed({"b": "x"}, {"b": "y"})))
    assert found == [{"a": "1", "b": "x"}, {"a": "1", "b": "y"}, {"a": "2", "b": "x"}, {"a": "2", "b": "y"}]


def test_the_second_generator_is_filled_with_the_parameters_of_the_first() -> None:
    second = git(directories=[{"path": "apps/{{env}}/*"}], revision="{{branch}}")
    found = parameters(
        matrix(listed({"env": "dev", "branch": "next"}, {"env": "prod", "branch": "main"}), second),
        answers=folders("apps/dev/a", "apps/prod/a", revision="next") | folders("apps/dev/b", "apps/prod/b"),
    )
    assert [(one["env"], one["path"]) for one in found] == [("dev", "apps/dev/a"), ("prod", "apps/prod/b")]


def test_all_that_a_matrix_has_to_know_is_asked_at_once() -> None:
    second = git(directories=[{"path": "*"}], revision="{{branch}}")
    with pytest.raises(Unanswered) as unanswered:
        generate(appset(matrix(listed({"branch": "a"}, {"branch": "b"}), second)), {})
    assert unanswered.value.questions == {DirectoriesQuestion(REPO, "a"), DirectoriesQuestion(REPO, "b")}


def test_equal_names_need_equal_values_without_go_templates() -> None:
    assert parameters(matrix(listed({"a": "1"}), listed({"a": "1", "b": "2"}))) == [{"a": "1", "b": "2"}]
    words = "both generators give the parameter a, as '1' and as '2'"
    assert words in refusal(matrix(listed({"a": "1"}), listed({"a": "2"})))


def test_the_first_generator_wins_with_go_templates() -> None:
    found = parameters(
        matrix(listed({"a": "1", "deep": {"x": "1"}}), listed({"a": "2", "deep": {"x": "2", "y": "3"}})), go=True
    )
    assert found == [{"a": "1", "deep": {"x": "1", "y": "3"}}]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_matrix_has_two_generators(count: int) -> None:
    assert f"has {count} generators: a matrix has exactly two" in refusal(matrix(*[listed({"a": "1"})] * count))


def test_generators_nest() -> None:
    inner = matrix(listed({"b": "x"}, {"b": "y"}), listed({"c": "{{b}}{{a}}"}))
    found = parameters(matrix(listed({"a": "1"}), inner))
    # What is inside is filled with outer parameters first; a name that is not known there stays for later.
    assert found == [{"a": "1", "b": "x", "c": "x1"}, {"a": "1", "b": "y", "c": "y1"}]


def test_values_of_the_second_generator_may_name_its_own_parameters() -> None:
    second = {"clusters": {"values": {"host": "{{env}}.{{name}}"}}}
    found = parameters(matrix(listed({"env": "dev"}), second), answers={ClustersQuestion(): ()})
    assert found[0]["values.host"] == "dev.in-cluster"


# merge


def merge(keys: list[str], *generators: Any) -> dict[str, Any]:
    return {"merge": {"mergeKeys": keys, "generators": list(generators)}}


def test_later_generators_override_where_keys_are_equal() -> None:
    base = listed({"k": "1", "v": "a", "w": "b"}, {"k": "2", "v": "a"})
    found = parameters(
        merge(["k"], base, listed({"k": "1", "v": "x"}, {"k": "3", "v": "y"}), listed({"k": "2", "z": "!"}))
    )
    assert found == [{"k": "1", "v": "x", "w": "b"}, {"k": "2", "v": "a", "z": "!"}]


def test_several_keys_have_to_be_equal() -> None:
    found = parameters(
        merge(["a", "b"], listed({"a": "1", "b": "1"}, {"a": "1", "b": "2"}), listed({"a": "1", "b": "2", "c": "x"}))
    )
    assert found == [{"a": "1", "b": "1"}, {"a": "1", "b": "2", "c": "x"}]


def test_parameters_of_go_templates_are_merged_in_depth() -> None:
    found = parameters(merge(["k"], listed({"k": 1, "d": {"x": 1, "y": 1}}), listed({"k": 1, "d": {"y": 2}})), go=True)
    assert found == [{"k": 1.0, "d": {"x": 1.0, "y": 2.0}}]


@pytest.mark.parametrize(
    ("generator", "words"),
    [
        (merge(["k"], listed({"k": "1"})), "has 1 generators: a merge needs at least two"),
        (merge([], listed({"k": "1"}), listed({"k": "1"})), "has no mergeKeys"),
        (merge(["k"], listed({"k": "1"}, {"k": "1"}), listed({"k": "1"})), 'generators[0] gives {"k":"1"} twice'),
        (merge(["k"], listed({"k": "1"}), listed({"a": "1"}, {"a": "2"})), 'generators[1] gives {"k":null} twice'),
    ],
)
def test_a_merge_that_is_not_clear_is_told(generator: dict[str, Any], words: str) -> None:
    assert words in refusal(generator)


# selectors


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        ({"matchLabels": {"env": "dev"}}, ["1"]),
        ({"matchLabels": {"url": "https://b.example/x"}}, ["2"]),
        ({"matchExpressions": [{"key": "env", "operator": "In", "values": ["dev", "prod"]}]}, ["1", "2"]),
        ({"matchExpressions": [{"key": "env", "operator": "NotIn", "values": ["dev"]}]}, ["2", "3"]),
        ({"matchExpressions": [{"key": "env", "operator": "DoesNotExist"}]}, ["3"]),
        ({"matchLabels": {"env": "dev"}, "matchExpressions": [{"key": "url", "operator": "DoesNotExist"}]}, []),
        ({}, ["1", "2", "3"]),
        (None, ["1", "2", "3"]),
    ],
)
def test_a_selector_filters_parameters_with_any_values(selector: Any, found: list[str]) -> None:
    elements = [
        {"n": "1", "env": "dev", "url": "https://a.example"},
        {"n": "2", "env": "prod", "url": "https://b.example/x"},
    ]
    generator = {**listed(*elements, {"n": "3"}), "selector": selector}
    assert [one["n"] for one in parameters(generator)] == found


def test_a_selector_names_nested_parameters_with_dots() -> None:
    chosen = {"matchLabels": {"m.env": "staging"}}
    found = parameters({**listed({"m": {"env": "staging"}}, {"m": {"env": "x"}}), "selector": chosen}, go=True)
    assert found == [{"m": {"env": "staging"}}]


def test_a_map_of_texts_stays_whole_for_selectors_of_go_templates() -> None:
    chosen = {"matchLabels": {"metadata.labels.env": "staging"}}
    assert parameters({"clusters": {}, "selector": chosen}, answers=CLUSTERS, go=True) == []
    assert len(parameters({"clusters": {}, "selector": chosen}, answers=CLUSTERS)) == 1


def test_selectors_of_inner_generators_count_too() -> None:
    inner = {**listed({"b": "x"}, {"b": "y"}), "selector": {"matchLabels": {"b": "y"}}}
    assert parameters(matrix(listed({"a": "1"}), inner)) == [{"a": "1", "b": "y"}]


def test_a_selector_that_is_none_is_told() -> None:
    generator = {**listed({"a": "1"}), "selector": {"matchExpressions": [{"key": "a", "operator": "Like"}]}}
    assert 'spec.generators[0].selector: "Like" is not a valid label selector operator' in refusal(generator)


# the whole set


def test_an_entry_without_a_known_generator_is_told() -> None:
    assert "spec.generators[0] names no known generator (it names crystalBall)" in refusal({"crystalBall": {}})


def test_a_mistake_in_a_generator_names_its_field() -> None:
    assert "spec.generators[0].git cannot be read" in refusal({"git": {"repoURL": REPO}})


def test_the_template_of_a_generator_wins_over_that_of_the_set() -> None:
    own = {"metadata": {"labels": {"from": "generator"}}, "spec": {"project": "own", "source": {"path": "own"}}}
    base = {
        "metadata": {"name": "app-{{a}}", "labels": {"from": "set", "more": "{{a}}"}},
        "spec": {"project": "base", "source": {"path": "base", "repoURL": REPO}},
    }
    (one,) = generate(appset({"list": {"elements": [{"a": "1"}], "template": own}}, template=base), {})
    assert one.obj["metadata"]["name"] == "app-1"
    assert one.obj["metadata"]["labels"] == {"from": "generator", "more": "1"}
    assert one.obj["spec"] == {"project": "own", "source": {"path": "own", "repoURL": REPO}}


@pytest.mark.parametrize(
    ("policy", "given", "finalizers"),
    [
        ({}, [], ["resources-finalizer.argocd.argoproj.io"]),
        ({"preserveResourcesOnDeletion": True}, [], None),
        ({}, ["own/finalizer"], ["own/finalizer"]),
    ],
)
def test_applications_delete_their_objects_unless_those_are_kept(
    policy: Any, given: list[str], finalizers: Any
) -> None:
    template = {"metadata": {"name": "app", "finalizers": given}, "spec": {}}
    (one,) = generate(appset(listed({"a": "1"}), template=template, syncPolicy=policy), {})
    assert one.obj["metadata"].get("finalizers") == finalizers
    assert one.obj["metadata"]["namespace"] == "argocd"


def test_one_template_that_fails_stops_everything() -> None:
    template = {"metadata": {"name": "app"}, "spec": {}}
    with pytest.raises(GenerationError) as error:
        generate(appset(listed({"a": "1"}, {"a": "2"}), template=template, templatePatch="{{a"), {})
    assert error.value.reason == "RenderTemplateParamsError"
    assert error.value.message.endswith(
        "with the parameters of spec.generators[0].list.elements[0], spec.generators[0].list.elements[1]"
    )


def test_every_application_knows_where_its_parameters_come_from() -> None:
    answers = files({"config.yaml": "# two\n- a: x\n- a: y\n"}, "config.yaml")
    made = generate(appset(matrix(listed({"b": "1"}), git(files=[{"path": "config.yaml"}]))), answers)
    assert [[tuple(origin) for origin in one.origins] for one in made] == [
        [
            ("spec.generators[0].matrix.generators[0].list.elements[0]", "", "", 0),
            ("spec.generators[0].matrix.generators[1].git", REPO, "config.yaml", line),
        ]
        for line in (2, 3)
    ]
