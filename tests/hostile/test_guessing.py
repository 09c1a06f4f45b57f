"""I1 and I2: guesses are counted whatever order they come in, and the first password is in no log."""

from __future__ import annotations

import concurrent.futures
import statistics

from tests.hostile.client import Answer, Client
from tests.hostile.installation import PASSWORDS, Installation


def _sign_in(installation: Installation, name: str, password: str) -> Answer:
    return Client(installation.server_port).post("/api/v1/session", {"username": name, "password": password})


def test_five_wrong_guesses_lock_an_account_also_over_a_restart(installation: Installation) -> None:
    """Other names in between push nothing out, parallel guesses all count, and a new process knows them."""
    assert _sign_in(installation, "victim", PASSWORDS["victim"]).status == 200
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda number: _sign_in(installation, "victim", f"wrong-{number}"), range(50)))
        assert all(answer.status in (401, 429) for answer in answers)
        list(pool.map(lambda number: _sign_in(installation, f"stranger-{number}", "x"), range(60)))
    locked = _sign_in(installation, "victim", PASSWORDS["victim"])
    assert locked.status in (401, 429), "the right password came through after fifty wrong ones"
    installation.restart("server", kill=True)
    assert _sign_in(installation, "victim", PASSWORDS["victim"]).status in (401, 429), "a restart forgot the guesses"
    assert _sign_in(installation, "alice", PASSWORDS["alice"]).status == 200, "others are not locked out"


def test_unknown_and_known_names_answer_alike(installation: Installation) -> None:
    known, unknown = _sign_in(installation, "nobody", "wrong"), _sign_in(installation, "mallory", "wrong")
    assert (known.status, known.body) == (unknown.status, unknown.body)
    times = {
        name: statistics.median(_sign_in(installation, name, "wrong").seconds for _ in range(3))
        for name in ("bob", "stranger-x")
    }
    # The same class of time: checking a hash costs both of them.
    assert max(times.values()) < 10 * min(times.values()) + 0.2, times
    assert _sign_in(installation, "bob", PASSWORDS["bob"]).status == 200


def test_names_and_passwords_of_any_shape_are_refused_in_words(installation: Installation) -> None:
    client = Client(installation.server_port)
    for name, word in (("x" * 100_000, "y"), ("alice", "y" * 100_000), ("a\0b", "c"), ("", ""), (None, None), ([], {})):
        answer = client.post("/api/v1/session", {"username": name, "password": word})
        assert answer.status in (400, 401, 413, 429), answer.text[:200]


def test_first_password_is_in_no_log(installation: Installation) -> None:
    for name in ("controller", "server"):
        for log in (installation.folder / name).glob("*.log"):
            text = log.read_text(errors="replace")
            assert not [word for word in PASSWORDS.values() if word in text]
            assert "password:" not in text.lower()
