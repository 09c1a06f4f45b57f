"""Measurements of the embedded Kubernetes."""
