"""Lines of logs lose what looks like a secret, and nothing else."""

import pytest

from syncline.core.diagnose.redaction import HIDDEN, redacted


@pytest.mark.parametrize(
    "line",
    [
        "password=hunter2-planted",
        'config: {"dbPassword": "hunter2-planted"}',
        "API_KEY: hunter2-planted",
        "connecting to postgres://shop:hunter2-planted@db/shop",
        "Authorization: Bearer hunter2-planted",
        "export AWS_SECRET_ACCESS_KEY='hunter2-planted'",
    ],
)
def test_a_planted_secret_is_not_shown(line: str) -> None:
    assert "hunter2" not in redacted(line)


@pytest.mark.parametrize(
    "token", ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "AKIAABCDEFGHIJKLMNOP", f"ghp_{'a1' * 15}"]
)
def test_tokens_are_known_by_their_form(token: str) -> None:
    assert redacted(f"using {token} now") == f"using {HIDDEN} now"


@pytest.mark.parametrize("line", ['panic: listen address ":http" is not valid', "password file /etc/app not found"])
def test_other_words_stay(line: str) -> None:
    assert redacted(line) == line
