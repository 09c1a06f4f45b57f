"""The parts of the machine learning platform: which objects each folder of manifests has.

Read by `syncline.scenarios.kubeflow.files`, which lays them out as kustomizations. Names are those of the write-up
where it names any; the others are what such a platform has.
"""

from __future__ import annotations

from syncline.scenarios import manifests as m
from syncline.scenarios.manifests import Manifest

KUBEFLOW = "kubeflow"
ISTIO_KINDS = (
    ("networking.istio.io", "Gateway", "gateways"),
    ("networking.istio.io", "VirtualService", "virtualservices"),
    ("networking.istio.io", "DestinationRule", "destinationrules"),
    ("networking.istio.io", "EnvoyFilter", "envoyfilters"),
    ("networking.istio.io", "ServiceEntry", "serviceentries"),
    ("networking.istio.io", "Sidecar", "sidecars"),
    ("networking.istio.io", "ProxyConfig", "proxyconfigs"),
    ("networking.istio.io", "WorkloadEntry", "workloadentries"),
    ("networking.istio.io", "WorkloadGroup", "workloadgroups"),
    ("security.istio.io", "AuthorizationPolicy", "authorizationpolicies"),
    ("security.istio.io", "PeerAuthentication", "peerauthentications"),
    ("security.istio.io", "RequestAuthentication", "requestauthentications"),
    ("telemetry.istio.io", "Telemetry", "telemetries"),
    ("extensions.istio.io", "WasmPlugin", "wasmplugins"),
)
KNATIVE_KINDS = (
    ("serving.knative.dev", "Service", "services"),
    ("serving.knative.dev", "Configuration", "configurations"),
    ("serving.knative.dev", "Revision", "revisions"),
    ("serving.knative.dev", "Route", "routes"),
    ("autoscaling.internal.knative.dev", "PodAutoscaler", "podautoscalers"),
    ("networking.internal.knative.dev", "Ingress", "ingresses"),
    ("networking.internal.knative.dev", "ServerlessService", "serverlessservices"),
    ("caching.internal.knative.dev", "Image", "images"),
)
CERTIFICATE_KINDS = ("Certificate", "CertificateRequest", "Issuer")


def certificates() -> list[Manifest]:
    """Return cert-manager: what signs the certificates of webhooks."""
    where = "cert-manager"
    kinds = [m.definition("cert-manager.io", kind, f"{kind.lower()}s", "v1") for kind in CERTIFICATE_KINDS]
    kinds.append(m.definition("cert-manager.io", "ClusterIssuer", "clusterissuers", "v1", scope="Cluster"))
    kinds += [m.definition("acme.cert-manager.io", kind, f"{kind.lower()}s", "v1") for kind in ("Order", "Challenge")]
    made = [m.namespace(where), *kinds]
    for name in ("cert-manager", "cert-manager-cainjector", "cert-manager-webhook"):
        made += operator(name, where, f"quay.io/jetstack/{name}:v1.16.1", "cert-manager.io")
    return made


def issuer() -> list[Manifest]:
    """Return who signs."""
    name = "kubeflow-self-signing-issuer"
    return [m.obj("cert-manager.io/v1", "ClusterIssuer", name, spec={"selfSigned": {}})]


def istio_kinds() -> list[Manifest]:
    """Return the definitions that every web app and every API of the platform needs."""
    return [m.definition(group, kind, plural, "v1beta1", "v1") for group, kind, plural in ISTIO_KINDS]


def istio() -> list[Manifest]:
    """Return the control plane of the mesh, and its gateway."""
    where = "istio-system"
    gateway = _gateway("istio-ingressgateway", where, "ingressgateway")
    return [
        *operator("istiod", where, "docker.io/istio/pilot:1.26.1", "networking.istio.io", "security.istio.io"),
        m.config("istio", where, {"mesh": "accessLogFile: /dev/stdout\n"}),
        *workload("istio-ingressgateway", where, "docker.io/istio/proxyv2:1.26.1"),
        gateway,
        _policy("istio-ingressgateway-oauth2-proxy", where, "ingressgateway"),
    ]


def local_gateway() -> list[Manifest]:
    """Return the gateway for requests from inside."""
    where = "istio-system"
    return [
        *workload("cluster-local-gateway", where, "docker.io/istio/proxyv2:1.26.1"),
        _gateway("cluster-local-gateway", where, "cluster-local-gateway"),
        _policy("cluster-local-gateway", where, "cluster-local-gateway"),
    ]


def knative() -> list[Manifest]:
    """Return what serves models on demand."""
    where = "knative-serving"
    made = [m.namespace(where, **{"istio-injection": "disabled"})]
    made += [m.definition(group, kind, plural, "v1") for group, kind, plural in KNATIVE_KINDS]
    for name in ("activator", "autoscaler", "controller", "net-istio-controller", "webhook"):
        made += workload(name, where, f"gcr.io/knative-releases/{name}:v1.16.0")
    made += [
        m.config(f"config-{name}", where, {"example": name}) for name in ("autoscaler", "domain", "features", "network")
    ]
    made.append(_gateway("knative-local-gateway", where, "cluster-local-gateway"))
    return made


