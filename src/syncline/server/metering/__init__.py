"""Figures for a Prometheus: what is counted, and how it is told."""
