"""What one sandbox plays: its nodes, its images, its speeds, its operators and the world around it.

Given to `syncline.sandbox.server.Sandbox`; read by the API and by the simulated controllers. Values only: one cluster
YAML is read into them by `syncline.sandbox.cluster.file`, which is why every key has its name in camel case.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

import msgspec

from syncline.sandbox.cluster import outside

Images = outside.KnownImages
Outside = outside.Outside


class PortRule(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What answers on a port of a container, for `kubectl port-forward`."""

    port: int
    to: str = ""
    """The local address that connections are carried to, such as 127.0.0.1:8080."""
    answer: str = ""
    """Without an address, the text that every HTTP request is answered with."""


class ExecRule(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What a command prints and how it ends, for `kubectl exec`."""

    command: str = "*"
    """The command line, with `*` and `?` as in file names."""
    exit_code: int = 0
    lines: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    """What it prints as errors."""


class Container(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What containers of an image do once they are started."""

    image: str
    """Image name, with `*` and `?` as in file names."""
    name: str = "*"
    """Only containers of this name."""
    command: str = "*"
    """Only containers whose command and arguments look like this, joined as in a shell."""
    exit_code: int | None = None
    """How the container ends; None runs on."""
    run_seconds: float = 0.0
    """How long it runs before it ends."""
    runs: int = 0
    """How often it ends like this before it behaves; 0 always."""
    ready_after: float = 0.0
    """How long a readiness probe fails after the start."""
    never_ready: bool = False
    live_for: float = 0.0
    """After how many seconds its liveness probe begins to fail; 0 never."""
    lines: tuple[str, ...] = ()
    """What it prints."""
    reason: str = ""
    """The reason of the ending: by default Completed or Error; OOMKilled where memory ran out."""
    message: str = ""
    """What it leaves as its termination message."""
    memory: str = ""
    """How much memory it takes: above its limit it is killed."""
    start_error: str = ""
    """Why it cannot be started at all, as the container runtime says it."""
    probe_error: str = ""
    """What failing probes answer."""
    needs: str = ""
    """A Service of its namespace without which it does this; once that has a ready endpoint the rule is over."""
    forbidden: str = ""
    """A permission without which its account does this, such as `get imagestreams.image.openshift.io`."""
    ports: tuple[PortRule, ...] = ()
    exec: tuple[ExecRule, ...] = ()

    def execution(self, line: str) -> ExecRule | None:
        """Return what a command line does in these containers, None when nothing is said."""
        return next((one for one in self.exec if fnmatchcase(line, one.command)), None)


class NodeSpec(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """One simulated node."""

    name: str = "sandbox-node"
    labels: dict[str, str] = {}
    taints: tuple[dict[str, str], ...] = ()
    cpu: str = "16"
    memory: str = "64Gi"
    pods: str = "250"
    resources: dict[str, str] = {}
    """Other things pods can ask for, such as nvidia.com/gpu."""
    volume_limit: int = 0
    """How many claims may be attached at once; 0 for any number."""
    unschedulable: bool = False
    ready: bool = True
    address: str = "10.0.0.10"


class NodeGroup(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Nodes that are all alike; pods that fit nowhere else make it grow."""

    name: str
    node: NodeSpec = NodeSpec()
    """What its nodes look like; their names are made from the group's."""
    count: int = 0
    """How many there are from the beginning."""
    max: int = 3
    delay: float = 60.0
    """How long a new node takes."""


class StorageClassSpec(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """One storage class and how its provisioner behaves."""

    name: str
    provisioner: str = "sandbox.syncline.io/volumes"
    binding_mode: str = "WaitForFirstConsumer"
    reclaim_policy: str = "Delete"
    default: bool = False
    allow_expansion: bool = False
    parameters: dict[str, str] = {}
    problem: str = ""
    """Why provisioning fails; empty when it works."""
    delay: float = 0.0
    """How long provisioning takes."""
    topology: str = ""
    """The node label that its volumes cannot leave, such as topology.kubernetes.io/zone."""


class Usage(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What pods use of a metric, for autoscalers."""

    namespace: str = "*"
    name: str = "*"
    """The autoscaler, or what it scales; `*` and `?` as in file names."""
    metric: str = "cpu"
    percent: int | None = None
    """Of what the pods ask for."""
    value: str = ""
    """Per pod, or altogether for metrics of other things."""

    def about(self, namespace: str, names: tuple[str, ...]) -> bool:
        """Tell whether this is said of an autoscaler in a namespace, or of what it scales."""
        return fnmatchcase(namespace, self.namespace) and any(fnmatchcase(name, self.name) for name in names)


class LoadBalancers(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Who gives Services and Ingresses their addresses."""

    enabled: bool = True
    problem: str = ""
    """Why the cloud refuses."""
    delay: float = 0.0
    ingress_classes: tuple[str, ...] = ("*",)
    """Whose Ingresses are served; an Ingress without a class has the empty name."""


class OperatorSpec(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """An operator that is installed."""

    name: str
    deployment: str = ""
    """`namespace/name` of the Deployment that must be available for it to do anything."""
    definitions: bool = True
    """Whether its custom kinds are installed from the first second."""


class FailureMode(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """Chooses the failure mode of objects without touching them; the annotation on an object goes before it."""

    mode: str
    kind: str = "*"
    namespace: str = "*"
    name: str = "*"


class Speeds(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """How long simulated steps take, in seconds."""

    schedule: float = 0.05
    pull: float = 0.4
    start: float = 0.2
    stop: float = 0.3
    image_retry: float = 10.0
    crash_retry: float = 10.0
    autoscale: float = 15.0
    """How often autoscalers of pods look."""


class SandboxSettings(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """All that can be set for one sandbox."""

    name: str = "sandbox"
    version: str = "v1.37.1"
    nodes: tuple[NodeSpec, ...] = (NodeSpec(),)
    node_groups: tuple[NodeGroup, ...] = ()
    storage_classes: tuple[StorageClassSpec, ...] = (StorageClassSpec(name="standard", default=True),)
    images: Images = Images()
    containers: tuple[Container, ...] = ()
    operators: tuple[OperatorSpec, ...] = ()
    modes: tuple[FailureMode, ...] = ()
    outside: Outside = Outside()
    usage: tuple[Usage, ...] = ()
    metrics_server: bool = True
    service_network: str = "10.96.0.0/12"
    """Where cluster addresses of Services come from, as kube-apiserver's --service-cluster-ip-range."""
    load_balancers: LoadBalancers = LoadBalancers()
    speeds: Speeds = Speeds()
    watch_history: int = 10_000
    """Changes that watches can still ask for; the oldest go first."""
    watch_history_seconds: float = 300.0
    """How long they can."""
    watch_seconds: int = 2400
    """How long a watch without timeoutSeconds lasts."""
    event_limit: int = 5_000
    """Events kept; the oldest go first."""
    event_seconds: float = 3600.0
    """How long an Event is kept after it was last written, as kube-apiserver's --event-ttl."""
    webhooks: dict[str, str] = {}
    """Where the webhooks of Services are answered on this machine: `namespace/name` to `127.0.0.1:port`."""
    behaviours: tuple[str, ...] = ()
    """Rules for operators, as YAML texts; they go before the shipped ones."""
    objects: tuple[dict[str, Any], ...] = ()
    """Objects that are there from the first second."""
    data: str = ""
    """The folder that keeps the objects; without one they end with the process."""
    simulate: bool = True
    """Whether simulated controllers run; without them it is a bare API server."""

    def container(self, image: str, name: str, command: str) -> Container | None:
        """Return the first rule for what a container does, None when none fits."""
        return next(iter(self.rules_of(image, name, command)), None)

    def rules_of(self, image: str, name: str, command: str) -> list[Container]:
        """Return all rules that fit a container."""
        return [
            one
            for one in self.containers
            if fnmatchcase(image, one.image) and fnmatchcase(name, one.name) and fnmatchcase(command, one.command)
        ]

    def storage_class(self, name: str) -> StorageClassSpec | None:
        """Return how the provisioner of a class behaves, None when nothing was said about it."""
        return next((one for one in self.storage_classes if one.name == name), None)

    def mode(self, kind: str, namespace: str, name: str) -> str:
        """Return the mode chosen for an object, empty for none."""
        for one in self.modes:
            if fnmatchcase(kind, one.kind) and fnmatchcase(namespace, one.namespace) and fnmatchcase(name, one.name):
                return one.mode
        return ""
