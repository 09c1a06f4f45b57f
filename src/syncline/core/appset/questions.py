"""What generators have to know of the world, as values: questions, their answers, and what has no answer yet.

A generator that meets a question without an answer raises `Unanswered`; whoever runs it
(`syncline.controller.appsets.answering`) finds the answers and runs it again. So one generator can depend on what
another one found, and nothing here reads anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar

import msgspec

from syncline.apimachinery.keys import Object
from syncline.model.cluster import KnownCluster


class ClustersQuestion(msgspec.Struct, frozen=True):
    """Which clusters do Secrets describe? Answered by a tuple of `KnownCluster`, or by `PermittedClusters`."""


class DirectoriesQuestion(msgspec.Struct, frozen=True):
    """Which folders does a revision have? Answered by `Folders`."""

    repo_url: str
    revision: str
    project: str = ""


class FilesQuestion(msgspec.Struct, frozen=True):
    """Which files of a revision match any of the patterns? Answered by `Files`."""

    repo_url: str
    revision: str
    project: str
    patterns: tuple[str, ...]
    excluded: tuple[str, ...] = ()


class ConfigMapQuestion(msgspec.Struct, frozen=True):
    """What does a ConfigMap of the control plane say? Answered by its data."""

    name: str


class ObjectsQuestion(msgspec.Struct, frozen=True):
    """Which objects of a kind does the control plane have, by name or by labels? Answered by a tuple of objects."""

    api_version: str
    plural: str
    name: str = ""
    selector: str = ""


Form = Literal["list", "values", "value", "one", "there"]
"""What an answer looks like: a list, a map with the list under that name, one map, or anything at all."""


class PageQuestion(msgspec.Struct, frozen=True):
    """What does a code host say at an address? Answered by `Page`. The token is a key of a Secret."""

    url: str
    scheme: str = ""
    """How the token is shown: `bearer`, `token`, `private-token`, `basic` for the password of `user`, or `app`: that of
    the GitHub App which a Secret of the control plane describes."""
    secret: str = ""
    key: str = ""
    missing_is_none: bool = False
    """Whether an address that is not there is an empty list."""
    form: Form = "list"
    user: str = ""
    insecure: bool = False
    """Whether any certificate is taken."""
    authority: tuple[str, str] = ("", "")
    """The ConfigMap and its key with the certificates to trust."""
    api: str = ""
    """Where the API begins, as the set says it."""
    public_api: str = ""
    """Where the public API of this provider begins; empty where there is none."""


class PluginQuestion(msgspec.Struct, frozen=True):
    """What does a plugin answer? Answered by a tuple of maps. A ConfigMap of the control plane says where it is."""

    config_map: str
    body: bytes


Question = (
    ClustersQuestion
    | DirectoriesQuestion
    | FilesQuestion
    | ConfigMapQuestion
    | ObjectsQuestion
    | PageQuestion
    | PluginQuestion
)


class Page(msgspec.Struct, frozen=True):
    """Some entries of a list, and the address of those that follow; or that there is nothing at an address."""

    items: tuple[dict[str, Any], ...]
    following: str = ""
    there: bool = True


class Folders(msgspec.Struct, frozen=True):
    """All folders of a commit, parents before children."""

    revision: str
    paths: tuple[str, ...]


class File(msgspec.Struct, frozen=True):
    """One file of a commit."""

    path: str
    content: bytes


class Files(msgspec.Struct, frozen=True):
    """Files of a commit that were asked for, sorted by path."""

    revision: str
    files: tuple[File, ...]


class Failure(msgspec.Struct, frozen=True):
    """The answer could not be found out, and why, in one sentence."""

    message: str


class PermittedClusters(msgspec.Struct, frozen=True):
    """The clusters that a set may see; the installation's own may be among them without a Secret that describes it."""

    known: tuple[KnownCluster, ...]
    has_local: bool


Answers = Mapping[Question, Any]
A = TypeVar("A")


class Unanswered(Exception):
    """Questions whose answers are needed to go on."""

    def __init__(self, questions: Iterable[Question]) -> None:
        super().__init__("questions without answers")
        self.questions = frozenset(questions)


class GeneratorError(Exception):
    """A generator cannot work; the text is one sentence for people."""


def clusters(answers: Answers) -> tuple[KnownCluster, ...]:
    """Return the clusters that Secrets describe, as far as the set may see them."""
    found = _answer(answers, ClustersQuestion(), object)
    return found.known if isinstance(found, PermittedClusters) else _answer(answers, ClustersQuestion(), tuple)


def sees_local(answers: Answers) -> bool:
    """Whether the set may see the cluster of the installation itself where no Secret describes it."""
    found = _answer(answers, ClustersQuestion(), object)
    return found.has_local if isinstance(found, PermittedClusters) else True


def folders(answers: Answers, question: DirectoriesQuestion) -> Folders:
    """Return the folders of a revision."""
    return _answer(answers, question, Folders)


def files(answers: Answers, question: FilesQuestion) -> Files:
    """Return files of a revision."""
    return _answer(answers, question, Files)


def config_map(answers: Answers, question: ConfigMapQuestion) -> Mapping[str, str]:
    """Return the data of a ConfigMap."""
    return _answer(answers, question, dict)


def objects(answers: Answers, question: ObjectsQuestion) -> tuple[Object, ...]:
    """Return objects of the control plane."""
    return _answer(answers, question, tuple)


def page(answers: Answers, question: PageQuestion) -> Page:
    """Return one page of a list."""
    return _answer(answers, question, Page)


def parameters(answers: Answers, question: PluginQuestion) -> tuple[Object, ...]:
    """Return the sets of parameters that a plugin answers with."""
    return _answer(answers, question, tuple)


def _answer(answers: Answers, question: Question, kind: type[A]) -> A:
    found = answers.get(question)
    if found is None:
        raise Unanswered([question])
    if isinstance(found, Failure):
        raise GeneratorError(found.message)
    if not isinstance(found, kind):
        raise TypeError(f"{type(found).__name__} is not the answer to {type(question).__name__}")
    return found
