"""Checks on pods and the workloads that own them: one cause per file."""
