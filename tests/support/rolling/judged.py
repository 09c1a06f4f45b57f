"""Where our rolling syncs differ from Argo CD's on purpose, each with its reason; `known.py` of the fleet compares."""

from tests.support.referee.known import Known, compare
from tests.support.referee.recorded import told
from tests.support.verdicts import Verdicts

KNOWN: tuple[Known, ...] = (
    Known(
        "later",
        ".*",
        r"\d+\.apps\.\S+",
        "since 3.4 an app is Missing when none of its objects is live: controller/health.go of v3.6.0-rc2",
        theirs=r'\["OutOfSync", "Healthy", "", ""\]',
        ours=r'\["OutOfSync", "Missing", "", ""\]',
    ),
    Known(
        "purpose",
        "selected-twice",
        r"0\.(apps\.selected-twice-b|begun|entries\.selected-twice-b|most|rollout)",
        "an Application that two steps select belongs to the first; with Argo CD it waits for itself",
    ),
)


def unknown(theirs: Verdicts, ours: Verdicts) -> str:
    """Return the differences that nobody knows, and known ones that are gone, as a text; empty where all is well."""
    found = compare(theirs, ours, "compat", KNOWN)
    gone = [f"gone, take it out of judged.py: {rule.because}" for rule in found.unused]
    return "\n".join([told(found), *gone]).strip()
