"""Measurements of the Kubernetes arithmetic."""
