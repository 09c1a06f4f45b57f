"""A key prints and parses: the text is all anybody needs to name an object."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncline.apimachinery.keys import InvalidKey, ObjectKey, key_of
from syncline.model import codec

GROUPS = st.from_regex(r"([a-z][a-z0-9-]{0,5}(\.[a-z][a-z0-9-]{0,5}){0,2})?", fullmatch=True)
KINDS = st.from_regex(r"[A-Z][A-Za-z0-9]{0,8}", fullmatch=True)
NAMESPACES = st.from_regex(r"([a-z0-9]([a-z0-9-]{0,6}[a-z0-9])?)?", fullmatch=True)
# Names of RBAC objects hold colons; those of custom kinds, dots.
NAMES = st.from_regex(r"[a-z0-9:.][a-z0-9:.-]{0,9}", fullmatch=True)
KEYS = st.builds(ObjectKey, GROUPS, KINDS, NAMESPACES, NAMES)


@given(KEYS)
def test_a_printed_key_parses_to_the_same_key(key: ObjectKey) -> None:
    assert ObjectKey.parse(str(key)) == key


@given(KEYS)
def test_a_key_survives_json(key: ObjectKey) -> None:
    assert codec.decode(ObjectKey, codec.encode(key)) == key


@given(st.lists(KEYS, unique=True, max_size=6))
def test_different_keys_print_differently(keys: list[ObjectKey]) -> None:
    assert len({str(key) for key in keys}) == len(keys)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("apps/Deployment:shop/web", ObjectKey("apps", "Deployment", "shop", "web")),
        ("/ConfigMap:shop/settings", ObjectKey("", "ConfigMap", "shop", "settings")),
        ("ConfigMap:shop/settings", ObjectKey("", "ConfigMap", "shop", "settings")),
        ("/Namespace:/prod", ObjectKey("", "Namespace", "", "prod")),
        (
            "rbac.authorization.k8s.io/ClusterRole:/system:node",
            ObjectKey("rbac.authorization.k8s.io", "ClusterRole", "", "system:node"),
        ),
    ],
)
def test_a_text_names_an_object(text: str, key: ObjectKey) -> None:
    assert ObjectKey.parse(text) == key


@pytest.mark.parametrize(
    "text", ["", "web", "Deployment:web", "apps/Deployment", "a/b/C:ns/n", ":ns/n", "apps/:ns/n", "C:ns/"]
)
def test_a_text_that_names_nothing_is_refused_with_the_form_to_write(text: str) -> None:
    with pytest.raises(InvalidKey, match="write group/Kind:namespace/name"):
        ObjectKey.parse(text)


@pytest.mark.parametrize("version", ["v1", "v1beta1"])
def test_the_version_is_no_part_of_the_identity(version: str) -> None:
    obj = {"apiVersion": f"apps/{version}", "kind": "Deployment", "metadata": {"name": "web", "namespace": "shop"}}
    assert key_of(obj) == ObjectKey("apps", "Deployment", "shop", "web")
