"""Names of images and the logins of pull secrets, as container runtimes read them."""

import base64
import json

import pytest

from syncline.adapters.images.names import ImageName, Login, login_for, parse_image, parse_logins

DIGEST = "sha256:" + "a" * 64


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("nginx", ImageName("docker.io", "library/nginx", "latest")),
        ("nginx:1.27", ImageName("docker.io", "library/nginx", "1.27")),
        ("team/web:1", ImageName("docker.io", "team/web", "1")),
        ("registry.example/web", ImageName("registry.example", "web", "latest")),
        ("registry.example:5000/team/web:1", ImageName("registry.example:5000", "team/web", "1")),
        ("localhost/web", ImageName("localhost", "web", "latest")),
        (f"registry.example/web@{DIGEST}", ImageName("registry.example", "web", DIGEST)),
        (f"registry.example/web:1@{DIGEST}", ImageName("registry.example", "web", DIGEST)),
        ("registry.example/", None),
        ("web:", None),
        ("web@sha256:short", None),
    ],
)
def test_a_name_has_a_registry_a_repository_and_a_reference(text: str, name: ImageName | None) -> None:
    assert parse_image(text) == name


def config(auths: object) -> str:
    return json.dumps({"auths": auths})


AUTH = base64.b64encode(b"ada:pass:word").decode()


@pytest.mark.parametrize(
    ("text", "logins"),
    [
        (config({"registry.example": {"auth": AUTH}}), [Login("registry.example", "", "ada", "pass:word")]),
        (
            config({"https://registry.example/team/": {"username": "ada", "password": "x"}}),
            [Login("registry.example", "team", "ada", "x")],
        ),
        (config({"https://index.docker.io/v1/": {"auth": AUTH}}), [Login("docker.io", "", "ada", "pass:word")]),
        (config({"registry.example": {"auth": "not base64!"}}), []),
        (config({"registry.example": "text"}), []),
        (config([]), []),
        ("not json", []),
        ("[]", []),
    ],
)
def test_logins_of_a_pull_secret(text: str, logins: list[Login]) -> None:
    assert parse_logins(text) == logins


def test_the_longest_path_of_the_same_registry_counts() -> None:
    logins = [
        Login("registry.example", "", "all", "x"),
        Login("registry.example", "team", "team", "x"),
        Login("other.example", "team/web", "other", "x"),
    ]
    found = login_for(ImageName("registry.example", "team/web", "1"), logins)
    assert found is not None
    assert found.username == "team"
    near = login_for(ImageName("registry.example", "teams/web", "1"), logins)
    assert near is not None
    assert near.username == "all"
    assert login_for(ImageName("else.example", "web", "1"), logins) is None


def test_a_login_is_not_printed() -> None:
    assert "canary" not in repr(Login("registry.example", "", "ada", "canary"))
