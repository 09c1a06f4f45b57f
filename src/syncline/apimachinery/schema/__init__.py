"""What Kubernetes knows about the fields of a kind: types, list types, merge keys, defaults.

`syncline.apimachinery.schema.node` holds the shape; built-in kinds come from data files beside this package,
custom kinds from the `openAPIV3Schema` of their CRD. Structured merge, strategic merge, defaulting,
validation and the sandbox all read the same nodes.
"""
