"""Finds functions, classes, methods and constants of `src` that nothing in `src` uses; the test beside it applies it.

Names of modules are followed through imports. A member of a class counts as used where anything in `src` reads an
attribute of that name, so what this finds is surely unused, and what it does not find may be. What only tests call is
unused too: they would keep alive what the program does not need.
"""

import ast
import pathlib
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from tests.arch import source_rules

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
# How the tables of commands name a function: `module:function`.
PLACE = re.compile(r"(syncline(?:\.\w+)+):(\w+)")


@dataclass
class Uses:
    """What all of `src` reads: members of modules by their full names, attributes by theirs alone."""

    members: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)


def module_name(path: pathlib.Path, root: pathlib.Path) -> str:
    """Return the dotted name of a module."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def unused(folder: pathlib.Path, root: pathlib.Path, kept: Collection[str] = ()) -> list[str]:
    """Return the full names of what is defined below a folder and used nowhere in it, or only by what is unused.

    What is kept counts as used, and so does what it uses.
    """
    trees = {module_name(path, root): source_rules.parsed(path) for path in source_rules.modules(folder)}
    dead: set[str] = set()
    while True:
        uses = Uses()
        for name, tree in trees.items():
            _collect(name, tree, uses, dead)
        found = {f"{name}.{member}" for name, tree in trees.items() for member in _unused_members(name, tree, uses)}
        found -= set(kept)
        if found == dead:
            return sorted(dead)
        dead = found


def _collect(module: str, tree: ast.Module, uses: Uses, dead: set[str]) -> None:
    """Add what one module reads; what a function reads of itself, and what unused ones read, does not count."""
    imported = source_rules.imported(tree)
    uses.members |= {name for name in imported.values() if name not in dead}
    own = {name for name, _ in _defined(tree)}
    for node, inside in _walk(tree, ()):
        if any(f"{module}.{'.'.join(inside[:depth])}" in dead for depth in (1, 2)):
            continue
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if name in own and name not in inside:
                uses.members.add(f"{module}.{name}")
            case ast.Attribute(attr=name, ctx=ast.Load()):
                if len(inside) < 2 or inside[-1] != name:  # A method that hands on to its namesake keeps neither alive.
                    uses.attributes.add(name)
                first, *rest = source_rules.dotted(node).split(".")
                if first in imported:
                    uses.members |= {".".join([imported[first], *rest[:depth]]) for depth in range(1, len(rest) + 1)}
            case ast.Constant(value=str(text)) if place := PLACE.fullmatch(text):
                uses.members.add(f"{place[1]}.{place[2]}")
            case ast.Call(func=ast.Name(id="cast"), args=[ast.Constant(value=str(text)), *_]):
                uses.members |= {f"{module}.{name}" for name in re.findall(r"\w+", text)}
            case ast.MatchClass(kwd_attrs=names):
                uses.attributes |= set(names)


def _walk(node: ast.AST, inside: tuple[str, ...]) -> Iterator[tuple[ast.AST, tuple[str, ...]]]:
    """Yield every node with the names of the functions and classes around it; docstrings are left out."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue
        if isinstance(child, Definition):
            # Decorators and annotations are read where the function is defined, not inside of it.
            for outer in child.decorator_list:
                yield outer, inside
                yield from _walk(outer, inside)
            yield child, inside
            yield from _walk(child, (*inside, child.name))
        else:
            yield child, inside
            yield from _walk(child, inside)


def _defined(tree: ast.Module) -> Iterator[tuple[str, ast.stmt]]:
    for node in tree.body:
        if isinstance(node, Definition):
            yield node.name, node
        elif isinstance(node, ast.Assign):
            yield from ((target.id, node) for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, node


def _unused_members(module: str, tree: ast.Module, uses: Uses) -> Iterator[str]:
    for name, node in _defined(tree):
        if _is_dunder(name) or (isinstance(node, Definition) and node.decorator_list and _is_registered(node)):
            continue
        if f"{module}.{name}" not in uses.members:
            yield name
        elif isinstance(node, ast.ClassDef):
            yield from (f"{name}.{member}" for member in _unused_methods(node, uses))


def _unused_methods(node: ast.ClassDef, uses: Uses) -> Iterator[str]:
    """Yield methods and properties whose name nobody reads; what a library calls is in the list of exceptions."""
    for member in node.body:
        if not isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef) or _is_dunder(member.name):
            continue
        if member.name not in uses.attributes and not _is_registered(member):
            yield member.name


def _is_registered(node: Definition) -> bool:
    """Whether a decorator hands the function to somebody who calls it: `@group.command(...)`, `@route(...)`."""
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(called, ast.Attribute) and called.attr in ("command", "group"):
            return True
    return False


def _is_dunder(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")
