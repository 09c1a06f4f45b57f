"""Objects as JSON or YAML on standard output."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object
from syncline.cli.show import terminal

_FIRST = ("apiVersion", "kind", "metadata", "spec")


def print_objects(items: Sequence[Object], output: str) -> None:
    """Print objects as one JSON list or as YAML documents."""
    if output == "json":
        terminal.echo_data(orjson.dumps([_ordered(item) for item in items], option=orjson.OPT_INDENT_2).decode())
    else:
        terminal.echo_data(yaml.dump_all([_ordered(item) for item in items]), nl=False)


def print_object(obj: Object, output: str) -> None:
    """Print one object."""
    if output == "json":
        terminal.echo_data(orjson.dumps(_ordered(obj), option=orjson.OPT_INDENT_2).decode())
    else:
        terminal.echo_data(yaml.dump(_ordered(obj)), nl=False)


def _ordered(obj: Object) -> Object:
    """Return the same fields, those first by which people know an object; API servers send them in any order."""
    return {name: obj[name] for name in (*_FIRST, *obj) if name in obj}
