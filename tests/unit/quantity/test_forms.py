"""What people write for an amount, and the quantity that they mean."""

import pytest

from syncline.apimachinery import quantity
from syncline.apimachinery.quantity_forms import meant
from syncline.apimachinery.schema.quantities import unreadable


@pytest.mark.parametrize(
    ("text", "resource", "form"),
    [
        ("2cores", "cpu", "2"),
        ("2 vCPU", "cpu", "2"),
        ("500 m", "cpu", "500m"),
        ("250millicores", "cpu", "250m"),
        ("0,5", "cpu", "0.5"),
        ("1G i", "memory", "1Gi"),
        ("512MB", "memory", "512M"),
        ("100MiB", "memory", "100Mi"),
        ("1gb", "storage", "1G"),
        ("1.5 GiB", "storage", "1.5Gi"),
        ("1024 bytes", "memory", "1024"),
        ("2 cpus", "requests.cpu", "2"),
    ],
)
def test_a_unit_that_people_write_becomes_one_of_kubernetes(text: str, resource: str, form: str) -> None:
    assert meant(text, resource) == form
    quantity.parse(form)


@pytest.mark.parametrize(
    ("text", "resource"), [("ten", "storage"), ("10Go", "storage"), ("2GB", "cpu"), ("1 to 2", "cpu"), ("", "cpu")]
)
def test_what_could_be_anything_is_not_guessed(text: str, resource: str) -> None:
    assert meant(text, resource) == ""


def test_amounts_are_found_wherever_a_kind_has_them_and_nothing_else_is() -> None:
    pod = {
        "containers": [
            {
                "name": "2cores",
                "args": ["2cores"],
                "resources": {"requests": {"cpu": "2cores", "memory": 64, "ephemeral-storage": "1Gi"}},
            }
        ],
        "volumes": [{"name": "tmp", "emptyDir": {"sizeLimit": "1 G"}}],
    }
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"template": {"spec": pod}}}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "spec": {"hard": {"requests.cpu": "ten", "pods": "4"}}}
    custom = {"apiVersion": "example.io/v1", "kind": "Queue", "spec": {"resources": {"requests": {"cpu": "2cores"}}}}
    assert list(unreadable(deployment)) == [
        ("spec.template.spec.containers[0].resources.requests.cpu", "2cores"),
        ("spec.template.spec.volumes[0].emptyDir.sizeLimit", "1 G"),
    ]
    assert list(unreadable(quota)) == [('spec.hard["requests.cpu"]', "ten")]
    assert list(unreadable(custom)) == []
