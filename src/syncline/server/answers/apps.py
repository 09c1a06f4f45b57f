"""What is answered about one Application in Argo CD's shapes: its tree, both sides of objects, actions, logs."""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.apimachinery.keys import ObjectKey
from syncline.server.answers.kinds import Answer
from syncline.server.answers.objects import ObjectRef
from syncline.verbs.sync_windows import SyncWindows


class NodeRef(ObjectRef, frozen=True, kw_only=True):
    """An object in a tree."""

    version: str = ""
    uid: str = ""


class NodeHealth(Answer, frozen=True, kw_only=True):
    """The health of an object."""

    status: str
    message: str = ""


class NodeInfo(Answer, frozen=True, kw_only=True):
    """A fact about an object."""

    name: str
    value: str


class TreeNode(NodeRef, frozen=True, kw_only=True):
    """An object of an Application, and what it belongs to."""

    resource_version: str = ""
    created_at: str | None = None
    parent_refs: tuple[NodeRef, ...] = ()
    health: NodeHealth | msgspec.UnsetType = msgspec.UNSET
    images: tuple[str, ...] = ()
    info: tuple[NodeInfo, ...] = ()
    networking_info: dict[str, Any] = {}


class Tree(Answer, frozen=True, kw_only=True):
    """The objects of an Application."""

    nodes: tuple[TreeNode, ...]
    orphaned_nodes: tuple[TreeNode, ...]
    hosts: tuple[dict[str, Any], ...]
    shards_count: int


class SetTree(Answer, frozen=True, kw_only=True):
    """The Applications of a set."""

    nodes: tuple[TreeNode, ...]


class ResourceDiff(Answer, frozen=True, kw_only=True):
    """Both sides of an object, each as JSON text."""

    group: str
    kind: str
    namespace: str
    name: str
    target_state: str
    live_state: str
    normalized_live_state: str
    predicted_live_state: str
    resource_version: str
    modified: bool
    hook: bool


class ResourceDiffs(Answer, frozen=True, kw_only=True):
    """Both sides of each object."""

    items: tuple[ResourceDiff, ...]


class ServerSideDiffs(Answer, frozen=True, kw_only=True):
    """Both sides of each object, and whether any differs."""

    items: tuple[ResourceDiff, ...]
    modified: bool


class Manifests(Answer, frozen=True, kw_only=True):
    """What the sources of an Application make, each object as JSON text."""

    manifests: tuple[str, ...]
    namespace: str
    server: str
    revision: str
    source_type: str


class Manifest(Answer, frozen=True, kw_only=True):
    """One object as JSON text."""

    manifest: str


class ActionParameterName(Answer, frozen=True, kw_only=True):
    """A parameter that an action takes."""

    name: str


class OfferedAction(Answer, frozen=True, kw_only=True):
    """An action that an object offers."""

    name: str
    disabled: bool
    display_name: str = ""
    icon_class: str = ""
    params: tuple[ActionParameterName, ...] = ()


class OfferedActions(Answer, frozen=True, kw_only=True):
    """The actions that an object offers."""

    actions: tuple[OfferedAction, ...]


class ActionStep(Answer, frozen=True, kw_only=True):
    """One write that an action made."""

    operation: str
    key: str


class ActionSteps(Answer, frozen=True, kw_only=True):
    """What an action did."""

    steps: tuple[ActionStep, ...]


class LogLine(Answer, frozen=True, kw_only=True):
    """One line that a container printed; the last one is empty."""

    content: str
    time_stamp: str | None
    time_stamp_str: str
    pod_name: str
    last: bool


class AppWindow(Answer, frozen=True, kw_only=True):
    """A window as it concerns an Application."""

    kind: str
    schedule: str
    duration: str
    manual_sync: bool


class AppWindows(Answer, frozen=True, kw_only=True):
    """The windows of an Application."""

    active_windows: tuple[AppWindow, ...]
    assigned_windows: tuple[AppWindow, ...]
    can_sync: bool
    standing: SyncWindows | msgspec.UnsetType = msgspec.UNSET


class RevisionMetadata(Answer, frozen=True, kw_only=True):
    """Who committed a revision."""

    author: str
    date: str
    message: str
    tags: tuple[str, ...]


class NamedLink(Answer, frozen=True, kw_only=True):
    """A link to a page elsewhere."""

    title: str
    url: str


class NamedLinks(Answer, frozen=True, kw_only=True):
    """Links to pages elsewhere."""

    items: tuple[NamedLink, ...]


class Look(Answer, frozen=True, kw_only=True):
    """All that a look at an Application saw, for `syncline` itself: its form may change with any release."""

    snapshot: dict[str, Any]
    orphans: tuple[ObjectKey, ...] = ()
