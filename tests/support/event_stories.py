"""Stories of Events that tell why an object is not Healthy."""

from typing import Any

from syncline.apimachinery.keys import Object
from tests.support.world import Bed

AUTO = {"prune": True, "selfHeal": True}


def claim_file(storage_class: str, name: str = "data") -> str:
    return f"""\
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: {name}
spec:
  accessModes: [ReadWriteOnce]
  storageClassName: {storage_class}
  resources:
    requests:
      storage: 1Gi
"""


def storage_class(name: str) -> Object:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": "csi.example.com",
        "volumeBindingMode": "Immediate",
    }


def not_found(storage_class: str) -> str:
    """Return what Kubernetes' own volume controller says about a class that is not there."""
    return f'storageclass.storage.k8s.io "{storage_class}" not found'


async def health(bed: Bed, name: str = "data", app: str = "web") -> dict[str, Any]:
    """Return the health of one object as the app's status has it."""
    rows = (await bed.app_status(app)).get("resources") or ()
    return next((dict(row.get("health") or {}) for row in rows if row["name"] == name), {})


async def a_claim_whose_class_is_unknown_is_degraded_until_it_is_bound(bed: Bed) -> None:
    missing = f"fast-{bed.target}"
    bed.source.commit({"apps/web/data.yaml": claim_file(missing)})
    await bed.apply(bed.application(automated=AUTO))
    await bed.until_status("Synced", "Degraded")
    assert await health(bed) == {"status": "Degraded", "message": not_found(missing)}
    await bed.apply(storage_class(missing))
    await bed.until_delivered()
    assert await health(bed) == {"status": "Healthy"}


STORIES = (a_claim_whose_class_is_unknown_is_degraded_until_it_is_bound,)
