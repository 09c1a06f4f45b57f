"""Permissions, projects and windows."""
