"""Patches: the three ways Kubernetes changes part of an object, applied and computed.

Belongs here: JSON Patch (`json_patch`), JSON Merge Patch (`json_merge`), strategic merge patch (`strategic`).
Does not belong here: server-side apply, which is `syncline.apimachinery.merge`.
Nothing here mutates what it is given; results share every unchanged part with the input.
"""
