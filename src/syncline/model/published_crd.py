"""The CustomResourceDefinition of Diagnosis; apart from `syncline.model.published`, because few need it.

Asked by `syncline admin crds` and by `syncline.cli.run.install`, which installs it.
"""

from __future__ import annotations

import functools

from syncline.apimachinery.keys import Object
from syncline.model import crds
from syncline.model.published import GROUP, KIND, PLURAL, VERSION, PublishedDiagnosis

_COLUMNS = (
    {"name": "OK", "type": "integer", "jsonPath": ".status.ok"},
    {"name": "Applications", "type": "integer", "jsonPath": ".status.applications"},
    {"name": "Causes", "type": "integer", "jsonPath": ".status.found"},
    {"name": "First cause", "type": "string", "jsonPath": ".status.causes[0].message"},
    {"name": "Changed", "type": "date", "jsonPath": ".status.changedAt"},
)


@functools.cache
def diagnosis_crd() -> Object:
    """Return the CRD of Diagnosis."""
    extras = {"additionalPrinterColumns": [dict(one) for one in _COLUMNS]}
    return crds.definition(
        PublishedDiagnosis,
        kind=KIND.kind,
        plural=PLURAL,
        group=GROUP,
        version=VERSION,
        labels={"app.kubernetes.io/part-of": "syncline"},
        extras=extras,
    )
