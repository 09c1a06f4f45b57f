"""Checks on what the API server refused: one cause per file."""
