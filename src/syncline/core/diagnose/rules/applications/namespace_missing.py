"""A namespaced object that names no namespace, in an Application that names none either."""

from __future__ import annotations

from collections.abc import Iterator

from syncline.core.diagnose.complaints import About, report
from syncline.core.diagnose.rule import LooksAt, Rule
from syncline.core.diagnose.subjects import App
from syncline.model.finding import Finding, Severity

RULE = Rule(
    code="APP-007",
    name="namespace-missing",
    severity=Severity.ERROR,
    summary="A namespaced object has no namespace, and the Application has no destination namespace.",
    fix="set metadata.namespace on the object, or spec.destination.namespace on the Application",
    looks_at=(LooksAt.RENDERED, LooksAt.LIVE),
    why="The object cannot be applied. Argo CD blocks the whole app for one such object; Syncline leaves out that "
    "object and syncs the others.",
    bad="""\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
""",
    good="""\
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: shop
""",
)


@RULE.on(App)
def check(app: App) -> Iterator[Finding]:
    """Yield one finding per complaint."""
    return report(RULE, app, About.NAMESPACE)
