"""`syncline admin diff`: what differs between desired and live objects in files, and which rule would silence it.

Attached to `admin`. Nothing here reaches a cluster: a server's answers to dry runs may be given as a file. Files may
hold many objects, which are paired by key. Ignore rules of the Application and of argocd-cm count, jq included.
Values of Secrets are masked in all output (`syncline.cli.admin.diff_output`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from syncline.cli import object_files
from syncline.cli.options import compat_option, output_option

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from syncline.apimachinery.keys import Object, ObjectKey
    from syncline.cli.admin.diff_output import Answer
    from syncline.core.compare.context import Context
    from syncline.core.compare.prepare import Prepared, PreparedSet
    from syncline.model.application import Application
    from syncline.model.comparison import ComparedObject
    from syncline.model.desired import DesiredObject
    from syncline.model.settings.settings import Settings

_PATH = click.Path(exists=True, dir_okay=False, path_type=Path)
_FILES = click.Path(exists=True, dir_okay=False, path_type=Path, allow_dash=True)


@click.command("diff")
@click.option("--desired", type=_FILES, required=True, help="File with the objects as Git has them.")
@click.option("--live", type=_FILES, required=True, help="File with the objects as the cluster has them.")
@click.option("--app", type=_PATH, help="File with the Application: its options, ignore rules and tracking count.")
@click.option(
    "--argocd-cm-path", "cm", type=_PATH, help="File with the argocd-cm ConfigMap, ArgoCD resource or chart values."
)
@click.option("--crds", type=_PATH, multiple=True, help="File with CRDs of custom kinds; repeatable.")
@click.option("--predicted", type=_PATH, help="File with the server's answers to dry runs of the apply.")
@click.option(
    "--write-ignore", is_flag=True, help="Make the ignore rule that silences this; with --app, write it there."
)
@click.option("--accept", metavar="REASON", help="Like --write-ignore, but as accepted drift, with the reason why.")
@click.option("--until", metavar="DATE", default="", help="When accepted drift expires, such as 2026-12-31.")
@click.option("--as-of", metavar="TIME", default="", help="The time that counts for what expires (else now).")
@compat_option
@output_option("text", "json")
def diff(**given: Any) -> int:
    """Say what differs between desired and live objects, field by field, and why (exit code 1: something does)."""
    from syncline.cli.admin import diff_output, diff_rules

    app = _application(given["app"])
    settings = object_files.settings(given["cm"], given["compat"])
    desired = object_files.located(given["desired"], with_fields=True)
    live = object_files.objects(given["live"])
    if given["cm"] is not None:
        desired, live = _seen(desired, live, settings)
    context = _context(given, app, settings, [*(item.obj for item in desired), *live])
    single = len(desired) <= 1 and len(live) <= 1
    pairs = _pairs(desired, live, app, context.settings, single=single)
    owned = live if single else [obj for obj in live if _is_managed(obj, app, context.settings)]
    context, answer = _compared(pairs, live, owned, context)
    rules = diff_rules.wanted(given, answer, pairs, context)
    if given["output"] == "json":
        diff_output.print_json(answer, rules, single=single)
    else:
        diff_output.print_text(answer, rules, single=single)
    diff_rules.write(given, rules)
    return diff_output.exit_code(answer)


def _application(file: Path | None) -> Application | None:
    from syncline.model import application

    return application.parse(object_files.one(file, "Application")) if file is not None else None


def _seen(
    desired: list[DesiredObject], live: list[Object], settings: Settings
) -> tuple[list[DesiredObject], list[Object]]:
    """Return what settings do not exclude: excluded kinds are never compared, which is told once for each."""
    from syncline.apimachinery.keys import gvk_of
    from syncline.core.compare import prepare

    kinds = {gvk_of(obj).group_kind for obj in (*(item.obj for item in desired), *live)}
    left_out = {kind for kind in kinds if prepare.excluded(kind, settings)}
    for kind in sorted(left_out):
        click.echo(f"{kind} is excluded in the settings: objects of this kind are not compared", err=True)
    return (
        [item for item in desired if gvk_of(item.obj).group_kind not in left_out],
        [obj for obj in live if gvk_of(obj).group_kind not in left_out],
    )


def _context(given: dict[str, Any], app: Application | None, settings: Settings, objects: Iterable[Object]) -> Context:
    import msgspec

    from syncline.apimachinery.keys import key_of
    from syncline.core.compare.context import for_app
    from syncline.core.compare.schemas import SchemaCache
    from syncline.model.comparison import Strategy

    crds = [obj for file in given["crds"] for obj in object_files.objects(file)]
    definitions = [obj for obj in (*objects, *crds) if obj.get("kind") == "CustomResourceDefinition"]
    context = for_app(app, settings, SchemaCache().of(definitions).node_for, given["as_of"] or _now())
    context = msgspec.structs.replace(context, explain=True)
    if given["predicted"] is None:
        return context
    answers = {key_of(obj): obj for obj in object_files.objects(given["predicted"])}
    return msgspec.structs.replace(context, predicted=answers, strategy=Strategy.SERVER_SIDE)


def _now() -> str:
    from syncline import wiring
    from syncline.apimachinery import times

    return times.format_time(wiring.clock().now())


def _pairs(
    desired: Sequence[DesiredObject],
    live: Sequence[Object],
    app: Application | None,
    settings: Settings,
    *,
    single: bool,
) -> PreparedSet:
    """Return the desired objects as they would be applied, each in the namespace of its live counterpart."""
    from syncline.apimachinery.keys import key_of
    from syncline.core.compare.prepare import PreparedSet
    from syncline.core.sync import hooks
    from syncline.model.errors import InvalidSpec

    present = {key_of(obj): obj for obj in live}
    found: dict[ObjectKey, Prepared] = {}
    for item in desired:
        made = _prepared(item, present, app, settings)
        if made.key in found:
            click.echo(f"{made.key} is desired twice; the last one counts ({item.origin.place()})", err=True)
        found[made.key] = made
    if single and found and present and next(iter(found)) not in present:
        raise InvalidSpec(
            f"the files are of two objects: {next(iter(found))} is desired, {next(iter(present))} is live"
        )
    apart = {key for key, made in found.items() if hooks.hook_types(made.obj) is not None}
    ours = tuple(made for key, made in found.items() if key not in apart)
    return PreparedSet(ours, tuple(found[key] for key in apart), ())


def _prepared(
    item: DesiredObject, present: dict[ObjectKey, Object], app: Application | None, settings: Settings
) -> Prepared:
    from syncline.apimachinery.keys import gvk_of, key_of
    from syncline.core.compare import prepare, tracking
    from syncline.core.sync import waves
    from syncline.model.masking import as_stored, is_secret

    destination = app.spec.destination.namespace if app is not None else ""
    obj = _placed(item.obj, present, destination)
    obj = as_stored(obj) if is_secret(obj) else obj
    if app is not None:
        instance = tracking.instance_name(app.metadata.namespace, app.metadata.name, settings)
        obj = tracking.with_tracking(obj, instance, destination, settings)
    elif key_of(obj) in present:
        obj = _marked_as(present[key_of(obj)], obj, settings)
    return prepare.Prepared(key_of(obj), obj, item.origin, gvk_of(obj).version, waves.wave_of(obj))


def _placed(desired: Object, present: dict[ObjectKey, Object], destination: str) -> Object:
    """Return the desired object in its namespace: its own, that of the app, or that of the one it must be live as."""
    from syncline.apimachinery.keys import key_of
    from syncline.core.compare import prepare

    wanted = key_of(desired)
    if wanted in present:
        return desired
    same = [key for key in present if (key.group, key.kind, key.name) == (wanted.group, wanted.kind, wanted.name)]
    if len(same) == 1 and not (same[0].namespace and wanted.namespace):
        namespace = same[0].namespace
        return prepare.in_namespace(desired, namespaced=bool(namespace), namespace=namespace)
    return prepare.in_namespace(desired, namespaced=_is_namespaced(desired), namespace=destination)


def _is_namespaced(obj: Object) -> bool:
    from syncline.apimachinery.keys import gvk_of
    from syncline.apimachinery.schema import resources

    known = resources.for_group_kind(gvk_of(obj).group_kind)
    return known is None or known.namespaced


def _marked_as(live: Object, desired: Object, settings: Settings) -> Object:
    """Return the desired object with live's tracking marks where it has none of its own."""
    from syncline.apimachinery.paths import MISSING, FieldPath
    from syncline.core.compare import placing, tracking

    for path in sorted(tracking.marks(settings)):
        value = FieldPath(path).resolve(live)
        if value is not MISSING and FieldPath(path).resolve(desired) is MISSING:
            desired = placing.put(desired, path, value)
    return desired


