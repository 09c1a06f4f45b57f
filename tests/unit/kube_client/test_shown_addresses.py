"""What a failure says of the server that was asked: its address, without a token that is part of it."""

import pytest

from syncline.adapters.kube import failures

TOKEN = "9f" * 32


@pytest.mark.parametrize(
    ("server", "shown"),
    [
        (f"http://127.0.0.1:8001/access/{TOKEN}", "http://127.0.0.1:8001/access/…"),
        ("https://rancher.example.com/k8s/clusters/c-m-x7", "https://rancher.example.com/k8s/clusters/c-m-x7"),
        ("https://10.0.0.1:6443", "https://10.0.0.1:6443"),
    ],
)
def test_a_token_in_the_path_is_not_shown(server: str, shown: str) -> None:
    assert failures.sentence(server, ConnectionRefusedError(111, "no"), timeout=None).startswith(
        f"cannot reach {shown}: "
    )
