"""Reads Python source as a tree and names what breaks the house rules; the tests beside it apply it to `src`.

Calls are told by where the name was imported from, so an alias does not hide one and a method of ours that
happens to be called `now` is left alone.
"""

import ast
import functools
import pathlib
import re
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).parents[2]
SOURCE = ROOT / "src"
# Time, new names and chance come from `syncline.ports.clock`; only what implements it may ask the machine.
CLOCK_AND_CHANCE = re.compile(
    r"datetime\.(datetime\.)?(now|utcnow|today)|datetime\.date\.today|random\..*|secrets\..*|os\.urandom|uuid\.uuid[1-8]"
    r"|time\.(time|time_ns|monotonic|monotonic_ns|perf_counter|perf_counter_ns|sleep|localtime|gmtime)"
)
SHELLS = re.compile(
    r"os\.(system|popen)|subprocess\.(getoutput|getstatusoutput)|asyncio\.(subprocess\.)?create_subprocess_shell"
    r"|pty\.spawn|commands\..*"
)
PROGRAMS = re.compile(
    r"asyncio\.(subprocess\.)?create_subprocess_exec|subprocess\.(run|call|check_call|check_output|Popen)"
    r"|os\.(exec|spawn|posix_spawn|fork)\w*|multiprocessing\..*"
)
DOTTED = re.compile(r"`((?:syncline|tests)(?:\.[A-Za-z_]\w*)+)(?:\(\))?`")
# "Called by `a` for this and by `b`, `c` and `d` for that": the sentence, then the names that are said to call.
CALLED_BY = re.compile(r"\b(?:called|used|asked|started|run) (by (?:[^.;`]|`[^`]*`|\.(?!\s|$))*)", re.IGNORECASE)
CALLER = re.compile(r"(?:\bby|\band|,) +`(syncline(?:\.[A-Za-z_]\w*)+)`")
# These look like modules and are not: the API group and the configuration file.
NOT_MODULES = {"syncline.io", "syncline.toml"}


def modules(folder: pathlib.Path = SOURCE / "syncline") -> list[pathlib.Path]:
    """Return the Python files below a folder."""
    return sorted(folder.rglob("*.py"))


@functools.cache
def parsed(path: pathlib.Path) -> ast.Module:
    """Return the tree of a file; every rule asks for the same ones."""
    return ast.parse(path.read_text())


@functools.cache
def calls(tree: ast.Module) -> tuple[tuple[int, str], ...]:
    """Return line and full dotted name of each call, and of each imported function handed on as a value."""
    return tuple(_calls(tree))


def _calls(tree: ast.Module) -> Iterator[tuple[int, str]]:
    names = imported(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            name = dotted(node)
            first, _, rest = name.partition(".")
            if first in names:
                yield node.lineno, f"{names[first]}.{rest}" if rest else names[first]


def started_tasks(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield where a task is started by hand; a TaskGroup (`group.create_task`) awaits what it starts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in ("create_task", "ensure_future"):
            name = dotted(node) or f"….{node.attr}"
            if name != "group.create_task":
                yield node.lineno, name


def asked_for_a_shell(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and name of each way to a shell."""
    yield from ((line, name) for line, name in calls(tree) if SHELLS.fullmatch(name))
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "shell" and not _is_false(node.value):
            yield node.value.lineno, "shell="


def started_a_program(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and name of each way to start another program."""
    yield from ((line, name) for line, name in calls(tree) if PROGRAMS.fullmatch(name))


def asked_for_time_or_chance(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and name of each use of the machine's clock or randomness."""
    yield from ((line, name) for line, name in calls(tree) if CLOCK_AND_CHANCE.fullmatch(name))


def dotted_names(tree: ast.Module) -> Iterator[str]:
    """Yield the module and member names that docstrings mention in backticks."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            for name in DOTTED.findall(ast.get_docstring(node) or ""):
                if name not in NOT_MODULES:
                    yield name


def said_callers(tree: ast.Module) -> list[str]:
    """Return the modules and members by which a module says it is called, used, asked, started or run."""
    text = " ".join((ast.get_docstring(tree) or "").split())
    return [name for sentence in CALLED_BY.findall(text) for name in CALLER.findall(sentence)]


def depends_on(caller: str, module: str) -> bool:
    """Tell whether a module, or one of a package, imports another or names it as a program to start."""
    place = SOURCE.joinpath(*caller.split("."))
    while not place.is_dir() and not place.with_suffix(".py").is_file():
        place = place.parent  # A member of a module.
    files = modules(place) if place.is_dir() else [place.with_suffix(".py")]
    return any(_depends(parsed(path), module) for path in files)


def _depends(tree: ast.Module, module: str) -> bool:
    package, _, name = module.rpartition(".")
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names) if any(one.name == module for one in names):
                return True
            case ast.ImportFrom(module=origin, names=names):
                if origin == module or (origin == package and any(one.name == name for one in names)):
                    return True
            case ast.Constant(value=text) if text == module:
                return True
    return False


def resolves(name: str) -> bool:
    """Tell whether a dotted name is a package, a module, or a member of one."""
    parts = name.split(".")
    place = (SOURCE if parts[0] == "syncline" else ROOT) / parts[0]
    for index, part in enumerate(parts[1:], start=1):
        if (place / part).is_dir():
            place = place / part
        elif (place / f"{part}.py").is_file():
            return _has_member(parsed(place / f"{part}.py"), parts[index + 1 :])
        else:
            package = place / "__init__.py"
            return package.is_file() and _has_member(parsed(package), parts[index:])
    return place.is_dir()


def _has_member(tree: ast.Module | ast.ClassDef, members: list[str]) -> bool:
    if not members:
        return True
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == members[0]:
            return _has_member(node, members[1:])
        if len(members) == 1 and members[0] in _defined(node):
            return True
    return False


def _defined(node: ast.stmt) -> set[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return {name}
        case ast.Assign(targets=targets):
            return {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}
        case ast.AnnAssign(target=ast.Name(id=name)):
            return {name}
        case ast.ImportFrom(names=names) | ast.Import(names=names):
            return {one.asname or one.name for one in names}
        case ast.If(test=ast.Name(id="TYPE_CHECKING"), body=body):
            return {name for inner in body for name in _defined(inner)}
    return set()


def imported(tree: ast.Module) -> dict[str, str]:
    """Return what each imported local name stands for."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                found[one.asname or one.name.partition(".")[0]] = one.name if one.asname else one.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom) and node.module:
            for one in node.names:
                found[one.asname or one.name] = f"{node.module}.{one.name}"
    return found


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def dotted(node: ast.expr) -> str:
    """Return `a.b.c` as a text; empty for anything else."""
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return node.id if isinstance(node, ast.Name) else ""
