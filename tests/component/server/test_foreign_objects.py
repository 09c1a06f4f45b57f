"""Live state that a project does not permit is not attached to its Applications, whatever their repository names.

Every object of another tenant carries a canary in each place that a person could read; no answer of the API may have
one of them. The same answers have to come where the foreign object does not exist: nobody learns that it does.
"""

from __future__ import annotations

import base64
from typing import Any

import msgspec
import pytest

from syncline.apimachinery.keys import Object, ObjectKey
from syncline.model.diagnosis import Link, RootCause, Thing
from syncline.model.finding import Evidence, EvidenceKind, Finding, Fix, Severity
from syncline.model.settings.settings import Compat
from tests.support import manifests
from tests.support.stories import FILES
from tests.support.web import POLICY, Got, Site, on_site
from tests.support.world import API, SETTINGS

CANARY = "c4n4ry"
STUBS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: plans, namespace: other-team}
data: {guess: nothing}
---
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: other-team}
stringData: {guess: nothing}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: ledger, namespace: other-team}
spec:
  selector: {matchLabels: {app: ledger}}
  template:
    metadata: {labels: {app: ledger}}
    spec: {containers: [{name: main, image: guess}]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: ledger-admin}
rules: []
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: hooked
  namespace: other-team
  annotations: {argocd.argoproj.io/hook: PreSync}
