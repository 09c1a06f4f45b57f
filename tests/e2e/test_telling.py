"""`syncline controller` tells a receiver and serves its figures; `syncline shadow` records and reports."""

import json
import pathlib
import re

from tests.e2e.program import WEB, Machine, until
from tests.e2e.test_beside import apply, kubeconfig
from tests.e2e.test_up import repository
from tests.support.receivers import web_receiver

__all__ = ["kubeconfig", "repository"]

SETTINGS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-notifications-cm, namespace: argocd}
data:
  service.webhook.ops: |
    url: %s/$path
  trigger.on-unknown: |
    - when: app.status.sync.status == 'Unknown'
      send: [unknown]
  template.unknown: |
    message: '{{.app.metadata.name}} is unknown'
  subscriptions: |
    - recipients: [ops]
      triggers: [on-unknown]
---
apiVersion: v1
kind: Secret
metadata: {name: argocd-notifications-secret, namespace: argocd}
stringData: {path: s3cret-path}
"""
ANNOTATIONS = ("get", "app", "shop", "-n", "argocd", "-o", "jsonpath={.metadata.annotations}")


def test_a_controller_tells_a_receiver_once_and_serves_its_figures(machine: Machine, kubeconfig: pathlib.Path) -> None:
    assert machine.kubectl(kubeconfig, "delete", "statefulset", "-n", "argocd", "--all").code == 0
    with web_receiver() as web:
        apply(machine, kubeconfig, SETTINGS % web.url)
        with machine.running("controller", "--kubeconfig", kubeconfig, "--metrics-port", "0") as running:
            # Repositories of this machine are refused to Applications, so that this one cannot be compared.
            until(lambda: web.requests or None, lambda: f"nobody was told\n{running.out}\n{running.err}")
            assert [(path, body) for _, path, _, body in web.requests] == [("/s3cret-path", "shop is unknown")]
            until(
                lambda: "on-unknown:[0]." in machine.kubectl(kubeconfig, *ANNOTATIONS).out,
                lambda: "what was told is not noted",
            )
            address = re.search(r"metrics at (\S+)", running.err)
            assert address is not None
            with WEB.open(address[1], timeout=30) as answer:
                lines = answer.read().decode().splitlines()
            running.interrupt()
            assert "s3cret" not in running.out + running.err
    sent = 'argocd_notifications_deliveries_total{trigger="on-unknown",service="ops",succeeded="true"} 1'
    assert sent in lines
    assert any(line.startswith('argocd_app_info{namespace="argocd",name="shop",') for line in lines)


def test_what_both_say_is_recorded_and_reported(
    machine: Machine, tmp_path: pathlib.Path, kubeconfig: pathlib.Path
) -> None:
    file = tmp_path / "shadow.jsonl"
    done = machine.syncline("shadow", "record", "--kubeconfig", kubeconfig, "--file", file, "--once")
    assert done.code == 0, done.err
    kinds = [json.loads(line)["type"] for line in file.read_text().splitlines()]
    assert kinds == ["mark", "refusals", "seen", "mark"]
    report = json.loads(machine.syncline("shadow", "report", file, "-o", "json").out)
    assert (report["apps"], report["timing"], report["disagreements"]) == (1, 1, [])
    strict = machine.syncline("shadow", "report", file, "--settle", "0s")
    assert strict.code == 1
    assert "Argo CD has not compared it yet" in strict.out
