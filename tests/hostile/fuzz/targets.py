"""What is fuzzed: for each reader of foreign input a strategy that makes inputs, and a check that must hold for all.

Used by `tests.hostile.fuzz.test_fuzz`, which tries a bounded number of fixed examples and everything in the corpus, and
by `python -m tests.hostile.fuzz.explore` (`make fuzz`), which looks for new failures and saves them there. Inputs are
values of JSON, so that a failure is a file that people can read.
"""

from __future__ import annotations

import asyncio
import base64
import copy
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from syncline.adapters.scripts.evaluator import ScriptEvaluator
from syncline.adapters.scripts.process import ScriptLimits
from syncline.apimachinery import yaml
from syncline.core.appset.generate import GenerationError, generate
from syncline.core.appset.questions import Unanswered
from syncline.model import application
from syncline.model.errors import InvalidSpec
from syncline.server.grpcweb import frames, schema
from syncline.server.grpcweb.codec import Codec
from syncline.server.grpcweb.methods import METHODS
from syncline.server.requests.failures import Failure
from syncline.server.webhooks.pushes import READERS, Push
from tests.component.scripts.making import delete, health
from tests.component.server.test_webhooks import PAYLOADS

SLOW = 20.0
"""Seconds that no input of these sizes may take, on a machine with other work."""


@dataclass(frozen=True, slots=True)
class Target:
    """A reader of foreign input."""

    name: str
    inputs: st.SearchStrategy[Any]
    check: Callable[[Any], None]
    examples: int
    """How many examples CI tries."""


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=20),
    st.sampled_from(["", "{{", "{{.x}}", "{{name}}", "-1", "../x", "a\0b", "\ud7ff", "x" * 3000, "[[[", "<<", "*"]),
)
JSON = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


def spoiled(start: Any) -> st.SearchStrategy[Any]:
    """Return copies of a value in which some places hold something else, or nothing."""

    @st.composite
    def change(draw: st.DrawFn) -> Any:
        made = copy.deepcopy(start)
        for _ in range(draw(st.integers(1, 4))):
            places = list(_places(made))
            holder, key = places[draw(st.integers(0, len(places) - 1))]
            if draw(st.integers(0, 4)) == 0:
                del holder[key]
            else:
                holder[key] = draw(JSON)
            if not list(_places(made)):
                break
        return made

    return change()


def texts_spoiled(start: Any) -> st.SearchStrategy[Any]:
    """Return copies in which texts are other texts: what the schema of a CRD lets through."""

    @st.composite
    def change(draw: st.DrawFn) -> Any:
        made = copy.deepcopy(start)
        places = [(holder, key) for holder, key in _places(made) if isinstance(holder[key], str)]
        for _ in range(draw(st.integers(1, 4))):
            holder, key = places[draw(st.integers(0, len(places) - 1))]
            holder[key] = draw(st.text(max_size=20) | words(GO_WORDS, 6))
        # Elements of lists are whatever JSON there is.
        made["spec"]["generators"][0]["list"]["elements"] = draw(
            st.lists(st.dictionaries(st.text(max_size=6), JSON, max_size=3), max_size=3)
        )
        return made

    return change()


