"""Lines of logs lose what looks like a secret, and nothing else."""

import pytest

from syncline.core.diagnose.findings.redaction import HIDDEN, redacted, without_secrets


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


@pytest.mark.parametrize(
    "text",
    [
        "sources/charts/component/templates/workload.yaml:32: missing live",
        "Deployment/web is in Git (/Platform/charts/component/templates/k8s/workload.yaml:1)",
        "source 1 of 1: applicationsets/progressivesync/apps/pricelist-db/Chart.yaml:7: chart dependencies are missing",
        "synced to 1f0c2ab7d61ad653d9c6a40ee2e431dd11239336",
    ],
)
def test_long_folders_and_commits_stay_in_messages(text: str) -> None:
    assert without_secrets(text) == text


@pytest.mark.parametrize(
    "run",
    [
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEYplanted",
        "c2VjcmV0/cGxhbnRlZA/aGVyZQ/d2l0aA/c2xhc2hlcw/Zm9y",
        "0123456789/abcdef0123456789abcdef0123456789/abcdef",
    ],
)
def test_a_long_run_with_slashes_that_is_not_made_of_words_is_hidden(run: str) -> None:
    assert without_secrets(f"refused {run} here") == f"refused {HIDDEN} here"


def test_a_file_in_deep_folders_stays_in_a_log_and_what_is_encoded_does_not() -> None:
    file = "open applicationsets/progressivesync/apps/pricelist/config.yaml: no such file or directory"
    assert redacted(file) == file
    assert redacted("using wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEYplanted") == f"using {HIDDEN}"
