"""Reads YAML as Kubernetes does.

`load_documents` is called with the text of a file and hands a `Document` per non-empty document to whoever
compares, checks or sends them. It tries the JSON route and else builds values from parser events.
Unlike kubectl it sees every document of a stream: kubectl drops what follows a line `...`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from syncline.apimachinery.yaml import source as texts
from syncline.apimachinery.yaml.document import Document
from syncline.apimachinery.yaml.errors import YamlError
from syncline.apimachinery.yaml.limits import DEFAULT, YamlLimits

if TYPE_CHECKING:
    from yaml.error import MarkedYAMLError


def load_documents(
    text: bytes | str,
    *,
    source: str = "<input>",
    limits: YamlLimits = DEFAULT,
    repeated: list[YamlError] | None = None,
) -> list[Document]:
    """Read all documents of a text; empty ones are left out, as kubectl does.

    A key that is given twice is an error unless it may be added to `repeated`: then the last one counts.
    """
    decoded = texts.decode(text, source=source, limits=limits)
    if decoded.lstrip(" \t\r\n").startswith("{"):
        from syncline.apimachinery.yaml import jsontext

        documents = jsontext.load_documents(decoded, limits=limits)
        if documents is not None:
            return documents
    return build_documents(decoded, source=source, limits=limits, repeated=repeated)


def build_documents(
    text: str, *, source: str, limits: YamlLimits, repeated: list[YamlError] | None = None
) -> list[Document]:
    """Read all documents of a decoded text through the YAML parser."""
    from yaml.error import MarkedYAMLError
    from yaml.reader import ReaderError

    from syncline.apimachinery.yaml.build import Builder

    try:
        return Builder(text, source=source, limits=limits, repeated=repeated).documents()
    except MarkedYAMLError as error:
        raise _syntax_error(error, source) from None
    except (ReaderError, UnicodeEncodeError):
        raise texts.forbidden_character(text, source) from None


def load(text: bytes | str, *, source: str = "<input>", limits: YamlLimits = DEFAULT) -> Any:
    """Read a text that holds exactly one document and give its value."""
    documents = load_documents(text, source=source, limits=limits)
    if len(documents) == 1:
        return documents[0].value
    if not documents:
        raise YamlError("the text contains no document", source=source)
    raise YamlError("only one document is allowed here: remove this one", source=source, line=documents[1].line)


def _syntax_error(error: MarkedYAMLError, source: str) -> YamlError:
    mark = error.problem_mark or error.context_mark
    message = f"{error.problem or 'the text is not YAML'} {error.context or ''}".strip()
    if error.context_mark is not None and mark is not None and error.context_mark.line != mark.line:
        message += f" that starts on line {error.context_mark.line + 1}"
    if mark is None:
        return YamlError(message, source=source)
    return YamlError(message, source=source, line=mark.line + 1, column=mark.column + 1)
