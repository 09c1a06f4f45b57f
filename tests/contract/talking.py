"""Stories about the talk itself: paths and methods that do not exist, formats, health, who is anonymous."""

from __future__ import annotations

from typing import Any

from tests.contract.config import NAMESPACE
from tests.contract.steps import TABLE, Step, Story, delete, get, obj, post

CORE = "/api/v1/namespaces/trial"
MAPS = f"{CORE}/configmaps"
YAML = "application/yaml"
ANONYMOUS = "system:anonymous"
SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
DESCRIBED = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}


def shaped(shape: str, version: str) -> str:
    return f"application/json;as={shape};g=meta.k8s.io;v={version}"


PATHS = Story(
    "paths",
    (
        NAMESPACE,
        *(get(path) for path in ("/livez", "/readyz", "/healthz", "/livez/ping", "/healthz/etcd", "/readyz/nope")),
        *(get(path) for path in ("/nope", "/api/v1//namespaces", "/api//v1/namespaces", "//api/v1/namespaces")),
        *(post(path, {}) for path in ("/livez", "/version", "/api")),
        Step(method="HEAD", path=MAPS),
        Step(method="HEAD", path=f"{MAPS}/x"),
        delete(f"{MAPS}/x?dryRun=Bogus"),
        delete(f"{MAPS}?dryRun=Bogus"),
        delete(f"{MAPS}/x?propagationPolicy=Bogus"),
        *(get(f"{CORE}/pods/x/{part}") for part in ("exec?command=ls", "portforward", "log")),
        get(f"{CORE}/endpoints"),
        get(f"{CORE}/endpoints/x"),
        delete(f"{CORE}/endpoints/x"),
        get(f"{CORE}/endpoints/x", user="trial-nobody"),
        *(get(f"{SERVICES}/{name}") for name in ("v1.", "v1.apps", "v2.autoscaling", "v1.nope")),
    ),
)
FORMATS = Story(
    "formats",
    (
        NAMESPACE,
        post(MAPS, obj("a", data={"a": "1", "b": "x\ny\n", "c": "yes"}), accept=YAML),
        get(f"{MAPS}/a", accept=YAML),
        get(f"{MAPS}/a", accept=f"{YAML}, application/json"),
        get(f"{MAPS}/a", accept=f"application/json, {YAML}"),
        get(f"{MAPS}/nope", accept=YAML),
        get(MAPS, accept=YAML),
        get(f"{MAPS}?watch=true&timeoutSeconds=1", accept=YAML),
        get(MAPS, accept=shaped("Table", "v9")),
        get(MAPS, accept=shaped("Bogus", "v1")),
        get(MAPS, accept=shaped("Table", "v9") + ", application/json"),
        get(MAPS, accept="text/html"),
        get(MAPS, accept="image/png, */*;q=0.1"),
    ),
)
WHO = Story(
    "who-asks",
    (
        *(get(path, user=ANONYMOUS) for path in ("/livez", "/readyz", "/healthz")),
        *(get(path, user=ANONYMOUS) for path in ("/", "/api", "/apis", "/nope", "/livez/ping", "/openapi/v2")),
        *(get(path, user=ANONYMOUS) for path in ("/api/v1/namespaces", "/api/v1/namespaces/default/pods")),
        post("/version", {}, user=ANONYMOUS),
        get("/metrics", user="trial-nobody"),
        get("/api/v1/namespaces", user="trial-nobody"),
        get("/livez", user="trial-nobody"),
        post("/apis/authentication.k8s.io/v1/selfsubjectreviews", DESCRIBED, user="trial-nobody"),
        post("/apis/authentication.k8s.io/v1/selfsubjectreviews", DESCRIBED, user=ANONYMOUS),
    ),
)
ACCOUNT = {"serviceAccountName": "default", "automountServiceAccountToken": False}
TWO = [{"name": "a", "image": "x"}, {"name": "b", "image": "x"}]
ASKED = (
    *("exec", "exec?command=ls", "exec?command=ls&container=zz&stdout=1", "exec?command=ls&container=a&stdout=1"),
    *("portforward", "portforward?ports=80", "attach?stdout=1", "attach?container=a", "log", "log?container=a"),
    *("log?container=zz", "log?container=a&previous=true", "log?container=a&tailLines=-1"),
    *("log?container=a&tailLines=x", "log?container=a&sinceSeconds=-1", "log?container=a&limitBytes=0"),
)
CONVERSATIONS = Story(
    "conversations",
    (
        NAMESPACE,
        post(f"{CORE}/pods", obj("waits", spec={"containers": TWO, **ACCOUNT})),
        post(f"{CORE}/pods", obj("lost", spec={"containers": TWO, "nodeName": "ghost", **ACCOUNT})),
        *(get(f"{CORE}/pods/{name}/{part}") for name in ("waits", "lost") for part in ASKED),
        *(post(f"{CORE}/pods/waits/{part}", None) for part in ASKED if not part.startswith("log")),
        post(f"{CORE}/pods/waits/log", None),
        get(f"{CORE}/pods/waits/exec?command=ls&container=a", user="trial-nobody"),
        get(f"{CORE}/pods/waits/portforward", user="trial-nobody"),
        delete(f"{CORE}/pods/waits/exec"),
        delete(f"{CORE}/pods/waits/log"),
    ),
)
REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews"


