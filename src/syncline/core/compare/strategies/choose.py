"""Chooses how one object is compared, and says why.

Asked by `syncline.core.compare.sides` and, before a dry run is sent, by whoever could send it
(`StrategyChoice.wanted`). An object's own annotation wins over its Application's, and that over the settings. A dry run
that was not made or was refused is replaced by the local structured merge, never by an Unknown.
"""

from __future__ import annotations

from collections.abc import Sequence

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.core.compare.context import Context, DryRunRefused, annotation_words
from syncline.model import names
from syncline.model.comparison import CompareStrategy, StrategyChoice
from syncline.model.settings.settings import Compat
from syncline.model.sync_options import SyncOptions

DEFAULT = StrategyChoice(
    CompareStrategy.STRUCTURED, "objects are applied server-side, so the same merge predicts the outcome"
)

REPEATED_KEY = StrategyChoice(
    CompareStrategy.CLIENT_SIDE, "a list repeats a key, which server-side apply refuses", CompareStrategy.STRUCTURED
)


def choose(desired: Object, context: Context, answer: Object | DryRunRefused | None = None) -> StrategyChoice:
    """Return the strategy for an object; `answer` is what the server said to a dry run, if one was made."""
    annotations = meta.metadata(desired).get("annotations")
    own = annotation_words(desired, names.COMPARE_OPTIONS) if annotations else ()
    if context.strategy is not None:
        webhooks = _webhooks_count(own, context)
        return _given(StrategyChoice(context.strategy, "chosen for this comparison", include_webhooks=webhooks), answer)
    if context.settings.server_side_diff or own or context.compare_options:
        reason = _why_server_side(own, context)
        if reason:
            webhooks = _webhooks_count(own, context)
            return _given(StrategyChoice(CompareStrategy.SERVER_SIDE, reason, include_webhooks=webhooks), answer)
    if context.settings.compat is not Compat.ARGOCD:
        return DEFAULT
    own_word = SyncOptions.of(desired).server_side_apply
    if own_word is not False:
        for word, where in ((own_word, "the object's"), (context.sync_options.server_side_apply, "the")):
            if word:
                return StrategyChoice(CompareStrategy.STRUCTURED, f"{where} sync options say ServerSideApply=true")
    return StrategyChoice(CompareStrategy.CLIENT_SIDE, "Argo CD's default, since the settings ask for its behaviour")


def _why_server_side(own: Sequence[str], context: Context) -> str:
    """Return why the server is to be asked; empty where it is not."""
    for options, where in ((own, "the object's"), (context.compare_options, "the Application's")):
        if "ServerSideDiff=false" in options:
            return ""
        if "ServerSideDiff=true" in options:
            return f"{where} compare options say ServerSideDiff=true"
    return "the settings ask for server-side diff" if context.settings.server_side_diff else ""


def _webhooks_count(own: Sequence[str], context: Context) -> bool:
    if "IncludeMutationWebhook=false" in own:
        return False
    return "IncludeMutationWebhook=true" in (*own, *context.compare_options)


def _given(choice: StrategyChoice, answer: Object | DryRunRefused | None) -> StrategyChoice:
    """Return the choice that can be carried out."""
    if choice.strategy is not CompareStrategy.SERVER_SIDE or isinstance(answer, dict):
        return choice
    why = "no dry run was made" if answer is None else f"the server refused the dry run: {answer.message}"
    return StrategyChoice(
        CompareStrategy.STRUCTURED, f"{choice.reason}, but {why}", CompareStrategy.SERVER_SIDE, choice.include_webhooks
    )
