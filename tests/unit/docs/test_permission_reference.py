"""docs/reference/permissions.md lists the endpoints there are, with the rights that are enforced."""

from syncline.server.table import ENDPOINTS
from tools import build_permission_reference as reference


def test_the_page_is_as_the_table_of_routes_is_now() -> None:
    assert reference.TARGET.read_text(encoding="utf-8") == reference.page(), (
        "docs/reference/permissions.md is stale: run python tools/build_permission_reference.py"
    )


def test_the_page_has_every_endpoint_once() -> None:
    page = reference.page()
    for one in ENDPOINTS:
        assert page.count(f"| {one.method} `{one.path.replace(':path', '')}` |") == 1, one.path