def _is_managed(obj: Object, app: Application | None, settings: Settings) -> bool:
    """Whether a live object is extra where Git lacks it: nobody owns it, and it is the app's where one is given."""
    from syncline.core.assess import is_root
    from syncline.core.compare import tracking

    if app is None or not is_root(obj):
        return is_root(obj)
    instance = tracking.instance_name(app.metadata.namespace, app.metadata.name, settings)
    return tracking.owner_of(obj, settings) == instance


def _compared(
    pairs: PreparedSet, live: Sequence[Object], owned: Sequence[Object], context: Context
) -> tuple[Context, Answer]:
    """Return all rows, with both sides as they were compared; jq is asked first."""
    import msgspec

    from syncline.apimachinery.keys import key_of
    from syncline.cli.admin.diff_output import Answer
    from syncline.core.compare.compare import compare, needed_scripts

    present = {key_of(obj): obj for obj in live}
    while scripts := needed_scripts(pairs, present, context):
        answers = context.answers.with_results(scripts, _evaluated(scripts, context.settings.jq_timeout))
        context = msgspec.structs.replace(context, answers=answers)
    comparison = compare(pairs, present, frozenset(map(key_of, owned)), context)
    items = {item.key: item for item in (*pairs.objects, *pairs.hooks)}

    def sides(row: ComparedObject) -> dict[str, Object | None]:
        return _sides(row, items.get(row.key), present.get(row.key), context)

    refused = {row.key: _refused(sides(row)) for row in comparison.rows if row.differences}
    return context, Answer(comparison, sides, present, {key: texts for key, texts in refused.items() if texts})


