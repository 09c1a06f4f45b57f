"""Checks on other objects: claims, Services, what is named and missing, what does not go away."""
