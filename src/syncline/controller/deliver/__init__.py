"""Brings Applications to their source: observe, decide, act, record."""
