"""The one error that reading or editing YAML raises: where, and what is wrong.

Raised by every module of this package and shown to users as it stands. The message names keys, never values:
a value may be a secret.
"""

from __future__ import annotations


class YamlError(ValueError):
    """A text that cannot be read as Kubernetes would read it; prints as `file.yaml:12:3: message`."""

    def __init__(self, message: str, *, source: str = "<input>", line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.source = source
        self.line = line
        self.column = column

    def __str__(self) -> str:
        return f"{self.source}:{self.line}:{self.column}: {self.message}"
