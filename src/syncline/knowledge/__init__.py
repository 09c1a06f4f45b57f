"""What is known about kinds, as data: `<group>/<Kind>/health.yaml` and `references.yaml`, with cases beside them.

Read by `syncline.core.health.knowledge` and `syncline.core.references.knowledge`. `_` in a folder's name stands for
anything. Cases are for the tests and stay out of the wheel.
"""
