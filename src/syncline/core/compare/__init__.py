"""What differs between Git and the cluster, and why.

`syncline.core.compare.prepare` turns rendered objects into what would be applied, `syncline.core.compare.compare`
pairs them with live objects and yields a `Comparison`.
"""
