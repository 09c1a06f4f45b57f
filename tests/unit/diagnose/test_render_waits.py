"""A render that waits for its turn is explained with since when, why and what to do, as the controller recorded it."""

from syncline.core.diagnose.explain import explain
from syncline.model.finding import Severity
from tests.unit.diagnose.app_cases import RENDER_WAITS, turned


def test_why_says_that_the_render_waits_since_when_why_and_what_to_do() -> None:
    app = turned(RENDER_WAITS)
    told = explain(app.assessment, app.decision)
    (finding,) = [one for one in told.findings if one.code == "LIV-115"]
    assert finding.message == (
        "the render waits for its turn since 2026-03-01T08:00:00Z: other renders of project shop run"
    )
    assert (finding.since, finding.severity) == ("2026-03-01T08:00:00Z", Severity.WARNING)
    assert finding.fix is not None
    assert finding.fix.text == "wait"
    assert not told.good