def sign_on(name: str, where: str, image: str) -> list[Manifest]:
    """Return Dex or the proxy in front of it: both behind the gateway."""
    return [
        m.namespace(where),
        *workload(name, where, image),
        m.config(name, where, {"issuer": "http://dex.auth.svc.cluster.local:5556/dex"}),
        _virtual_service(name, where, f"/{name}"),
    ]


def network_policies() -> list[Manifest]:
    """Return which pods may talk to the platform."""
    names = (
        "centraldashboard",
        "jupyter-web-app",
        "katib-controller",
        "ml-pipeline",
        "poddefaults",
        "default-allow-same-namespace",
    )
    return [
        m.obj(
            "networking.k8s.io/v1",
            "NetworkPolicy",
            name,
            KUBEFLOW,
            spec={"podSelector": {}, "policyTypes": ["Ingress"]},
        )
        for name in names
    ]


def roles() -> list[Manifest]:
    """Return the roles that those of the components are added to."""
    return [m.cluster_role(f"kubeflow-{name}", ["kubeflow.org"]) for name in ("admin", "edit", "view", "istio-admin")]


def mesh_of_kubeflow() -> list[Manifest]:
    """Return how the platform is reached."""
    return [
        _gateway("kubeflow-gateway", KUBEFLOW, "ingressgateway"),
        m.cluster_role("kubeflow-istio-view", ["networking.istio.io"]),
    ]


def profile(user: str) -> list[Manifest]:
    """Return the workspace of the first user."""
    owner = {"kind": "User", "name": f"{user}@example.com"}
    return [m.obj("kubeflow.org/v1", "Profile", f"kubeflow-{user}-example-com", spec={"owner": owner})]


def operator(name: str, where: str, image: str, *groups: str) -> list[Manifest]:
    """Return an operator: a Deployment with its account and rights."""
    return [
        *workload(name, where, image),
        m.account(name, where),
        m.cluster_role(name, groups),
        m.cluster_binding(name, name, name, where),
        m.role(f"{name}-leader-election", where, "configmaps", "leases"),
        m.binding(f"{name}-leader-election", where, f"{name}-leader-election", name),
    ]


def workload(name: str, where: str, image: str, port: int = 80) -> list[Manifest]:
    """Return a Deployment with its Service."""
    return [m.deployment(name, where, image, port), m.service(name, where, port)]


def web(name: str, path: str, image: str = "") -> list[Manifest]:
    """Return a web app of the platform: reached through the gateway, by people who have signed on."""
    image = image or f"ghcr.io/kubeflow/kubeflow/{name}:v1.10.0"
    return [
        *workload(name, KUBEFLOW, image),
        m.account(name, KUBEFLOW),
        m.cluster_role(f"{name}-cluster-role", ["kubeflow.org"]),
        m.cluster_binding(f"{name}-cluster-role-binding", f"{name}-cluster-role", name, KUBEFLOW),
        m.config(f"{name}-config", KUBEFLOW, {"prefix": path}),
        _virtual_service(name, KUBEFLOW, path),
        _policy(name, KUBEFLOW, name),
    ]


def controller(name: str, group: str, *kinds: tuple[str, str], scope: str = "Namespaced") -> list[Manifest]:
    """Return a controller of the platform with the kinds that it brings."""
    made = [m.definition(group, kind, plural, "v1", scope=scope) for kind, plural in kinds]
    return [*made, *operator(name, KUBEFLOW, f"ghcr.io/kubeflow/kubeflow/{name}:v1.10.0", group)]


def certificate(name: str) -> list[Manifest]:
    """Return the certificate of a webhook."""
    issued_by = {"kind": "ClusterIssuer", "name": "kubeflow-self-signing-issuer"}
    names = [f"{name}.{KUBEFLOW}.svc"]
    spec = {"secretName": f"{name}-certs", "dnsNames": names, "issuerRef": issued_by}
    return [m.obj("cert-manager.io/v1", "Certificate", f"{name}-cert", KUBEFLOW, spec=spec)]


def _gateway(name: str, where: str, selector: str) -> Manifest:
    port = {"number": 80, "name": "http", "protocol": "HTTP"}
    spec = {"selector": {"istio": selector}, "servers": [{"port": port, "hosts": ["*"]}]}
    return m.obj("networking.istio.io/v1", "Gateway", name, where, spec=spec)


def _virtual_service(name: str, where: str, path: str) -> Manifest:
    route = {"destination": {"host": f"{name}.{where}.svc.cluster.local", "port": {"number": 80}}}
    http = [{"match": [{"uri": {"prefix": path}}], "route": [route]}]
    spec = {"gateways": ["kubeflow/kubeflow-gateway"], "hosts": ["*"], "http": http}
    return m.obj("networking.istio.io/v1", "VirtualService", name, where, spec=spec)


def _policy(name: str, where: str, app: str) -> Manifest:
    spec = {"action": "ALLOW", "selector": {"matchLabels": {"app": app}}, "rules": [{}]}
    return m.obj("security.istio.io/v1", "AuthorizationPolicy", name, where, spec=spec)


def api(name: str, path: str, image: str) -> list[Manifest]:
    """Return a service of the platform that others call through the mesh."""
    return [*workload(name, KUBEFLOW, image), _virtual_service(name, KUBEFLOW, path), _policy(name, KUBEFLOW, name)]
