"""What of an ApplicationSet's generators would be refused, as far as its text says, and which Secrets lack a label.

Asked by `syncline doctor` and by whoever lists what changes with a move from Argo CD. Nothing is generated: an address
or a name that is a template is left out, since only a run can tell what becomes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from syncline.apimachinery import meta
from syncline.apimachinery.keys import Object
from syncline.core.appset import hosts
from syncline.core.appset.questions import GeneratorError, PageQuestion
from syncline.core.policy.set_requests import page_refusal, plugin_refusal, repository_refusal
from syncline.core.policy.set_tenancy import SetTenancy
from syncline.core.policy.token_refs import SCM_CREDENTIALS, SecretUse, TokenRef, refs_of, refusal
from syncline.model import names
from syncline.model.settings.settings import Settings

FindSecret = Callable[[str, str], Object | None]
"""Returns a Secret by namespace and name."""
_DEEPEST = 4
_PROVIDERS: Mapping[str, Callable[[dict[str, Any]], hosts.Host]] = {
    "github": hosts.github,
    "gitlab": hosts.gitlab,
    "gitea": hosts.gitea,
    "bitbucketServer": hosts.bitbucket_server,
    "bitbucket": hosts.bitbucket_cloud,
    "azureDevOps": lambda given: hosts.azure(given, "accessTokenRef"),
    "azuredevops": lambda given: hosts.azure(given, "tokenRef"),
}


def set_refusals(appset: Object, tenancy: SetTenancy, settings: Settings, find: FindSecret) -> tuple[str, ...]:
    """Return a sentence for each request of a set's generators that is refused, each once and in order."""
    home, sets = settings.namespace, settings.application_sets
    found = [
        refusal(ref, find(ref.namespace, ref.name), tenancy, sets, home)
        for ref in refs_of(appset, home)
        if not tenancy.is_operators or find(ref.namespace, ref.name) is not None
    ]
    for kind, block in generators_of(appset):
        if kind == "git" and _is_plain(block.get("repoURL")):
            found.append(repository_refusal(str(block["repoURL"]), tenancy))
        elif kind == "plugin" and isinstance(ref := block.get("configMapRef"), Mapping) and _is_plain(ref.get("name")):
            found.append(plugin_refusal(str(ref["name"]), tenancy, sets))
        elif kind in ("scmProvider", "pullRequest"):
            found += [page_refusal(question, tenancy, sets) for question in _hosts_of(block)]
    return tuple(dict.fromkeys(filter(None, found)))


def unlabelled_secrets(
    appset: Object, tenancy: SetTenancy, settings: Settings, find: FindSecret
) -> tuple[TokenRef, ...]:
    """Return the Secrets with tokens that a set of the operator uses today, and could not where Argo CD is strict."""
    if not tenancy.is_operators:
        return ()
    sets = settings.application_sets
    return tuple(
        ref
        for ref in refs_of(appset, settings.namespace)
        if ref.use is SecretUse.TOKEN
        and (secret := find(ref.namespace, ref.name)) is not None
        and meta.labels(secret).get(names.SECRET_TYPE) != SCM_CREDENTIALS
        and not refusal(ref, secret, tenancy, sets, settings.namespace)
    )


def generators_of(appset: Object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield every generator of a set by its kind, those inside of others too."""
    spec = appset.get("spec")
    yield from _inside(spec.get("generators") if isinstance(spec, Mapping) else None, _DEEPEST)


def _inside(entries: Any, depth: int) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for entry in entries if isinstance(entries, list) and depth else ():
        for kind, block in entry.items() if isinstance(entry, Mapping) else ():
            if isinstance(block, Mapping):
                yield str(kind), block
                if kind in ("matrix", "merge"):
                    yield from _inside(block.get("generators"), depth - 1)


def _hosts_of(block: Mapping[str, Any]) -> Iterator[PageQuestion]:
    for kind, provider in _PROVIDERS.items():
        given = block.get(kind)
        if not isinstance(given, dict) or "{{" in str(given.get("api") or "") + str(given.get("organization") or ""):
            continue
        try:
            yield provider(given).question
        except (GeneratorError, AttributeError):
            continue


def _is_plain(text: object) -> bool:
    return isinstance(text, str) and bool(text) and "{{" not in text
