"""After a login a browser is sent to a page of ours and nowhere else (security row H2)."""

from __future__ import annotations

import json
import pathlib
import re
import shutil
import subprocess
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from syncline.server.access.redirects import OWN, own_path
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
        "/\t/evil.example",
        "/\n/evil.example",
        "/\r\n/evil.example",
        "/\x00/evil.example",
        "/.//evil.example",
        "/x/..//evil.example",
        "/%09/evil.example",
        "/%5cevil.example",
        "/%2fevil.example",
        f"{URL}//evil.example",
        f"{URL}/\t/evil.example",
        f"{URL}/\\evil.example",
        "/\u3002evil.example",
        "/\uff0fevil.example",
        "/ /evil.example",
        "/x\n",
    ],
)
def test_everything_else_is_refused(wanted: str) -> None:
    with pytest.raises(Failure) as refused:
        own_path(wanted, URL)
    assert refused.value.status == 400
    assert "evil" not in refused.value.message


PARTS = (
    *(
        "/",
        "//",
        "\\",
        "\t",
        "\n",
        "\r",
        " ",
        "\x00",
        "\x1f",
        ".",
        "..",
        "@",
        ":",
        "?",
        "#",
        "%09",
        "%0a",
        "%2f",
        "%5c",
        "%2e",
    ),
    *(
        "evil.example",
        "https:",
        "http:",
        "javascript:",
        "data:",
        "file:",
        "\u3002",
        "\uff0f",
        "\u2044",
        "\u2028",
        "ß",
        "x",
        "apps",
    ),
    *(URL, f"{URL}/", f"{URL}:443", "[::1]", "user:pass@", "%", "&", "="),
)
TEXTS = st.one_of(st.lists(st.sampled_from(PARTS), max_size=7).map("".join), st.text(max_size=20))


def went_to(wanted: str, base: str) -> str:
    """Return the origin that a browser goes to for an address, by the steps of the URL standard that matter here.

    Blanks and controls at the ends go, tabs and line breaks go everywhere, a backslash is a slash, a scheme at the
    beginning is one, and two slashes begin a host.
    """
    text = re.sub(r"[\t\n\r]", "", wanted.strip("".join(map(chr, range(0x21)))))
    scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", text)
    own = base.partition(":")[0]
    if scheme is not None and scheme[1].lower() != own:
        return f"{scheme[1].lower()}:"
    rest = text[scheme.end() :] if scheme else text
    slashes = re.match(r"[/\\]*", rest)
    many = len(slashes[0]) if slashes else 0
    if many < 2 and not (scheme and many):
        return base if not scheme else f"{own}:{rest}" if many == 0 and rest else base
    authority = re.split(r"[/\\?#]", rest[many:])[0]
    return f"{own}://{authority.rpartition('@')[2].lower()}"


@given(TEXTS)
@example("/\t/evil.example")
@example("/%09/evil.example")
@example("/%2fevil.example")
def test_whatever_is_let_through_stays_on_this_server_as_browsers_read_it(wanted: str) -> None:
    # As a query has it, and once more for a proxy that decodes it again.
    for text in (wanted, unquote(wanted)):
        try:
            path = own_path(text, URL)
        except Failure:
            continue
        assert went_to(path, URL) == URL
        assert went_to(unquote(path.partition("?")[0].partition("#")[0]), URL) == URL


@pytest.mark.parametrize(
    "bad", ["//evil.example", "/\t/evil.example", "https:evil.example", "/\\evil.example", "\n//evil.example"]
)
def test_the_model_of_a_browser_is_led_astray(bad: str) -> None:
    assert went_to(bad, URL) != URL


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node, whose addresses are read as browsers read them")
def test_a_real_reader_of_addresses_agrees() -> None:
    texts = [first + second + third for first in PARTS for second in PARTS for third in ("", "/x", "evil.example")]
    let = [text for text in texts if OWN.fullmatch(text)]
    assert len(let) > 50
    read, told = "JSON.parse(require('fs').readFileSync(0))", "map(x => new URL(x, process.argv[1]).origin)"
    script = f"console.log(JSON.stringify({read}.{told}))"
    answer = subprocess.run(
        [str(shutil.which("node")), "-e", script, URL],
        input=json.dumps(let),
        capture_output=True,
        text=True,
        check=True,
    )
    assert set(json.loads(answer.stdout)) == {URL}


def test_the_page_has_the_same_rule_as_the_server() -> None:
    source = (pathlib.Path(__file__).parents[3] / "web" / "src" / "lib" / "target.ts").read_text()
    assert f"/{OWN.pattern}/" in source
