"""Every key that Argo CD reads is known, with its home, its type and its default."""

from __future__ import annotations

import msgspec
import pytest

from syncline.core.settings import values
from syncline.core.settings.keys import Home, ValueKind, catalogue
from syncline.model.settings.settings import Settings

CM = """
syncline.compat choice syncline
application.instanceLabelKey text app.kubernetes.io/instance
application.resourceTrackingMethod choice annotation
installationID text
application.sync.impersonation.enabled boolean false
application.sync.impersonation.enforced boolean true
application.sync.requireOverridePrivilegeForRevisionSync boolean false
application.allowedNodeLabels list
application.links yaml
project.links yaml
resource.links yaml
cluster.inClusterEnabled boolean true
globalProjects yaml
resource.customizations yaml
resource.customizations.health.apps_Deployment lua
resource.customizations.health.Service lua
resource.customizations.health.all lua
resource.customizations.useOpenLibs.cert-manager.io_Certificate boolean false
resource.customizations.actions.apps_Deployment yaml
resource.customizations.ignoreDifferences.admissionregistration.k8s.io_MutatingWebhookConfiguration yaml
resource.customizations.ignoreDifferences.all yaml
resource.customizations.ignoreResourceUpdates.all yaml
resource.customizations.knownTypeFields.argoproj.io_Rollout yaml
resource.ignoreResourceUpdatesEnabled boolean true
resource.compareoptions yaml
resource.exclusions yaml
resource.inclusions yaml
resource.respectRBAC choice
resource.customLabels list
resource.sensitive.mask.annotations list
resource.includeEventLabelKeys list
resource.excludeEventLabelKeys list
helm.enable boolean true
kustomize.enable boolean true
jsonnet.enable boolean true
helm.valuesFileSchemes list https, http
kustomize.buildOptions text
kustomize.buildOptions.v4.5.7 text
kustomize.path.v4.5.7 text
kustomize.version.v4.5.7 text
webhook.maxPayloadSizeMB integer 50
webhook.refresh.jitter duration 0s
webhook.refresh.jitter.threshold integer 10
sourceHydrator.commitMessageTemplate text
sourceHydrator.readmeMessageTemplate text
commit.author.name text
commit.author.email text
exec.enabled boolean false
exec.shells list bash,sh,powershell,cmd
server.maxPodLogsToRender integer 10
server.rbac.disableApplicationFineGrainedRBACInheritance boolean true
server.rbac.rollback.enforce.enable boolean false
url text
additionalUrls yaml
dex.config yaml
dex.auth.connectorId text
oidc.config yaml
oidc.tls.insecure.skip.verify boolean false
admin.enabled boolean true
accounts.alice list
accounts.alice.enabled boolean true
users.anonymous.enabled boolean false
users.session.duration duration 24h
passwordPattern text
statusbadge.enabled boolean false
statusbadge.url text
ui.cssurl text
ui.bannercontent text
ui.bannerurl text
ui.bannerpermanent boolean false
ui.bannerposition choice top
ui.view.resources.disabled boolean false
ui.loginButtonText text
help.chatUrl text
help.chatText text
help.download.linux-amd64 text
ga.trackingid text
ga.anonymizeusers boolean true
extension.config yaml
extension.config.metrics yaml
"""

CM_AT_START = """
timeout.reconciliation duration 120s
timeout.hard.reconciliation duration 0s
timeout.reconciliation.jitter duration 60s
"""

