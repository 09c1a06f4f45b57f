"""A fleet of small Applications that Argo CD and Syncline deliver one after the other, and what is compared."""

from tests.support.referee import policies, sources, syncing
from tests.support.referee.case import Case

CASES: tuple[Case, ...] = (*sources.CASES, *syncing.CASES, *policies.CASES)
