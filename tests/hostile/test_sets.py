"""Items 1 to 4: an ApplicationSet of a team generates in its project alone, takes nothing over, and asks no other host.

The sets come in by two ways: through the API as alice, and as objects in the control plane's namespace with a literal
project, as a root Application of the operator delivers them.
"""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from tests.hostile import network, oracle
from tests.hostile.installation import API, HOME, IN_CLUSTER, Installation, application, secret

Json = dict[str, Any]


def _template(installation: Installation, name: str = "{{name}}", **spec: Any) -> Json:
    app = application("x", "team-a", installation.url("team-a/main"), "honest", "team-a-main", auto=False)
    return {"metadata": {"name": name}, "spec": {**app["spec"], **spec}}


def _set(name: str, template: Json, *generators: Json, **spec: Any) -> Json:
    about = {"name": name, "namespace": HOME}
    return {
        "apiVersion": API,
        "kind": "ApplicationSet",
        "metadata": about,
        "spec": {"generators": list(generators), "template": template, **spec},
    }


def _elements(*names: str, **more: Any) -> Json:
    return {"list": {"elements": [{"name": name} for name in names], **more}}


def _applied(installation: Installation, made: Json) -> Json:
    """Store a set as the operator's Git does, and return it once the controller has judged it."""
    installation.create(made)
    return _judged(installation, made["metadata"]["name"])


def _judged(installation: Installation, name: str) -> Json:
    def seen() -> Json | None:
        found = installation.read("ApplicationSet", name)
        return found if found and (found.get("status") or {}).get("conditions") else None

    return installation.until(seen, f"the judgement of the set {name}", 60)


def _refused(made: Json) -> str:
    """Return why a set was refused; fail where it was not."""
    wrong = [
        entry
        for entry in made["status"]["conditions"]
        if entry["type"] == "ErrorOccurred" and entry["status"] == "True"
    ]
    assert wrong, f"{made['metadata']['name']} was not refused: {made['status']['conditions']}"
    return str(wrong[0].get("message", ""))


def _leaving(project: str, namespace: str = "") -> Json:
    destination = {"server": IN_CLUSTER, "namespace": namespace} if namespace else {}
    return {"metadata": {}, "spec": {"project": project, "destination": destination}}


ESCAPES: dict[str, Json] = {
    "template": {"template": _leaving("default")},
    "other-team": {"template": _leaving("team-b", "team-b-main")},
    "parameter": {"template": _leaving("{{project}}")},
}


def _escape(installation: Installation, kind: str) -> Json:
    victim = f"escaped-{kind}"
    template = _template(installation, victim)
    if kind in ESCAPES:
        generator = {"list": {"elements": [{"name": "x", "project": "default"}], **ESCAPES[kind]}}
        return _set(f"set-{kind}", template, generator)
    if kind == "patch":
        return _set(f"set-{kind}", template, _elements("x"), goTemplate=True, templatePatch="spec: {project: default}")
    nested = {"list": {"elements": [{"name": "x"}], "template": _leaving("default")}}
    if kind == "matrix":
        other = {"list": {"elements": [{"other": "y"}]}}
        return _set(f"set-{kind}", template, {"matrix": {"generators": [nested, other], **ESCAPES["template"]}})
    return _set(
        f"set-{kind}",
        template,
        {"merge": {"mergeKeys": ["name"], "generators": [nested, _elements("x")], **ESCAPES["template"]}},
    )


ALL_ESCAPES = [*ESCAPES, "patch", "matrix", "merge"]


@pytest.mark.parametrize("kind", ALL_ESCAPES)
def test_set_cannot_generate_outside_its_project(installation: Installation, kind: str) -> None:
    made = _applied(installation, _escape(installation, kind))
    if kind == "patch":
        # As in Argo CD a patch does not move an Application: it is generated, in the project of the template.
        def generated() -> Json | None:
            return installation.application("escaped-patch")

        app = installation.until(generated, "the Application of the set", 60)
        installation.delete(made)
        installation.delete(app)
        assert app["spec"]["project"] == "team-a"
    else:
        installation.delete(made)
        assert "project" in _refused(made)
        assert installation.application(f"escaped-{kind}") is None


@pytest.mark.parametrize("kind", ALL_ESCAPES)
def test_api_refuses_a_set_that_leaves_its_project(installation: Installation, kind: str) -> None:
    body = _escape(installation, kind)
    body["metadata"]["name"] += "-api"
    answer = installation.as_("alice").post("/api/v1/applicationsets", body)
    if kind == "parameter":
        # Which project a parameter names is known at generation alone: then the whole set is refused.
        assert answer.status == 200, answer.text
        assert answer.json["metadata"]["annotations"]["syncline.io/project"] == "team-a"
        made = _judged(installation, body["metadata"]["name"])
        assert "project" in _refused(made)
        installation.delete(made)
    else:
        oracle.answer_refused(answer, 400, 403)
        assert installation.read("ApplicationSet", body["metadata"]["name"]) is None
    assert installation.application(f"escaped-{kind}") is None


