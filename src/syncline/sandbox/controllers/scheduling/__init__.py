"""Nodes and the scheduler: which node takes a pod, and why none does."""
