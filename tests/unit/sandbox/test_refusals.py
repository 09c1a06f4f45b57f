"""Refusals in Kubernetes' own words. The texts are those of kube-apiserver 1.37."""

from typing import Any

import pytest

from tests.unit.sandbox.driving import CONFIG_MAPS, DEPLOYMENTS, MERGE, Kube, config_map, play, workload

NOWHERE = "/api/v1/namespaces/nowhere/configmaps"
SERVICES = "/api/v1/namespaces/default/services"
NAME_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


@pytest.mark.parametrize(
    ("method", "path", "body", "expected"),
    [
        ("POST", NOWHERE, config_map(), (404, "NotFound", 'namespaces "nowhere" not found')),
        ("GET", f"{CONFIG_MAPS}/none", None, (404, "NotFound", 'configmaps "none" not found')),
        ("GET", f"{DEPLOYMENTS}/none", None, (404, "NotFound", 'deployments.apps "none" not found')),
        ("GET", "/api/v1/none", None, (404, "NotFound", "the server could not find the requested resource")),
        (
            "POST",
            CONFIG_MAPS,
            config_map("kube-root-ca.crt"),
            (409, "AlreadyExists", 'configmaps "kube-root-ca.crt" already exists'),
        ),
        (
            "POST",
            CONFIG_MAPS,
            config_map("Bad_Name"),
            (
                422,
                "Invalid",
                f'ConfigMap "Bad_Name" is invalid: metadata.name: Invalid value: "Bad_Name": {NAME_RULE}',
            ),
        ),
        (
            "POST",
            CONFIG_MAPS,
            config_map(""),
            (
                422,
                "Invalid",
                'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
            ),
        ),
        (
            "POST",
            CONFIG_MAPS,
            config_map(data={"a": 1}),
            (
                400,
                "BadRequest",
                (
                    'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal number into '
                    "Go struct field ConfigMap.data of type string"
                ),
            ),
        ),
        (
            "POST",
            CONFIG_MAPS,
            {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "z"}},
            (
                400,
                "BadRequest",
                (
                    'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to '
                    "(core.ConfigMap): unknown conversion"
                ),
            ),
        ),
        (
            "POST",
            CONFIG_MAPS,
            config_map(metadata={"namespace": "other"}),
            (
                400,
                "BadRequest",
                "the namespace of the provided object does not match the namespace sent on the request",
            ),
        ),
        (
            "POST",
            f"{CONFIG_MAPS}?fieldValidation=Strict",
            config_map(extra=1),
            (
                400,
                "BadRequest",
                (
                    'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: '
                    'unknown field "extra"'
                ),
            ),
        ),
        (
            "POST",
            DEPLOYMENTS,
            workload(selector={"matchLabels": {"app": "other"}}),
            (
                422,
                "Invalid",
                (
                    'Deployment.apps "web" is invalid: spec.template.metadata.labels: Invalid value: {"app":"web"}: '
                    "`selector` does not match template `labels`"
                ),
            ),
        ),
        (
            "POST",
            SERVICES,
            {"metadata": {"name": "s"}, "spec": {}},
            (422, "Invalid", 'Service "s" is invalid: spec.ports: Required value'),
        ),
        (
            "POST",
            "/api/v1/pods",
            {"metadata": {"name": "x"}},
            (405, "MethodNotAllowed", "the server does not allow this method on the requested resource"),
        ),
        (
            "DELETE",
            "/api/v1/namespaces/default",
            None,
            (403, "Forbidden", 'namespaces "default" is forbidden: this namespace may not be deleted'),
        ),
        (
            "GET",
            f"{CONFIG_MAPS}?fieldSelector=spec.x%3D1",
            None,
            (
                400,
                "BadRequest",
                '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
            ),
        ),
    ],
)
def test_bad_requests_get_kubernetes_own_words(
    method: str, path: str, body: Any, expected: tuple[int, str, str]
) -> None:
    async def story(kube: Kube) -> Any:
        return await kube.refusal(method, path, body)

    assert play(story) == expected


@pytest.mark.parametrize(
    ("patch", "text"),
    [
        (
            {"spec": {"selector": {"matchLabels": {"app": "z"}}}},
            (
                'Deployment.apps "web" is invalid: [spec.template.metadata.labels: Invalid value: {"app":"web"}: '
                "`selector` does not match template `labels`, spec.selector: Invalid value: "
                '{"matchLabels":{"app":"z"}}: field is immutable]'
            ),
        ),
        (
            {"spec": {"replicas": -1}},
            'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
        ),
    ],
)
def test_updates_that_break_rules_are_invalid(patch: Any, text: str) -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEPLOYMENTS, workload(replicas=0))
        return await kube.refusal("PATCH", f"{DEPLOYMENTS}/web", patch, content_type=MERGE)

    assert play(story) == (422, "Invalid", text)


def test_causes_name_field_and_reason() -> None:
    async def story(kube: Kube) -> Any:
        answer = await kube.transport.send(_request({"metadata": {"name": "s"}, "spec": {}}))
        return await answer.read()

    import json

    details = json.loads(play(story))["details"]
    assert details == {
        "name": "s",
        "kind": "Service",
        "causes": [{"reason": "FieldValueRequired", "message": "Required value", "field": "spec.ports"}],
    }


def _request(body: Any) -> Any:
    import json

    from syncline.ports.transport import Request

    return Request(method="POST", path=SERVICES, body=json.dumps(body).encode())


def test_a_user_without_rights_is_told_what_is_missing() -> None:
    async def story(kube: Kube) -> Any:
        stranger = Kube(kube.sandbox, "eve", ())
        refused = await stranger.refusal("GET", CONFIG_MAPS)
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}
        subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "eve"}
        body = {"metadata": {"name": "eve"}, "roleRef": role, "subjects": [subject]}
        await kube.create("/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings", body)
        allowed = await stranger.names(CONFIG_MAPS)
        return refused, allowed

    refused, allowed = play(story)
    assert refused == (
        403,
        "Forbidden",
        (
            'configmaps is forbidden: User "eve" cannot list resource "configmaps" in API group "" '
            'in the namespace "default"'
        ),
    )
    assert allowed == ["kube-root-ca.crt"]
