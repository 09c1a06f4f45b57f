"""Gathers all that a diagnosis sees: of living clusters, of Argo CD's own API, of dumps. Reads, and never writes.

Belongs here: which requests are made, what is kept of the answers, what may leave the machine. Does not belong here:
what any of it means, which is `syncline.core.diagnose`.
"""
