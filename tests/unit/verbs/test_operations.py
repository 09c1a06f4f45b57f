"""The operations that requests stand for, as Argo CD's server writes them into an Application.

Expected values follow from its Go types: what has the zero value is left out, except the structs `retry` and
`syncStrategy.hook`, which are written empty.
"""

from __future__ import annotations

from typing import Any

import pytest

from syncline.controller.app_key import AppKey
from syncline.model import application, codec, crds
from syncline.model.operation import (
    Backoff,
    Info,
    RetryStrategy,
    SyncOperationResource,
    SyncStrategy,
    SyncStrategyApply,
    SyncStrategyHook,
)
from syncline.verbs.errors import Refused
from syncline.verbs.revisions import RevisionChoice
from syncline.verbs.sync import SyncRequest, sync_operation
from tests.support.schema_check import unknown_fields

KEY = AppKey("argocd", "web")
HOOK = SyncStrategy(hook=SyncStrategyHook())


def app(policy: dict[str, Any] | None = None, **spec: Any) -> application.Application:
    return application.parse(
        {
            "metadata": {"name": "web", "namespace": "argocd"},
            "spec": {
                "destination": {"server": "https://kubernetes.default.svc", "namespace": "web"},
                "source": {"repoURL": "https://git.example/repo.git", "path": "web"},
                "syncPolicy": policy or {},
                **spec,
            },
        }
    )


@pytest.mark.parametrize(
    ("request_", "policy", "expected"),
    [
        (
            SyncRequest(app=KEY, username="ann", strategy=HOOK),
            {},
            {"sync": {"syncStrategy": {"hook": {}}}, "initiatedBy": {"username": "ann"}, "retry": {}},
        ),
        (
            SyncRequest(
                app=KEY,
                username="ann",
                revisions=RevisionChoice(revision="v2"),
                prune=True,
                dry_run=True,
                strategy=SyncStrategy(apply=SyncStrategyApply(force=True)),
                resources=(SyncOperationResource(kind="Deployment", name="web", group="apps", namespace="shop"),),
                info=(Info("reason", "hotfix"),),
            ),
            {},
            {
                "sync": {
                    "revision": "v2",
                    "prune": True,
                    "dryRun": True,
                    "syncStrategy": {"apply": {"force": True}},
                    "resources": [{"group": "apps", "kind": "Deployment", "name": "web", "namespace": "shop"}],
                },
                "initiatedBy": {"username": "ann"},
                "info": [{"name": "reason", "value": "hotfix"}],
                "retry": {},
            },
        ),
        (
            SyncRequest(app=KEY, username="ann", strategy=HOOK),
            {"syncOptions": ["PruneLast=true"], "retry": {"limit": 3, "backoff": {"duration": "5s", "factor": 2}}},
            {
                "sync": {"syncStrategy": {"hook": {}}, "syncOptions": ["PruneLast=true"]},
                "initiatedBy": {"username": "ann"},
                "retry": {"limit": 3, "backoff": {"duration": "5s", "factor": 2}},
            },
        ),
        (
            SyncRequest(
                app=KEY,
                username="ann",
                strategy=HOOK,
                sync_options=("Replace=true",),
                retry=RetryStrategy(limit=1, backoff=Backoff(duration="1s")),
            ),
            {"syncOptions": ["PruneLast=true"], "retry": {"limit": 3}},
            {
                "sync": {"syncStrategy": {"hook": {}}, "syncOptions": ["Replace=true"]},
                "initiatedBy": {"username": "ann"},
                "retry": {"limit": 1, "backoff": {"duration": "1s"}},
            },
        ),
    ],
)
def test_a_sync_request_becomes_argo_cds_operation(
    request_: SyncRequest, policy: dict[str, Any], expected: dict[str, Any]
) -> None:
    operation = codec.to_object(sync_operation(app(policy), request_))
    assert operation == expected
    assert unknown_fields({"operation": operation}, crds.application_crd()) == ()


def test_further_options_come_on_top_of_those_of_the_application() -> None:
    request = SyncRequest(app=KEY, more_options=("Replace=true", "PruneLast=true"))
    operation = sync_operation(app({"syncOptions": ["PruneLast=true"]}), request)
    assert operation.sync is not None
    assert operation.sync.sync_options == ("PruneLast=true", "Replace=true")


@pytest.mark.parametrize(("automated", "refused"), [(None, False), ({}, True), ({"enabled": False}, False)])
def test_manifests_at_hand_are_refused_while_auto_sync_would_undo_them(
    automated: dict[str, Any] | None, refused: bool
) -> None:
    request = SyncRequest(app=KEY, manifests=("{}",))
    policy = {} if automated is None else {"automated": automated}
    sentence = ""
    try:
        sync_operation(app(policy), request)
    except Refused as error:
        sentence = error.what
    assert sentence == (
        "local files cannot be synced while auto-sync is enabled: it would revert them immediately" if refused else ""
    )
