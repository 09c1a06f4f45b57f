"""Everything that is printed goes through one place, which lets no control character through to a terminal."""

import re

from tests.arch import source_rules

PRINTS = re.compile(r"click\.(echo|secho|style|echo_via_pager|utils\.echo)|sys\.(stdout|stderr)\.(write|writelines)")
THE_PLACE = "syncline/cli/show/terminal.py"
# Programs of their own that talk to us over their standard output.
WORKERS = {
    "syncline/adapters/git/tunnel.py",
    "syncline/adapters/render/jsonnet/worker.py",
    "syncline/adapters/scripts/worker.py",
}


def test_nothing_is_printed_past_the_place_that_cleans_it() -> None:
    found = set()
    for path in source_rules.modules():
        place = path.relative_to(source_rules.SOURCE).as_posix()
        if any(PRINTS.fullmatch(name) for _line, name in source_rules.calls(source_rules.parsed(path))):
            found.add(place)
    assert sorted(found - {THE_PLACE} - WORKERS) == []
