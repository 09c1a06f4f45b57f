"""What helm is asked: every text of an Application in its place, none as an option."""

from typing import Any

import msgspec
import pytest

from syncline.adapters.render.build_environment import build_environment, substitute
from syncline.adapters.render.helm import arguments as helm_arguments
from syncline.adapters.render.helm.arguments import FileOnDisk
from syncline.model.errors import RenderError
from syncline.model.sources.source import ApplicationSource, HelmSource
from syncline.ports.render import RenderRequest

SOURCE = ApplicationSource(repo_url="https://ada:canary@git.example/shop.git", path="app", target_revision="main")
REQUEST = RenderRequest(
    app_name="shop", namespace="store", project="p", source=SOURCE, kube_version="v1.37.1", api_versions=("a/v1", "b")
)
VARIABLES = build_environment(REQUEST, SOURCE, "0123456789" * 4)


def arguments(**helm: Any) -> list[str]:
    return helm_arguments.template(REQUEST, msgspec.convert(helm, HelmSource), VARIABLES, (), ())


@pytest.mark.parametrize(
    ("helm", "added"),
    [
        ({}, ["--include-crds"]),
        ({"skipCrds": True}, []),
        (
            {"skipTests": True, "skipSchemaValidation": True},
            ["--include-crds", "--skip-schema-validation", "--skip-tests"],
        ),
        ({"parameters": [{"name": "a", "value": "--x"}], "skipCrds": True}, ["--set=a=--x"]),
        ({"parameters": [{"name": "a", "value": "1", "forceString": True}], "skipCrds": True}, ["--set-string=a=1"]),
        ({"parameters": [{"name": "a", "value": "b,c"}], "skipCrds": True}, [r"--set=a=b\,c"]),
        ({"parameters": [{"name": "a", "value": r"b\,c"}], "skipCrds": True}, [r"--set=a=b\,c"]),
        ({"parameters": [{"name": "a", "value": "{b,c}"}], "skipCrds": True}, ["--set=a={b,c}"]),
        ({"passCredentials": True, "version": "v3"}, ["--include-crds"]),
    ],
)
def test_options(helm: dict[str, Any], added: list[str]) -> None:
    start = ["template", "--namespace=store", "--kube-version=v1.37.1", "--api-versions=a/v1,b"]
    assert arguments(**helm) == [*start, *added, "--", "shop", "."]


def test_files_come_under_the_names_given() -> None:
    values, files = [FileOnDisk("/w/0.yaml"), FileOnDisk("/w/1.yaml")], [FileOnDisk("/w/2.txt", "a.b")]
    made = helm_arguments.template(REQUEST, HelmSource(skip_crds=True), VARIABLES, values, files)
    assert made[4:-3] == ["--values=/w/0.yaml", "--values=/w/1.yaml", "--set-file=a.b=/w/2.txt"]


@pytest.mark.parametrize("name", ["-x", "A", "a_b", "a b", "a" * 54, "{{ .x }}", "a\n", "a.", "$(id)"])
def test_release_names_that_are_none(name: str) -> None:
    with pytest.raises(RenderError, match="invalid release name"):
        arguments(releaseName=name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$ARGOCD_APP_NAME-x", "shop-x"),
        ("${ARGOCD_APP_NAME}x", "shopx"),
        ("$ARGOCD_APP_REVISION_SHORT $ARGOCD_APP_REVISION_SHORT_8", "0123456 01234567"),
        ("$ARGOCD_APP_SOURCE_REPO_URL", "https://git.example/shop.git"),
        ("$$ARGOCD_APP_NAME", "$ARGOCD_APP_NAME"),
        ("$HOME$PATH", ""),
        ("100$ and $", "100$ and $"),
        ("$KUBE_VERSION $KUBE_API_VERSIONS", "v1.37.1 a/v1,b"),
    ],
)
def test_variables_are_put_in_as_argo_cd_does(text: str, expected: str) -> None:
    assert substitute(text, VARIABLES) == expected
