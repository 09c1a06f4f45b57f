"""Custom kinds: established, served, defaulted, pruned, validated, taken away."""

from typing import Any

from syncline.sandbox.access.rbac import User
from tests.unit.sandbox.driving import DEFINITIONS, WIDGETS, Kube, definition, play, widget

ADMIN = User("admin", ("system:masters",))


def test_a_definition_is_established_and_then_served() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEFINITIONS, definition())
        await kube.sandbox.settled()
        established = await kube.get(f"{DEFINITIONS}/widgets.example.io")
        group = await kube.get("/apis/example.io")
        listed = await kube.get("/apis/example.io/v1")
        return established, group, listed

    established, group, listed = play(story)
    conditions = {one["type"]: (one["status"], one["reason"]) for one in established["status"]["conditions"]}
    assert conditions == {
        "NamesAccepted": ("True", "NoConflicts"),
        "Established": ("True", "InitialNamesAccepted"),
    }
    assert established["status"]["storedVersions"] == ["v1"]
    assert group["preferredVersion"] == {"groupVersion": "example.io/v1", "version": "v1"}
    assert [one["name"] for one in listed["resources"]] == ["widgets", "widgets/status"]


def test_objects_are_defaulted_and_unknown_fields_go() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEFINITIONS, definition())
        await kube.sandbox.settled()
        return await kube.create(WIDGETS, widget(extra={"deep": 1}))

    created = play(story)
    assert created["spec"] == {"size": 1, "color": "red"}
    assert created["metadata"]["generation"] == 1


def test_objects_that_break_the_schema_are_refused_with_all_causes() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEFINITIONS, definition())
        await kube.sandbox.settled()
        return await kube.refusal("POST", WIDGETS, widget(size=0, color="green"))

    assert play(story) == (
        422,
        "Invalid",
        (
            'Widget.example.io "one" is invalid: [spec.size: Invalid value: 0: spec.size in body should be greater '
            'than or equal to 1, spec.color: Unsupported value: "green": supported values: "red", "blue"]'
        ),
    )


def test_several_versions_serve_one_object() -> None:
    async def story(kube: Kube) -> Any:
        body = definition()
        open_schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
        body["spec"]["versions"].append({"name": "v1beta1", "served": True, "storage": False, "schema": open_schema})
        await kube.create(DEFINITIONS, body)
        await kube.sandbox.settled()
        await kube.create(WIDGETS, widget())
        old = await kube.get("/apis/example.io/v1beta1/namespaces/default/widgets/one")
        group = await kube.get("/apis/example.io")
        return old, [one["version"] for one in group["versions"]]

    old, versions = play(story)
    assert (old["apiVersion"], old["spec"]["size"]) == ("example.io/v1beta1", 1)
    assert versions == ["v1", "v1beta1"]


def test_deleting_a_definition_deletes_its_objects_and_its_paths() -> None:
    async def story(kube: Kube) -> Any:
        await kube.create(DEFINITIONS, definition())
        await kube.sandbox.settled()
        await kube.create(WIDGETS, widget())
        await kube.delete(f"{DEFINITIONS}/widgets.example.io")
        await kube.clock.sleep(1)
        names = await kube.names(DEFINITIONS)
        groups = [one["name"] for one in (await kube.get("/apis"))["groups"]]
        await kube.create(DEFINITIONS, definition())
        await kube.sandbox.settled()
        return names, groups, await kube.names(WIDGETS)

    names, groups, left = play(story)
    assert names == []
    assert "example.io" not in groups
    assert left == []


def test_printer_columns_fill_the_table() -> None:
    async def story(kube: Kube) -> Any:
        columns = [
            {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
            {"name": "Ready", "type": "string", "jsonPath": '.status.conditions[?(@.type=="Ready")].status'},
            {"name": "Color", "type": "string", "jsonPath": ".spec.color", "priority": 1},
            {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
        ]
        await kube.create(DEFINITIONS, definition(additionalPrinterColumns=columns))
        await kube.sandbox.settled()
        await kube.create(WIDGETS, widget())
        await kube.merge(f"{WIDGETS}/one/status", {"status": {"conditions": [{"type": "Ready", "status": "True"}]}})
        await kube.create(WIDGETS, widget("two"))
        await kube.clock.sleep(65)
        return await table(kube, WIDGETS)

    columns, rows = play(story)
    assert columns == [("Name", 0), ("Size", 0), ("Ready", 0), ("Color", 1), ("Age", 0)]
    assert rows == [["one", 1, "True", "red", "65s"], ["two", 1, None, "red", "65s"]]


async def table(kube: Kube, path: str) -> tuple[list[tuple[str, int]], list[list[Any]]]:
    import json

    from syncline.ports.transport import Request

    headers = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}
    response = await kube.transport.send(Request(method="GET", path=path, headers=headers))
    answer = json.loads(await response.read())
    heads = [(one["name"], one["priority"]) for one in answer["columnDefinitions"]]
    return heads, [row["cells"] for row in answer["rows"]]


def test_a_conversion_webhook_that_is_not_asked_is_said() -> None:
    made = definition()
    hook = {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://127.0.0.1:9/convert"}}
    second = {**made["spec"]["versions"][0], "name": "v2", "storage": False}
    made["spec"] |= {
        "conversion": {"strategy": "Webhook", "webhook": hook},
        "versions": [*made["spec"]["versions"], {**second, "schema": {"openAPIV3Schema": {"type": "object"}}}],
    }

    async def story(kube: Kube) -> Any:
        await kube.create(DEFINITIONS, made)
        await kube.sandbox.settled()
        path = "/apis/example.io/{}/namespaces/default/widgets"
        answers = [await kube.sandbox.respond("GET", path.format(one), {}, b"", ADMIN) for one in ("v1", "v2")]
        return [[value for name, value in answer.headers if name == "warning"] for answer in answers]

    stored, other = play(story)
    assert stored == []
    told = "the sandbox did not ask the conversion webhook of widgets.example.io"
    assert other == [f'299 - "{told}: objects in v2 have the fields of the stored version"']
