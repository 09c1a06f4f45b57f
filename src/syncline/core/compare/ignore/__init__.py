"""Differences that do not count: ignoreDifferences, accepted drift, and the rule that would silence a difference."""
