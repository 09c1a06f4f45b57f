"""Reduces what kustomize prints to its cause, with the file and line that has to be changed.

Called by `syncline.adapters.render.kustomize.build` when a build has failed. Kustomize names neither lines nor, often,
the kustomization: the files of the commit are read again for what it complains about. Its own words stay, since people
search for them.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from syncline.adapters.render import nearest
from syncline.adapters.render.choice import RenderChoice
from syncline.adapters.render.kustomize import entries
from syncline.adapters.render.tools import KUSTOMIZATIONS
from syncline.apimachinery import yaml
from syncline.model.errors import Place, RenderError, SourceError
from syncline.ports.source import Tree

_MAX = 500
_QUOTES_ITSELF = " with config: `"
_WRAPPING = re.compile(r"accumulation err='(?P<inner>.*)': must build at directory: (?P<outer>.*)", re.DOTALL)
_INNERMOST = re.compile(r".*(?P<step>accumulating resources from ')", re.DOTALL)
_GONE = re.compile(r"evalsymlink failure on '(?P<path>[^']+)' : lstat [^:]+: no such file or directory")
_BESIDE = re.compile(r"security; file '(?P<path>[^']+)' is not in or below")
_MALFORMED = re.compile(r"MalformedYAMLError|yaml: line \d+|error converting YAML")
_UNKNOWN = re.compile(r'unknown field "(?P<field>[^"]+)"')
_TWICE = re.compile(r"already registered id: (?P<kind>\w+)\.[^/]*/(?P<name>[^.\s]+(?:\.[^.\s\[]+)*)\.\[?")
_UNMATCHED = re.compile(r"(?:patch|Id) \"?(?P<kind>\w+)\.[^/]*/(?P<name>[^\s\"]+?)\.\[no[NG]")
_COMPONENT = re.compile(r"expected kind != 'Component' for path '(?P<path>[^']+)'")
_GENERATED = re.compile(r'Kind:"(?P<kind>\w+)".*?Name:"(?P<name>[^"]+)".*does not exist; cannot merge or replace')
_REPLICAS = re.compile(r"resource with name (?P<name>\S+) does not match a config with the following GVK")
_SCALED = ("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController")
_NO_NETWORK = "proxyconnect tcp: dial tcp 127.0.0.1:9"
_POINTER = re.compile(r"(?:missing path|path): (?P<pointer>/\S+?)(?=:|$|\s)")
_CHARTS_OFF = "must specify --enable-helm"
_CHARTS = ("helmcharts", "helmchartinflationgenerator")
_PULLED = re.compile(r"helm pull .*--repo (?P<repository>\S+) (?P<name>\S+)")
_WRONG_TYPE = re.compile(r"Go struct field Kustomization\.(?P<field>\w+) of type \S*?(?P<type>\w+)$")
_PROGRAM = re.compile(r"external plugins disabled; unable to load external plugin '(?P<kind>\w+)'")
_ADDRESS = re.compile(r"[(']?(?P<url>https?://[^\s)']+)[)']")
_FIELDS = (
    *("resources", "bases", "components", "patches", "patchesStrategicMerge", "patchesJson6902", "images", "replicas"),
    *("configMapGenerator", "secretGenerator", "generatorOptions", "namePrefix", "nameSuffix", "namespace", "labels"),
    *("commonLabels", "commonAnnotations", "replacements", "vars", "crds", "configurations", "openapi", "helmCharts"),
    *("transformers", "generators", "validators", "buildMetadata", "sortOptions", "helmGlobals"),
)
Answer = tuple[Place | None, str, str]
"""Where the cause stands, kustomize's words made shorter (or none), and what to do."""


