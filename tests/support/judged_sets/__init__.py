"""ApplicationSets that Argo CD and Syncline make Applications of, one after the other, and what is compared."""

from tests.support.judged_sets import changing, combining, finding, hosting, lists, templating
from tests.support.judged_sets.case import Case

CASES: tuple[Case, ...] = (
    *lists.CASES,
    *finding.CASES,
    *combining.CASES,
    *templating.CASES,
    *changing.CASES,
    *hosting.CASES,
)
