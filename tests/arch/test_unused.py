"""Everything in `src` is used by something in `src`."""

import pathlib

import pytest

from tests.arch import source_rules, unused

# Each with who calls it, since nothing in src does by its name.
CALLED_FROM_OUTSIDE = {
    "syncline.enclosure_warden._FUNCTIONS": "looked up before the fork, so that nothing is after it",
    "syncline.cli.main.main": "the program, named in pyproject.toml",
    "syncline.cli.choice.Choice.get_invalid_choice_message": "click",
    "syncline.cli.lazy.SwitchGroup.resolve_command": "click",
    "syncline.cli.lazy.LazyGroup.format_commands": "click",
    "syncline.cli.lazy.LazyGroup.get_command": "click",
    "syncline.cli.lazy.LazyGroup.list_commands": "click",
    "syncline.cli.lazy.LazyGroup.shell_complete": "click",
    "syncline.adapters.virtual_time.HybridLoop._tracked": "subprocess_exec below",
    "syncline.adapters.virtual_time.HybridLoop.subprocess_exec": "asyncio",
    "syncline.adapters.virtual_time.HybridLoop.subprocess_shell": "asyncio",
    "syncline.pytest_plugin.pytest_addoption": "pytest, through the entry point in pyproject.toml",
    "syncline.pytest_plugin.pytest_collection_modifyitems": "pytest, through the entry point in pyproject.toml",
    "syncline.pytest_plugin._CALLED": "pytest calls these by name",
    "syncline.server.grpcweb.listener.Connection.on_response_complete": "uvicorn",
    "syncline.server.grpcweb.listener.Connection.resume_writing": "asyncio",
    "syncline.sandbox.serving.streaming._RawPipe.feed_data": "aiohttp",
    "syncline.sandbox.serving.streaming._RawPipe.feed_eof": "aiohttp",
}
# Parts of something that is not finished; each goes when that lands or is given up.
NOT_YET_USED = {
    "syncline.apimachinery.yaml.edit.delete": "fixes that are written into files set fields so far",
    "syncline.apimachinery.yaml.edit.insert": "fixes that are written into files set fields so far",
    "syncline.model.codec.encode_snapshot": "writing a snapshot",
}
KEPT = {**CALLED_FROM_OUTSIDE, **NOT_YET_USED}


def test_nothing_is_defined_that_nothing_uses() -> None:
    assert unused.unused(source_rules.SOURCE / "syncline", source_rules.SOURCE, KEPT) == []


def test_the_list_of_exceptions_holds_only_what_is_there_and_unused() -> None:
    found = unused.unused(source_rules.SOURCE / "syncline", source_rules.SOURCE)
    assert sorted(set(KEPT) - set(found)) == []


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"a": "def f(): ...\n"}, ["a.f"]),
        ({"a": "def f(): ...\n", "b": "from a import f\n"}, []),
        ({"a": "def f(): ...\n", "b": "import a\nx = a.f()\n", "c": "from b import x\n"}, []),
        ({"a": "def f(): return f()\n"}, ["a.f"]),
        ({"a": "def f(): return g()\ndef g(): ...\n"}, ["a.f", "a.g"]),
        ({"a": "LIMIT = 3\n"}, ["a.LIMIT"]),
        ({"a": "class C:\n    def m(self): ...\n", "b": "from a import C\n"}, ["a.C.m"]),
        ({"a": "class C:\n    def m(self): ...\n", "b": "from a import C\nC().m()\n"}, []),
        ({"a": "class C:\n    def m(self): self.inner.m()\n", "b": "from a import C\n"}, ["a.C.m"]),
        ({"a": "@group.command()\ndef f(): ...\n"}, []),
        ({"syncline/a": "def f(): ...\n", "syncline/b": "print('syncline.a:f')\n"}, []),
        ({"a": "def f(): ...\n", "b": "'''Mentions f.'''\n"}, ["a.f"]),
    ],
)
def test_the_check_knows_what_is_used(tmp_path: pathlib.Path, files: dict[str, str], found: list[str]) -> None:
    for name, text in files.items():
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert unused.unused(tmp_path, tmp_path) == found