def reduce(complaint: str, choice: RenderChoice, texts: Texts) -> RenderError:
    """Return the error for what kustomize said about these files of a commit."""
    text = _reduced(complaint)
    if _NO_NETWORK in text:
        text = f"{text.partition(': Get ')[0]}: programs have no network here"
    answers: tuple[Callable[[str, Texts], Answer | None], ...] = (
        _gone,
        _beside,
        _unknown,
        _twice,
        _component,
        _generated,
        _replicas,
        _unmatched,
        _pointer,
        _broken,
        _charts_off,
        _chart_not_fetched,
        _wrong_type,
        _program,
        _address,
    )
    found = next((answer for one in answers if (answer := one(text, texts)) is not None), None)
    place, words, hint = found or (None, "", "")
    shortened = (words or text)[:_MAX] + ("…" if len(words or text) > _MAX else "")
    missing = gone["path"] if (gone := _GONE.search(text)) else ""
    what = f"`kustomize build` failed: {shortened}"
    return RenderError(what, place=place or _anywhere(choice, texts), hint=hint, missing=missing)


def _anywhere(choice: RenderChoice, texts: Texts) -> Place | None:
    """Return the kustomization that was built; where the Application adds to it, the cause may be either."""
    files = [file for file, _document in texts.kustomizations() if posixpath.dirname(file) == choice.folder]
    return Place(files[0], 1) if files and choice.source.kustomize is None else choice.place


def _reduced(complaint: str) -> str:
    """Return kustomize's message without the wrapping that repeats it for each way it tried."""
    lines = [line for line in complaint.splitlines() if line.strip() and not line.startswith("#")]
    if pulling := next((line for line in lines if _PULLED.search(line)), ""):
        return pulling
    text = next((line for line in lines if line.startswith("error:")), lines[-1] if lines else "it gave no reason")
    text = text.removeprefix("error: ")
    if text.endswith(_QUOTES_ITSELF):
        # It repeats the whole configuration, and says what is wrong with it at the end.
        text = f"{text.removesuffix(_QUOTES_ITSELF)}: {lines[-1].lstrip('`: ')}"
    while wrapped := _WRAPPING.search(text):
        inner, outer = wrapped["inner"], wrapped["outer"]
        text = outer if "must build at directory" in outer or "accumulating" in outer else inner
    innermost = _INNERMOST.match(text)
    return text[innermost.start("step") :] if innermost else text


class Texts:
    """The YAML files that a build has read, as their authors wrote them; `read` has those that were fetched too."""

    def __init__(self, tree: Tree, read: Callable[[str], bytes], files: Sequence[str]) -> None:
        self.tree = tree
        self._read = read
        self._files = [file for file in files if file.endswith((".yaml", ".yml", ".json")) or _is_kustomization(file)]

    def kustomizations(self) -> Iterator[tuple[str, yaml.Document]]:
        """Yield each kustomization."""
        return ((file, document) for file, document in self.documents() if _is_kustomization(file))

    def documents(self) -> Iterator[tuple[str, yaml.Document]]:
        """Yield each document that can be read."""
        for file in self._files:
            try:
                yield from ((file, document) for document in yaml.load_documents(self._read(file), source=file))
            except (yaml.YamlError, SourceError):
                continue

    def broken(self) -> tuple[Place, str] | None:
        """Return the first file that cannot be read, and why."""
        for file in self._files:
            try:
                yaml.load_documents(self._read(file), source=file)
            except yaml.YamlError as error:
                return Place(file, error.line, error.column), error.message
            except SourceError:
                continue
        return None

    def declared(self, kind: str, name: str) -> list[Place]:
        """Return where objects of a kind and a name stand."""
        found = []
        for file, document in self.documents():
            value: Any = document.value
            metadata = value.get("metadata") if isinstance(value, dict) else None
            if isinstance(metadata, dict) and value.get("kind") == kind and name in ("", str(metadata.get("name"))):
                found.append(Place(file, document.position_or_parent(("kind",)).line))
        return found

    def names(self, kind: str) -> dict[str, Place]:
        """Return the names of objects of a kind, and where each stands first."""
        found: dict[str, Place] = {}
        for file, document in self.documents():
            value: Any = document.value
            metadata = value.get("metadata") if isinstance(value, dict) and value.get("kind") == kind else None
            if isinstance(metadata, dict) and isinstance(metadata.get("name"), str):
                line = document.position_or_parent(("metadata", "name")).line
                found.setdefault(metadata["name"], Place(file, line))
        return found