PARAMS = """
application.namespaces list
controller.status.processors integer 20
controller.operation.processors integer 10
controller.hydration.processors integer 5
controller.kubectl.parallelism.limit integer 20
controller.repo.server.timeout.seconds seconds 60
controller.repo.error.grace.period.seconds seconds 180
controller.app.state.cache.expiration duration 1h
controller.default.cache.expiration duration 24h
controller.resource.health.persist boolean false
controller.self.heal.timeout.seconds seconds 0
controller.self.heal.backoff.timeout.seconds seconds 2
controller.self.heal.backoff.factor number 3
controller.self.heal.backoff.cap.seconds seconds 300
controller.self.heal.backoff.cooldown.seconds seconds 330
controller.sync.timeout.seconds seconds 0
controller.sync.wave.delay.seconds seconds 2
controller.diff.server.side boolean false
controller.ignore.normalizer.jq.timeout duration 1s
controller.sharding.algorithm choice legacy
controller.cluster.cache.batch.events.processing boolean true
controller.cluster.cache.events.processing.interval duration 100ms
controller.k8s.client.qps number 50
controller.k8s.client.burst integer 100
controller.k8s.client.max.idle.connections integer 500
controller.k8s.tcp.timeout duration 30s
controller.k8s.tcp.keepalive duration 30s
controller.k8s.tcp.idle.timeout duration 5m
controller.k8s.tls.handshake.timeout duration 10s
controller.k8sclient.retry.max integer 0
controller.k8sclient.retry.base.backoff milliseconds 100
controller.metrics.cache.expiration duration
controller.metrics.application.labels list
controller.metrics.application.conditions list
controller.metrics.cluster.labels list
controller.log.format choice text
controller.log.level choice info
controller.profile.enabled boolean false
controller.grpc.enable.txt.service.config boolean false
controller.repo.server.plaintext boolean false
controller.repo.server.strict.tls boolean false
controller.repo.server.ca.cert.path text
controller.repo.server.client.cert.path text
controller.repo.server.client.cert.key.path text
repo.server text argocd-repo-server:8081
commit.server text argocd-commit-server:8086
redis.server text argocd-redis:6379
redis.db integer
redis.compression choice gzip
redis.key.prefix text
redis.sentinel.hosts list
redis.sentinel.master text
hydrator.enabled boolean false
otlp.address text
otlp.insecure boolean true
otlp.headers text
otlp.attrs text
otlp.sample.ratio number
log.format.timestamp text
reposerver.parallelism.limit integer 0
reposerver.repo.cache.expiration duration 24h
reposerver.default.cache.expiration duration 24h
reposerver.revision.cache.lock.timeout duration 10s
reposerver.max.combined.directory.manifests.size size 10M
reposerver.streamed.manifest.max.tar.size size 100M
reposerver.streamed.manifest.max.extracted.size size 1G
reposerver.helm.manifest.max.extracted.size size 1G
reposerver.oci.manifest.max.extracted.size size 1G
reposerver.disable.helm.manifest.max.extracted.size boolean false
reposerver.disable.oci.manifest.max.extracted.size boolean false
reposerver.oci.layer.media.types list
reposerver.git.request.timeout duration 15s
reposerver.git.lsremote.parallelism.limit integer 0
reposerver.enable.git.submodule boolean true
reposerver.enable.builtin.git.config boolean true
reposerver.include.hidden.directories boolean false
reposerver.allow.oob.symlinks boolean false
reposerver.plugin.tar.exclusions list
reposerver.plugin.use.manifest.generate.paths boolean false
reposerver.grpc.max.size integer 100
reposerver.helm.user.agent text
reposerver.log.format choice text
reposerver.log.level choice info
reposerver.listen.address text 0.0.0.0
reposerver.metrics.listen.address text 0.0.0.0
reposerver.disable.tls boolean false
reposerver.tls.minversion choice 1.2
reposerver.tls.maxversion choice 1.3
reposerver.tls.ciphers text
reposerver.profile.enabled boolean false
applicationsetcontroller.policy choice
applicationsetcontroller.enable.policy.override boolean
applicationsetcontroller.concurrent.reconciliations.max integer 10
applicationsetcontroller.requeue.after duration 3m
applicationsetcontroller.enable.progressive.syncs boolean false
applicationsetcontroller.enable.new.git.file.globbing boolean false
applicationsetcontroller.namespaces list
applicationsetcontroller.allowed.scm.providers list
applicationsetcontroller.enable.scm.providers boolean true
applicationsetcontroller.scm.root.ca.path text
applicationsetcontroller.enable.tokenref.strict.mode boolean false
applicationsetcontroller.global.preserved.annotations list
applicationsetcontroller.global.preserved.labels list
applicationsetcontroller.status.max.resources.count integer 5000
applicationsetcontroller.dryrun boolean false
applicationsetcontroller.enable.leader.election boolean false
applicationsetcontroller.enable.git.submodule boolean true
applicationsetcontroller.webhook.parallelism.limit integer 50
applicationsetcontroller.enable.github.api.metrics boolean false
applicationsetcontroller.k8s.client.qps number 50
applicationsetcontroller.k8s.client.burst integer 100
applicationsetcontroller.log.level choice info
server.sync.replace.allowed boolean true
server.webhook.parallelism.limit integer 50
server.webhook.refresh.workers integer 20
server.glob.cache.size integer 10000
server.app.state.cache.expiration duration 1h
server.connection.status.cache.expiration duration 1h
server.oidc.cache.expiration duration 3m
server.enable.proxy.extension boolean false
server.disable.auth boolean false
server.insecure boolean false
server.basehref text /
server.rootpath text
server.api.content.types text application/json
server.enable.gzip boolean true
server.x.frame.options text sameorigin
server.content.security.policy text
server.http.cookie.maxnumber integer 20
server.k8s.client.qps number 50
server.tls.minversion choice 1.2
server.log.format choice text
commitserver.listen.address text 0.0.0.0
commitserver.metrics.listen.address text 0.0.0.0
commitserver.log.level choice info
dexserver.log.level choice info
dexserver.disable.tls boolean false
notificationscontroller.processors.count integer 1
notificationscontroller.selfservice.enabled boolean false
notificationscontroller.log.level choice info
"""

