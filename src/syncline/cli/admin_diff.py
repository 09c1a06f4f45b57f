"""`syncline admin diff`: what differs between a desired and a live object in files, and which rule would silence it.

Attached to `admin`. Nothing here reaches a cluster: a server's answer to a dry run may be given as a file. Ignore rules
of the Application and of argocd-cm count, jq included. Values of Secrets are masked in all output.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from syncline.cli.options import output_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from syncline.apimachinery.keys import Object
    from syncline.core.compare.context import Context
    from syncline.core.compare.ignore_rule import Proposal
    from syncline.core.compare.prepare import Prepared, PreparedSet
    from syncline.model.application import Application
    from syncline.model.comparison import ComparedObject, Difference
    from syncline.model.settings import Settings

_PATH = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("diff")
@click.option("--desired", type=_PATH, required=True, help="File with the object as Git has it.")
@click.option("--live", type=_PATH, required=True, help="File with the object as the cluster has it.")
@click.option("--app", type=_PATH, help="File with the Application: its options, ignore rules and tracking count.")
@click.option("--argocd-cm-path", "cm", type=_PATH, help="File with the argocd-cm ConfigMap.")
@click.option("--predicted", type=_PATH, help="File with the server's answer to a dry run of the apply.")
@click.option(
    "--write-ignore", is_flag=True, help="Make the ignore rule that silences this; with --app, write it there."
)
@output_option("text", "json")
def diff(**given: Any) -> int:
    """Say what differs between two objects, field by field, and why (exit code 1: something does)."""
    settings = _settings(given["cm"])
    application = _application(given["app"])
    desired, live = _object(given["desired"]), _object(given["live"])
    if desired is None or live is None:
        return _one_sided(desired, live, given["output"])
    item = _prepared(desired, live, application, settings, str(given["desired"]))
    context = _context(application, settings, item, _object(given["predicted"]) if given["predicted"] else None)
    context = _answered(context, item, live)
    row, sides = _compared(item, live, context)
    proposal = _proposal(row, item, live, context) if given["write_ignore"] else None
    if given["output"] == "json":
        _print_json(row.differences, sides, proposal)
    else:
        _print_text(row, proposal)
    if proposal is not None and proposal.entry is not None and given["app"]:
        _write(given["app"], proposal)
    return 1 if row.differences else 0


def _object(file: Path | None) -> Object | None:
    """Return the one object of a file; None where the file is empty, which stands for an object that is not there."""
    from syncline.apimachinery import yaml
    from syncline.model.errors import InvalidSpec, Place

    if file is None:
        return None
    documents = yaml.load_documents(file.read_bytes(), source=str(file))
    if len(documents) > 1:
        raise InvalidSpec("only one object can be compared", place=Place(str(file), documents[1].line))
    value = documents[0].value if documents else None
    if value is None:
        return None
    if not isinstance(value, dict) or not value.get("kind") or not value.get("apiVersion"):
        raise InvalidSpec(
            "this is no Kubernetes object", place=Place(str(file), documents[0].line), hint="it has no kind"
        )
    return value


def _settings(cm: Path | None) -> Settings:
    from syncline.model.errors import InvalidSpec
    from syncline.model.settings import Settings

    if cm is None:
        return Settings()
    from syncline.core.settings.parse import Source, parse

    report = parse([Source(_object(cm))])
    if not report.inputs:
        raise InvalidSpec(f"{cm} holds no settings", hint="give the file with the ConfigMap argocd-cm")
    for problem in report.problems:
        click.echo(f"{problem.place or cm}: {problem.message}", err=True)
    return report.settings


def _application(file: Path | None) -> Application | None:
    from syncline.model import application
    from syncline.model.errors import InvalidSpec

    found = _object(file)
    if found is None:
        return None
    if found["kind"] != "Application":
        raise InvalidSpec(f"{file} holds a {found['kind']}, not an Application")
    return application.parse(found)


def _prepared(desired: Object, live: Object, app: Application | None, settings: Settings, file: str) -> Prepared:
    """Return the desired object as it would be applied: in live's namespace, marked as live is, or as the app marks."""
    from syncline.apimachinery.keys import gvk_of, key_of
    from syncline.core.compare import prepare, tracking
    from syncline.model.desired import Origin
    from syncline.model.errors import InvalidSpec
    from syncline.model.masking import as_stored, is_secret

    present = key_of(live)
    obj = prepare.in_namespace(desired, namespaced=bool(present.namespace), namespace=present.namespace)
    obj = as_stored(obj) if is_secret(obj) else obj
    if app is not None:
        instance = tracking.instance_name(app.metadata.namespace, app.metadata.name, settings)
        obj = tracking.with_tracking(obj, instance, app.spec.destination.namespace, settings)
    else:
        obj = _marked_as(live, obj, settings)
    if key_of(obj) != present:
        raise InvalidSpec(f"the files are of two objects: {key_of(obj)} is desired, {present} is live")
    return prepare.Prepared(key_of(obj), obj, Origin(file=file), gvk_of(obj).version)