def _gone(text: str, texts: Texts) -> Answer | None:
    missing = _GONE.search(text)
    if missing is None:
        return None
    path = missing["path"]
    words = f"{text[: missing.start()]}{path}: no such file or directory".replace(f"'{path}': {path}", f"'{path}'")
    return _entry(path, texts), words, nearest.path(path, texts.tree)


def _beside(text: str, texts: Texts) -> Answer | None:
    beside = _BESIDE.search(text)
    if beside is None:
        return None
    hint = "kustomize reads only files of its own folder, unless the operator's kustomize.buildOptions say otherwise"
    return _entry(beside["path"], texts), "", hint


def _entry(path: str, texts: Texts) -> Place | None:
    """Return the entry of a kustomization that names a path of the repository."""
    for file, document in texts.kustomizations():
        for steps, entry in entries.leaves(document.value, ()):
            named = posixpath.normpath(posixpath.join(posixpath.dirname(file), entry.partition("=")[2] or entry))
            if named == path:
                return Place(file, document.position_or_parent(steps).line)
    return None


def _unknown(text: str, texts: Texts) -> Answer | None:
    unknown = _UNKNOWN.search(text)
    if unknown is None:
        return None
    field = unknown["field"]
    meant = nearest.name(field, _FIELDS)
    hint = f"did you mean {meant}?" if meant else ""
    for file, document in texts.kustomizations():
        if isinstance(document.value, dict) and field in document.value:
            return Place(file, document.position_or_parent((field,)).line), "", hint
    return None, "", hint


def _twice(text: str, texts: Texts) -> Answer | None:
    twice = _TWICE.search(text)
    places = texts.declared(twice["kind"], twice["name"]) if twice else []
    if twice is None or not places:
        return None
    if len(places) > 1:
        return places[-1], "", f"it is in {places[0]} too"
    return _listed_twice(places[0].file, f"{twice['kind']} {twice['name']}", texts)


def _listed_twice(path: str, what: str, texts: Texts) -> Answer | None:
    """Return the second entry of a kustomization that lists a file twice."""
    for file, document in texts.kustomizations():
        listed = [
            steps
            for steps, entry in entries.leaves(document.value, ())
            if posixpath.normpath(posixpath.join(posixpath.dirname(file), entry)) == path
        ]
        if len(listed) > 1:
            place = Place(file, document.position_or_parent(listed[1]).line)
            return place, f"{what} is there twice", f"{path} is listed twice: delete the line"
    return None


def _component(text: str, texts: Texts) -> Answer | None:
    found = _COMPONENT.search(text)
    if found is None:
        return None
    words = f"{found['path']} is a Component, which is not a resource"
    return _entry(found["path"], texts), words, "list it under components"


def _generated(text: str, texts: Texts) -> Answer | None:
    """Return the generator that should change an object which is not there."""
    found = _GENERATED.search(text)
    if found is None:
        return None
    kind, name = found["kind"], found["name"]
    known = set(texts.names(kind)) | {made for _place, made in _named(texts, f"{kind[0].lower()}{kind[1:]}Generator")}
    meant = nearest.name(name, known - {name})
    hint = f"did you mean {meant}?" if meant else "leave out behavior where it is new"
    places = [place for place, made in _named(texts, f"{kind[0].lower()}{kind[1:]}Generator") if made == name]
    return (places[0] if places else None), f"there is no {kind} {name} to merge into or to replace", hint


def _replicas(text: str, texts: Texts) -> Answer | None:
    found = _REPLICAS.search(text)
    if found is None:
        return None
    name = found["name"]
    places = [place for place, made in _named(texts, "replicas") if made == name]
    known = {one for kind in _SCALED for one in texts.names(kind)}
    meant = nearest.name(name, known)
    hint = f"did you mean {meant}?" if meant else ""
    return (places[0] if places else None), f"replicas are set for {name}, and no workload has that name", hint


def _named(texts: Texts, field: str) -> Iterator[tuple[Place, str]]:
    """Yield the names of the entries below a field of kustomizations, each with its line."""
    for file, document in texts.kustomizations():
        listed = document.value.get(field) if isinstance(document.value, dict) else None
        for number, entry in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(entry, dict) and isinstance(entry.get("name"), str):
                line = document.position_or_parent((field, number, "name")).line
                yield Place(file, line), entry["name"]