def _places(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        found.append((value, key))
        found.extend(_places(member))
    return found


YAML_WORDS = [
    "a",
    ": ",
    "- ",
    "\n",
    "  ",
    "\t",
    "&a ",
    "*a",
    "<<: ",
    "!!binary ",
    "!!python/object:x ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    "|\n",
    ">-\n",
    "---\n",
    "...\n",
    "'",
    '"',
    "#x",
    "? ",
    "%YAML 1.1\n",
    "\ufeff",
    "\r\n",
    "\0",
    "~",
    "017",
    "12:30:45",
    "no",
    ".inf",
    "1e999",
    "\\u0000",
    "\ud7ff",
    "=",
    "!<tag:x> ",
    "&a [*a]",
    "@",
    "`",
    "kind: ConfigMap\n",
    "metadata: ",
]


def _quick(what: Callable[[], object]) -> None:
    begun = time.monotonic()
    what()
    assert time.monotonic() - begun < SLOW, "it took too long"


def check_yaml(text: str) -> None:
    def read() -> None:
        try:
            yaml.load_documents(text)
        except yaml.YamlError:
            return

    _quick(read)


APP: dict[str, Any] = {
    "metadata": {"name": "shop", "namespace": "argocd", "finalizers": ["x"], "annotations": {"a": "b"}},
    "spec": {
        "project": "team",
        "source": {
            "repoURL": "https://git.example/x",
            "path": "a",
            "targetRevision": "main",
            "helm": {"valueFiles": ["a"], "parameters": [{"name": "a", "value": "b"}], "valuesObject": {"a": 1}},
            "kustomize": {"images": ["a=b"], "patches": [{"patch": "x", "target": {"kind": "Y"}}]},
            "directory": {"recurse": True, "jsonnet": {"tlas": [{"name": "a", "value": "b"}]}},
            "plugin": {"name": "p", "env": [{"name": "A", "value": "b"}], "parameters": [{"name": "x", "map": {}}]},
        },
        "destination": {"server": "https://kubernetes.default.svc", "namespace": "x"},
        "syncPolicy": {"automated": {"prune": True}, "retry": {"limit": 1, "backoff": {"duration": "5s", "factor": 2}}},
        "ignoreDifferences": [{"kind": "X", "jqPathExpressions": [".a"], "jsonPointers": ["/a"]}],
        "info": [{"name": "a", "value": "b"}],
    },
    "operation": {"sync": {"revision": "x", "resources": [{"kind": "X", "name": "y"}]}},
    "status": {"sync": {"status": "Synced"}, "history": [{"id": 1, "revision": "x"}], "operationState": {"phase": "x"}},
}


def check_application(obj: Any) -> None:
    if not isinstance(obj, dict):
        return
    try:
        application.parse(obj)
    except InvalidSpec:
        return


SET: dict[str, Any] = {
    "apiVersion": "argoproj.io/v1alpha1",
    "kind": "ApplicationSet",
    "metadata": {"name": "set", "namespace": "argocd"},
    "spec": {
        "goTemplate": True,
        "goTemplateOptions": ["missingkey=error"],
        "generators": [
            {"list": {"elements": [{"name": "a"}, {"name": "b"}], "template": {"metadata": {}, "spec": {}}}},
            {"matrix": {"generators": [{"list": {"elements": [{"x": "1"}]}}, {"list": {"elements": [{"y": "2"}]}}]}},
            {"merge": {"mergeKeys": ["x"], "generators": [{"list": {"elements": [{"x": "1"}]}}]}},
            {"git": {"repoURL": "https://git.example/x", "revision": "HEAD", "directories": [{"path": "*"}]}},
            {"clusters": {"selector": {"matchLabels": {"a": "b"}}, "values": {"a": "{{.name}}"}}},
        ],
        "template": {
            "metadata": {"name": "{{.name}}", "labels": {"a": "{{ .name | upper }}"}},
            "spec": {"project": "team", "source": {"repoURL": "x", "path": "{{.path}}"}, "destination": {}},
        },
        "templatePatch": "spec: {a: {{ .name }}}",
        "strategy": {"type": "RollingSync", "rollingSync": {"steps": [{"matchExpressions": []}]}},
        "ignoreApplicationDifferences": [{"jsonPointers": ["/a"]}],
    },
}
GO_WORDS = [
    "{{",
    "}}",
    ".name",
    "range ",
    "end",
    "if ",
    "else",
    "define ",
    '"x"',
    "template ",
    "with ",
    "|",
    "printf ",
    "repeat ",
    "1000000000",
    "-",
    "(",
    ")",
    "$x := ",
    "$x",
    "until ",
    "len ",
    "index ",
    "fail ",
    "include ",
    "dict ",
    "now",
    "env ",
    "{{/*",
    "*/}}",
    "block ",
    "break",
    "continue",
    "untilStep ",
    " ",
    "`",
    "'",
    "regexReplaceAll ",
    '"(a*)*b"',
    "toJson ",
]


def check_set(obj: Any) -> None:
    if not isinstance(obj, dict):
        return

    def made() -> None:
        try:
            generate(obj, {})
        except (GenerationError, Unanswered):
            return

    _quick(made)


def check_webhook(case: Any) -> None:
    provider, payload = case
    found = READERS[provider](payload)
    assert isinstance(found, list)
    assert all(isinstance(push, Push) for push in found)


def check_grpc(case: Any) -> None:
    number, encoded = case
    method, body = METHODS[number % len(METHODS)], base64.b64decode(encoded)
    try:
        Codec(schema.shipped()).decode(method.request, frames.message_of(body))
    except Failure:
        return


LUA_WORDS = [
    "obj",
    ".spec",
    "[1]",
    " = ",
    "nil",
    "{",
    "}",
    "return ",
    "function() ",
    " end ",
    "for i=1,1e9 do ",
    "while true do ",
    "string.rep('x', 1e9)",
    "setmetatable(",
    ")",
    "os.execute('id')",
    "io.open('/etc/passwd')",
    "require('os')",
    ", ",
    "pcall(",
    "error(",
    "load(",
    "'x'",
    "..",
    "#",
    "getmetatable('')",
    ".__index",
    "local x = ",
    "x",
    "{status='Healthy'}",
    "_G",
    "debug",
    "rawset(",
    "select('#', ",
    "tostring(",
    "coroutine.wrap(",
    "goto x ::x:: ",
    "\\27Lua",
    "\0",
]
JQ_WORDS = [
    ".",
    ".a",
    "[]",
    "|",
    "..",
    "def f: ",
    "f",
    ";",
    "recurse",
    "env",
    "$ENV",
    "input",
    "range(1e9)",
    "(",
    ")",
    ",",
    "?",
    "//",
    "reduce ",
    " as $x ",
    "limit(3; ",
    "label $x | ",
    "break $x",
    "@base64d",
    '"x" * 1e9',
    "try ",
    "error",
    "[",
    "]",
    "{",
    "}",
    'import "x" as $x;',
    'test("(a*)*b")',
    "while(true; .)",
    "$__loc__",
    "input_filename",
    "-1",
    "1e999",
    "\0",
]


def check_scripts(texts: Any) -> None:
    """Lua and jq in their worker processes: each has an answer, and so has the honest script beside them."""
    honest = health('return {status="Healthy", message="yes"}')
    scripts = [health(text) for text in texts["lua"]] + [delete(text) for text in texts["jq"]]

    async def run() -> list[Any]:
        evaluator = ScriptEvaluator(limits=ScriptLimits(wall_seconds=100.0))
        try:
            return list(await evaluator.evaluate([*scripts, honest]))
        finally:
            await evaluator.close()

    answers = asyncio.run(run())
    assert len(answers) == len(scripts) + 1
    assert answers[-1].value == {"status": "Healthy", "message": "yes"}
    shown = str(answers)
    assert "root:" not in shown
    assert "uid=" not in shown


def words(parts: list[str], most: int) -> st.SearchStrategy[str]:
    """Return texts made of parts that mean something to the reader."""
    return st.lists(st.sampled_from(parts), max_size=most).map("".join)


def _set_with_text(texts: tuple[str, str]) -> Any:
    made = copy.deepcopy(SET)
    made["spec"]["template"]["metadata"]["name"], made["spec"]["templatePatch"] = texts
    made["spec"]["generators"] = made["spec"]["generators"][:1]
    return made


TARGETS = (
    Target("yaml", words(YAML_WORDS, 40) | st.text(max_size=200), check_yaml, 500),
    Target("application", spoiled(APP), check_application, 200),
    Target("applicationset", texts_spoiled(SET), check_set, 120),
    Target("gotemplate", st.tuples(words(GO_WORDS, 12), words(GO_WORDS, 12)).map(_set_with_text), check_set, 150),
    Target(
        "webhook",
        st.sampled_from(sorted(PAYLOADS)).flatmap(
            lambda provider: st.tuples(st.just(provider), spoiled(PAYLOADS[provider]) | JSON).map(list)
        ),
        check_webhook,
        300,
    ),
    Target(
        "grpc-web",
        st.tuples(
            st.integers(0, len(METHODS) - 1),
            st.one_of(st.binary(max_size=200), st.binary(max_size=200).map(frames.data)).map(
                lambda body: base64.b64encode(body).decode()
            ),
        ).map(list),
        check_grpc,
        300,
    ),
    Target(
        "scripts",
        st.fixed_dictionaries(
            {
                "lua": st.lists(words(LUA_WORDS, 8), min_size=4, max_size=8),
                "jq": st.lists(words(JQ_WORDS, 8), min_size=4, max_size=8),
            }
        ),
        check_scripts,
        2,
    ),
)