def _marked_as(live: Object, desired: Object, settings: Settings) -> Object:
    """Return the desired object with live's tracking marks where it has none of its own."""
    from syncline.apimachinery.paths import MISSING, FieldPath
    from syncline.core.compare import placing, tracking

    for path in sorted(tracking.marks(settings)):
        value = FieldPath(path).resolve(live)
        if value is not MISSING and FieldPath(path).resolve(desired) is MISSING:
            desired = placing.put(desired, path, value)
    return desired


def _context(app: Application | None, settings: Settings, item: Prepared, predicted: Object | None) -> Context:
    import msgspec

    from syncline.core.compare.context import for_app
    from syncline.core.compare.schemas import SchemaCache
    from syncline.model.comparison import Strategy

    context = for_app(app, settings, SchemaCache().of(()).node_for, "1970-01-01T00:00:00Z")
    context = msgspec.structs.replace(context, explain=True)
    if predicted is None:
        return context
    return msgspec.structs.replace(context, predicted={item.key: predicted}, strategy=Strategy.SERVER_SIDE)


def _answered(context: Context, item: Prepared, live: Object) -> Context:
    """Return the context with everything jq has to say."""
    import msgspec

    from syncline.core.compare.compare import needed_scripts

    one, present = _set_of(item), {item.key: live}
    while scripts := needed_scripts(one, present, context):
        answers = context.answers.with_results(scripts, _evaluated(scripts))
        context = msgspec.structs.replace(context, answers=answers)
    return context


def _set_of(item: Prepared) -> PreparedSet:
    from syncline.core.compare.prepare import PreparedSet

    return PreparedSet((item,), (), ())


def _evaluated(scripts: Any) -> Any:
    import asyncio

    from syncline import wiring

    async def run() -> Any:
        evaluator = wiring.evaluator()
        try:
            return await evaluator.evaluate(scripts)
        finally:
            await evaluator.close()

    return asyncio.run(run())


def _compared(item: Prepared, live: Object, context: Context) -> tuple[ComparedObject, Mapping[str, Object]]:
    """Return the row and both sides as they were compared, masked."""
    from syncline.core.compare.compare import compare_object
    from syncline.core.compare.masks import Masks
    from syncline.core.compare.sides import sides_of
    from syncline.model.comparison import Verdict
    from syncline.model.errors import InvalidSpec
    from syncline.model.masking import is_secret

    row = compare_object(item, live, context)
    if row.verdict is Verdict.UNKNOWN:
        raise InvalidSpec(row.message)
    sides = sides_of(item.obj, live, context)
    both = {"desired": sides.after, "live": sides.before}
    if is_secret(item.obj) or is_secret(live):
        masks = Masks()
        both = {name: masks.masked(side, context.settings.masked_annotations) for name, side in both.items()}
    kind = {name: item.obj[name] for name in ("apiVersion", "kind")}
    return row, {name: {**kind, **side} for name, side in both.items()}


def _one_sided(desired: Object | None, live: Object | None, output: str) -> int:
    """Answer for an object that is on one side only: to be created is a change, to be deleted is none."""
    from syncline.core.compare.masks import Masks
    from syncline.model.comparison import Cause, Difference
    from syncline.model.masking import is_secret

    cause = Cause.MISSING if desired is not None else Cause.EXTRA
    differences = (Difference(path="", cause=cause),) if desired or live else ()
    sides = {
        name: Masks().masked(side) if side is not None and is_secret(side) else side
        for name, side in (("desired", desired), ("live", live))
    }
    if output == "json":
        _print_json(differences, sides, None, modified=desired is not None)
    else:
        click.echo(cause.value if differences else "both files are empty")
    return 1 if desired is not None else 0


