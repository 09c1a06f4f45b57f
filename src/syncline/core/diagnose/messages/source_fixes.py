"""What to do about a source that cannot be rendered, read from the sentence that says so.

Called by `syncline.core.diagnose.messages.complaints` for one app and by
`syncline.core.diagnose.graph.applications.complaining` for those of a fleet. Whoever renders names file and line first
and what must have been meant last; from both follows an edit of that line, or a command where the Application itself is
wrong. Where neither can be told, the decision is named with its place.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Iterator

from syncline.apimachinery.nearest import nearest
from syncline.model.application import ApplicationSpec
from syncline.model.errors import Place
from syncline.model.finding import Edit, Fix
from syncline.model.logins import without_logins

_PREFIX = re.compile(r"^Failed to load target state: (?:failed to generate manifest for )?(?:source 1 of 1: )?")
_WHERE = re.compile(r"(?:; | \()(?P<where>[^\s();]+ at [^\s();]+ \([0-9a-f]{7,40}\))\)$")
_PLACE = re.compile(r"^(?P<file>[^\s:`]+):(?P<line>\d+)(?::(?P<column>\d+))?: ")
_MEANT = re.compile(r"did you mean (?P<near>[^\s;?]+)\?")
_FIELD = re.compile(r'unknown field "(?P<wrong>[^"]+)"')
_GONE = re.compile(r"(?P<wrong>[^\s:']+)'?: no such file or directory")
_VALUE = re.compile(r"no values set (?P<wrong>[\w.-]+)")
_TEMPLATE = re.compile(r'no template "(?P<wrong>[^"]+)"')
_FUNCTION = re.compile(r'function "(?P<wrong>[^"]+)" not defined')
_TARGET = re.compile(r"no matches for Id \w+\.[^/]*/(?P<wrong>[^\s]+?)\.\[no")
_VALUES_FILE = re.compile(r"open (?P<path>\S+): no such file in \S+.*\(named as '(?P<entry>[^']+)'")
_FOLDER = re.compile(r"^(?P<path>\S+): app path does not exist")
_NEAR_FOLDER = re.compile(r"nearest existing path: (?P<near>[\w./-]*[\w-])")
_REVISION = re.compile(r"unable to resolve '(?P<wrong>[^']*)' to a commit SHA")
_HELM_FUNCTIONS = ("include", "tpl", "required", "lookup", "toToml", "fromToml", "fromYamlArray", "fromJsonArray")
_DECISIONS = (
    (re.compile(r"found character that cannot start any token"), "YAML takes no tabs: indent with spaces at {place}"),
    (re.compile(r"schema\(s\)"), "write what the schema permits at {place}"),
    (re.compile(r"while parsing|did not find|mapping values|unmarshal"), "correct the YAML at {place}, or just above"),
    (re.compile(r"`helm template` failed"), "set the value that the template requires, or correct it at {place}"),
)
_HOST = re.compile(r"Could not resolve host|Name or service not known|no such host")
_LOGIN = re.compile(r"[Aa]uthentication|could not read Username|Permission denied|401|403|authorization", re.ASCII)
_ABSENT = re.compile(r"[Rr]epository not found|does not appear to be a git repository|does not exist")
Words = tuple[str, str]
ChangeApp = Callable[[str, str, str, str, str], Fix]
"""Flag of `syncline app set`, the value, the field, a remark, and what is shown of the value."""


def shortened(message: str) -> tuple[str, str]:
    """Return a complaint without the words that every one begins with, and the commit that it ends with."""
    text = _PREFIX.sub("", message)
    found = _WHERE.search(text)
    if found is None:
        return text, ""
    bracket = ")" if text[found.start()] == ";" else ""
    return f"{text[: found.start()]}{bracket}", found["where"]


def place_of(text: str) -> Place | None:
    """Return the place that a shortened complaint begins with."""
    found = _PLACE.match(text)
    return Place(found["file"], int(found["line"]), int(found["column"] or 0)) if found else None


def fix(spec: ApplicationSpec, change: ChangeApp, text: str) -> Fix | None:
    """Return what to do about a shortened complaint; None where only its rule can say something.

    `change` makes the fix that gives a field of the Application another value.
    """
    of_app = _of_application(spec, change, text)
    if of_app is not None:
        return of_app
    place = place_of(text)
    if place is None:
        return _unreached(spec, text)
    words = next((found for one in _EDITS if (found := one(text, place)) is not None), None)
    if words is not None:
        line = Place(place.file, place.line)
        return Fix(edits=(Edit(place=line, before=words[0], after=words[1]),))
    decision = next((said for pattern, said in _DECISIONS if pattern.search(text)), "correct {place}")
    return Fix(text=f"decide: {decision.format(place=place)}; a new commit is rendered immediately")


def _of_application(spec: ApplicationSpec, change: ChangeApp, text: str) -> Fix | None:
    """Return the command that corrects what the Application itself names: path, revision, values file."""
    if spec.source is None or spec.sources:
        return None
    near, source = _MEANT.search(text), spec.source
    if (folder := _FOLDER.match(text)) and folder["path"] == source.path and (found := _NEAR_FOLDER.search(text)):
        return change("--path", found["near"], "spec.source.path", "or restore the folder", "")
    if (wrong := _REVISION.search(text)) and wrong["wrong"] == source.target_revision and near:
        remark = "or push the branch or tag"
        return change("--revision", near["near"], "spec.source.targetRevision", remark, "")
    if (file := _VALUES_FILE.search(text)) and near and source.helm is not None:
        entries = list(source.helm.value_files)
        if file["entry"] in entries:
            meant = posixpath.relpath(near["near"], source.path) if file["entry"][0] != "/" else f"/{near['near']}"
            others = [meant if one == file["entry"] else one for one in entries]
            flags = " ".join(f"--values {shlex.quote(one)}" for one in others[:-1])
            flag = f"{flags} --values".strip()
            return change(flag, others[-1], "spec.source.helm.valueFiles", "or add the file", meant)
    return None


def _unreached(spec: ApplicationSpec, text: str) -> Fix | None:
    """Return what to do about a repository that gave nothing."""
    source = spec.source or next(iter(spec.sources), None)
    url = without_logins(source.repo_url) if source is not None else ""
    if _HOST.search(text):
        return Fix(text=f"decide: correct spec.source.repoURL ({url}), or make its name resolvable in the cluster")
    if _LOGIN.search(text):
        return Fix(text="or the login is wrong", command=f"syncline repo add {url} --username USER --password -")
    if _ABSENT.search(text):
        return Fix(
            text=f"decide: correct spec.source.repoURL ({url}); a private repository cannot be found without a login:"
            f" syncline repo add {url} --username USER --password -"
        )
    return None


def _field(text: str, _place: Place) -> Words | None:
    return _pair(_FIELD, text, "{}:")


def _file(text: str, place: Place) -> Words | None:
    wrong, near = _GONE.search(text), _MEANT.search(text)
    if wrong is None or near is None:
        return None
    folder = posixpath.dirname(place.file) or "."
    return posixpath.relpath(wrong["wrong"], folder), posixpath.relpath(near["near"], folder)


def _value(text: str, _place: Place) -> Words | None:
    return _pair(_VALUE, text, ".Values.{}")


def _template(text: str, _place: Place) -> Words | None:
    return _pair(_TEMPLATE, text, '"{}"')


def _target(text: str, _place: Place) -> Words | None:
    return _pair(_TARGET, text, "{}")


def _function(text: str, _place: Place) -> Words | None:
    wrong = _FUNCTION.search(text)
    near = nearest(wrong["wrong"], list(_functions())) if wrong else []
    return (wrong["wrong"], near[0]) if wrong and near else None


def _functions() -> Iterator[str]:
    # A table of two hundred functions, which only a misspelled one needs.
    from syncline.core.appset.functions import FUNCTIONS

    yield from FUNCTIONS
    yield from _HELM_FUNCTIONS


def _pair(pattern: re.Pattern[str], text: str, form: str) -> Words | None:
    wrong, near = pattern.search(text), _MEANT.search(text)
    if wrong is None or near is None:
        return None
    return form.format(wrong["wrong"]), form.format(near["near"])


_EDITS: tuple[Callable[[str, Place], Words | None], ...] = (_field, _file, _value, _template, _target, _function)
