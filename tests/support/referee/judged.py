"""Every difference from the referee that somebody has judged, each with its reason.

Read by `tests.support.referee.recorded`. A rule names the field and the cases it is about, and what both sides say
where that tells it from something else.
"""

from tests.support.referee.done import LATER, PURPOSE, SANDBOX, SERVER
from tests.support.referee.known import Known
from tests.support.referee.shown import MESSAGES, REVISIONS, ROWS

KNOWN: tuple[Known, ...] = (*MESSAGES, *ROWS, *REVISIONS, *LATER, *PURPOSE, *SERVER, *SANDBOX)
