"""Seed 000: eight Applications on OpenShift, three of them Synced."""
