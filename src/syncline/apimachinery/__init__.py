"""Kubernetes arithmetic: pure, and ignorant of GitOps.

Belongs here: object keys, YAML as Kubernetes reads it, schemas and defaults, quantities, selectors, patches,
structured merge, managedFields. Does not belong here: anything that knows what an Application is, and any
input or output beyond lazily loading this package's own data files.
Every other package may import it; it imports none of them.
"""
