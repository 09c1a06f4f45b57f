"""Where our rolling syncs differ from Argo CD's on purpose, each with its reason; `known.py` of the fleet compares."""

from tests.support.referee.known import Known, compare
from tests.support.referee.recorded import told
from tests.support.verdicts import Verdicts

KNOWN: tuple[Known, ...] = ()


def unknown(theirs: Verdicts, ours: Verdicts) -> str:
    """Return the differences that nobody knows, and known ones that are gone, as a text; empty where all is well."""
    found = compare(theirs, ours, "compat", KNOWN)
    gone = [f"gone, take it out of judged.py: {rule.because}" for rule in found.unused]
    return "\n".join([told(found), *gone]).strip()