def _refused(sides: dict[str, Object | None]) -> tuple[str, ...]:
    """Return why the API server would refuse the change: fields that cannot be changed once they are set."""
    from syncline.apimachinery.keys import gvk_of
    from syncline.apimachinery.schema import immutable

    desired, live = sides["desired"], sides["live"]
    if desired is None or live is None:
        return ()
    return tuple(str(found) for found in immutable.violations(live, desired, gvk_of(desired)))


def _sides(
    row: ComparedObject, item: Prepared | None, live: Object | None, context: Context
) -> dict[str, Object | None]:
    """Return both sides of a row as they were compared, masked; as they are where there was nothing to compare."""
    from syncline.core.compare.masks import Masks
    from syncline.core.compare.sides import sides_of
    from syncline.model.comparison import Verdict
    from syncline.model.masking import is_secret

    both = {"desired": item.obj if item is not None else None, "live": live}
    whole = [side for side in both.values() if side is not None]
    masks, names = Masks(*whole), context.settings.masked_annotations
    if item is not None and live is not None and row.verdict in (Verdict.SYNCED, Verdict.OUT_OF_SYNC):
        sides = sides_of(item.obj, live, context)
        kind = {name: item.obj[name] for name in ("apiVersion", "kind")}
        both = {"desired": {**kind, **sides.after}, "live": {**kind, **sides.before}}
        masks = Masks(sides.after, sides.before, *whole)  # As in the differences, so that their masks agree.
    return {
        name: masks.masked(side, names) if side is not None and is_secret(side) else side for name, side in both.items()
    }


def _evaluated(scripts: Any, seconds: float) -> Any:
    import asyncio

    from syncline import wiring

    async def run() -> Any:
        async with wiring.evaluating(seconds) as evaluator:
            return await evaluator.evaluate(scripts)

    return asyncio.run(run())
