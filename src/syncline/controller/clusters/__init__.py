"""Destination clusters: a client and a live view for each, and what may be done there."""
