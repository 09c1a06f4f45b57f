"""Checks on Applications: one cause per file."""
