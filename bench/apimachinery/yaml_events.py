"""Events per second of the YAML reader, beside the bare parser on the same text in the same run.

Run: python -m bench apimachinery.yaml_events
Goal: 500,000 events a second. It takes CPU time, best of several rounds, so that a busy machine matters less.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from yaml._yaml import CParser

from bench.rows import Row
from syncline.apimachinery import yaml

ROUNDS = 9

WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web-{number}
  labels: {{app: web, tier: "front"}}
spec:
  replicas: 3
  template:
    spec:
      containers:
      - name: web
        image: example.com/web:1.2.{number}
        ports:
        - containerPort: 8080
          name: http
        env:
        - name: LOG_LEVEL
          value: "debug"
        resources:
          limits: {{cpu: 500m, memory: 128Mi}}
        readinessProbe:
          httpGet:
            path: /healthz
            port: 8080
          periodSeconds: 10
"""
SCHEMA_FIELD = """\
          field{number}:
            description: |-
              What the field means, over a line or two, as generated from the comments
              of the type, which makes up most of the text of a definition.

              More in the second paragraph.
            type: string
            maxLength: {number}
            x-kubernetes-validations:
            - message: may not change
              rule: self == oldSelf
"""


def workloads() -> str:
    return "---\n".join(WORKLOAD.format(number=number) for number in range(1000))


def definition() -> str:
    head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  versions:\n  - schema:\n"
    return head + "        properties:\n" + "".join(SCHEMA_FIELD.format(number=number) for number in range(3000))


def anchors() -> str:
    return "base: &base {cpu: 1, memory: 2}\nall:\n" + "- name: x\n  <<: *base\n  cpu: 3\n" * 5000


def paths(value: Any, path: yaml.Path = ()) -> Iterator[yaml.Path]:
    if isinstance(value, dict | list):
        for step in value if isinstance(value, dict) else range(len(value)):
            yield (*path, step)
            yield from paths(value[step], (*path, step))


def best(work: Callable[..., Any], *arguments: Any) -> float:
    found = []
    for _ in range(ROUNDS):
        begin = time.process_time()
        work(*arguments)
        found.append(time.process_time() - begin)
    return min(found)


def count_events(text: str) -> int:
    return sum(1 for _ in iter(CParser(text).get_event, None))


def find_all(text: str, wanted: list[list[yaml.Path]]) -> None:
    for document, document_paths in zip(yaml.load_documents(text), wanted, strict=True):
        for path in document_paths:
            document.position(path)


def walk_all(text: str) -> None:
    for document in yaml.load_documents(text):
        document.places()


def measured(name: str, text: str) -> list[Row]:
    events = count_events(text)
    values = [found.value for found in yaml.load_documents(text)]
    wanted = [list(paths(value)) for value in values]
    bare, load = best(count_events, text), best(yaml.load_documents, text)
    places = best(find_all, text, wanted) - load
    walked = best(walk_all, text) - load
    written = len(yaml.dump_all(values)) / 1e6 / best(yaml.dump_all, values)
    return [
        Row(
            name=f"YAML load, {name}",
            figure=events / load,
            unit="events/s",
            raw=events / bare,
            raw_is="bare parser",
            at_least=500_000,
        ),
        Row(
            name=f"YAML all places, {name}",
            figure=sum(map(len, wanted)) / walked,
            unit="places/s",
            raw=sum(map(len, wanted)) / places,
            raw_is="one by one",
        ),
        Row(name=f"YAML dump, {name}", figure=written, unit="MB/s"),
    ]


def rows() -> list[Row]:
    texts = {"workloads": workloads(), "definition": definition(), "anchors": anchors()}
    return [row for name, text in texts.items() for row in measured(name, text)]
