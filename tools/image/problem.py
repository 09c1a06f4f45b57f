"""The error that every part of the build raises."""

from __future__ import annotations


class ImageProblem(Exception):
    """The image cannot be built; the message is one sentence that says why and what to do."""
