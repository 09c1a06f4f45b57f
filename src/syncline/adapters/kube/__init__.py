"""The one Kubernetes client: `syncline.ports.kube` over any `syncline.ports.transport`.

Belongs here: kubeconfig, credentials, HTTP, discovery, list, watch, apply, retries. Does not belong here:
what to read or write, and when. Nothing is imported from here at package level, so that asking for help stays
fast.
"""
