"""Keeps the settings of notifications as the installation has them now.

Asked by the subjects of `syncline.controller.notify` in each pass; read again after their ConfigMap or Secret changed,
from the API itself, for the live view keeps no Secrets' values. Says once what of them cannot be used, and that Argo
CD's own notifications controller is running, beside which Applications are not told of twice.
"""

from __future__ import annotations

from syncline.apimachinery import meta
from syncline.apimachinery.keys import GroupKind, GroupVersionKind, Object, key_of
from syncline.controller.deliver.report import Reporter
from syncline.controller.live.cluster import LiveCluster
from syncline.controller.notify.outbox import TROUBLE
from syncline.controller.world import World
from syncline.core.notify.settings import read_settings
from syncline.model.look_again import LookAgain
from syncline.model.notifications import CONFIG_MAP, SECRET, NotificationSettings
from syncline.ports.kube import ApiError, ApiResource, ClusterReader
from syncline.ports.transport import TransportError

DEPLOYMENT = GroupKind("apps", "Deployment")
_MAPS = ApiResource(gvk=GroupVersionKind("", "v1", "ConfigMap"), plural="configmaps", namespaced=True)
_SECRETS = ApiResource(gvk=GroupVersionKind("", "v1", "Secret"), plural="secrets", namespaced=True)
_NAME_LABEL = "app.kubernetes.io/name"
_AGAIN = 60.0
_RIVAL = "argocd-notifications-controller"


class Configuration:
    """The settings of one installation."""

    def __init__(self, world: World, live: LiveCluster, reporter: Reporter) -> None:
        self._world = world
        self._live = live
        self._reporter = reporter
        self._known: NotificationSettings | None = None
        self._not_before = 0.0
        self.version = 0
        """Counts how often the settings were read."""

    def concerns(self, obj: Object) -> bool:
        """Note a change; tell whether it is of the settings, or of Argo CD's notifications controller."""
        key = key_of(obj)
        if key.namespace != self._world.settings.namespace:
            return False
        if key.group_kind == DEPLOYMENT:
            return is_rival(obj)
        if key.name in (CONFIG_MAP, SECRET):
            self._known = None
            self._not_before = 0.0
            return True
        return False

    async def current(self) -> NotificationSettings | None:
        """Return the settings; None where there are none, or they cannot be read right now."""
        if self._known is None:
            if self.wait() > 0:
                return None
            try:
                self._known = await self._read()
            except (ApiError, TransportError) as error:
                self._not_before = self._world.clock.monotonic() + _AGAIN
                self._reporter.trouble(TROUBLE, f"the settings of notifications cannot be read: {error}")
                return None
            self.version += 1
            self._reporter.trouble(TROUBLE, "; ".join(self._known.problems))
        return self._known if self._known.services else None

    def wait(self) -> float:
        """Return after how many seconds settings that could not be read are read again; 0 where they were."""
        return max(self._not_before - self._world.clock.monotonic(), 0.0) if self._known is None else 0.0

    def look_again(self) -> LookAgain:
        """Return when to look again where there are no settings: on change, unless they could not be read."""
        return LookAgain.after(left) if (left := self.wait()) > 0 else LookAgain.on_change()

    def is_told_by_argo_cd(self) -> bool:
        """Whether Argo CD's notifications controller runs here: it tells of Applications."""
        namespace = self._world.settings.namespace
        found = any(map(_runs, self._live.index.of_kind(DEPLOYMENT, namespace)))
        words = f"Argo CD's {_RIVAL} runs here and tells of Applications; Syncline tells of causes" if found else ""
        self._reporter.trouble(f"{TROUBLE}/argo-cd", words)
        return found

    async def _read(self) -> NotificationSettings:
        return await stored_settings(self._world.home, self._world.settings.namespace)


async def stored_settings(home: ClusterReader, namespace: str) -> NotificationSettings:
    """Read the settings of an installation; none where there is no ConfigMap."""
    config_map = await home.get(_MAPS, namespace, CONFIG_MAP)
    if config_map is None:
        return NotificationSettings()
    return read_settings(config_map, await home.get(_SECRETS, namespace, SECRET))


def is_rival(deployment: Object) -> bool:
    """Whether a Deployment is Argo CD's notifications controller, however it was installed."""
    return str(meta.labels(deployment).get(_NAME_LABEL) or "").endswith(_RIVAL)


def _runs(deployment: Object) -> bool:
    replicas = (deployment.get("spec") or {}).get("replicas", 1)
    return is_rival(deployment) and (replicas is None or replicas > 0)
