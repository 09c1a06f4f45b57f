"""A recording is a file of bounded size that survives a kill in the middle of a line."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from syncline.cli.main import cli
from syncline.cli.shadow.journal import Journal, records
from syncline.model.errors import NeedsUser
from syncline.model.shadow import Mark, Record
from tests.unit.shadow.test_report import DRIFTED, at, mark, seen


def test_what_is_written_is_read_and_half_a_line_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "shadow.jsonl"
    written: list[Record] = [mark(0, "began"), seen(0, theirs=DRIFTED, why=("one", "two")), mark(5, "ended")]
    for some in (written[:1], written[1:]):
        journal = Journal(file)
        for record in some:
            journal.write(record)
        journal.close()
    with file.open("ab") as cut:
        cut.write(b'{"type":"mark","time":"2026')
    assert list(records(file)) == written


def test_a_full_file_is_put_aside_and_the_newest_lines_stay(tmp_path: Path) -> None:
    file = tmp_path / "shadow.jsonl"
    journal = Journal(file, largest=500)
    written = [mark(minute, "alive") for minute in range(40)]
    for record in written:
        journal.write(record)
    journal.close()
    found = list(records(file))
    assert found == written[-len(found) :]
    assert 10 < len(found) < 40
    assert sorted(path.name for path in tmp_path.iterdir()) == ["shadow.jsonl", "shadow.jsonl.1"]


@pytest.mark.parametrize("line", ["not json\n", '{"type":"other"}\n', '{"type":"mark"}\n'])
def test_a_line_of_something_else_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "shadow.jsonl"
    file.write_text('{"type":"mark","time":"2026-01-01T00:00:00Z","what":"began"}\n' + line)
    with pytest.raises(NeedsUser, match=r"shadow\.jsonl:2 is not a line of a recording"):
        list(records(file))


def test_the_report_is_printed_and_its_exit_code_is_the_answer(tmp_path: Path) -> None:
    file = tmp_path / "shadow.jsonl"
    journal = Journal(file)
    for record in (mark(0, "began"), seen(0), seen(0, "argocd/shop"), seen(60, theirs=DRIFTED, why=("because",))):
        journal.write(record)
    journal.write(Mark(time=at(120), what="alive"))
    journal.close()
    done = CliRunner().invoke(cli, ["shadow", "report", str(file)], standalone_mode=False)
    assert done.return_value == 1
    assert done.output.splitlines() == [
        "2 Applications watched for 2 h between 2026-01-01T00:00:00Z and 2026-01-01T02:00:00Z",
        "verdicts equal 75.00% of the time, and now 1 · 0 differences were over within 5m",
        "0 syncs that Argo CD began: Syncline agrees with 0 of 0, 0 not judged (Argo CD saw the commit first)",
        "1 disagreements",
        "",
        "argocd/cart  verdict  for 1 h from 2026-01-01T01:00:00Z, still",
        "  here Synced/Healthy, Argo CD OutOfSync/Healthy",
        "    because",
    ]
    longer = CliRunner().invoke(cli, ["shadow", "report", str(file), "--settle", "2h"], standalone_mode=False)
    assert longer.return_value == 0
    missing = CliRunner().invoke(cli, ["shadow", "report", str(tmp_path / "no")], standalone_mode=False)
    assert "does not exist" in str(missing.exception)
