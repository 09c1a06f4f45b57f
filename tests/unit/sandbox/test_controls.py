"""Faults and admission rules that a test puts into a running sandbox."""

import json
from typing import Any

import pytest

from syncline.ports.transport import Request, TransportError
from syncline.sandbox.cluster import controls
from syncline.sandbox.cluster.controls import Controls, ControlsError, Fault
from tests.unit.sandbox.driving import CONFIG_MAPS, DEPLOYMENTS, PODS, Kube, config_map, play, workload


def test_an_error_before_the_commit_leaves_nothing_behind() -> None:
    async def story(kube: Kube) -> Any:
        kube.sandbox.controls = Controls(
            faults=(Fault(methods=("POST",), code=503, reason="ServiceUnavailable", times=1),)
        )
        refused = await kube.refusal("POST", CONFIG_MAPS, config_map())
        left = await kube.names(CONFIG_MAPS)
        await kube.create(CONFIG_MAPS, config_map())
        return refused[:2], left

    assert play(story) == ((503, "ServiceUnavailable"), ["kube-root-ca.crt"])


def test_a_cut_after_the_commit_leaves_the_object_behind() -> None:
    async def story(kube: Kube) -> Any:
        kube.sandbox.controls = Controls(faults=(Fault(methods=("POST",), when="after", cut=True, times=1),))
        with pytest.raises(TransportError, match="cut the connection"):
            await kube.create(CONFIG_MAPS, config_map())
        return await kube.names(CONFIG_MAPS)

    assert play(story) == ["kube-root-ca.crt", "settings"]


def test_latency_passes_on_the_clock_and_a_timeout_gives_up() -> None:
    async def story(kube: Kube) -> Any:
        kube.sandbox.controls = Controls(faults=(Fault(path="*/configmaps", delay=5.0),))
        begun = kube.clock.monotonic()
        await kube.get(CONFIG_MAPS)
        took = kube.clock.monotonic() - begun
        with pytest.raises(TransportError, match="within 2 seconds"):
            await kube.transport.send(Request(method="GET", path=CONFIG_MAPS), timeout=2)
        return took

    assert play(story) == 5.0


def test_admission_rules_deny_and_change() -> None:
    async def story(kube: Kube) -> Any:
        kube.sandbox.controls = controls.load("""
            admission:
            - {kind: ConfigMap, objectName: "bad*", deny: no bad names here, name: names.example.io}
            - {kind: ConfigMap, setFields: {data.injected: "yes"}}
            - {kind: ConfigMap, patch: [{op: add, path: /data/patched, value: "too"}]}
            - {kind: ConfigMap, objectName: "kept*", operations: [DELETE], deny: this one stays}
        """)
        refused = await kube.refusal("POST", CONFIG_MAPS, config_map("bad-one"))
        made = (await kube.create(CONFIG_MAPS, config_map(data={"a": "1"})))["data"]
        await kube.create(CONFIG_MAPS, config_map("kept", data={}))
        kept = await kube.refusal("DELETE", f"{CONFIG_MAPS}/kept")
        await kube.delete(f"{CONFIG_MAPS}/settings")
        return refused, made, kept

    refused, content, kept = play(story)
    assert refused == (403, "Forbidden", 'admission webhook "names.example.io" denied the request: no bad names here')
    assert content == {"a": "1", "injected": "yes", "patched": "too"}
    assert kept == (
        403,
        "Forbidden",
        'admission webhook "rules.sandbox.syncline.io" denied the request: this one stays',
    )


DENIALS = """
denials:
- users: [dev, "ops-*"]
  verbs: [delete, patch]
  apiGroups: [apps]
  resources: [deployments, deployments/scale]
  namespaces: [default]
- groups: [guests]
  resources: [secrets]
"""


@pytest.mark.parametrize(
    ("user", "groups", "verb", "resource", "allowed"),
    [
        ("dev", ("system:masters",), "delete", "deployments", False),
        ("ops-one", ("system:masters",), "delete", "deployments", False),
        ("dev", ("system:masters",), "get", "deployments", True),
        ("dev", ("system:masters",), "patch", "deployments/scale", False),
        ("dev", ("system:masters",), "update", "deployments/scale", True),
        ("ann", ("system:masters",), "delete", "deployments", True),
        ("ann", ("system:masters", "guests"), "list", "secrets", False),
        ("ann", ("system:masters",), "list", "secrets", True),
    ],
)
def test_reviews_agree_with_denials(
    user: str, groups: tuple[str, ...], verb: str, resource: str, *, allowed: bool
) -> None:
    async def story(kube: Kube) -> Any:
        kube.sandbox.controls = controls.load(DENIALS)
        plural, _, part = resource.partition("/")
        group = "apps" if plural == "deployments" else ""
        wanted = {"verb": verb, "group": group, "resource": plural, "subresource": part, "namespace": "default"}
        asking = Kube(kube.sandbox, user, groups)
        path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
        review = await asking.create(path, {"spec": {"resourceAttributes": wanted}})
        return review["status"]["allowed"]

    assert play(story) is allowed


