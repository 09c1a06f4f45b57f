"""What is answered about the installation: version, settings, notifications, the demo, webhooks."""

from __future__ import annotations

from typing import Any

import msgspec

from syncline.model.project import SyncWindow
from syncline.server.answers.kinds import Answer
from syncline.server.ui.breaks import Break


class Version(Answer, frozen=True, kw_only=True, rename=None):
    """The version; to nobody no more than that."""

    Version: str
    Syncline: str = ""
    Platform: str = ""
    KustomizeVersion: str = ""
    HelmVersion: str = ""


class Help(Answer, frozen=True, kw_only=True):
    """Where people can ask."""

    chat_url: str
    chat_text: str


class Analytics(Answer, frozen=True, kw_only=True):
    """Never used; Argo CD's clients read it."""

    tracking_id: str = msgspec.field(name="trackingID")
    anonymize_users: bool


class KustomizeOptions(Answer, frozen=True, kw_only=True, rename=None):
    """How Kustomize is run."""

    BuildOptions: str
    BinaryPath: str
    Versions: None


class Connector(Answer, frozen=True, kw_only=True):
    """A way to log in that Dex offers."""

    name: str
    type: str


class DexSettings(Answer, frozen=True, kw_only=True):
    """The ways to log in that Dex offers."""

    connectors: tuple[Connector, ...]


class OidcSettings(Answer, frozen=True, kw_only=True):
    """The provider of logins; nothing of it is secret."""

    name: str
    issuer: str
    client_id: str = msgspec.field(name="clientID")
    cli_client_id: str = msgspec.field(name="cliClientID")
    scopes: tuple[str, ...]
    id_token_claims: dict[str, Any] | None
    enable_pkce: bool = msgspec.field(name="enablePKCEAuthentication")


class ServerSettings(Answer, frozen=True, kw_only=True):
    """What a login page needs, and to those who are signed in a little more."""

    url: str
    status_badge_enabled: bool
    user_logins_disabled: bool
    help: Help
    google_analytics: Analytics
    plugins: tuple[str, ...]
    sso_problem: str = ""
    dex_config: DexSettings | msgspec.UnsetType = msgspec.UNSET
    oidc_config: OidcSettings | msgspec.UnsetType = msgspec.UNSET
    kustomize_options: KustomizeOptions | msgspec.UnsetType = msgspec.UNSET
    controller_namespace: str = ""
    app_label_key: str = ""
    tracking_method: str = ""
    password_pattern: str = ""
    exec_enabled: bool = False
    apps_in_any_namespace_enabled: bool = False
    impersonation_enabled: bool = False
    resource_overrides: dict[str, Any] = {}


class Plugins(Answer, frozen=True, kw_only=True):
    """Plugins of settings: none."""

    plugins: tuple[str, ...]


class ItemName(Answer, frozen=True, kw_only=True):
    """A name."""

    name: str


class ItemNames(Answer, frozen=True, kw_only=True):
    """Names of services, triggers or templates of notifications."""

    items: tuple[ItemName, ...] = ()


class SettingRow(Answer, frozen=True, kw_only=True):
    """One setting, and where it comes from."""

    key: str
    home: str
    value: str
    origin: str


class SettingProblem(Answer, frozen=True, kw_only=True):
    """What is wrong with a setting."""

    home: str
    key: str
    kind: str
    severity: str
    message: str
    fix: str


class SettingsWithOrigin(Answer, frozen=True, kw_only=True):
    """The settings of the installation."""

    schema_version: int
    settings: tuple[SettingRow, ...]
    problems: tuple[SettingProblem, ...]


class Demo(Answer, frozen=True, kw_only=True):
    """The breaks of a demo, and whether the caller may use them."""

    breaks: tuple[Break, ...]
    may: bool


class Said(Answer, frozen=True, kw_only=True):
    """What was done, in words."""

    said: str


class WebhookTaken(Answer, frozen=True, kw_only=True):
    """How many were refreshed."""

    applications: int
    applicationsets: int


class ActiveWindows(Answer, frozen=True, kw_only=True):
    """The windows of a project that are active."""

    windows: tuple[SyncWindow, ...]