def _unmatched(text: str, texts: Texts) -> Answer | None:
    unmatched = _UNMATCHED.search(text) if "patch" in text else None
    places = texts.declared(unmatched["kind"], unmatched["name"]) if unmatched else []
    if unmatched is None or not places:
        return None
    others = [place for place in texts.declared(unmatched["kind"], "") if place not in places]
    kind, name = unmatched["kind"], unmatched["name"]
    names = texts.names(kind)
    if meant := nearest.name(name, set(names) - {name}):
        return names[name], "", f"did you mean {meant}?; it is in {names[meant]}"
    hint = f"a {kind} is in {', '.join(map(str, others[:3]))}" if others else f"no {kind} is among the resources"
    return places[0], "", hint


def _pointer(text: str, texts: Texts) -> Answer | None:
    pointer = _POINTER.search(text) if "operation" in text or "doc is missing" in text else None
    if pointer is None:
        return None
    for file, document in texts.documents():
        for steps, entry in entries.leaves(document.value, ()):
            if re.search(rf"(?:^|[\s\"']){re.escape(pointer['pointer'])}(?:$|[\s\"',}}])", entry):
                hint = "op: add creates a missing field" if "missing" in text else ""
                return Place(file, document.position_or_parent(steps).line), "", hint
    return None


def _broken(text: str, texts: Texts) -> Answer | None:
    found = texts.broken() if _MALFORMED.search(text) else None
    if found is None:
        return None
    place, message = found
    return place, f"{text.split('MalformedYAMLError', maxsplit=1)[0]}MalformedYAMLError: {message}", ""


def _charts_off(text: str, texts: Texts) -> Answer | None:
    if _CHARTS_OFF not in text:
        return None
    hint = "set kustomize.buildOptions: --enable-helm in argocd-cm, or give --kustomize-build-options=--enable-helm"
    return _chart_place(texts, ""), f"charts in a kustomization are off: {_CHARTS_OFF}", hint


def _chart_not_fetched(text: str, texts: Texts) -> Answer | None:
    pulled = _PULLED.search(text)
    if pulled is None:
        return None
    words = f"chart {pulled['name']} of {pulled['repository']} is not fetched: kustomize has no network here"
    return _chart_place(texts, pulled["name"]), words, "commit it to the folder charts beside the kustomization"


def _wrong_type(text: str, texts: Texts) -> Answer | None:
    wrong = _WRONG_TYPE.search(text)
    if wrong is None:
        return None
    for file, document in texts.kustomizations():
        if isinstance(document.value, dict) and wrong["field"] in document.value:
            hint = f"an entry of {wrong['field']} has not the form of a {wrong['type']}"
            return Place(file, document.position_or_parent((wrong["field"],)).line), "", hint
    return None


def _program(text: str, texts: Texts) -> Answer | None:
    """Answer for a plug-in that is a program."""
    program = _PROGRAM.search(text)
    if program is None:
        return None
    places = texts.declared(program["kind"], "")
    return next(iter(places), None), "", "plug-ins that are programs are never run: commit what it generates"


def _address(text: str, texts: Texts) -> Answer | None:
    address = _ADDRESS.search(text)
    if address is None:
        return None
    for file, document in texts.kustomizations():
        for steps, entry in entries.leaves(document.value, ()):
            if entry.strip() == address["url"]:
                hint = "commit a copy to the repository and name its path"
                return Place(file, document.position_or_parent(steps).line), "", hint
    return None


def _chart_place(texts: Texts, name: str) -> Place | None:
    """Return the entry of a kustomization that names a chart; of any chart where the name is not known."""
    for file, document in texts.kustomizations():
        for field in document.value if isinstance(document.value, dict) else ():
            if str(field).casefold() not in _CHARTS:
                continue
            entries = document.value[field] if isinstance(document.value[field], list) else []
            named = [index for index, one in enumerate(entries) if isinstance(one, dict) and name == one.get("name")]
            steps = (field, named[0]) if named else (field,)
            if named or not name:
                return Place(file, document.position_or_parent(steps).line)
    return None


def _is_kustomization(file: str) -> bool:
    return posixpath.basename(file) in KUSTOMIZATIONS
