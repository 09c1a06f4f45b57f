"""The Kubernetes rights that Syncline's own work needs: the requests it makes, the roles that permit exactly those.

Belongs here: the table of requests, roles made of it, what an identity lacks of it or has beyond it. Does not belong
here: rights to deliver, which are the operator's choice, and rights of people, which `syncline.core.policy.rbac`
decides. `manifests` is for `syncline admin rbac` and for tests that run a component under its own roles.
"""

from syncline.core.rights.roles import manifests

__all__ = ["manifests"]
