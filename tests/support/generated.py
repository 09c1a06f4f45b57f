"""Strategies for the objects that properties of the engine are about: plain, valid, as people write them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from syncline.apimachinery.keys import Object
from syncline.model import names
from tests.support.objects import config_map, deployment, hook, obj, with_wave

WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=8)
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=12)
QUANTITIES = st.sampled_from(["1", "500m", "1000m", "64Mi", "1Gi", "0.5", "2e3"])
LABELS = st.dictionaries(WORDS, WORDS, max_size=3)


@st.composite
def config_maps(draw: st.DrawFn) -> Object:
    return config_map(draw(WORDS), draw(st.dictionaries(WORDS, TEXTS, min_size=1, max_size=4)), labels=draw(LABELS))


@st.composite
def services(draw: st.DrawFn) -> Object:
    ports = draw(st.lists(st.integers(1, 65535), min_size=1, max_size=3, unique=True))
    spec: dict[str, Any] = {
        "selector": draw(LABELS),
        "ports": [
            {"port": port, "name": f"port-{port}", **draw(st.sampled_from([{}, {"protocol": "UDP"}]))} for port in ports
        ],
    }
    return obj("Service", draw(WORDS), spec=spec)


@st.composite
def containers(draw: st.DrawFn, name: str) -> dict[str, Any]:
    found: dict[str, Any] = {"name": name, "image": draw(WORDS)}
    variables = [{"name": word.upper(), "value": draw(TEXTS)} for word in draw(st.sets(WORDS, max_size=3))]
    optional = {
        "env": [*variables, {"name": "node", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}],
        "args": draw(st.lists(TEXTS, min_size=1, max_size=3)),
        "resources": {"limits": {"cpu": draw(QUANTITIES), "memory": draw(QUANTITIES)}},
        "readinessProbe": {"httpGet": {"port": draw(st.integers(1, 65535))}},
        "ports": [{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP"}],
        "volumeMounts": [{"name": "data", "mountPath": "/data"}],
    }
    return found | {key: value for key, value in optional.items() if draw(st.booleans())}


@st.composite
def deployments(draw: st.DrawFn) -> Object:
    found = deployment(draw(WORDS), replicas=draw(st.none() | st.integers(0, 5)))
    spec = found["spec"]["template"]["spec"]
    spec["containers"] = [draw(containers(name)) for name in sorted(draw(st.sets(WORDS, min_size=1, max_size=3)))]
    spec["volumes"] = [{"name": "data", **draw(st.sampled_from([{"emptyDir": {}}, {"configMap": {"name": "data"}}]))}]
    if draw(st.booleans()):
        spec["tolerations"] = [{"key": draw(WORDS), "operator": "Exists"}]
    if draw(st.booleans()):
        spec["nodeSelector"] = draw(st.dictionaries(WORDS, WORDS, min_size=1, max_size=2))
    return found


OBJECTS = config_maps() | services() | deployments()


@st.composite
def app_objects(draw: st.DrawFn) -> list[Object]:
    """Return objects of one app, hooks among them, in waves; every key at most once."""
    found: dict[tuple[str, str], Object] = {}
    for _ in range(draw(st.integers(0, 8))):
        if draw(st.booleans()):
            value = with_wave(draw(OBJECTS), draw(st.integers(-2, 2)))
        else:
            phases = ",".join(draw(st.sets(st.sampled_from(["PreSync", "Sync", "PostSync", "SyncFail"]), min_size=1)))
            policy = draw(st.sampled_from(["", "HookSucceeded", "HookFailed", "BeforeHookCreation"]))
            value = hook(draw(WORDS), phases, policy=policy, wave=draw(st.integers(-2, 2)))
        options = draw(st.sampled_from(["", "Prune=false", "PruneLast=true"]))
        value["metadata"].setdefault("annotations", {})[names.SYNC_OPTIONS] = options
        found[value["kind"], value["metadata"]["name"]] = value
    return list(found.values())
