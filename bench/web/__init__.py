"""Measures the web page in a real browser."""
