"""After a login a browser is sent to a page of ours and nowhere else (security row H2)."""

from __future__ import annotations

import pytest

from syncline.server.access.redirects import own_path
from syncline.server.requests.failures import Failure

URL = "https://cd.example.com"


@pytest.mark.parametrize(
    ("wanted", "path"),
    [
        ("/", "/"),
        ("/applications/shop?view=tree", "/applications/shop?view=tree"),
        (f"{URL}/applications", "/applications"),
        (URL, "/"),
        (f"{URL}/", "/"),
    ],
)
def test_pages_of_ours_are_gone_to(wanted: str, path: str) -> None:
    assert own_path(wanted, URL) == path


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "\\\\evil.example",
        "/x\\..\\evil",
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,x",
        "/x\njavascript:alert(1)",
        "\t//evil.example",
        f"{URL}.evil.example/",
        f"{URL}@evil.example",
        "cd.example.com/x",
        "",
        "/" + "a" * 3000,
        "/ä",
    ],
)
def test_everything_else_is_refused(wanted: str) -> None:
    with pytest.raises(Failure) as refused:
        own_path(wanted, URL)
    assert refused.value.status == 400
    assert "evil" not in refused.value.message
