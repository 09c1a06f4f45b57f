"""`syncline admin`: the engine on files, and what operators need; a cluster is asked only for what no file holds."""

from __future__ import annotations

import click

from syncline.cli.lazy import LazyGroup
from syncline.cli.options import output_option
from syncline.cli.show import terminal

_COMMANDS = {
    "crds": ("syncline.cli.admin.group:crds", "Print the Application, AppProject, ApplicationSet and Diagnosis CRDs."),
    "diff": ("syncline.cli.admin.diff:diff", "Compare an object as Git has it with the live one, field by field."),
    "grafana": ("syncline.cli.admin.group:grafana", "Print a Grafana dashboard over the metrics of Syncline."),
    "health": ("syncline.cli.admin.health:health", "Assess the objects of files."),
    "notifications": (
        "syncline.cli.admin.notifications:notifications",
        "Try triggers and templates of notifications.",
    ),
    "plan": ("syncline.cli.admin.plan:plan", "Show what a sync of rendered manifests would do, in order."),
    "rbac": ("syncline.cli.admin.roles:roles", "Print the Kubernetes roles that a component needs for its own work."),
    "settings": ("syncline.cli.admin.settings:settings", "Try settings on files before they are used."),
}


@click.group(cls=LazyGroup, commands_by_name=_COMMANDS)
def admin() -> None:
    """Compare, assess, plan and check files; print CRDs."""


@click.command()
@output_option("yaml", "json")
def crds(output: str) -> int:
    """Print the Application, AppProject, ApplicationSet and Diagnosis CRDs, for `kubectl apply --server-side -f -`."""
    from syncline.cli.show.printing import print_objects
    from syncline.model.crds import all_crds
    from syncline.model.published_crd import diagnosis_crd

    print_objects((*all_crds(), diagnosis_crd()), output)
    return 0


@click.command()
def grafana() -> int:
    """Print a Grafana dashboard as JSON, over the metrics of `syncline server` and `syncline controller`."""
    from importlib import resources

    terminal.echo_data(
        resources.files("syncline.server").joinpath("grafana.json").read_text(encoding="utf-8"), nl=False
    )
    return 0
