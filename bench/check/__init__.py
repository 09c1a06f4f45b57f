"""Measurements of `syncline check` and `syncline preview`."""
