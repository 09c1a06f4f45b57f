"""The real argocd-server and ours answer the same questions about the same objects: field by field the same.

What differs is named, with its reason, in `tests/argocd/answers/known.py` and in the reference of differences.
"""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.argocd.answers import compared, installation, rows, servers
from tests.argocd.answers.known import KNOWN, Known
from tests.argocd.answers.rows import Row
from tests.argocd.answers.servers import Both
from tests.argocd.build import Programs

# Objects may change between the two questions; what differs for so long is a difference.
PATIENCE = 20.0
SHOWN = 300


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory, programs: Programs) -> Iterator[Both]:
    with servers.running(tmp_path_factory.mktemp("answers"), programs) as running:
        yield running


def test_answers_differ_only_where_that_is_known(both: Both) -> None:
    asked = list(rows.rows(both))
    assert len(asked) > 250
    used: set[Known] = set()
    unknown: dict[str, list[str]] = {}
    for row in asked:
        found, covering = _differences(both, row)
        used |= covering
        if found:
            unknown[row.name] = found
    assert not unknown, json.dumps(unknown, indent=1)
    gone = [known for known in KNOWN if known.always and known not in used]
    assert not gone, "these differences are gone: take them out of known.py and differences.md"


def _differences(both: Both, row: Row) -> tuple[list[str], set[Known]]:
    deadline = time.monotonic() + PATIENCE
    while True:
        found, used = [], set[Known]()
        for field, theirs, ours in compared.differences(*both.ask(row.path, row.who)):
            covering = {known for known in KNOWN if known.covers(row.name, field, theirs, ours)}
            used |= covering
            if not covering:
                found.append(f"{field}: {_shown(theirs)} and not {_shown(ours)}")
        if not found or time.monotonic() > deadline:
            return found, used
        time.sleep(0.5)


def _shown(value: Any) -> str:
    return json.dumps(value)[:SHOWN]


def test_no_answer_of_ours_has_a_password_or_token(both: Both) -> None:
    paths = [row.path for row in rows.rows(both) if row.who == "admin"]
    token = both.token(both.ours, "admin")
    texts = {path: json.dumps(servers.get(both.ours + path, token).value) for path in paths}
    told = [(path, value) for path, text in texts.items() for value in installation.SECRET_VALUES if value in text]
    assert told == []
