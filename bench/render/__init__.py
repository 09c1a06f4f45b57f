"""Measurements of rendering with the real helm and kubectl."""
