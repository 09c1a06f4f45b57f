"""Objects as JSON or YAML on standard output."""

from __future__ import annotations

from collections.abc import Sequence

import click
import orjson

from syncline.apimachinery import yaml
from syncline.apimachinery.keys import Object


def print_objects(items: Sequence[Object], output: str) -> None:
    """Print objects as one JSON list or as YAML documents."""
    if output == "json":
        click.echo(orjson.dumps(list(items), option=orjson.OPT_INDENT_2).decode())
    else:
        click.echo(yaml.dump_all(items), nl=False)


def print_object(obj: Object, output: str) -> None:
    """Print one object."""
    if output == "json":
        click.echo(orjson.dumps(obj, option=orjson.OPT_INDENT_2).decode())
    else:
        click.echo(yaml.dump(obj), nl=False)