def test_tenant_may_not_write_a_set_with_a_templated_project(installation: Installation) -> None:
    for project in ("{{project}}", "{{ .project }}", "team-{{x}}", "{{'team-a'}}"):
        body = _set("templated", _template(installation, "evil", project=project), _elements("x"))
        oracle.answer_refused(installation.as_("alice").post("/api/v1/applicationsets", body), 400, 403)


def test_refused_set_does_not_look_like_one_that_shrinks(installation: Installation) -> None:
    """What it generated before stays, unchanged."""
    made = _set("growing", _template(installation, "grown-{{name}}"), _elements("a", "b"))
    installation.create(made)
    installation.until(lambda: installation.application("grown-b") is not None, "two Applications", 60)
    hostile = _elements("a", template=_leaving("default"))
    made["spec"]["generators"] = [hostile]
    installation.api.ok(
        "PATCH",
        f"/apis/{API}/namespaces/{HOME}/applicationsets/growing",
        {"spec": made["spec"]},
        content_type="application/merge-patch+json",
    )

    def seen() -> bool:
        found = installation.read("ApplicationSet", "growing") or {}
        return any(
            entry["type"] == "ErrorOccurred" and entry["status"] == "True"
            for entry in (found.get("status") or {}).get("conditions") or ()
        )

    installation.until(seen, "the refusal", 60)
    kept = [installation.application(f"grown-{name}") for name in ("a", "b")]
    assert [(app or {}).get("spec", {}).get("project") for app in kept] == ["team-a", "team-a"]
    installation.delete(made)


def _provider(kind: str, api: str, reference: Json) -> Json:
    providers: dict[str, Json] = {
        "github": {"scmProvider": {"github": {"organization": "x", "api": api, "tokenRef": reference}}},
        "gitlab": {"scmProvider": {"gitlab": {"group": "x", "api": api, "tokenRef": reference}}},
        "gitea": {"scmProvider": {"gitea": {"owner": "x", "api": api, "tokenRef": reference}}},
        "bitbucketServer": {
            "scmProvider": {
                "bitbucketServer": {
                    "project": "x",
                    "api": api,
                    "basicAuth": {"username": "x", "passwordRef": reference},
                }
            }
        },
        "azureDevOps": {
            "scmProvider": {
                "azureDevOps": {"organization": "x", "teamProject": "y", "api": api, "accessTokenRef": reference}
            }
        },
        "pulls-github": {
            "pullRequest": {
                "github": {"owner": "x", "repo": "y", "api": api, "tokenRef": reference},
                "requeueAfterSeconds": 30,
            }
        },
        "pulls-gitlab": {
            "pullRequest": {"gitlab": {"project": "x", "api": api, "tokenRef": reference}, "requeueAfterSeconds": 30}
        },
        "pulls-gitea": {
            "pullRequest": {
                "gitea": {"owner": "x", "repo": "y", "api": api, "tokenRef": reference},
                "requeueAfterSeconds": 30,
            }
        },
    }
    return providers[kind]


PROVIDERS = [
    "github",
    "gitlab",
    "gitea",
    "bitbucketServer",
    "azureDevOps",
    "pulls-github",
    "pulls-gitlab",
    "pulls-gitea",
]


def test_token_reference_sends_no_secret_to_any_host(installation: Installation) -> None:
    """Item 2: not the signing key, not a Secret without the label, and nothing at all to a host nobody permits."""
    attacker = installation.outside()
    references = {
        "key": ("argocd-secret", "server.secretkey"),
        "plain": ("scm", "token"),
        "repo": ("repo-private", "password"),
    }
    names = []
    for kind in PROVIDERS:
        for word, (name, key) in references.items():
            label = f"token-{kind.lower()}-{word}"
            generator = _provider(kind, attacker.url(label, network.PUBLIC), {"secretName": name, "key": key})
            installation.create(_set(label, _template(installation, f"{label}-x"), generator))
            names.append(label)
    for name in names:
        made = _judged(installation, name)
        _refused(made)
        oracle.no_canary(installation, json.dumps(made.get("status")), f"the status of {name}")
    heard = [request for name in names for request in attacker.heard(name)]
    assert not heard, heard[0]
    for name in names:
        installation.delete(_set(name, {}))


def test_labelled_token_goes_to_permitted_hosts_alone(installation: Installation) -> None:
    label = {"argocd.argoproj.io/secret-type": "scm-creds"}
    installation.apply(secret("labelled", HOME, {"token": installation.canaries["scm-token"]}, **label))
    attacker = installation.outside()
    generator = _provider(
        "github", attacker.url("labelled-token", network.PUBLIC), {"secretName": "labelled", "key": "token"}
    )
    made = _applied(installation, _set("labelled-token", _template(installation, "labelled-x"), generator))
    _refused(made)
    assert not attacker.heard("labelled-token")
    installation.delete(made)