data: {guess: nothing}
"""
PROJECT_SPEC = {
    "sourceRepos": ["*"],
    "destinations": [{"server": "*", "namespace": "shop"}, {"server": "*", "namespace": "shop-*"}],
    "namespaceResourceBlacklist": [{"group": "", "kind": "Secret"}],
}
DENIED = (("ConfigMap", "plans"), ("Secret", "login"), ("ClusterRole", "ledger-admin"), ("ConfigMap", "claimed"))
APP = "/api/v1/applications/shop"
OBJECT = "namespace=other-team&resourceName=plans&group=&kind=ConfigMap&version=v1"
READS = (
    APP,
    f"{APP}/resource-tree",
    f"{APP}/managed-resources",
    f"{APP}/server-side-diff",
    f"{APP}/manifests",
    f"{APP}/resource?{OBJECT}",
    f"{APP}/resource?namespace=other-team&resourceName=login&group=&kind=Secret&version=v1",
    f"{APP}/resource?namespace=other-team&resourceName=ledger-1&group=&kind=Pod&version=v1",
    f"{APP}/resource?namespace=&resourceName=ledger-admin&group=rbac.authorization.k8s.io&kind=ClusterRole&version=v1",
    f"{APP}/resource?namespace=other-team&resourceName=forged&group=&kind=ConfigMap&version=v1",
    f"{APP}/resource?namespace=shop&resourceName=child&group=&kind=Secret&version=v1",
    f"{APP}/resource/actions?namespace=other-team&resourceName=ledger&group=apps&kind=Deployment&version=v1",
    f"{APP}/resource/links?{OBJECT}",
    f"{APP}/links",
    f"{APP}/events",
    f"{APP}/events?resourceName=plans&resourceNamespace=other-team",
    f"{APP}/logs?podName=ledger-1&namespace=other-team&container=main",
    f"{APP}/logs?kind=Deployment&group=apps&resourceName=ledger&namespace=other-team&container=main",
    f"{APP}/pods/ledger-1/logs?namespace=other-team&container=main",
    f"{APP}/look",
    f"{APP}/look?serverSide=true",
    f"{APP}/diff",
    f"{APP}/diff?serverSide=true&ignoreRules=true",
    f"{APP}/plan",
    f"{APP}/waves",
    f"{APP}/timeline",
    f"{APP}/why",
)


def marked(kind: str, name: str, namespace: str = "", api: str = "v1", **body: Any) -> Object:
    """Return an object of somebody else, with a canary wherever metadata can have one."""
    metadata: Object = {
        "name": name,
        "labels": {"owner": f"{CANARY}-label"},
        "annotations": {"note": f"{CANARY}-annotation"},
    }
    return {
        "apiVersion": api,
        "kind": kind,
        "metadata": metadata | ({"namespace": namespace} if namespace else {}),
    } | body


def foreign_objects() -> list[Object]:
    secret = base64.b64encode(f"{CANARY}-secret".encode()).decode()
    container = {"name": "main", "image": f"{CANARY}-image", "env": [{"name": "A", "value": f"{CANARY}-env"}]}
    template = {"metadata": {"labels": {"app": "ledger"}}, "spec": {"containers": [container]}}
    return [
        marked("ConfigMap", "plans", "other-team", data={"plan": f"{CANARY}-data"}),
        marked("Secret", "login", "other-team", data={f"{CANARY}-key": secret}),
        marked("ConfigMap", "hooked", "other-team", data={"plan": f"{CANARY}-hook"}),
        marked(
            "Deployment",
            "ledger",
            "other-team",
            "apps/v1",
            spec={"replicas": 0, "selector": {"matchLabels": {"app": "ledger"}}, "template": template},
        ),
        marked("Pod", "ledger-1", "other-team", spec={"containers": [container]}),
        marked(
            "ClusterRole",
            "ledger-admin",
            api="rbac.authorization.k8s.io/v1",
            rules=[{"apiGroups": [f"{CANARY}-group"], "resources": ["*"], "verbs": ["get"]}],
        ),
    ]


async def arrange(site: Site, *, exist: bool) -> None:
    """Deliver nothing yet: an app of a small project whose repository names what is not its own."""
    project = {"apiVersion": API, "kind": "AppProject", "metadata": {"name": "team", "namespace": site.bed.control}}
    await site.bed.apply({**project, "spec": PROJECT_SPEC})
    for name in ("shop", "other-team"):
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
        await site.bed.apply(namespace)
    own = await site.bed.apply(
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings", "namespace": "shop"}, "data": {}}
    )
    if exist:
        for obj in foreign_objects():
            await site.bed.apply(obj)
        owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "settings", "uid": own["metadata"]["uid"]}
        forged = marked("ConfigMap", "forged", "other-team", data={"plan": f"{CANARY}-forged"})
        forged["metadata"]["ownerReferences"] = [owner]
        await site.bed.apply(forged)
        child = marked("Secret", "child", "shop", data={f"{CANARY}-child": "eA=="})
        child["metadata"]["ownerReferences"] = [owner]
        await site.bed.apply(child)
        claimed = marked("ConfigMap", "claimed", "other-team", data={"plan": f"{CANARY}-claimed"})
        claimed["metadata"]["annotations"]["argocd.argoproj.io/tracking-id"] = "shop:/ConfigMap:other-team/claimed"
        await site.bed.apply(claimed)
        stray = marked("Secret", "stray", "shop", data={f"{CANARY}-stray": "eA=="})
        await site.bed.apply(stray)
        for name in ("plans", "ledger-1"):
            await site.bed.apply(event(name))
    site.bed.source.commit({**FILES, "apps/web/stubs.yaml": STUBS})
    await site.settle()


def event(about: str) -> Object:
    kind = "Pod" if about == "ledger-1" else "ConfigMap"
    return {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": f"{about}.1", "namespace": "other-team"},
        "involvedObject": {"apiVersion": "v1", "kind": kind, "name": about, "namespace": "other-team"},
        "reason": "Failed",
        "type": "Warning",
        "message": f"{CANARY}-event",
        "lastTimestamp": "2026-01-01T00:00:00Z",
    }


async def answers(site: Site) -> dict[str, Got]:
    ann = await site.as_("ann")
    return {path: await ann.get(path) for path in READS}


@pytest.mark.parametrize("compat", list(Compat))
def test_no_answer_has_live_state_that_the_project_does_not_permit(compat: Compat) -> None:
    async def story(site: Site) -> None:
        await arrange(site, exist=True)
        for path, answer in (await answers(site)).items():
            assert CANARY.encode() not in answer.body, f"{path}: {answer.body.decode()}"
            assert base64.b64encode(CANARY.encode())[:6] not in answer.body, path
            assert answer.status < 500, path

    on_site(story, settings=msgspec.structs.replace(SETTINGS, compat=compat))


def test_nobody_learns_whether_a_foreign_object_exists() -> None:
    seen: list[dict[str, Got]] = []

    async def present(site: Site) -> None:
        await arrange(site, exist=True)
        seen.append(await answers(site))

    async def absent(site: Site) -> None:
        await arrange(site, exist=False)
        seen.append(await answers(site))

    on_site(present)
    on_site(absent)
    there, gone = seen
    asked = [path for path in READS if "other-team" in path or "ledger-admin" in path]
    for path in asked:
        assert (there[path].status, there[path].body) == (gone[path].status, gone[path].body), path
    rows = [found[f"{APP}/managed-resources"].json["items"] for found in seen]
    named = [
        {(one["kind"], one["name"]): (one["liveState"], one["modified"]) for one in some if one["namespace"] != "shop"}
        for some in rows
    ]
    named[0].pop(("ConfigMap", "claimed"))
    assert named[0] == named[1]


def test_row_of_a_denied_object_says_not_permitted() -> None:
    async def story(site: Site) -> None:
        await arrange(site, exist=True)
        ann = await site.as_("ann")
        rows = {(one["kind"], one["name"]): one for one in (await ann.get(f"{APP}/diff")).json["objects"]}
        for name in (
            ("ConfigMap", "plans"),
            ("Secret", "login"),
            ("ClusterRole", "ledger-admin"),
            ("ConfigMap", "claimed"),
        ):
            assert rows[name]["reasons"] == ["NotPermitted"], name
            assert "is not permitted in project" in rows[name]["message"], name
            assert not rows[name]["missing"], name
            assert rows[name]["differences"] == [], name
        assert not rows["ConfigMap", "claimed"]["extra"]
        nodes = (await ann.get(f"{APP}/resource-tree")).json["nodes"]
        shown = {(one["kind"], one["name"]): one.get("health") for one in nodes}
        assert shown["ConfigMap", "plans"] is None

    on_site(story)


def cause_on(key: ObjectKey, apps: tuple[str, ...]) -> RootCause:
    """Return a cause that tells all about an object."""
    finding = Finding(
        code="IMG-101",
        name="image-not-found",
        severity=Severity.ERROR,
        subject=key.short,
        message=f"{key.short} has {CANARY}-image",
        evidence=(Evidence(kind=EvidenceKind.EVENT, text=f"{CANARY}-event", subject=key),),
        fix=Fix(text=f"replace {CANARY}-image", command=f"kubectl {CANARY}-command"),
    )
    chain = (Link(count=1, kind="Pod", state=f"{CANARY}-state", examples=(Thing(cluster="in-cluster", key=key),)),)
    return RootCause(
        id=f"cause-{key.name}",
        rank=1,
        thing=Thing(cluster="in-cluster", key=key),
        finding=finding,
        affected=apps,
        chain=chain,
        afterwards=(f"{CANARY}-afterwards",),
    )


@pytest.mark.parametrize(
    "key",
    [
        ObjectKey("apps", "Deployment", "other-team", "ledger"),
        ObjectKey("rbac.authorization.k8s.io", "ClusterRole", "", "ledger-admin"),
        ObjectKey("argoproj.io", "Application", "argocd", "vault"),
        # Its own object, with words that only a foreign one has.
        ObjectKey("", "ConfigMap", "shop", "settings"),
    ],
    ids=str,
)
def test_reader_of_a_cause_gets_kind_name_and_reason_of_a_foreign_object(key: ObjectKey) -> None:
    async def story(site: Site) -> None:
        await arrange(site, exist=True)
        diagnoses = site.backend.diagnoses
        await diagnoses.current()
        assert diagnoses.last is not None
        name = f"{site.bed.control}/shop"
        told = msgspec.structs.replace(diagnoses.last.diagnosis, causes=(cause_on(key, (name,)),), ways={name: CANARY})
        diagnoses._last = msgspec.structs.replace(diagnoses.last, diagnosis=told)
        paths = [f"/api/v1/syncline/{what}" for what in ("fleet", "diagnosis", "causes/1")]
        ann, admin = await site.as_("ann"), await site.as_("admin")
        for path in [*paths, f"{APP}/why"]:
            answer = await ann.get(path)
            assert answer.status == 200, answer.body
            assert CANARY.encode() not in answer.body, f"{path}: {answer.body.decode()}"
            assert f"{key.short}: ".encode() in answer.body, f"{path}: {answer.body.decode()}"
        for path in paths:
            assert CANARY.encode() in (await admin.get(path)).body, path

    on_site(story)


def test_host_of_a_pod_is_a_name_where_the_project_does_not_permit_nodes() -> None:
    async def story(site: Site) -> None:
        await arrange(site, exist=True)
        node = marked("Node", "n1", status={"capacity": {"cpu": "4"}, "nodeInfo": {"osImage": f"{CANARY}-os"}})
        await site.bed.apply(node)
        settings = await site.bed.user.get(await site.bed.resource("v1", "ConfigMap"), "shop", "settings")
        assert settings is not None
        owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "settings", "uid": settings["metadata"]["uid"]}
        pod: Object = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "own", "namespace": "shop"}}
        pod["metadata"]["ownerReferences"] = [owner]
        await site.bed.apply({**pod, "spec": {"nodeName": "n1", "containers": [{"name": "main", "image": "x"}]}})
        await site.settle()
        found = (await (await site.as_("ann")).get(f"{APP}/resource-tree")).json
        assert found["hosts"] == [{"name": "n1"}]
        assert ("Pod", "own") in {(one["kind"], one["name"]) for one in found["nodes"]}

    on_site(story)


def test_reader_of_a_bounded_project_still_gets_the_whole_story_of_an_own_object() -> None:
    async def story(site: Site) -> None:
        await arrange(site, exist=True)
        site.bed.source.commit({"apps/web/web.yaml": manifests.deployment(image="example/shop:missing")})
        app = await site.bed.app("shop")
        automated: Object = {"spec": {"syncPolicy": {"automated": {}}}}
        await site.bed.patch("Application", "shop", automated, API, app["metadata"]["namespace"])
        await site.bed.clock.sleep(30)
        answer = await (await site.as_("ann")).get(f"{APP}/why")
        assert answer.status == 200, answer.body
        assert b"example/shop:missing" in answer.body, answer.body.decode()

    on_site(story, delivered=True)


def test_definition_of_a_kind_travels_without_what_does_not_say_how_to_compare() -> None:
    async def story(site: Site) -> None:
        await arrange(site, exist=True)
        definition = marked(
            "CustomResourceDefinition",
            "widgets.example.io",
            api="apiextensions.k8s.io/v1",
            spec={
                "group": "example.io",
                "scope": "Namespaced",
                "names": {"plural": "widgets", "kind": "Widget", "singular": "widget", "listKind": "WidgetList"},
                "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": OPEN}}],
            },
        )
        await site.bed.apply(definition)
        await site.bed.until(lambda: site.bed.served("widgets"), "widgets are served")
        await site.bed.clock.sleep(90)
        widget = "apiVersion: example.io/v1\nkind: Widget\nmetadata: {name: one}\n"
        site.bed.source.commit({"apps/web/widget.yaml": widget})
        answer = await (await site.as_("ann")).get(f"{APP}/look")
        assert b"widgets.example.io" in answer.body
        assert CANARY.encode() not in answer.body

    on_site(story)


OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


MOST = """\
p, role:most, applications, get, */*, allow
p, role:most, applications, get, other/*, deny
p, role:most, logs, get, */*, allow
g, eve, role:most
"""


def test_reader_whom_some_applications_are_denied_is_no_operator_and_learns_no_names_of_them() -> None:
    async def story(site: Site) -> None:
        await arrange(site, exist=True)
        diagnoses = site.backend.diagnoses
        await diagnoses.current()
        assert diagnoses.last is not None
        own, hidden = f"{site.bed.control}/shop", f"{site.bed.control}/vault"
        cause = cause_on(ObjectKey("apps", "Deployment", "other-team", "ledger"), (own, hidden))
        cause = msgspec.structs.replace(cause, later=(hidden,), removes=(hidden,))
        told = msgspec.structs.replace(
            diagnoses.last.diagnosis,
            causes=(cause,),
            untold=(hidden,),
            starting=(hidden,),
            unread=(f"cluster {CANARY}",),
            ways={hidden: CANARY},
        )
        diagnoses._last = msgspec.structs.replace(diagnoses.last, diagnosis=told)
        eve = await site.as_("eve")
        for path in ("/api/v1/syncline/fleet", "/api/v1/syncline/diagnosis", "/api/v1/syncline/causes/1", f"{APP}/why"):
            answer = await eve.get(path)
            assert answer.status == 200, answer.body
            assert CANARY.encode() not in answer.body, f"{path}: {answer.body.decode()}"
            assert b"vault" not in answer.body, f"{path}: {answer.body.decode()}"

    on_site(story, policy=f"{POLICY}{MOST}")
