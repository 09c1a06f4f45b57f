"""`syncline admin`: what operators need, from files alone."""

from __future__ import annotations

import click

from syncline.cli.options import output_option


@click.group()
def admin() -> None:
    """Print CRDs and other things operators need."""


@admin.command()
@output_option("yaml", "json")
def crds(output: str) -> int:
    """Print the Application, AppProject and ApplicationSet CRDs, ready for `kubectl apply --server-side -f -`."""
    from syncline.cli.printing import print_objects
    from syncline.model.crds import all_crds

    print_objects(all_crds(), output)
    return 0