RBAC = """
policy.csv rules
policy.team-a.csv rules
policy.default text
scopes yaml [groups]
policy.matchMode choice glob
"""

SECRET = """
server.secretkey text
tls.crt text
tls.key text
admin.password text
admin.passwordMtime text
accounts.alice.password text
accounts.alice.tokens text
webhook.github.secret text
webhook.gitlab.secret text
webhook.bitbucketserver.secret text
webhook.gogs.secret text
webhook.harbor.secret text
webhook.bitbucket.uuid text
webhook.azuredevops.username text
webhook.azuredevops.password text
"""

ENV = """
ARGOCD_CLUSTER_CACHE_RESYNC_DURATION duration 12h
ARGOCD_CLUSTER_CACHE_WATCH_RESYNC_DURATION duration 10m
ARGOCD_CLUSTER_CACHE_LIST_PAGE_SIZE integer 500
ARGOCD_CLUSTER_CACHE_LIST_PAGE_BUFFER_SIZE integer 1
ARGOCD_CLUSTER_CACHE_LIST_SEMAPHORE integer 50
ARGOCD_CLUSTER_CACHE_ATTEMPT_LIMIT integer 1
ARGOCD_CLUSTER_CACHE_RETRY_USE_BACKOFF boolean false
ARGOCD_CLUSTER_SYNC_RETRY_TIMEOUT_DURATION duration 10s
ARGOCD_APPLICATION_TREE_SHARD_SIZE integer 0
ARGOCD_CONTROLLER_REPLICAS integer
ARGOCD_CONTROLLER_SHARD integer
ARGOCD_CONTROLLER_HEARTBEAT_TIME seconds 10
ARGO_CD_UPDATE_CLUSTER_INFO_TIMEOUT integer 10
ARGOCD_K8S_SERVER_SIDE_TIMEOUT duration
WORKQUEUE_BUCKET_SIZE integer 500
WORKQUEUE_BUCKET_QPS number
WORKQUEUE_FAILURE_COOLDOWN_NS integer 0
WORKQUEUE_BASE_DELAY_NS integer 1000000
WORKQUEUE_MAX_DELAY_NS integer 1000000000
WORKQUEUE_BACKOFF_FACTOR number 1.5
ARGOCD_EXEC_TIMEOUT duration 90s
ARGOCD_EXEC_FATAL_TIMEOUT duration 10s
ARGOCD_GIT_ATTEMPTS_COUNT integer
ARGOCD_PAUSE_GEN_AFTER_FAILED_ATTEMPTS integer 3
ARGOCD_PAUSE_GEN_MINUTES integer 60
ARGOCD_PAUSE_GEN_REQUESTS integer 0
ARGOCD_APPLICATIONSET_CONTROLLER_CONCURRENT_APPLICATION_UPDATES integer 1
ARGOCD_APPLICATIONSET_CONTROLLER_CACHE_SYNC_PERIOD duration 10h
"""