def _proposal(row: ComparedObject, item: Prepared, live: Object, context: Context) -> Proposal:
    from syncline.core.compare import ignore_rule

    return ignore_rule.rule_for_all(item, live, row.differences, context)


def _print_json(
    differences: tuple[Difference, ...],
    sides: Mapping[str, Object | None],
    proposal: Proposal | None,
    *,
    modified: bool | None = None,
) -> None:
    import msgspec
    import orjson

    listed = [
        {
            "path": one.path,
            "desired": _absent_as_null(one.desired),
            "live": _absent_as_null(one.live),
            "cause": one.cause.value,
            "manager": one.manager,
            "time": one.time,
        }
        for one in differences
    ]
    answer = {"modified": bool(listed) if modified is None else modified, "differences": listed, **sides}
    if proposal is not None:
        answer["ignoreDifferences"] = [msgspec.to_builtins(proposal.entry)] if proposal.entry else []
    click.echo(orjson.dumps(answer, option=orjson.OPT_INDENT_2).decode())


def _absent_as_null(value: Any) -> Any:
    import msgspec

    return None if value is msgspec.UNSET else value


def _print_text(row: ComparedObject, proposal: Proposal | None) -> None:
    if row.message:
        click.echo(row.message, err=True)
    if row.choice is not None:
        click.echo(f"compared by {row.choice.strategy.value}: {row.choice.reason}", err=True)
    for one in row.differences:
        _print_difference(one)
    if not row.differences:
        click.echo(f"{row.key.short}: equal")
    _print_explained(row)
    if proposal is not None:
        _print_proposal(proposal)


def _print_explained(row: ComparedObject) -> None:
    """Print what does not count: spellings one by one, defaults as a number, since there are many."""
    from syncline.model.comparison import Cause

    for one in row.explained:
        if one.cause is Cause.SPELLING:
            click.echo(
                f"not counted: {one.path}: Git {_value(one.desired)}, live {_value(one.live)} ({one.cause.value})"
            )
    filled_in = sum(one.cause is Cause.DEFAULTED for one in row.explained)
    if filled_in:
        click.echo(f"not counted: {filled_in} defaults that the server filled in")


def _print_difference(one: Difference) -> None:
    by = f" by {one.manager}" if one.manager else ""
    at = f" at {one.time}" if one.time else ""
    click.echo(f"{one.path}  ({one.cause.value}{by}{at})")
    click.echo(f"  Git:  {_value(one.desired)}")
    click.echo(f"  live: {_value(one.live)}")


def _value(value: Any) -> str:
    import msgspec
    import orjson

    return "absent" if value is msgspec.UNSET else orjson.dumps(value).decode()


def _print_proposal(proposal: Proposal) -> None:
    import msgspec

    from syncline.apimachinery import yaml

    if proposal.entry is None or proposal.proof is None:
        click.echo(f"no ignore rule: {proposal.reason}")
        return
    click.echo(yaml.dump({"ignoreDifferences": [msgspec.to_builtins(proposal.entry)]}), nl=False)
    proof = proposal.proof
    text = f"# {proposal.reason}; compared again: {len(proof.left)} differences left"
    text += f", {proof.shown} changes of other fields still show"
    click.echo(text + (f", but it also hides {', '.join(proof.hidden)}" if proof.hidden else ""))


def _write(file: Path, proposal: Proposal) -> None:
    """Add the rule to the Application's file, leaving every other character alone."""
    import msgspec

    from syncline.apimachinery import yaml

    text = file.read_text()
    entries = (yaml.load(text).get("spec") or {}).get("ignoreDifferences") or []
    path = ("spec", "ignoreDifferences", len(entries))
    file.write_text(yaml.edit.set_value(text, 0, path, msgspec.to_builtins(proposal.entry)))
    click.echo(f"wrote spec.ignoreDifferences[{len(entries)}] to {file}", err=True)
