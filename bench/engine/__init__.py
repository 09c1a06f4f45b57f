"""Measurements of comparing, planning and health."""
