"""Seed 001: one kustomization too large, with a ConfigMap without a namespace in it."""
