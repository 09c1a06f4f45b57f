"""The machine that reconciles keys: subjects, queues with lanes, workers, leases, shards.

Belongs here: what any kind of thing needs that is brought to where it should be, one key at a time. It knows nothing of
Applications: they are one subject (`syncline.controller.deliver.applications`) beside others.
"""