def test_plugin_generator_sends_no_signing_key(installation: Installation) -> None:
    from tests.hostile.installation import config_map

    listener = installation.outside()
    installation.apply(
        config_map(
            "evil-plugin",
            HOME,
            {"token": "$argocd-secret:server.secretkey", "baseUrl": listener.url("plugin-set", network.PUBLIC)},
        )
    )
    generator = {"plugin": {"configMapRef": {"name": "evil-plugin"}, "requeueAfterSeconds": 30}}
    made = _applied(installation, _set("plugin-set", _template(installation, "plugin-x"), generator))
    heard = listener.heard("plugin-set")
    oracle.no_canary(installation, "\n".join(heard), "the request to the plugin")
    oracle.no_canary(installation, json.dumps(made["status"]), "the status")
    installation.delete(made)


def test_set_takes_no_application_of_another_project_over(installation: Installation) -> None:
    """Item 3: the name of a neighbour's Application, and nothing of it changes."""
    before = installation.application("neighbour")
    assert before is not None
    made = _applied(installation, _set("taker", _template(installation, "{{name}}"), _elements("neighbour")))
    _refused(made)
    after = installation.application("neighbour")
    assert after is not None
    assert (after["spec"], after["metadata"].get("ownerReferences")) == (before["spec"], None)
    installation.delete(made)
    time.sleep(2)
    assert installation.application("neighbour") is not None, "deleting the set deleted what it never owned"


@pytest.mark.parametrize("place", ["private/vault", "team-b/main"])
@pytest.mark.parametrize("kind", ["files", "directories"])
def test_git_generator_reads_only_what_the_project_permits(installation: Installation, place: str, kind: str) -> None:
    """Item 4: refused before any contact."""
    label = f"reader-{place.replace('/', '-')}-{kind}"
    asked = len(installation.git.requests)
    chosen = {"files": [{"path": "params.json"}]} if kind == "files" else {"directories": [{"path": "*"}]}
    generator = {"git": {"repoURL": installation.url(place), "revision": "HEAD", **chosen}}
    made = _applied(installation, _set(label, _template(installation, f"{label}-x"), generator))
    assert "not permitted" in _refused(made)
    asked_after = [line for line in installation.git.requests[asked:] if place in line]
    assert not [line for line in asked_after if "private" in line], asked_after
    oracle.no_canary(installation, json.dumps(made["status"]), "the status of the set")
    for app in installation.as_("alice").get("/api/v1/applications").json["items"]:
        oracle.no_canary(installation, json.dumps(app), app["metadata"]["name"])
    installation.delete(made)


def test_clusters_generator_sees_only_clusters_of_the_project(installation: Installation) -> None:
    template = _template(installation, "cluster-{{name}}")
    template["metadata"]["annotations"] = {"server": "{{server}}"}
    made = _set("clusters", template, {"clusters": {}})
    installation.create(made)
    _judged(installation, "clusters")
    installation.until(lambda: installation.application("cluster-in-cluster") is not None, "the permitted cluster", 60)
    assert installation.application("cluster-far") is None
    apps = installation.as_("alice").get("/api/v1/applications").json["items"]
    generated = [app for app in apps if app["metadata"]["name"].startswith("cluster-")]
    assert generated, "alice sees nothing of the set: this test looks at nothing"
    assert "far.example.invalid" not in json.dumps(generated)
    installation.delete(made)


def test_set_in_a_namespace_that_nobody_named_is_left_alone(installation: Installation) -> None:
    """G2: sets and Applications outside the namespaces of the installation are never looked at."""
    made = _set("outside", _template(installation, "outside-x", project="default"), _elements("x"))
    made["metadata"]["namespace"] = "vault"
    installation.create(made)
    app = application("outside-app", "default", installation.url("team-a/main"), "honest", "vault")
    app["metadata"]["namespace"] = "vault"
    app["spec"]["destination"] = {"server": IN_CLUSTER, "namespace": "vault"}
    installation.create(app)
    app = installation.api.ok(
        "PATCH",
        f"/apis/{API}/namespaces/vault/applications/outside-app",
        {"metadata": {"annotations": {"argocd.argoproj.io/refresh": "hard"}}},
        content_type="application/merge-patch+json",
    )
    time.sleep(3)
    assert not (installation.application("outside-app", "vault") or {}).get("status")
    assert not (installation.read("ApplicationSet", "outside", "vault") or {}).get("status")
    assert installation.application("outside-x", "vault") is None
    assert installation.application("outside-x") is None