def rows(home: Home, table: str, *, restart: bool) -> list[tuple[Home, str, ValueKind, str, bool]]:
    found = []
    for line in table.strip().splitlines():
        name, kind, *default = line.split(" ", 2)
        found.append((home, name, ValueKind(kind), default[0] if default else "", restart))
    return found


KNOWN = [
    *rows(Home.CM, CM, restart=False),
    *rows(Home.CM, CM_AT_START, restart=True),
    *rows(Home.PARAMS, PARAMS, restart=True),
    *rows(Home.RBAC, RBAC, restart=False),
    *rows(Home.SECRET, SECRET, restart=False),
    *rows(Home.ENV, ENV, restart=True),
]


@pytest.mark.parametrize(("home", "name", "kind", "default", "restart"), KNOWN, ids=str)
def test_a_key_is_known_with_type_default_and_restart(
    home: Home, name: str, kind: ValueKind, default: str, restart: bool
) -> None:
    key = catalogue().find(home, name)
    assert key is not None
    assert (key.type, key.default or "", key.restart) == (kind, default, restart)
    assert key.meaning


@pytest.mark.parametrize(
    ("home", "name"),
    [
        (Home.CM, "accounts."),
        (Home.CM, "accounts.alice.tokens"),
        (Home.CM, "resource.customizations.health."),
        (Home.CM, "resource.customizations.healthy.apps_Deployment"),
        (Home.CM, "policy.csv"),
        (Home.PARAMS, "timeout.reconciliation"),
        (Home.PARAMS, "dexserver.k8s.client.qps"),
        (Home.RBAC, "policy..csv"),
        (Home.RBAC, "policy.a.b.csv"),
    ],
)
def test_a_key_that_only_looks_alike_is_not_known(home: Home, name: str) -> None:
    assert catalogue().find(home, name) is None


READ_AS = {
    ValueKind.BOOLEAN: bool,
    ValueKind.INTEGER: int,
    ValueKind.SIZE: int,
    ValueKind.NUMBER: float,
    ValueKind.DURATION: float,
    ValueKind.SECONDS: float,
    ValueKind.MILLISECONDS: float,
    ValueKind.LIST: tuple,
}


def test_every_default_can_be_read_as_its_type() -> None:
    read = [(key, values.read(key, key.default)) for key in catalogue().all() if key.default is not None]
    assert len(read) > 100
    assert [key.name for key, value in read if type(value) is not READ_AS.get(key.type, str)] == []


def test_every_field_that_a_key_fills_is_one_and_has_the_same_default() -> None:
    filled = [key for key in catalogue().all() if key.field]
    assert len(filled) > 30
    found = {key.name: _field(key.field.removeprefix("!")) for key in filled}
    defaults = {key.name: (key, values.read(key, key.default)) for key in filled if key.default is not None}
    assert {name: found[name] for name in defaults} == {
        name: not read if key.field.startswith("!") else read for name, (key, read) in defaults.items()
    }


def _field(path: str) -> object:
    value: object = Settings()
    for step in path.split("."):
        assert isinstance(value, msgspec.Struct)
        value = getattr(value, step)
    return value


def test_no_key_has_two_homes() -> None:
    names = [key.name for key in catalogue().all()]
    assert sorted(names) == sorted(set(names))


def test_meanings_are_one_short_line() -> None:
    assert [key.name for key in catalogue().all() if "\n" in key.meaning or len(key.meaning) > 100] == []