def shown(token: str, **spec: Any) -> Step:
    return post(REVIEWS, {"spec": {"token": token, **spec}})


TOKENS = Story(
    "tokens",
    (
        NAMESPACE,
        post(f"{CORE}/serviceaccounts", obj("talker")),
        post(f"{CORE}/serviceaccounts/talker/token", {}, keep={"token": "status.token"}),
        shown("<token>"),
        shown("<token>", audiences=["https://kubernetes.default.svc"]),
        shown("<token>", audiences=["elsewhere", "nowhere"]),
        shown("nope"),
        shown("a.b.c"),
        shown(""),
        post(REVIEWS, {}),
        delete(f"{CORE}/serviceaccounts/talker"),
    ),
)


def api_service(name: str, /, **service: Any) -> Step:
    """Register a group that is served behind a Service, or without one here."""
    spec = {"group": f"{name}.trial.example.io", "version": "v1", "groupPriorityMinimum": 100, "versionPriority": 10}
    if service:
        spec |= {"service": {"namespace": "trial", **service}, "insecureSkipTLSVerify": True}
    return post(SERVICES, obj(f"v1.{name}.trial.example.io", spec=spec))


def judged(name: str, word: str) -> Step:
    return get(f"{SERVICES}/v1.{name}.trial.example.io", until=(word,))


PLAIN = {"selector": {"a": "b"}, "ports": [{"port": 443, "name": "https"}]}
ELSEWHERE = Story(
    "elsewhere",
    (
        NAMESPACE,
        post(f"{CORE}/services", obj("empty", spec=PLAIN)),
        post(f"{CORE}/services", obj("outside", spec={**PLAIN, "type": "NodePort", "ports": [{"port": 80}]})),
        api_service("local"),
        api_service("gone", name="gone"),
        api_service("empty", name="empty"),
        api_service("closed", name="empty", port=8443),
        api_service("outside", name="outside"),
        judged("local", "Local"),
        judged("gone", "ServiceNotFound"),
        judged("empty", "EndpointsNotFound"),
        judged("closed", "ServicePortError"),
        judged("outside", "FailedDiscoveryCheck"),
        *(get(f"/apis/{name}.trial.example.io/v1/things") for name in ("local", "gone", "empty")),
        *(get(f"{SERVICES}/v1.{name}.trial.example.io", accept=TABLE) for name in ("local", "gone")),
        *(delete(f"{SERVICES}/v1.{name}.trial.example.io") for name in ("local", "gone", "empty", "closed", "outside")),
        get(f"{CORE}/services/empty/proxy"),
        get(f"{CORE}/services/nope/proxy"),
        *(get(f"/{name}?verbose") for name in ("livez", "readyz", "healthz")),
        get("/livez?verbose&exclude=etcd"),
        get("/livez?verbose&exclude=nope"),
        get("/livez?exclude=nope"),
        get("/livez/poststarthook/rbac/bootstrap-roles"),
        get("/openapi/v3/nope"),
    ),
)
STORIES = (PATHS, FORMATS, WHO, CONVERSATIONS, TOKENS, ELSEWHERE)