def test_a_denial_refuses_as_rbac_does() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEPLOYMENTS, workload())
        kube.sandbox.controls = controls.load(DENIALS)
        dev = Kube(kube.sandbox, "dev")
        refused = await dev.refusal("DELETE", f"{DEPLOYMENTS}/web")
        await dev.get(f"{DEPLOYMENTS}/web")
        kube.sandbox.controls = Controls()
        await dev.delete(f"{DEPLOYMENTS}/web")
        return refused

    told = 'User "dev" cannot delete resource "deployments" in API group "apps" in the namespace "default"'
    assert play(story) == (403, "Forbidden", f'deployments.apps "web" is forbidden: {told}')


def test_faults_can_wait_for_their_turn_and_ask_to_come_back() -> None:
    async def story(kube: Kube) -> Any:
        kube.sandbox.controls = controls.load("""
            faults:
            - methods: [GET]
              path: "*/configmaps"
              code: 429
              reason: TooManyRequests
              message: slow down
              retryAfter: 3
              skip: 1
              times: 2
        """)
        found = []
        for _ in range(4):
            answer = await kube.transport.send(Request(method="GET", path=CONFIG_MAPS))
            found.append((answer.status, answer.headers.get("retry-after")))
        return found

    assert play(story) == [(200, None), (429, "3"), (429, "3"), (200, None)]


def test_the_timeline_cuts_watches_and_compacts() -> None:
    async def story(kube: Kube) -> Any:
        kube.sandbox.controls = controls.load("""
            timeline:
            - {do: cutWatches, at: 2, resource: configmaps}
            - {do: compact, every: 3}
        """)
        first = await kube.create(CONFIG_MAPS, config_map())
        begun = kube.clock.monotonic()
        await (await kube.transport.send(Request(method="GET", path=f"{CONFIG_MAPS}?watch=true"))).read()
        cut_after = kube.clock.monotonic() - begun
        await kube.create(CONFIG_MAPS, config_map("later"))
        version = first["metadata"]["resourceVersion"]
        path = f"{CONFIG_MAPS}?watch=true&timeoutSeconds=1&resourceVersion={version}"
        before = json.loads(
            (await (await kube.transport.send(Request(method="GET", path=path))).read()).splitlines()[0]
        )
        await kube.clock.sleep(1)
        after = json.loads(await (await kube.transport.send(Request(method="GET", path=path))).read())
        pods = await kube.transport.send(Request(method="GET", path=f"{PODS}?watch=true&timeoutSeconds=4"))
        await pods.read()
        return cut_after, before["type"], after["object"]["code"]

    assert play(story) == (2.0, "ADDED", 410)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("faults: [{metods: [GET]}]", "controls.yaml is invalid: Object contains unknown field `metods` - at "),
        ("timeline: [{do: explode}]", "controls.yaml is invalid: Invalid enum value 'explode' - at "),
        (
            "denials: 3",
            "controls.yaml is invalid: Expected `array`, got `int` - at `$.denials`; see docs/internals/sandbox.md",
        ),
        ("a: [", "controls.yaml cannot be read as YAML: "),
    ],
)
def test_a_file_that_cannot_be_used_is_told_in_a_sentence(text: str, told: str) -> None:
    with pytest.raises(ControlsError) as refused:
        controls.load(text, name="controls.yaml")
    assert str(refused.value).startswith(told)


def test_an_empty_file_controls_nothing() -> None:
    assert controls.load("") == Controls()


def test_every_request_can_be_audited() -> None:
    async def story(kube: Kube) -> Any:
        seen: list[Any] = []
        kube.sandbox.on_request = seen.append
        await kube.create(CONFIG_MAPS, config_map(), fieldManager="me")
        await kube.refusal("GET", f"{CONFIG_MAPS}/none")
        return [(one.method, one.path, one.user, one.manager, one.code) for one in seen]

    assert play(story) == [
        ("POST", f"{CONFIG_MAPS}?fieldManager=me", "admin", "me", 201),
        ("GET", f"{CONFIG_MAPS}/none", "admin", "tester", 404),
    ]


def test_what_policies_audit_is_in_the_record_of_a_request_alone() -> None:
    group = "/apis/admissionregistration.k8s.io/v1"
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"]}
    policy = {
        "matchConstraints": {"resourceRules": [rule]},
        "auditAnnotations": [{"key": "seen", "valueExpression": "'named ' + object.metadata.name"}],
    }

    async def story(kube: Kube) -> Any:
        await kube.create(f"{group}/validatingadmissionpolicies", {"metadata": {"name": "notes"}, "spec": policy})
        bound = {"policyName": "notes", "validationActions": ["Deny"]}
        await kube.create(f"{group}/validatingadmissionpolicybindings", {"metadata": {"name": "notes"}, "spec": bound})
        seen: list[Any] = []
        kube.sandbox.on_request = seen.append
        made = await kube.create(CONFIG_MAPS, config_map())
        await kube.get(f"{CONFIG_MAPS}/{made['metadata']['name']}")
        return made["metadata"]["name"], [dict(one.annotations) for one in seen]

    name, found = play(story)
    assert found == [{"notes/seen": f"named {name}"}, {}]
